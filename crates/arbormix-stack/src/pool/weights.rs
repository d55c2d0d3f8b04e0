//! The weights of the parts, by EM.

use arbormix_learn::logistic::loss::log_sum_exp;

/// Rounds of EM; each is a pass over the rows.
const ROUNDS: usize = 500;
/// Rows that are added to each part, so that no part is ruled out and unseen sets stay possible. Only a part that gave every
/// row probability 0 gets none: where every label set is new, a table of old sets would still have the most probable sets.
const PRIOR_ROWS: f64 = 0.5;

/// A held-out row: the log-probabilities of its own set by the parts, and its weight.
pub(crate) type Row = (Vec<f64>, f64);

/// The weights of `parts` parts that make held-out rows most likely.
pub(crate) fn fit(rows: &[Row], parts: usize) -> Vec<f64> {
    let total: f64 = rows.iter().map(|(_, weight)| weight).sum();
    let is_usable = |part: usize| rows.is_empty() || rows.iter().any(|(logs, _)| logs[part] > f64::NEG_INFINITY);
    let prior: Vec<f64> = (0..parts).map(|part| if is_usable(part) { PRIOR_ROWS } else { 0.0 }).collect();
    let mut weights = vec![1.0 / parts as f64; parts];
    let mut joint = vec![0.0; parts];
    for _ in 0..ROUNDS {
        let mut sums = prior.clone();
        for (logs, row) in rows {
            let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            (0..parts).for_each(|part| joint[part] = weights[part] * (logs[part] - top).exp());
            let all: f64 = joint.iter().sum();
            (0..parts).for_each(|part| sums[part] += row * joint[part] / all);
        }
        let rows = total + prior.iter().sum::<f64>();
        weights = sums.into_iter().map(|sum| sum / rows).collect();
    }
    weights
}

/// Log-probability of each row's own set under these weights.
pub(crate) fn log_likelihoods(rows: &[Row], weights: &[f64]) -> Vec<f64> {
    let own = |logs: &[f64]| {
        log_sum_exp(&logs.iter().zip(weights).map(|(log, weight)| weight.ln() + log).collect::<Vec<_>>())
    };
    rows.iter().map(|(logs, _)| own(logs)).collect()
}
