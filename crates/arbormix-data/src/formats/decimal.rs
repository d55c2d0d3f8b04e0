//! Fast parsing of plain decimal numbers, the form that most files use.

/// 10^k for every k for which it is exact in 64-bit floating point.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];
/// Whole numbers up to this are exact in 64-bit floating point.
const LARGEST_EXACT: u64 = 1 << 53;
/// Any number with so many digits fits into 64 bits.
const MOST_DIGITS: usize = 19;
/// 10^n for up to eight digits.
const WHOLE_POWERS: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// For each d: the integer part of 2^k / 10^d, with the k for which it has 64 bits, and 2^-k.
const RECIPROCALS: [(u64, f64); MOST_DIGITS + 1] = {
    let mut table = [(0, 0.0); MOST_DIGITS + 1];
    let mut decimals = 0;
    while decimals <= MOST_DIGITS {
        let power = 10_u64.pow(decimals as u32);
        // 10^d is at most 2^bits.
        let bits = u64::BITS - (power - 1).leading_zeros();
        let k = u64::BITS - 1 + bits;
        let exponent = (f64::MAX_EXP as u64 - 1 - k as u64) << (f64::MANTISSA_DIGITS - 1);
        table[decimals] = (((1_u128 << k) / power as u128) as u64, f64::from_bits(exponent));
        decimals += 1;
    }
    table
};

/// The plain decimal number (no exponent, no plus sign) at the start of `bytes`, and its length; `None` for anything
/// else.
///
/// The value has the bits that [`str::parse`] gives, which also handles the rare numbers that [`quotient`] cannot parse
/// exactly. A number that is too large for floating point gives `None`.
///
/// Always inlined: the start of the next number depends on the length, which would otherwise go through memory.
#[inline(always)]
pub(super) fn leading(bytes: &[u8]) -> Option<(f64, usize)> {
    let negative = bytes.first() == Some(&b'-');
    let first = usize::from(negative);
    let (mut whole, mut at) = (0_u64, first);
    // Most numbers have one digit before the point; reading eight digits at once does not pay there.
    while let Some(digit) = digit(bytes, at) {
        whole = whole.wrapping_mul(10).wrapping_add(digit);
        at += 1;
    }
    let mut digits = at - first;
    let mut decimals = 0;
    if bytes.get(at) == Some(&b'.') {
        at += 1;
        (whole, decimals) = more_digits(whole, &bytes[at..]);
        at += decimals;
        digits += decimals;
    }
    if digits == 0 {
        return None;
    }
    let value = if digits <= MOST_DIGITS { quotient(whole, decimals) } else { None };
    match value {
        Some(value) => Some((if negative { -value } else { value }, at)),
        None => Some((by_standard_library(&bytes[..at])?, at)),
    }
}

/// The number that all of `bytes` write, if it is not too large.
#[cold]
#[inline(never)]
fn by_standard_library(bytes: &[u8]) -> Option<f64> {
    let value = std::str::from_utf8(bytes).ok()?.parse::<f64>().ok()?;
    value.is_finite().then_some(value)
}

/// `whole` / 10^`decimals`, rounded once; `None` if the rounding is not certain.
#[inline]
fn quotient(whole: u64, decimals: usize) -> Option<f64> {
    if whole <= LARGEST_EXACT {
        // Both are exact, so the division alone rounds.
        return Some(whole as f64 / POWERS[decimals]);
    }
    // The quotient lies between these two multiples of 2^-k. Rounding is monotone: if both round to the same number, so
    // does the quotient. They differ for about one number in a thousand.
    let (reciprocal, scale) = RECIPROCALS[decimals];
    let below = u128::from(whole) * u128::from(reciprocal);
    let (below, above) = (below as f64, (below + u128::from(whole)) as f64);
    (below == above).then_some(below * scale)
}

/// The whole number at the start of `bytes`, followed by `end`, and the length of both: an index as most files write
/// it. `None` for anything else.
#[inline]
pub(super) fn leading_index(bytes: &[u8], end: u8) -> Option<(usize, usize)> {
    let (index, count) = match first_eight(bytes) {
        Some(eight) => digits_of_eight(eight),
        None => more_digits(0, bytes),
    };
    // After eight digits there may be more.
    (matches!(count, 1..=7) && bytes.get(count) == Some(&end)).then_some((index as usize, count + 1))
}

/// Appends the digits at the start of `bytes` to a whole number and counts them. The number wraps if there are too
/// many.
#[inline]
fn more_digits(mut whole: u64, bytes: &[u8]) -> (u64, usize) {
    let mut at = 0;
    while let Some(eight) = first_eight(&bytes[at..]) {
        let (value, count) = digits_of_eight(eight);
        whole = whole.wrapping_mul(WHOLE_POWERS[count]).wrapping_add(value);
        at += count;
        if count < 8 {
            return (whole, at);
        }
    }
    while let Some(digit) = digit(bytes, at) {
        whole = whole.wrapping_mul(10).wrapping_add(digit);
        at += 1;
    }
    (whole, at)
}

