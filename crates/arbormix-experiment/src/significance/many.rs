//! Several methods on several data sets: Friedman's test and Nemenyi's.

use statrs::distribution::{ChiSquared, ContinuousCDF, FisherSnedecor};

use super::ranks::{ranks, tie_term};
use super::studentised::studentised_range_quantile;

/// The result of Friedman's test.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Friedman {
    /// Mean rank of each method over the data sets; 1 is the best.
    pub mean_ranks: Vec<f64>,
    /// Number of data sets.
    pub data_sets: usize,
    /// Friedman's χ², corrected for ties.
    pub chi_square: f64,
    /// Its p-value with (methods − 1) degrees of freedom.
    pub chi_square_p: f64,
    /// Iman and Davenport's F = (n − 1) χ² / (n (k − 1) − χ²), less conservative.
    pub f: f64,
    /// Its p-value with (k − 1) and (k − 1)(n − 1) degrees of freedom.
    pub f_p: f64,
}

/// Friedman's test on one row of values per data set, *lower is better*; `None` for fewer than two data sets or methods.
///
/// Ties share their mean rank. If every row is all ties, nothing differs: both p are 1. If all rows rank the methods
/// alike, F is infinite and its p is 0.
///
/// # Panics
/// If rows have different lengths.
pub fn friedman(rows: &[Vec<f64>]) -> Option<Friedman> {
    let (count, methods) = (rows.len(), rows.first().map_or(0, Vec::len));
    assert!(rows.iter().all(|row| row.len() == methods), "every data set has a value of every method");
    if count < 2 || methods < 2 {
        return None;
    }
    let (n, k) = (count as f64, methods as f64);
    let mut sums = vec![0.0; methods];
    for row in rows {
        sums.iter_mut().zip(ranks(row)).for_each(|(sum, rank)| *sum += rank);
    }
    let ties: f64 = rows.iter().map(|row| tie_term(row)).sum();
    let correction = 1.0 - ties / (n * (k.powi(3) - k));
    let mean_ranks: Vec<f64> = sums.iter().map(|sum| sum / n).collect();
    if correction <= 0.0 {
        let (chi_square, f) = (0.0, 0.0);
        return Some(Friedman { mean_ranks, data_sets: count, chi_square, chi_square_p: 1.0, f, f_p: 1.0 });
    }
    let squares: f64 = sums.iter().map(|sum| sum * sum).sum();
    let chi_square = (12.0 / (n * k * (k + 1.0)) * squares - 3.0 * n * (k + 1.0)) / correction;
    let chi = ChiSquared::new(k - 1.0).expect("at least one degree of freedom");
    let left = n * (k - 1.0) - chi_square;
    // With all rows alike `left` is 0 up to rounding.
    let f = if left > 1e-9 * n * k { (n - 1.0) * chi_square / left } else { f64::INFINITY };
    let snedecor = FisherSnedecor::new(k - 1.0, (k - 1.0) * (n - 1.0)).expect("at least one degree of freedom");
    let f_p = if f.is_finite() { snedecor.sf(f) } else { 0.0 };
    Some(Friedman { mean_ranks, data_sets: count, chi_square, chi_square_p: chi.sf(chi_square), f, f_p })
}

/// Standard error that Nemenyi's test divides by: √(k(k + 1) / 6n).
fn rank_scale(methods: usize, data_sets: usize) -> f64 {
    let (k, n) = (methods as f64, data_sets as f64);
    (k * (k + 1.0) / (6.0 * n)).sqrt()
}

/// Nemenyi's critical difference: mean ranks that lie further apart differ at level `alpha` (Demšar 2006).
///
/// ```
/// // Table 5 of Demšar (2006): q is 2.569 for four methods.
/// let distance = arbormix_experiment::significance::nemenyi_distance(4, 14, 0.05);
/// assert!((distance - 2.569 * (4.0 * 5.0 / (6.0 * 14.0_f64)).sqrt()).abs() < 5e-4);
/// ```
pub fn nemenyi_distance(methods: usize, data_sets: usize, alpha: f64) -> f64 {
    let q = studentised_range_quantile(1.0 - alpha, methods) / std::f64::consts::SQRT_2;
    q * rank_scale(methods, data_sets)
}
