//! Finding the stacked tree: a small regression for every edge that is tried, then the best branching.

use rayon::prelude::*;

use super::blend;
use super::regression::{Prior, Regression};
use super::sample::Sample;
use super::tree::{Coefficients, StackedTree};
use crate::params::StackedTreeParams;
use arbormix_base::progress::Progress;
use arbormix_joint::Result;
use arbormix_joint::tree::{Branching, EdgeScores};
use arbormix_matrix::{Columns, DenseMatrix};

/// What the fits of one sample share.
pub(crate) struct Search<'a> {
    pub(crate) sample: &'a Sample,
    pub(crate) log_odds: &'a Columns,
    params: &'a StackedTreeParams,
    /// p, n × d.
    pub(crate) expected: Columns,
    /// y − p, n × d.
    pub(crate) residuals: Columns,
    pub(crate) ones: Vec<f64>,
    zeros: Vec<f64>,
}

/// A label without a parent, fitted.
pub(crate) struct Alone {
    pub(crate) coefficients: Coefficients,
    pub(crate) log_likelihood: f64,
    /// Residuals and curvatures of the rows.
    residual: Vec<f64>,
    curvature: Vec<f64>,
}

/// Finds the tree. The value of an edge is the log-likelihood that its regression gains, minus its cost.
pub(crate) fn fit(
    sample: &Sample,
    log_odds: &Columns,
    params: &StackedTreeParams,
    progress: &dyn Progress,
) -> Result<StackedTree> {
    let search = Search::new(sample, log_odds, params);
    let labels = sample.labels.cols();
    let scored: Vec<(f64, Vec<(usize, f64)>)> = (0..labels)
        .into_par_iter()
        .map(|label| {
            progress.check()?;
            Ok(search.scores(label))
        })
        .collect::<Result<_>>()?;
    let mut given = DenseMatrix::zeros(labels, labels);
    given.values_mut().fill(f64::NEG_INFINITY);
    for (label, (_, edges)) in scored.iter().enumerate() {
        edges.iter().for_each(|&(parent, score)| given.row_mut(parent)[label] = score);
    }
    let alone = scored.into_iter().map(|(alone, _)| alone).collect();
    let branching = Branching::best(&EdgeScores { alone, given }, 0.0);
    let coefficients = (0..labels)
        .map(|label| {
            let signed = sample.signed(label);
            search.regression(label, branching.parents()[label], &signed).fit()
        })
        .collect();
    Ok(StackedTree { branching, coefficients })
}

impl<'a> Search<'a> {
    pub(crate) fn new(sample: &'a Sample, log_odds: &'a Columns, params: &'a StackedTreeParams) -> Search<'a> {
        let (ones, zeros) = (vec![1.0; sample.len()], vec![0.0; sample.len()]);
        let expected = blend::expected(log_odds);
        let residuals = blend::residuals(&expected, &sample.labels);
        Search { sample, log_odds, params, expected, residuals, ones, zeros }
    }

    fn regression<'r>(&'r self, label: usize, parent: Option<usize>, signed: &'r [f64]) -> Regression<'r, 4> {
        let StackedTreeParams { slope_ridge, intercept_ridge, parent_ridge, .. } = *self.params;
        let ridge = [slope_ridge, intercept_ridge, parent_ridge, parent_ridge];
        let prior = Prior { centre: [1.0, 0.0, 0.0, 0.0], ridge };
        let above = |columns: &'r Columns| parent.map_or(&self.zeros[..], |parent| columns.column(parent));
        let inputs = [self.log_odds.column(label), &self.ones, above(&self.residuals), above(&self.expected)];
        Regression { inputs, signed, prior }
    }

    /// Fits a label without a parent.
    pub(crate) fn alone(&self, label: usize) -> Alone {
        let signed = self.sample.signed(label);
        let root = self.regression(label, None, &signed);
        let coefficients = root.fit();
        let (loss, residual, curvature) = root.evaluated(coefficients);
        Alone { coefficients, log_likelihood: -loss, residual, curvature }
    }

    /// The log-likelihood of a label alone, and the value of each parent that is tried.
    fn scores(&self, label: usize) -> (f64, Vec<(usize, f64)>) {
        let signed = self.sample.signed(label);
        let (alone, labels) = (self.alone(label), self.sample.labels.cols());
        let cost = self.params.cost_among(labels);
        let score = |parent: usize| {
            let edge = self.regression(label, Some(parent), &signed);
            (parent, edge.log_likelihood(edge.fit_from(alone.coefficients)) - cost)
        };
        let others: Vec<usize> = (0..labels).filter(|&parent| parent != label).collect();
        let tried = self.best_parents(&alone, others, self.params.tried(labels));
        (alone.log_likelihood, tried.into_iter().map(score).collect())
    }

    /// The parents that are worth a fit: all of `others`, or the `most` with the largest score statistic. This is the gain of
    /// an effect to second order, from the residuals r and curvatures c of the label alone:
    /// (Σ r y)² / (Σ c y − (Σ c y)² / Σ c). It uses y and not y − p, so that only rows with the other label are visited.
    pub(crate) fn best_parents(&self, alone: &Alone, others: Vec<usize>, most: usize) -> Vec<usize> {
        if others.len() <= most {
            return others;
        }
        let total: f64 = alone.curvature.iter().sum();
        let statistic = |parent: usize| {
            let (mut pull, mut bend) = (0.0, 0.0);
            for &row in &self.sample.rows_with[parent] {
                pull += alone.residual[row as usize];
                bend += alone.curvature[row as usize];
            }
            let spread = bend - bend * bend / total.max(f64::MIN_POSITIVE);
            pull * pull / (spread.max(0.0) + self.params.parent_ridge)
        };
        let mut ranked: Vec<(f64, usize)> = others.into_iter().map(|parent| (statistic(parent), parent)).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut best: Vec<usize> = ranked.into_iter().take(most).map(|(_, parent)| parent).collect();
        best.sort_unstable();
        best
    }
}
