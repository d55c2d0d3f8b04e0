//! The one door to the joint distribution of any tractable model.

use rayon::prelude::*;

use super::annealing;
use super::expert::RowExpert;
use super::map::RowMixture;
use crate::data::LabelSet;
use crate::error::{Error, Result};
use crate::learner::{DEFAULT_NODE_LIMIT, Inference, Prediction, Predictor};
use crate::matrix::{Columns, DenseMatrix, Matrix};
use crate::random::Stream;
use crate::tree::Tree;
use crate::tree::inference::unrestricted;

/// P(y | x) of many rows. BR and CTBN are mixtures of one expert, a label powerset one of a table and independent
/// labels, so every method made of trees and tables answers every question of [`RowMixture`].
///
/// ```
/// use arbormix::data::planted::Planted;
/// use arbormix::{fit, progress::Silent, question::Known, registry};
///
/// let (data, _) = Planted { rows: 200, seed: 1, ..Planted::default() }.sample()?;
/// let learner = registry::learner("ctbn", registry::Preset::Default, &serde_json::json!({}))?;
/// let model = fit(learner.as_ref(), &data, None, &Silent)?;
/// let rows = model.rows(&data)?;
/// let known = Known::nothing(model.schema().label_names.len()).with(0, true);
/// let given = rows.row(0).given(&known)?;
/// assert_eq!(given.mixture.map(0).labels.get(0), true);
/// # Ok::<(), arbormix::Error>(())
/// ```
pub struct Rows<'a> {
    count: usize,
    mixture_at: Box<dyn Fn(usize) -> RowMixture<'a> + Send + Sync + 'a>,
}

impl std::fmt::Debug for Rows<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rows").field("count", &self.count).finish_non_exhaustive()
    }
}

impl<'a> Rows<'a> {
    /// The distributions of a predictor's rows; refused by methods that are made neither of trees nor of tables.
    pub fn of(predictor: &'a dyn Predictor, features: &Matrix) -> Result<Rows<'a>> {
        predictor.distributions(features).ok_or_else(|| Rows::unsupported(predictor.method()))
    }

    /// What methods without distributions answer.
    pub(crate) fn unsupported(method: &'static str) -> Error {
        let what = "answers from a joint distribution";
        let reason = "its distribution is made neither of label trees nor of tables of label sets; use mlme or ctbn";
        Error::Unsupported { method, what, reason }
    }

    /// `count` rows, whose distributions are made when they are asked for.
    pub fn new(count: usize, mixture_at: impl Fn(usize) -> RowMixture<'a> + Send + Sync + 'a) -> Rows<'a> {
        Rows { count, mixture_at: Box::new(mixture_at) }
    }

    /// Trees with their gate's log-weights (`None`: there is one tree).
    pub(crate) fn of_trees(trees: Vec<&'a Tree>, log_gate: Option<DenseMatrix>, features: &Matrix) -> Rows<'a> {
        let experts: Vec<(&Tree, Columns)> = trees.into_iter().map(|tree| (tree, tree.margins(features))).collect();
        Rows::new(features.rows(), move |row| RowMixture {
            log_gate: log_gate.as_ref().map_or_else(|| vec![0.0], |gate| gate.row(row).to_vec()),
            experts: experts
                .iter()
                .map(|(tree, margins)| RowExpert::Tree(tree.branching(), tree.tables(margins, row)))
                .collect(),
        })
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The distribution of one row.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, row: usize) -> RowMixture<'a> {
        (self.mixture_at)(row)
    }

    /// Answers `question(row, distribution)` for every row, in parallel and in order.
    pub fn ask<T: Send>(&self, question: impl Fn(usize, &RowMixture<'a>) -> T + Sync) -> Vec<T> {
        (0..self.count).into_par_iter().map(|row| question(row, &self.row(row))).collect()
    }

    /// The most probable set of every row, searched for as told.
    pub fn predict(&self, inference: Inference) -> Vec<Prediction> {
        let without_proof =
            |(labels, value): (LabelSet, f64)| Prediction { labels, log_probability: Some(value), certificate: None };
        self.ask(|row, mixture| {
            let all = unrestricted(mixture.labels());
            match inference {
                Inference::Exact { node_limit } => mixture.best_set(&all, node_limit).into(),
                Inference::BestExpert => without_proof(mixture.best_expert(&all)),
                Inference::Annealing { iterations, seed } => {
                    let mut stream = Stream::new(seed, "annealing", row as u64);
                    without_proof(annealing::search(mixture, iterations, &mut stream))
                }
            }
        })
    }

    /// P(yᵢ = 1 | x) over `labels` labels, N × d.
    pub fn marginals(&self, labels: usize) -> DenseMatrix {
        DenseMatrix::new(self.count, labels, self.ask(|_, mixture| mixture.marginals()).concat())
    }

    /// log P(y | x) of one label set per row.
    pub fn log_prob(&self, labels: &[LabelSet]) -> Vec<f64> {
        self.ask(|row, mixture| mixture.log_prob(&labels[row]))
    }

    /// The `count` most probable sets of every row, with the node limit of an exact search (else the default one).
    pub fn top_sets(&self, count: usize, inference: Inference) -> Vec<Vec<(LabelSet, f64)>> {
        self.ask(|_, mixture| mixture.best_sets(count, node_limit(inference)))
    }

    /// The same sets, each with what is proven of it.
    pub fn top_predictions(&self, count: usize, inference: Inference) -> Vec<Vec<Prediction>> {
        self.ask(|_, mixture| {
            mixture.ranked_sets(count, node_limit(inference)).into_iter().map(Prediction::from).collect()
        })
    }
}

/// Nodes after which a search for the best sets gives up.
fn node_limit(inference: Inference) -> usize {
    match inference {
        Inference::Exact { node_limit } => node_limit,
        _ => DEFAULT_NODE_LIMIT,
    }
}
