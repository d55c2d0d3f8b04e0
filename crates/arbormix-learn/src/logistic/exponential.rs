//! Exponential and logarithm without branches or tables, so that loops over them become vector instructions.
//!
//! After the matrix products, these take most of a regression's time. Products and sums are kept apart (no fused
//! multiply-add) where the last digits count: outside of loops compiled for the machine's instructions, a fused one is a
//! function call. Every machine gives the same bits.

use arbormix_matrix::Real;

/// 2⁵² · 1.5: adding it rounds a number of moderate size to an integer, held in the last bits of the sum.
const ROUND: f64 = 6_755_399_441_055_744.0;
/// log 2 in two parts; the first has so few bits that its product with a small integer is exact.
const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// Below this, eˣ is not a normal number and counts as 0.
const MIN_EXPONENT: f64 = -708.0;

/// Numbers that are processed together. Every step of a series waits for the one before, so several series must run at
/// once to keep a processor busy.
pub(crate) const TOGETHER: usize = 16;

/// eˣ for x ≤ 0 (also right up to 700), to about one unit in the last place; 0 below e⁻⁷⁰⁸. NaN stays NaN.
#[inline(always)]
pub fn exp_of_negative(x: f64) -> f64 {
    exps_of_negative([x])[0]
}

/// x = k log 2 + r with |r| ≤ ½ log 2; eʳ by its series, 2ᵏ by writing k into the exponent.
#[inline(always)]
pub(crate) fn exps_of_negative<const N: usize>(x: [f64; N]) -> [f64; N] {
    let (mut r, mut power) = ([0.0; N], [0.0; N]);
    for n in 0..N {
        let shifted = x[n] * std::f64::consts::LOG2_E + ROUND;
        let k = shifted - ROUND;
        r[n] = (x[n] - k * LN_2_HIGH) - k * LN_2_LOW;
        power[n] = f64::from_bits((shifted.to_bits() << 52).wrapping_add(1023 << 52));
    }
    let mut sum = [1.0 / 6_227_020_800.0; N];
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
        for n in 0..N {
            sum[n] = r[n] * sum[n] + inverse_factorial;
        }
    }
    for n in 0..N {
        sum[n] = if x[n] < MIN_EXPONENT { 0.0 } else { sum[n] * power[n] };
    }
    sum
}

/// log(1 + e) for 0 ≤ e ≤ 1, to a few units in the last place.
#[inline(always)]
pub fn log_of_one_plus(e: f64) -> f64 {
    logs_of_one_plus([e])[0]
}

/// 2 artanh(s) with s = e / (2 + e) ≤ ⅓, by its series.
#[inline(always)]
pub(crate) fn logs_of_one_plus<const N: usize>(e: [f64; N]) -> [f64; N] {
    let (mut s, mut square) = ([0.0; N], [0.0; N]);
    for n in 0..N {
        s[n] = e[n] / (2.0 + e[n]);
        square[n] = s[n] * s[n];
    }
    let mut sum = [1.0 / 35.0; N];
    for odd in [33.0, 31.0, 29.0, 27.0, 25.0, 23.0, 21.0, 19.0, 17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0] {
        for n in 0..N {
            sum[n] = square[n] * sum[n] + 1.0 / odd;
        }
    }
    for n in 0..N {
        let doubled = 2.0 * s[n];
        sum[n] = doubled + doubled * square[n] * sum[n];
    }
    sum
}

/// Replaces many numbers x ≤ 0 by eˣ.
#[inline(always)]
pub fn exp_in_place(values: &mut [f64]) {
    let (groups, rest) = values.as_chunks_mut::<TOGETHER>();
    for group in groups {
        *group = exps_of_negative(*group);
    }
    for value in rest {
        *value = exp_of_negative(*value);
    }
}

/// log σ(−z) and log σ(z) of many z, which stand in `absent` and are replaced.
#[inline(always)]
pub fn log_sigmoids_in_place(absent: &mut [f64], present: &mut [f64]) {
    let (off_groups, off_rest) = absent.as_chunks_mut::<TOGETHER>();
    let (on_groups, on_rest) = present.as_chunks_mut::<TOGETHER>();
    for (off, on) in off_groups.iter_mut().zip(on_groups) {
        [*off, *on] = log_sigmoids(*off);
    }
    for (off, on) in off_rest.iter_mut().zip(on_rest) {
        let [[low], [high]] = log_sigmoids([*off]);
        (*off, *on) = (low, high);
    }
}

/// log σ(−z) and log σ(z): one exponential and one logarithm serve both.
#[inline(always)]
pub(crate) fn log_sigmoids<const N: usize>(z: [f64; N]) -> [[f64; N]; 2] {
    let mut size = z;
    for n in 0..N {
        size[n] = -z[n].abs();
    }
    let rest = logs_of_one_plus(exps_of_negative(size));
    let mut out = [rest; 2];
    for n in 0..N {
        out[0][n] = -(z[n].max(0.0) + rest[n]);
        out[1][n] = -((-z[n]).max(0.0) + rest[n]);
    }
    out
}

