//! The stacked tree: logit P(yᵢ = 1 | x, y_π(i)) = b l̃ᵢ + c + a y_π(i).

use rayon::prelude::*;

use super::blend::{Prior, Regression};
use super::experts::Sample;
use super::newton::Triple;
use super::params::StackedTreeParams;
use crate::error::Result;
use crate::matrix::{Columns, DenseMatrix};
use crate::progress::Progress;
use crate::tree::{Branching, EdgeScores};

/// The tree, and (b, c, a) of every label; a is 0 for labels without a parent.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct StackedTree {
    pub(super) branching: Branching,
    pub(super) coefficients: Vec<Triple>,
}

/// What the fits of one sample share.
struct Search<'a> {
    sample: &'a Sample,
    blended: &'a Columns,
    params: &'a StackedTreeParams,
    ones: Vec<f64>,
    zeros: Vec<f64>,
}

/// Finds the tree: every edge is worth the log-likelihood that its regression gains, less its cost.
pub(super) fn fit(
    sample: &Sample,
    blended: &Columns,
    params: &StackedTreeParams,
    progress: &dyn Progress,
) -> Result<StackedTree> {
    let (ones, zeros) = (vec![1.0; sample.len()], vec![0.0; sample.len()]);
    let search = Search { sample, blended, params, ones, zeros };
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
    fn regression<'r>(&'r self, label: usize, parent: Option<usize>, signed: &'r [f64]) -> Regression<'r> {
        let StackedTreeParams { slope_ridge, intercept_ridge, parent_ridge, .. } = *self.params;
        let prior = Prior { centre: [1.0, 0.0, 0.0], ridge: [slope_ridge, intercept_ridge, parent_ridge] };
        let above = parent.map_or(&self.zeros[..], |parent| self.sample.labels.column(parent));
        Regression { inputs: [self.blended.column(label), &self.ones, above], signed, prior }
    }

    /// The log-likelihood of a label alone, and what is to be had with each parent that is tried.
    fn scores(&self, label: usize) -> (f64, Vec<(usize, f64)>) {
        let signed = self.sample.signed(label);
        let root = self.regression(label, None, &signed);
        let at = root.fit();
        let cost = self.params.cost_among(self.sample.labels.cols());
        let score = |parent: usize| {
            let edge = self.regression(label, Some(parent), &signed);
            (parent, edge.log_likelihood(edge.fit_from(at)) - cost)
        };
        (root.log_likelihood(at), self.candidates(label, &root, at).into_iter().map(score).collect())
    }

    /// The parents worth a fit: all, or those with the largest score statistic (the gain of a parent's effect to second
    /// order, from the residuals r and curvatures c of the label alone): (Σ r y)² / (Σ c y − (Σ c y)² / Σ c).
    fn candidates(&self, label: usize, root: &Regression<'_>, at: Triple) -> Vec<usize> {
        let labels = self.sample.labels.cols();
        let others: Vec<usize> = (0..labels).filter(|&parent| parent != label).collect();
        let most = self.params.tried(labels);
        if others.len() <= most {
            return others;
        }
        let (_, residual, curvature) = root.evaluated(at);
        let total: f64 = curvature.iter().sum();
        let statistic = |parent: usize| {
            let (mut pull, mut bend) = (0.0, 0.0);
            for &row in &self.sample.rows_with[parent] {
                pull += residual[row as usize];
                bend += curvature[row as usize];
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
