//! Probabilistic multi-label classification.
//!
//! Rows have features x and several yes/no labels y. arbormix learns the whole conditional distribution P(y | x) and answers
//! any question about it exactly: the most probable label set with a proof, marginals, the k best sets, what follows from
//! labels that are known, the best decision for a loss.
//!
//! ```
//! use arbormix::{Auto, Dataset, fit, load};
//!
//! let features = [[0.1, 1.0], [0.9, 0.2], [0.2, 0.8], [0.8, 0.1], [0.3, 0.9], [0.7, 0.3]];
//! let labels = [[true, false], [false, true], [true, false], [true, true], [true, false], [false, true]];
//! let data = Dataset::from_rows(&features, &labels)?.with_names(["size", "age"], ["cat", "pet"])?;
//! let model = fit(&Auto::default(), &data)?;
//!
//! let best = &model.predict(&data)?[0];
//! println!("{:?} with probability {:.2}", best.labels, best.log_probability.unwrap_or(f64::NAN).exp());
//!
//! let path = std::env::temp_dir().join("arbormix-doc.model");
//! model.save(&path)?;
//! assert_eq!(load(&path)?.predict(&data)?[0].labels, best.labels);
//! # Ok::<(), arbormix::Error>(())
//! ```
//!
//! - [`Dataset`], [`read`], [`data`]: rows from memory or from a file
//! - [`Auto`] chooses a method; [`Mlme`], [`Stacked`], [`Ctbn`] … are methods, each a type that holds its parameters and has a
//!   builder method for each; [`params`] has the groups within them; [`registry`] lists the methods by name
//! - [`fit`], [`Fitting`], [`load`], [`Model`]: models and their files
//! - [`Rows`], [`Known`], [`Event`], [`ask`]: questions; [`Rule`]: decisions; [`measure`]: how good they are
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
//! | `arbormix-stack` | The stacked mixture: a mixture of a few tractable parts, each fitted to the out-of-fold answers of forests and regressions. | `arbormix-base`, `arbormix-data`, `arbormix-joint`, `arbormix-learn`, `arbormix-matrix`, `arbormix-mlme` |
//! | `arbormix` | Probabilistic multi-label classification. | `arbormix-base`, `arbormix-data`, `arbormix-joint`, `arbormix-learn`, `arbormix-matrix`, `arbormix-mlme`, `arbormix-model`, `arbormix-rivals`, `arbormix-stack` |
//! | `arbormix-bench` | Our side of the benchmark; `bench/run` is the other. | `arbormix`, `arbormix-base`, `arbormix-data`, `arbormix-joint`, `arbormix-learn`, `arbormix-matrix`, `arbormix-mlme`, `arbormix-model`, `arbormix-rivals`, `arbormix-stack` |
//! | `arbormix-cli` | The command line of arbormix: fit, predict, evaluate and inspect multi-label models. | `arbormix`, `arbormix-base`, `arbormix-data`, `arbormix-experiment`, `arbormix-joint`, `arbormix-matrix`, `arbormix-model` |
//! | `arbormix-py` | The extension module `arbormix._core`: the library with Python's types, and nothing else. | `arbormix`, `arbormix-base`, `arbormix-data`, `arbormix-experiment`, `arbormix-joint`, `arbormix-learn`, `arbormix-matrix`, `arbormix-model` |
//! <!-- rooms:end -->
//!
//! # Crate features
//! - `parquet` (off by default): read Parquet files; adds about 25 crates.

mod fitting;
pub mod registry;
#[doc(hidden)]
pub mod selection;

pub use fitting::{Fitting, fit};
pub use selection::AutoParams as Auto;

pub use arbormix_base::params::{ParamError, Preset};
pub use arbormix_base::progress::{Cancelled, Progress, Silent};
pub use arbormix_data::formats::{LabelSource, ReadOptions, read};
pub use arbormix_data::{Column, ColumnKind, DataError, Dataset, FormatError, LabelSet, Labels};
pub use arbormix_joint::joint::{CredibleSets, Given, Pairs, RowMixture, Rows};
pub use arbormix_joint::learner::{Choice, FitReport, Joint, Learner};
pub use arbormix_joint::prediction::{Certificate, Inference, Prediction};
pub use arbormix_joint::question::{Event, Known, QuestionError};
pub use arbormix_joint::{Error, Result};
pub use arbormix_learn::store::ModelFileError;
pub use arbormix_mlme::ctbn::TreeParams as Ctbn;
pub use arbormix_mlme::mlme::MixtureParams as Mlme;
pub use arbormix_model::Model;
pub use arbormix_model::decide::{Costs, Decision, Rule, Thresholds};
pub use arbormix_model::model::{Explanation, Schema};
pub use arbormix_rivals::br::BinaryRelevanceParams as BinaryRelevance;
pub use arbormix_rivals::cc::ClassifierChainParams as ClassifierChain;
pub use arbormix_rivals::chf::TwoLayerParams as Chf;
pub use arbormix_rivals::ecc::ChainEnsembleParams as EnsembleOfChains;
pub use arbormix_rivals::iblr::NeighbourRegressionParams as Iblr;
pub use arbormix_rivals::lp::LabelPowersetParams as LabelPowerset;
pub use arbormix_rivals::mlknn::NeighbourParams as Mlknn;
pub use arbormix_rivals::mmoc::OutputCodeParams as Mmoc;
pub use arbormix_rivals::pcc::ProbabilisticChainParams as ProbabilisticChain;
pub use arbormix_stack::StackParams as Stacked;

/// Data sets: splits, descriptions, made-up data.
pub mod data {
    pub use arbormix_data::describe::describe;
    pub use arbormix_data::formats::write;
    pub use arbormix_data::planted::{Planted, photos};
    pub use arbormix_data::splits::Folds;
}

/// Groups of parameters within the methods, and what their words mean.
///
/// Groups for experts that are not here are reached through the fields: `stacked.tied.experts = 40`.
pub mod params {
    pub use arbormix_base::params::{Group, Value};
    pub use arbormix_learn::features::{FeatureParams, NystromParams, Scaling};
    pub use arbormix_learn::forest::ForestParams;
    pub use arbormix_learn::logistic::{Bias, Criterion, GateParams, LogisticParams, SolverParams};
    pub use arbormix_mlme::ctbn::{Candidates, CompletionParams, NodeKind, NodeParams, Scoring, StructureParams};
    pub use arbormix_mlme::mlme::{EmParams, Experts, GateChoice, Responsibilities, Start, ValidationParams};
    pub use arbormix_rivals::cc::ChainScoring;
    pub use arbormix_rivals::ecc::{Combination, Sampling, Threshold};
    pub use arbormix_rivals::lp::PowersetBase;
    pub use arbormix_rivals::mmoc::{Decoding, Variances};
    pub use arbormix_rivals::pcc::Search;
    pub use arbormix_rivals::{Order, OrderRule};

    pub use crate::selection::Candidate;
}

/// Every question that a row's joint distribution answers, declared once.
pub mod ask {
    pub use arbormix_model::ask::{Answer, QUESTIONS, Question};
}

/// How good predictions are.
pub mod measure {
    pub use arbormix_model::measure::{MeasureOptions, Measures, Outcome, evaluate};
    pub use arbormix_model::scoring::measure_model;
}

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
