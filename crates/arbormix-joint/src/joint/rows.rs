//! The one door to the joint distribution of any tractable model.

use std::borrow::Cow;

use super::annealing;
use super::map::RowMixture;
use crate::error::Error;
use crate::prediction::{DEFAULT_NODE_LIMIT, Inference, Prediction};
use crate::tree::inference::unrestricted;
use arbormix_base::random::Stream;
use arbormix_data::LabelSet;
use arbormix_matrix::{DenseMatrix, Matrix};

/// Makes the distributions of some rows from their features.
type MixturesOf<'a> = dyn Fn(&Matrix) -> Vec<RowMixture<'a>> + Send + Sync + 'a;

/// P(y | x) of many rows. BR and CTBN are mixtures of one expert, a label powerset one of a table and independent
/// labels, so every method made of trees and tables answers every question of [`RowMixture`].
///
/// ```
/// use arbormix_joint::joint::Rows;
/// use arbormix_joint::question::Known;
/// use arbormix_joint::tree::{Branching, NodeWeights, Tree};
/// use arbormix_learn::logistic::{FeatureWeights, LinearFunctions};
/// use arbormix_matrix::{DenseMatrix, Matrix};
///
/// // Two labels, the second a child of the first; its log-odds are 2x − 1, and 3 more if the first is present.
/// let regressions = [(vec![1.0], 0.0), (vec![2.0], -1.0)].map(|(weights, bias)| FeatureWeights { weights, bias });
/// let nodes = vec![NodeWeights { columns: [0, 0], shift: 0.0 }, NodeWeights { columns: [1, 1], shift: 3.0 }];
/// let branching = Branching::new(vec![None, Some(0)]).expect("no cycle");
/// let tree = Tree::new(branching, nodes, LinearFunctions::new(1, &regressions));
///
/// let features = Matrix::Dense(DenseMatrix::new(2, 1, vec![0.5, -2.0]));
/// let rows = Rows::of(&tree, &features)?;
/// let given = rows.row(1).given(&Known::nothing(2).with(0, true))?;
/// assert!(given.mixture.map(0).labels.get(0));
/// # Ok::<(), arbormix_joint::Error>(())
/// ```
///
/// The distributions are made when they are asked for, a chunk of rows at a time, so that any number of rows needs no
/// more memory than their features.
pub struct Rows<'a> {
    features: Cow<'a, Matrix>,
    mixtures: Box<MixturesOf<'a>>,
}

impl std::fmt::Debug for Rows<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rows").field("count", &self.len()).finish_non_exhaustive()
    }
}

impl<'a> Rows<'a> {
    /// What methods without distributions answer.
    pub fn unsupported(method: &'static str) -> Error {
        let what = "answers from a joint distribution";
        let reason = "its distribution is made neither of label trees nor of tables of label sets; use mlme or ctbn";
        Error::Unsupported { method, what, reason }
    }

    /// Rows whose distributions `mixtures` makes of their features.
    pub fn new(
        features: Cow<'a, Matrix>,
        mixtures: impl Fn(&Matrix) -> Vec<RowMixture<'a>> + Send + Sync + 'a,
    ) -> Rows<'a> {
        Rows { features, mixtures: Box::new(mixtures) }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.features.rows()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The distribution of one row.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, row: usize) -> RowMixture<'a> {
        (self.mixtures)(&self.features.select_rows(&[row])).swap_remove(0)
    }

    /// Answers `question(row, distribution)` for every row, in parallel and in order.
    pub fn ask<T: Send>(&self, question: impl Fn(usize, &RowMixture<'a>) -> T + Sync) -> Vec<T> {
        self.features.in_chunks(|first, some| {
            let mixtures = (self.mixtures)(some);
            mixtures.iter().enumerate().map(|(row, mixture)| question(first + row, mixture)).collect()
        })
    }

    /// The most probable set of every row, searched for as told.
    pub fn predict(&self, inference: Inference) -> Vec<Prediction> {
        self.ask(|row, mixture| predicted(row, mixture, inference))
    }

    /// The same, each with P(yᵢ = 1 | x) of every label.
    pub fn predict_with_marginals(&self, inference: Inference) -> Vec<(Prediction, Vec<f64>)> {
        self.ask(|row, mixture| (predicted(row, mixture, inference), mixture.marginals()))
    }

    /// P(yᵢ = 1 | x) over `labels` labels, N × d.
    pub fn marginals(&self, labels: usize) -> DenseMatrix {
        let chunk = |some: &Matrix| (self.mixtures)(some).iter().flat_map(RowMixture::marginals).collect();
        DenseMatrix::new(self.len(), labels, self.features.in_chunks(|_, some| chunk(some)))
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

/// The most probable set of one row.
fn predicted(row: usize, mixture: &RowMixture<'_>, inference: Inference) -> Prediction {
    let without_proof =
        |(labels, value): (LabelSet, f64)| Prediction { labels, log_probability: Some(value), certificate: None };
    let all = unrestricted(mixture.labels());
    match inference {
        Inference::Exact { node_limit } => mixture.best_set(&all, node_limit).into(),
        Inference::BestExpert => without_proof(mixture.best_expert(&all)),
        Inference::Annealing { iterations, seed } => {
            let mut stream = Stream::new(seed, "annealing", row as u64);
            without_proof(annealing::search(mixture, iterations, &mut stream))
        }
    }
}

/// Nodes after which a search for the best sets gives up.
fn node_limit(inference: Inference) -> usize {
    match inference {
        Inference::Exact { node_limit } => node_limit,
        _ => DEFAULT_NODE_LIMIT,
    }
}
