//! The range of k standard normal numbers: the studentised range with infinite degrees of freedom.

use statrs::distribution::{Continuous, ContinuousCDF, Normal};

/// Beyond this many standard deviations the normal density adds nothing that a double can hold.
const EDGE: f64 = 9.0;
/// Steps of Simpson's rule; the integrand is smooth, and this many give 12 digits (tests).
const STEPS: usize = 600;

/// P(range of `count` independent standard normal numbers ≤ `range`) = k ∫ φ(z) [Φ(z) − Φ(z − q)]^(k−1) dz.
pub fn studentised_range_cdf(range: f64, count: usize) -> f64 {
    if range <= 0.0 {
        return 0.0;
    }
    let normal = Normal::standard();
    let power = i32::try_from(count.saturating_sub(1)).unwrap_or(i32::MAX);
    // z is the largest of the numbers, so all others lie between z − q and z.
    let density = |z: f64| normal.pdf(z) * (normal.cdf(z) - normal.cdf(z - range)).powi(power);
    let step = 2.0 * EDGE / STEPS as f64;
    let term = |i: usize| {
        let weight = match i {
            0 | STEPS => 1.0,
            i if i % 2 == 1 => 4.0,
            _ => 2.0,
        };
        weight * density(-EDGE + i as f64 * step)
    };
    (count as f64 * step / 3.0 * (0..=STEPS).map(term).sum::<f64>()).clamp(0.0, 1.0)
}

/// The range that `count` standard normal numbers stay within with this probability.
///
/// ```
/// // scipy.stats.studentized_range.ppf(0.95, 3, inf)
/// let q = arbormix_experiment::significance::studentised_range_quantile(0.95, 3);
/// assert!((q - 3.314_493).abs() < 1e-6);
/// ```
pub fn studentised_range_quantile(probability: f64, count: usize) -> f64 {
    let (mut low, mut high) = (0.0, 2.0 * EDGE);
    // Sixty halvings of 18 leave less than a double's rounding.
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if studentised_range_cdf(middle, count) < probability {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}
