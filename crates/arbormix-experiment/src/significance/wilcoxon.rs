//! Wilcoxon's signed-rank test.

use statrs::distribution::{ContinuousCDF, Normal};

use super::ranks::{ranks, tie_term};

/// Pairs up to which the distribution is counted out, if nothing is tied.
const EXACT: usize = 50;

/// The result of Wilcoxon's signed-rank test.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Wilcoxon {
    /// The smaller of the rank sums of positive and of negative differences.
    pub statistic: f64,
    /// Pairs that differ.
    pub pairs: usize,
    /// Whether p was counted out exactly.
    pub exact: bool,
    /// Two-sided p-value.
    pub p_value: f64,
}

/// Wilcoxon's signed-rank test on paired values; `None` without pairs.
///
/// Pairs without a difference are left out, as Wilcoxon did. Up to 50 pairs without ties or such zeros, p is exact;
/// else it comes from the normal approximation with the variance corrected for ties, without continuity correction
/// (scipy: `method="exact"` and `method="asymptotic"`). If no pair differs, p = 1.
///
/// # Panics
/// If the numbers of values differ.
pub fn wilcoxon(first: &[f64], second: &[f64]) -> Option<Wilcoxon> {
    assert_eq!(first.len(), second.len(), "values come in pairs");
    if first.is_empty() {
        return None;
    }
    let differences: Vec<f64> = first.iter().zip(second).map(|(a, b)| a - b).filter(|&d| d != 0.0).collect();
    let sizes: Vec<f64> = differences.iter().map(|d| d.abs()).collect();
    let ranked = ranks(&sizes);
    let above = ranked.iter().zip(&differences).filter(|(_, d)| **d > 0.0);
    // From 0, because an empty sum of floats is −0.
    let positive = above.fold(0.0, |sum, (rank, _)| sum + rank);
    let (pairs, n) = (sizes.len(), sizes.len() as f64);
    let statistic = positive.min(n * (n + 1.0) / 2.0 - positive);
    let ties = tie_term(&sizes);
    let exact = ties == 0.0 && pairs == first.len() && pairs <= EXACT;
    let p_value = if pairs == 0 {
        1.0
    } else if exact {
        // Without ties the rank sum is a whole number.
        (2.0 * probability_up_to(statistic as usize, pairs)).min(1.0)
    } else {
        let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ties / 48.0;
        let z = (statistic - n * (n + 1.0) / 4.0) / variance.sqrt();
        (2.0 * Normal::standard().cdf(z)).min(1.0)
    };
    Some(Wilcoxon { statistic, pairs, exact, p_value })
}

/// P(W ≤ sum) when each of the ranks 1..=n is in W with probability ½: the number of subsets by their sum.
fn probability_up_to(sum: usize, n: usize) -> f64 {
    // At most 2⁵⁰ subsets: a double counts them exactly.
    let mut subsets = vec![0.0_f64; n * (n + 1) / 2 + 1];
    subsets[0] = 1.0;
    for rank in 1..=n {
        for at in (rank..subsets.len()).rev() {
            subsets[at] += subsets[at - rank];
        }
    }
    subsets[..=sum].iter().sum::<f64>() / 2_f64.powi(n as i32)
}
