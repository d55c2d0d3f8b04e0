//! Probabilistic multi-label classification.
//!
//! Rows have features x and several yes/no labels y. arbormix learns the whole conditional distribution P(y | x) with
//! ML-ME (a softmax gate over K experts, each a conditional tree-structured Bayesian network with logistic-regression
//! nodes) and answers questions with it: the most probable label set, marginals, the k best sets.
//!
//! [`registry`] lists the methods; [`fit`] trains one of them and gives a [`Model`], which predicts and saves; [`load`]
//! brings it back.
//!
//! # Crate features
//! - `parquet` (off by default): read Parquet files; adds about 25 crates.

pub mod registry;
pub mod selection;

pub use arbormix_base::files::AtomicFile;
pub use arbormix_base::params::ParamError;
pub use arbormix_base::{files, params, progress, random};
pub use arbormix_data as data;
pub use arbormix_joint::learner::{
    Certificate, FitReport, Inference, Joint, Learner, Prediction, Predictor, TraceStep, TrainingSet,
};
pub use arbormix_joint::{Error, Result, joint, learner, question, tree};
pub use arbormix_learn::{features, forest, logistic, store};
pub use arbormix_matrix as matrix;
pub use arbormix_mlme::{ctbn, mlme};
pub use arbormix_model::{
    Model, Needs, ask, decide, fit, fit_bytes, helpers, measure, model, out_of_fold_marginals, within_memory,
};
pub use arbormix_rivals as rivals;
pub use arbormix_stack as stack;

/// Reads a model that [`Model::save`] wrote; predictions are bit-identical.
pub fn load(path: &std::path::Path) -> Result<Model> {
    Model::load(path, registry::METHODS)
}

/// The model of [`Model::to_bytes`].
pub fn from_bytes(bytes: &[u8]) -> Result<Model> {
    Model::from_bytes(bytes, registry::METHODS)
}

/// The README's example is a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
