//! Numbers as most files write them, read while their end is looked for.

/// 10^k for the k whose power is a 64-bit floating-point number exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];
/// Up to here whole numbers are floating-point numbers exactly.
const LARGEST_EXACT: u64 = 1 << 53;
/// So many digits fit into 64 bits whatever they are.
const MOST_DIGITS: usize = 19;

/// The plain decimal number (no exponent, no plus sign) at the head of a text, and its length; `None` for anything else.
///
/// With few digits, these as a whole number and the power of ten are both exact, so their quotient is rounded once: it is,
/// bit for bit, what [`str::parse`] gives. That does the others, whose end is at least found.
#[inline]
pub(super) fn leading(text: &str) -> Option<(f64, usize)> {
    let bytes = text.as_bytes();
    let negative = bytes.first() == Some(&b'-');
    let first = usize::from(negative);
    let (mut whole, mut at) = (0_u64, first);
    let mut point = None;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'0'..=b'9' => whole = whole.wrapping_mul(10).wrapping_add(u64::from(byte - b'0')),
            b'.' if point.is_none() => point = Some(at),
            _ => break,
        }
        at += 1;
    }
    let decimals = point.map_or(0, |point| at - point - 1);
    let digits = at - first - usize::from(point.is_some());
    if digits == 0 {
        return None;
    }
    if digits > MOST_DIGITS || whole > LARGEST_EXACT {
        return text[..at].parse().ok().map(|value| (value, at));
    }
    let value = whole as f64 / POWERS[decimals];
    Some((if negative { -value } else { value }, at))
}

/// As [`str::parse`], faster for plain decimal numbers.
#[inline]
pub(super) fn parse(text: &str) -> Result<f64, std::num::ParseFloatError> {
    match leading(text) {
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
            assert_eq!(leading(text), None, "{text}");
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
            assert_eq!(leading(text), Some((value, length)), "{text}");
        }
        assert_eq!(parse("-0.0").map(f64::to_bits), Ok((-0.0_f64).to_bits()));
        assert!(parse("1.5.2").is_err() && parse("1 ").is_err());
        assert_eq!(parse("1e5"), Ok(1e5));
    }

    proptest! {
        #[test]
        fn numbers_have_the_bits_that_the_standard_library_gives(text in "-?[0-9]{0,12}\\.?[0-9]{0,20}") {
            let (ours, standard) = (parse(&text), text.parse::<f64>());
            prop_assert_eq!(ours.map(f64::to_bits), standard.map(f64::to_bits));
        }
    }
}