/// Exponential and logarithm with fewer digits, for loops in which multiplying and adding is one instruction.
pub trait Exponential: Real {
    /// eˣ for x ≤ 0, with a relative error of at most 10⁻¹² (single precision: 10⁻⁶).
    fn quick_exp_of_negative(self) -> Self;

    /// log(1 + e) for e = `self` from 0 to 1, with the same errors.
    fn quick_log_of_one_plus(self) -> Self;

    /// |x|.
    fn size(self) -> Self;
}

impl Exponential for f64 {
    #[inline(always)]
    fn quick_exp_of_negative(self) -> f64 {
        let x = if self < MIN_EXPONENT { MIN_EXPONENT } else { self };
        let shifted = x.mul_add(std::f64::consts::LOG2_E, ROUND);
        let k = shifted - ROUND;
        let r = k.mul_add(-LN_2_LOW, k.mul_add(-LN_2_HIGH, x));
        let mut sum = 1.0 / 3_628_800.0;
        for inverse_factorial in [
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
            sum = r.mul_add(sum, inverse_factorial);
        }
        sum * f64::from_bits((shifted.to_bits() << 52).wrapping_add(1023 << 52))
    }

    #[inline(always)]
    fn quick_log_of_one_plus(self) -> f64 {
        let s = self / (2.0 + self);
        let square = s * s;
        let mut sum = 1.0 / 23.0;
        for odd in [21.0, 19.0, 17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0] {
            sum = square.mul_add(sum, 1.0 / odd);
        }
        2.0 * s * sum
    }

    #[inline(always)]
    fn size(self) -> f64 {
        self.abs()
    }
}

/// 2²³ · 1.5, which rounds as [`ROUND`] does.
const ROUND_SINGLE: f32 = 12_582_912.0;
/// Below this, eˣ is not a normal number in single precision.
const MIN_EXPONENT_SINGLE: f32 = -87.0;

impl Exponential for f32 {
    #[inline(always)]
    fn quick_exp_of_negative(self) -> f32 {
        let x = if self < MIN_EXPONENT_SINGLE { MIN_EXPONENT_SINGLE } else { self };
        let shifted = x.mul_add(std::f32::consts::LOG2_E, ROUND_SINGLE);
        let k = shifted - ROUND_SINGLE;
        // log 2 in two parts, as above.
        let r = k.mul_add(-1.428_606_8e-6, k.mul_add(-0.693_145_75, x));
        let mut sum = 1.0 / 720.0;
        for inverse_factorial in [1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
            sum = r.mul_add(sum, inverse_factorial);
        }
        sum * f32::from_bits((shifted.to_bits() << 23).wrapping_add(127 << 23))
    }

    #[inline(always)]
    fn quick_log_of_one_plus(self) -> f32 {
        let s = self / (2.0 + self);
        let square = s * s;
        let mut sum = 1.0 / 11.0;
        for odd in [9.0, 7.0, 5.0, 3.0, 1.0] {
            sum = square.mul_add(sum, 1.0 / odd);
        }
        2.0 * s * sum
    }

    #[inline(always)]
    fn size(self) -> f32 {
        self.abs()
    }
}

#[cfg(test)]
mod tests {
    use super::{Exponential, exp_of_negative, log_of_one_plus};
    use arbormix_matrix::Real;

    /// The fast versions have the precision that they document.
    #[test]
    fn quick_functions_agree_with_the_standard_library() {
        for step in 0..200_000 {
            let x = -700.0 * (f64::from(step) / 200_000.0).powi(3);
            let (ours, theirs) = (x.quick_exp_of_negative(), x.exp());
            assert!((ours - theirs).abs() <= 1e-12 * theirs, "e^{x}: {ours} and {theirs}");
            let (ours, theirs) = (theirs.quick_log_of_one_plus(), theirs.ln_1p());
            assert!((ours - theirs).abs() <= 1e-12 * theirs, "log(1 + e^{x}): {ours} and {theirs}");
            let x = f32::of(x / 8.1);
            let (ours, theirs) = (x.quick_exp_of_negative(), x.exp());
            assert!((ours - theirs).abs() <= 1e-6 * theirs, "e^{x}: {ours} and {theirs}");
            let (ours, theirs) = (theirs.quick_log_of_one_plus(), theirs.ln_1p());
            assert!((ours - theirs).abs() <= 1e-6 * theirs, "log(1 + e^{x}): {ours} and {theirs}");
        }
        assert!(f64::NEG_INFINITY.quick_exp_of_negative() < 1e-300);
        assert!(f32::NEG_INFINITY.quick_exp_of_negative() < 1e-37);
    }

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
