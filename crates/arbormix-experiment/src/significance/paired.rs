//! t-tests on paired values.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// A t-test's result.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct TTest {
    /// t; positive if the first values are larger on average.
    pub statistic: f64,
    /// Degrees of freedom.
    pub degrees: f64,
    /// Two-sided p-value.
    pub p_value: f64,
}

/// Student's t on the differences of paired values; `None` for fewer than two pairs.
///
/// t = mean(δ) / √(var(δ) / n), n − 1 degrees of freedom, the variance with n − 1. Differences that are all equal have
/// no variance: t is then infinite and p = 0, or, if all are zero, t = 0 and p = 1 (scipy says NaN).
///
/// # Panics
/// If the numbers of values differ.
///
/// ```
/// let test = arbormix_experiment::significance::paired_t(&[1.0, 2.0, 4.0], &[0.5, 1.0, 2.5]);
/// assert!(test.is_some_and(|test| (test.statistic - 12_f64.sqrt()).abs() < 1e-12));
/// ```
pub fn paired_t(first: &[f64], second: &[f64]) -> Option<TTest> {
    t_test(first, second, 0.0)
}

/// The t-test of Nadeau and Bengio (2003) for values from overlapping training sets: the variance of the mean is
/// (1/n + `test_share`) var(δ), where `test_share` is test rows divided by training rows (1/9 for ten folds).
///
/// # Panics
/// If the numbers of values differ.
pub fn corrected_resampled_t(first: &[f64], second: &[f64], test_share: f64) -> Option<TTest> {
    t_test(first, second, test_share)
}

fn t_test(first: &[f64], second: &[f64], extra: f64) -> Option<TTest> {
    assert_eq!(first.len(), second.len(), "values come in pairs");
    let count = first.len();
    if count < 2 {
        return None;
    }
    let differences: Vec<f64> = first.iter().zip(second).map(|(a, b)| a - b).collect();
    let n = count as f64;
    let mean = differences.iter().sum::<f64>() / n;
    let variance = differences.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let degrees = n - 1.0;
    if differences.iter().all(|&d| d == 0.0) {
        return Some(TTest { statistic: 0.0, degrees, p_value: 1.0 });
    }
    // Equal differences may have a mean that is off by rounding, and so a variance of rounding only.
    let constant = differences.iter().all(|&d| d == differences[0]);
    let statistic = if constant { mean * f64::INFINITY } else { mean / ((1.0 / n + extra) * variance).sqrt() };
    let distribution = StudentsT::new(0.0, 1.0, degrees).expect("the degrees of freedom are at least 1");
    let p_value = if statistic.is_infinite() { 0.0 } else { 2.0 * distribution.cdf(-statistic.abs()) };
    Some(TTest { statistic, degrees, p_value })
}
