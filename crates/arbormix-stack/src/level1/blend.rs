//! The blend: l̃ᵢ = Σ_p b_p l_pᵢ + c, one log-odds per label out of the log-odds l_p of all parts of level 0.

use rayon::prelude::*;

use super::regression::{Prior, Regression, WideRegression};
use super::sample::Sample;
use crate::newton::minimise;
use crate::params::BlendParams;
use arbormix_learn::logistic::loss::sigmoid;
use arbormix_matrix::Columns;

/// The coefficients of all labels.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Blend {
    /// (b₁, …, c) of every label, one after the other.
    pub(crate) coefficients: Vec<f64>,
    /// Numbers per label.
    pub(crate) width: usize,
}

impl Blend {
    pub(crate) fn fit(sample: &Sample, params: &BlendParams) -> Blend {
        let ones = vec![1.0; sample.len()];
        let of = |label: usize| {
            let mut inputs: Vec<&[f64]> = sample.log_odds.iter().map(|log_odds| log_odds.column(label)).collect();
            inputs.push(&ones);
            fit_label(&inputs, &sample.signed(label), params)
        };
        let labels: Vec<Vec<f64>> = (0..sample.labels.cols()).into_par_iter().map(of).collect();
        Blend { coefficients: labels.concat(), width: sample.log_odds.len() + 1 }
    }

    /// Number of labels.
    pub(crate) fn labels(&self) -> usize {
        self.coefficients.len() / self.width
    }

    /// l̃, rows × d.
    pub(crate) fn log_odds(&self, parts: &[&Columns]) -> Columns {
        let mut out = parts[0].clone();
        for (label, own) in self.coefficients.chunks_exact(self.width).enumerate() {
            let (column, (slopes, constant)) = (out.column_mut(label), own.split_at(self.width - 1));
            column.iter_mut().for_each(|value| *value *= slopes[0]);
            for (slope, part) in slopes.iter().zip(parts).skip(1) {
                column.iter_mut().zip(part.column(label)).for_each(|(value, odds)| *value += slope * odds);
            }
            column.iter_mut().for_each(|value| *value += constant[0]);
        }
        out
    }
}

/// (b₁, …, c) of one label. Without rows all parts have the same slope.
fn fit_label(inputs: &[&[f64]], signed: &[f64], params: &BlendParams) -> Vec<f64> {
    match inputs.len() {
        2 => fit_few::<2>(inputs, signed, params),
        3 => fit_few::<3>(inputs, signed, params),
        4 => fit_few::<4>(inputs, signed, params),
        _ => {
            let (centre, ridge) = prior(inputs.len(), params);
            let start = centre.clone();
            minimise(&WideRegression { inputs: inputs.to_vec(), signed, centre, ridge }, start)
        }
    }
}

fn fit_few<const P: usize>(inputs: &[&[f64]], signed: &[f64], params: &BlendParams) -> Vec<f64> {
    let (centre, ridge) = prior(P, params);
    let prior: Prior<P> =
        Prior { centre: std::array::from_fn(|j| centre[j]), ridge: std::array::from_fn(|j| ridge[j]) };
    Regression { inputs: std::array::from_fn(|j| inputs[j]), signed, prior }.fit().to_vec()
}

/// Centre and strength of the penalty on so many coefficients, the constant included.
fn prior(width: usize, params: &BlendParams) -> (Vec<f64>, Vec<f64>) {
    let parts = width - 1;
    let mut centre = vec![1.0 / parts as f64; parts];
    let mut ridge = vec![params.slope_ridge; parts];
    centre.push(0.0);
    ridge.push(params.intercept_ridge);
    (centre, ridge)
}

/// p = σ(l̃), rows × d: the probability of each label without the others.
pub(crate) fn expected(log_odds: &Columns) -> Columns {
    let mut out = log_odds.clone();
    out.values_mut().iter_mut().for_each(|value| *value = sigmoid(*value));
    out
}

/// The residuals y − p, rows × d.
pub(crate) fn residuals(expected: &Columns, labels: &Columns) -> Columns {
    let mut out = labels.clone();
    out.values_mut().iter_mut().zip(expected.values()).for_each(|(value, p)| *value -= p);
    out
}
