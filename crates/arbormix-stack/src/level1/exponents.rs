//! The exponents of the label-set table: α of every distribution that it pools, then γ of the number of rows.

use crate::newton::{Expansion, Smooth, minimise};
use arbormix_learn::logistic::loss::log_sum_exp;

/// The centre of the penalty: the same exponent for every distribution, and 0 for the number of rows.
pub(crate) fn centre(distributions: usize) -> Vec<f64> {
    let mut centre = vec![1.0 / distributions as f64; distributions];
    centre.push(0.0);
    centre
}

/// One held-out row.
pub(crate) struct Case<'a> {
    /// log(P(s | x) + δ) of every set, one column per distribution.
    pub(crate) evidence: &'a [Vec<f64>],
    /// log(n_s + ½) of the sets.
    pub(crate) log_counts: &'a [f64],
    /// The place of the row's own set.
    pub(crate) own: usize,
    pub(crate) weight: f64,
}

/// Minimises −Σ log g(own | x) + ρ/2 ‖(α, γ) − centre‖².
pub(crate) fn fit(cases: &[Case<'_>], distributions: usize, ridge: f64) -> Vec<f64> {
    let centre = centre(distributions);
    let start = centre.clone();
    minimise(&Loss { cases, centre, ridge }, start)
}

/// log g(s | x) of every set.
pub(crate) fn log_probabilities(exponents: &[f64], evidence: &[Vec<f64>], log_counts: &[f64]) -> Vec<f64> {
    let columns = evidence.iter().map(Vec::as_slice).chain([log_counts]);
    let mut columns = exponents.iter().zip(columns);
    let first = columns.next().map(|(exponent, column)| column.iter().map(|value| exponent * value).collect());
    let mut logs: Vec<f64> = first.unwrap_or_default();
    for (exponent, column) in columns {
        logs.iter_mut().zip(column).for_each(|(log, value)| *log += exponent * value);
    }
    let total = log_sum_exp(&logs);
    logs.iter_mut().for_each(|log| *log -= total);
    logs
}

/// What the exponents minimise.
pub(crate) struct Loss<'a> {
    pub(crate) cases: &'a [Case<'a>],
    pub(crate) centre: Vec<f64>,
    pub(crate) ridge: f64,
}

impl Smooth for Loss<'_> {
    type Numbers = Vec<f64>;
    type Rows = Vec<Vec<f64>>;

    /// Gradient Σ (E[v] − v_own) and Hessian Σ Cov[v] under g, where v are the numbers of a set; with the penalty.
    fn expanded(&self, at: &Vec<f64>) -> Expansion<Vec<f64>, Vec<Vec<f64>>> {
        let count = at.len();
        let distance: Vec<f64> = at.iter().zip(&self.centre).map(|(at, centre)| at - centre).collect();
        let mut value = 0.5 * self.ridge * distance.iter().map(|by| by * by).sum::<f64>();
        let mut gradient: Vec<f64> = distance.iter().map(|by| self.ridge * by).collect();
        let mut hessian = vec![vec![0.0; count]; count];
        (0..count).for_each(|j| hessian[j][j] = self.ridge);
        for case in self.cases {
            let columns: Vec<&[f64]> = case.evidence.iter().map(Vec::as_slice).chain([case.log_counts]).collect();
            let logs = log_probabilities(at, case.evidence, case.log_counts);
            value -= case.weight * logs[case.own];
            let (mut mean, mut square) = (vec![0.0; count], vec![0.0; count * count]);
            let mut numbers = vec![0.0; count];
            for (s, log) in logs.into_iter().enumerate() {
                let p = log.exp();
                numbers.iter_mut().zip(&columns).for_each(|(number, column)| *number = column[s]);
                for (i, (mean, square)) in mean.iter_mut().zip(square.chunks_exact_mut(count)).enumerate() {
                    let weighed = p * numbers[i];
                    *mean += weighed;
                    square.iter_mut().zip(&numbers).for_each(|(cell, number)| *cell += weighed * number);
                }
            }
            for i in 0..count {
                gradient[i] += case.weight * (mean[i] - columns[i][case.own]);
                for j in 0..count {
                    hessian[i][j] += case.weight * (square[i * count + j] - mean[i] * mean[j]);
                }
            }
        }
        Expansion { value, gradient, hessian }
    }
}
