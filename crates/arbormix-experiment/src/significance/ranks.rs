//! Ranks with ties.

/// Rank of each value from 1, the least first; equal values share the mean of their ranks.
///
/// ```
/// assert_eq!(arbormix_experiment::significance::ranks(&[3.0, 1.0, 3.0]), [2.5, 1.0, 2.5]);
/// ```
pub fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut out = vec![0.0; values.len()];
    for group in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let below = group.iter().map(|&at| values.iter().filter(|&&other| other < values[at]).count()).next();
        // Ranks below + 1 ..= below + size have this mean.
        let rank = below.unwrap_or(0) as f64 + (group.len() + 1) as f64 / 2.0;
        group.iter().for_each(|&at| out[at] = rank);
    }
    out
}

/// Σ (t³ − t) over the groups of t equal values: what ties take from the variance of ranks.
pub(crate) fn tie_term(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let cube = |group: &[f64]| (group.len() as f64).powi(3) - group.len() as f64;
    sorted.chunk_by(|a, b| a == b).map(cube).sum()
}
