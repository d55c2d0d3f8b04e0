//! Exponential and logarithm without branches or tables, so that loops over them become vector instructions.
//!
//! After the matrix products, these take most of a regression's time. Products and sums are kept apart (no fused
//! multiply-add): every machine gives the same bits.

/// 2⁵² · 1.5: adding it rounds a number of moderate size to an integer, held in the last bits of the sum.
const ROUND: f64 = 6_755_399_441_055_744.0;
/// log 2 in two parts; the first has so few bits that its product with a small integer is exact.
const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// Below this eˣ is no normal number; it counts as 0.
const LEAST: f64 = -708.0;

/// eˣ for x ≤ 0 (also right up to 700), to about one unit in the last place; 0 below e⁻⁷⁰⁸. NaN stays NaN.
///
/// x = k log 2 + r with |r| ≤ ½ log 2; eʳ by its series, 2ᵏ by writing k into the exponent.
#[inline(always)]
pub(crate) fn exp_of_negative(x: f64) -> f64 {
    let shifted = x * std::f64::consts::LOG2_E + ROUND;
    let k = shifted - ROUND;
    let r = (x - k * LN_2_HIGH) - k * LN_2_LOW;
    let mut sum = 1.0 / 6_227_020_800.0;
    for inverse_factorial in [
        1.0 / 479_001_600.0,
        1.0 / 39_916_800.0,
        1.0 / 3_628_800.0,
        1.0 / 362_880.0,
        1.0 / 40_320.0,
        1.0 / 5_040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
        1.0,
    ] {
        sum = r * sum + inverse_factorial;
    }
    let power = f64::from_bits((shifted.to_bits() << 52).wrapping_add(1023 << 52));
    if x < LEAST { 0.0 } else { sum * power }
}

/// log(1 + e) for 0 ≤ e ≤ 1, to a few units in the last place.
///
/// 2 artanh(s) with s = e / (2 + e) ≤ ⅓, by its series.
#[inline(always)]
pub(crate) fn log_of_one_plus(e: f64) -> f64 {
    let s = e / (2.0 + e);
    let square = s * s;
    let mut sum = 1.0 / 35.0;
    for odd in [33.0, 31.0, 29.0, 27.0, 25.0, 23.0, 21.0, 19.0, 17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0] {
        sum = square * sum + 1.0 / odd;
    }
    let doubled = 2.0 * s;
    doubled + doubled * square * sum
}

#[cfg(test)]
mod tests {
    use super::{exp_of_negative, log_of_one_plus};

    /// Both functions against the standard library's over their whole range.
    #[test]
    fn exponential_and_logarithm_agree_with_the_standard_library() {
        for step in 0..200_000 {
            let x = -708.0 * (f64::from(step) / 200_000.0).powi(3);
            let (ours, theirs) = (exp_of_negative(x), x.exp());
            assert!((ours - theirs).abs() <= 4.0 * f64::EPSILON * theirs, "e^{x}: {ours} and {theirs}");
            let (ours, theirs) = (log_of_one_plus(theirs), theirs.ln_1p());
            assert!((ours - theirs).abs() <= 4.0 * f64::EPSILON * theirs, "log(1 + e^{x}): {ours} and {theirs}");
        }
        assert_eq!(exp_of_negative(0.0), 1.0);
        assert_eq!(exp_of_negative(-1e9), 0.0);
        assert_eq!(exp_of_negative(f64::NEG_INFINITY), 0.0);
        assert!(exp_of_negative(f64::NAN).is_nan());
        assert_eq!(log_of_one_plus(0.0), 0.0);
    }
}
