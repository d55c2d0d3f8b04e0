//! Probabilistic multi-label classification.
//!
//! Rows have features x and several yes/no labels y. arbormix learns the whole conditional distribution P(y | x) with
//! ML-ME (a softmax gate over K experts, each a conditional tree-structured Bayesian network with logistic-regression
//! nodes) and answers questions with it: the most probable label set, marginals, the k best sets.
//!
//! Data flows one way; each module knows only those before it:
//!
//! `data` → `features` → `forest` → `logistic` → `tree` (and `rivals`) → `question` → `mixture` → `decide` → `measure`
//! → `selection` → `experiment`
//!
//! [`registry`] lists the methods; [`fit`] trains one of them and gives a [`Model`], which predicts, saves and loads.
//!
//! # Crate features
//! - `parquet` (off by default): read Parquet files; adds about 25 crates.
//! - `count-flops` (off by default): `matrix::flops` counts the operations of products, for benchmarks.

mod atomic;
pub mod data;
pub mod decide;
pub mod distribution;
pub mod error;
pub mod experiment;
pub mod features;
pub mod forest;
pub mod joint;
mod learner;
pub mod logistic;
pub mod matrix;
pub mod measure;
mod memory;
pub mod mixture;
pub mod model;
mod out_of_fold;
mod paired;
pub mod progress;
pub mod question;
pub mod random;
pub mod registry;
pub mod rivals;
pub mod selection;
pub mod tree;

pub use atomic::AtomicFile;
pub use error::{Error, ParamError, Result};
pub use learner::{
    Certificate, FitReport, Inference, Joint, Learner, Prediction, Predictor, TraceStep, TrainingSet, fit,
};
pub use memory::{fit_bytes, within_memory};
pub use model::Model;
pub use out_of_fold::{HeldOutMarginals, out_of_fold_marginals};

/// The README's example is a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
