//! The weights of the three parts of the mixture, by EM.

use arbormix_learn::logistic::loss::log_sum_exp;

/// Rounds of EM; each is a pass over the rows.
const ROUNDS: usize = 500;
/// Rows that are added to each part: none is ruled out, so unseen sets stay possible. Only a part that gave no row any
/// probability gets none: where every label set is new, a table of old ones would have the most probable sets all the same.
const PRIOR_ROWS: f64 = 0.5;

/// The weights that make held-out rows most likely. A row comes as the log-probabilities that the parts gave its own set, and
/// its weight.
pub(crate) fn fit(rows: &[([f64; 3], f64)]) -> [f64; 3] {
    let total: f64 = rows.iter().map(|(_, weight)| weight).sum();
    let usable = [0, 1, 2].map(|part| rows.is_empty() || rows.iter().any(|(logs, _)| logs[part] > f64::NEG_INFINITY));
    let prior = usable.map(|usable| if usable { PRIOR_ROWS } else { 0.0 });
    let mut weights = [1.0 / 3.0; 3];
    for _ in 0..ROUNDS {
        let mut sums = prior;
        for (logs, row) in rows {
            let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let joint = [0, 1, 2].map(|part| weights[part] * (logs[part] - top).exp());
            let all: f64 = joint.iter().sum();
            (0..3).for_each(|part| sums[part] += row * joint[part] / all);
        }
        weights = sums.map(|sum| sum / (total + prior.iter().sum::<f64>()));
    }
    weights
}

/// Log-probability of each row's own set under these weights.
pub(crate) fn log_likelihoods(rows: &[([f64; 3], f64)], weights: [f64; 3]) -> Vec<f64> {
    let own = |logs: &[f64; 3]| log_sum_exp(&[0, 1, 2].map(|part| weights[part].ln() + logs[part]));
    rows.iter().map(|(logs, _)| own(logs)).collect()
}
