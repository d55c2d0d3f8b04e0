//! The answer of one row, and how it is shown.

mod arrays;
mod cells;
mod json;

pub use arrays::{Array, Arrays, Cells};
pub use cells::escaped;

pub(super) use arrays::Part;

use std::sync::Arc;

use crate::decide::{Decision, Rule};
use arbormix_data::LabelSet;
use arbormix_joint::joint::CredibleSets;
use arbormix_joint::learner::Prediction;
use arbormix_matrix::DenseMatrix;

/// The answer of one row to one question.
#[derive(Debug, Clone)]
pub enum Answer {
    /// One number.
    Number(f64),
    /// The probability of what the asker wrote.
    Named(Arc<str>, f64),
    /// A number per label.
    PerLabel(Vec<f64>),
    /// A number per number of labels, from none to all.
    PerCount(Vec<f64>),
    /// Numbers per label and number of labels.
    LabelByCount(Vec<Vec<f64>>),
    /// A number per pair of labels: a symmetric matrix.
    Pairs(DenseMatrix),
    /// A number per expert.
    PerExpert(Vec<f64>),
    /// Label sets.
    Sets(Vec<LabelSet>),
    /// A label set with its probability and what is proven about it.
    Best(Prediction),
    /// Up to `count` of them, best first.
    Ranked {
        /// The sets that there are.
        sets: Vec<Prediction>,
        /// How many were asked for.
        count: usize,
    },
    /// Label sets that together have a probability.
    Credible(CredibleSets),
    /// A decision by a rule.
    Decision(Arc<Rule>, Decision),
}

/// How much more probable a better set could be, if the method proves anything.
fn gap(prediction: &Prediction) -> Option<f64> {
    Some(prediction.certificate?.gap(prediction.log_probability?))
}

/// What these sets cover together.
fn mass(sets: &[Prediction]) -> f64 {
    sets.iter().filter_map(|set| set.log_probability).map(f64::exp).sum::<f64>().min(1.0)
}