#[inline]
fn digit(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at).map(|byte| u64::from(byte.wrapping_sub(b'0'))).filter(|&digit| digit < 10)
}

/// Eight bytes as one number, the first as the lowest.
#[inline]
fn first_eight(bytes: &[u8]) -> Option<u64> {
    bytes.first_chunk().map(|&eight| u64::from_le_bytes(eight))
}

/// The digits at the start of eight bytes: their number and how many they are. Branch-free, because a file mixes
/// numbers of all lengths.
#[inline]
fn digits_of_eight(eight: u64) -> (u64, usize) {
    let eight = eight ^ 0x3030_3030_3030_3030;
    // Digits are now 0 to 9. In other bytes the upper half is not 0, or not 0 after adding 6. The addition may carry,
    // but only into bytes after the first non-digit.
    let others = (eight | eight.wrapping_add(0x0606_0606_0606_0606)) & 0xf0f0_f0f0_f0f0_f0f0;
    let count = others.trailing_zeros() / 8;
    // Leading zeros fill up to eight digits.
    (value_of_eight(eight.unbounded_shl(64 - 8 * count)), count as usize)
}

/// The number of eight digits (bytes from 0 to 9), the first in the lowest byte: digits are joined to pairs, pairs to
/// fours, fours to eight.
#[inline]
fn value_of_eight(digits: u64) -> u64 {
    let pairs = (digits.wrapping_mul(10).wrapping_add(digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100).wrapping_add(pairs >> 16)) & 0x0000_ffff_0000_ffff;
    (fours.wrapping_mul(10_000).wrapping_add(fours >> 32)) & 0xffff_ffff
}

/// As [`str::parse`], faster for plain decimal numbers.
#[inline]
pub(super) fn parse(text: &str) -> Result<f64, std::num::ParseFloatError> {
    match leading(text.as_bytes()) {
        Some((value, length)) if length == text.len() => Ok(value),
        _ => text.parse(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_number_ends_where_its_plain_form_ends() {
        for text in ["", "-", ".", "-.", "+1", "e5", "NaN", "inf", "?", "é"] {
            assert_eq!(leading(text.as_bytes()), None, "{text}");
        }
        for (text, value, length) in [
            ("5.", 5.0, 2),
            (".5,", 0.5, 2),
            ("1.5.2", 1.5, 3),
            ("1e5", 1.0, 1),
            ("9007199254740992é", 9007199254740992.0, 16),
            ("9007199254740993 ", 9007199254740992.0, 16),
            ("-12345678901234567890,", -12345678901234567890.0, 21),
        ] {
            assert_eq!(leading(text.as_bytes()), Some((value, length)), "{text}");
        }
        assert_eq!(parse("-0.0").map(f64::to_bits), Ok((-0.0_f64).to_bits()));
        assert!(parse("1.5.2").is_err() && parse("1 ").is_err());
        assert_eq!(parse("1e5"), Ok(1e5));
        assert_eq!((leading(&[b'9'; 400]), parse(&"9".repeat(400))), (None, Ok(f64::INFINITY)));
    }

    #[test]
    fn an_index_is_digits_and_what_must_follow() {
        for text in ["", " ", "7", "x 1", "12345678 ", "1234567890 1", "7:1", "-7 1", "7x "] {
            assert_eq!(leading_index(text.as_bytes(), b' '), None, "{text}");
        }
        for text in ["7 ", "0 1", "1234567 ", "12 0.5,13 1", "123 é"] {
            let index = text.split(' ').next().unwrap();
            assert_eq!(leading_index(text.as_bytes(), b' '), Some((index.parse().unwrap(), index.len() + 1)), "{text}");
        }
    }

    proptest! {
        #[test]
        fn numbers_have_the_bits_that_the_standard_library_gives(text in "-?[0-9]{0,12}\\.?[0-9]{0,20}") {
            let (ours, standard) = (parse(&text), text.parse::<f64>());
            prop_assert_eq!(ours.map(f64::to_bits), standard.map(f64::to_bits));
        }

        #[test]
        fn so_have_numbers_in_their_shortest_form(number in -1e3..1e3_f64) {
            prop_assert_eq!(parse(&number.to_string()).map(f64::to_bits), Ok(number.to_bits()));
        }

        #[test]
        fn and_those_halfway_between_two(number in 1_u64 << 52..1 << 53, decimals in 0..3_u32) {
            // An odd multiple of the last place's half, with zeros behind that change nothing.
            let text = format!("{}.{:0<width$}", number, 5, width = decimals as usize + 1);
            prop_assert_eq!(parse(&text).map(f64::to_bits), text.parse::<f64>().map(f64::to_bits));
        }

        #[test]
        fn digits_end_at_any_other_byte(digits in "[0-9]{0,18}", other in any::<char>(), rest in ".{0,9}") {
            prop_assume!(!other.is_ascii_digit());
            let text = format!("{digits}{other}{rest}");
            prop_assert_eq!(more_digits(0, text.as_bytes()), (digits.parse().unwrap_or(0), digits.len()));
        }
    }
}
