//! Probabilistic multi-label classification.
//!
//! Rows have features x and several yes/no labels y. arbormix learns the whole conditional distribution P(y | x) with
//! ML-ME (a softmax gate over K experts, each a conditional tree-structured Bayesian network with logistic-regression
//! nodes) and answers questions with it: the most probable label set, marginals, the k best sets.
//!
//! [`registry`] lists the methods; [`fit`] trains one of them and gives a [`Model`], which predicts and saves; [`load`]
//! brings it back.
//!
//! # The crates behind it
//! <!-- rooms:begin -->
//! ```text
//! 0  arbormix-base
//! 0  arbormix-linalg
//! 1  arbormix-matrix      uses arbormix-linalg
//! 2  arbormix-data        uses arbormix-base, arbormix-matrix
//! 3  arbormix-learn       uses arbormix-data
//! 4  arbormix-joint       uses arbormix-learn
//! 5  arbormix-mlme        uses arbormix-joint
//! 5  arbormix-model       uses arbormix-joint
//! 6  arbormix-experiment  uses arbormix-model
//! 6  arbormix-rivals      uses arbormix-mlme
//! 6  arbormix-stack       uses arbormix-mlme
//! 7  arbormix             uses arbormix-model, arbormix-rivals, arbormix-stack
//! 8  arbormix-bench       uses arbormix
//! 8  arbormix-cli         uses arbormix, arbormix-experiment
//! 8  arbormix-py          uses arbormix, arbormix-experiment
//! ```
//!
//! | crate | what it is | uses |
//! | --- | --- | --- |
//! | `arbormix-base` | The base of all crates: parameters, progress, random streams and files that appear whole. |  |
//! | `arbormix-linalg` | Gram matrices and eigenvectors by faer, on plain slices. |  |
//! | `arbormix-matrix` | Matrices: dense rows, sparse rows (CSR), and the products the solvers need. | `arbormix-linalg` |
//! | `arbormix-data` | Data sets: features, labels, names; splits; the planted generator; readers and writers. | `arbormix-base`, `arbormix-matrix` |
//! | `arbormix-learn` | Logistic regressions, extra-trees and feature maps, and how what was learned is stored. | `arbormix-base`, `arbormix-data`, `arbormix-matrix` |
//! | `arbormix-joint` | Label trees and exact answers from joint distributions; what a method is. | `arbormix-base`, `arbormix-data`, `arbormix-learn`, `arbormix-matrix` |
//! | `arbormix-mlme` | CTBN and ML-ME, the models of the paper. | `arbormix-base`, `arbormix-data`, `arbormix-joint`, `arbormix-learn`, `arbormix-matrix` |
//! | `arbormix-model` | Fitted models: how they are made, asked, judged and kept. | `arbormix-base`, `arbormix-data`, `arbormix-joint`, `arbormix-learn`, `arbormix-matrix` |
//! | `arbormix-experiment` | Experiments: data sets × methods × folds, with checkpoints, tests of significance and tables. | `arbormix-base`, `arbormix-data`, `arbormix-joint`, `arbormix-learn`, `arbormix-matrix`, `arbormix-model` |
//! | `arbormix-rivals` | The methods ML-ME is compared with. | `arbormix-base`, `arbormix-data`, `arbormix-joint`, `arbormix-learn`, `arbormix-matrix`, `arbormix-mlme` |
//! | `arbormix-stack` | The stacked mixture: a label-set expert, a mixture of tied trees and one stacked tree or chain, joined by weights that rows choose which none of their parts has seen. | `arbormix-base`, `arbormix-data`, `arbormix-joint`, `arbormix-learn`, `arbormix-matrix`, `arbormix-mlme` |
//! | `arbormix` | Probabilistic multi-label classification. | `arbormix-base`, `arbormix-data`, `arbormix-joint`, `arbormix-learn`, `arbormix-matrix`, `arbormix-mlme`, `arbormix-model`, `arbormix-rivals`, `arbormix-stack` |
//! | `arbormix-bench` | Our side of the benchmark; `bench/run` is the other. | `arbormix`, `arbormix-matrix` |
//! | `arbormix-cli` | The command line of arbormix: fit, predict, evaluate and inspect multi-label models. | `arbormix`, `arbormix-experiment`, `arbormix-model` |
//! | `arbormix-py` | The extension module `arbormix._core`: the library with Python's types, and nothing else. | `arbormix`, `arbormix-experiment`, `arbormix-model` |
//! <!-- rooms:end -->
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
