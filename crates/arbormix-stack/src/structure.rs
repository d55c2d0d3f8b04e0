//! The stacked tree: logit P(yᵢ = 1 | x, y_π(i)) = b l̃ᵢ + c + a (y_π(i) − p_π(i)) + e p_π(i), where pⱼ = σ(l̃ⱼ).
//!
//! l̃ᵢ already knows what x says of the parent. What is new is by how much the parent differs from what was expected; without
//! pⱼ only a constant could make up for its mean, which differs from row to row. (e = a is an effect of the value itself.)

use rayon::prelude::*;

use super::blend::{self, Prior, Regression};
use super::experts::Sample;
use super::params::StackedTreeParams;
use arbormix_base::progress::Progress;
use arbormix_joint::Result;
use arbormix_joint::tree::{Branching, EdgeScores};
use arbormix_matrix::{Columns, DenseMatrix};

/// (b, c, a, e) of one label; a and e are 0 without a parent.
pub(crate) type Coefficients = [f64; 4];

/// The tree and its labels' coefficients.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StackedTree {
    pub(crate) branching: Branching,
    pub(crate) coefficients: Vec<Coefficients>,
}

impl StackedTree {
    /// κᵢ of every label: its parent's effect is that of y_π − κ p_π, so 1 − e/a, kept between the value itself (0) and what
    /// differs from what was expected (1).
    pub(crate) fn offsets(&self) -> Vec<f64> {
        let offset = |[_, _, effect, standing]: &Coefficients| {
            if *effect == 0.0 { 0.0 } else { (1.0 - standing / effect).clamp(0.0, 1.0) }
        };
        self.coefficients.iter().map(offset).collect()
    }
}

/// What the fits of one sample share.
pub(crate) struct Search<'a> {
    pub(crate) sample: &'a Sample,
    pub(crate) blended: &'a Columns,
    params: &'a StackedTreeParams,
    /// p, n × d.
    pub(crate) expected: Columns,
    /// y − p, n × d.
    pub(crate) surprise: Columns,
    pub(crate) ones: Vec<f64>,
    zeros: Vec<f64>,
}

/// A label alone.
pub(crate) struct Alone {
    pub(crate) coefficients: Coefficients,
    pub(crate) log_likelihood: f64,
    /// Residuals and curvatures of the rows.
    residual: Vec<f64>,
    curvature: Vec<f64>,
}

/// Finds the tree: every edge is worth the log-likelihood that its regression gains, less its cost.
pub(crate) fn fit(
    sample: &Sample,
    blended: &Columns,
    params: &StackedTreeParams,
    progress: &dyn Progress,
) -> Result<StackedTree> {
    let search = Search::new(sample, blended, params);
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
    pub(crate) fn new(sample: &'a Sample, blended: &'a Columns, params: &'a StackedTreeParams) -> Search<'a> {
        let (ones, zeros) = (vec![1.0; sample.len()], vec![0.0; sample.len()]);
        let expected = blend::expected(blended);
        let surprise = blend::surprise(&expected, &sample.labels);
        Search { sample, blended, params, expected, surprise, ones, zeros }
    }

    fn regression<'r>(&'r self, label: usize, parent: Option<usize>, signed: &'r [f64]) -> Regression<'r, 4> {
        let StackedTreeParams { slope_ridge, intercept_ridge, parent_ridge, .. } = *self.params;
        let ridge = [slope_ridge, intercept_ridge, parent_ridge, parent_ridge];
        let prior = Prior { centre: [1.0, 0.0, 0.0, 0.0], ridge };
        let above = |columns: &'r Columns| parent.map_or(&self.zeros[..], |parent| columns.column(parent));
        let inputs = [self.blended.column(label), &self.ones, above(&self.surprise), above(&self.expected)];
        Regression { inputs, signed, prior }
    }

    /// A label without a parent.
    pub(crate) fn alone(&self, label: usize) -> Alone {
        let signed = self.sample.signed(label);
        let root = self.regression(label, None, &signed);
        let coefficients = root.fit();
        let (loss, residual, curvature) = root.evaluated(coefficients);
        Alone { coefficients, log_likelihood: -loss, residual, curvature }
    }

    /// The log-likelihood of a label alone, and what is to be had with each parent that is tried.
    fn scores(&self, label: usize) -> (f64, Vec<(usize, f64)>) {
        let signed = self.sample.signed(label);
        let (alone, labels) = (self.alone(label), self.sample.labels.cols());
        let cost = self.params.cost_among(labels);
        let score = |parent: usize| {
            let edge = self.regression(label, Some(parent), &signed);
            (parent, edge.log_likelihood(edge.fit_from(alone.coefficients)) - cost)
        };
        let others: Vec<usize> = (0..labels).filter(|&parent| parent != label).collect();
        let tried = self.telling(&alone, others, self.params.tried(labels));
        (alone.log_likelihood, tried.into_iter().map(score).collect())
    }

    /// The labels that are worth a fit beside one: all of these, or those with the largest score statistic (the gain of an
    /// effect to second order, from the residuals r and curvatures c of the label alone): (Σ r y)² / (Σ c y − (Σ c y)² / Σ c).
    /// The values y themselves, since only rows that have the other label need a look then.
    pub(crate) fn telling(&self, alone: &Alone, others: Vec<usize>, most: usize) -> Vec<usize> {
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
