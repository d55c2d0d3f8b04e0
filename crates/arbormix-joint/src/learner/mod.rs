//! What a method is: a [`Learner`] (parameters that can fit) gives a [`Predictor`] (what was learned).

mod helpers;
mod method;
mod notes;
mod predictor;
mod report;
mod selection;
mod size;
mod tree;

pub use crate::error::HelperError;
pub use crate::prediction::{Certificate, DEFAULT_NODE_LIMIT, Inference, Prediction};
pub use helpers::{Divisible, Helper};
pub use method::Method;
pub use notes::{constant_label_notes, require_observed, unknown_cells_note};
pub use predictor::{Joint, Predictor};
pub use report::{FitReport, HeldOutMarginals, TraceStep};
pub use selection::{Choice, Entrant, Selection};
pub use size::{REGRESSION_SECONDS, Size, Workers};

use arbormix_base::params::ParamError;
use arbormix_base::progress::Progress;
use arbormix_data::{Dataset, Labels};
use arbormix_learn::features::FeatureParams;
use arbormix_matrix::Matrix;

use crate::error::Result;

/// What a learner sees: encoded features, labels, and optional weights of the rows.
#[derive(Debug, Clone, Copy)]
pub struct TrainingSet<'a> {
    /// Encoded features, N × m.
    pub features: &'a Matrix,
    /// Labels, N × d.
    pub labels: &'a Labels,
    /// Weight of each row (≥ 0), or all 1.
    pub weights: Option<&'a [f64]>,
    /// Names of the labels, for notes.
    pub label_names: &'a [String],
}

/// A method with its parameters.
pub trait Learner: Send + Sync {
    /// Name in the registry.
    fn method(&self) -> &'static str;
    /// The parameters, as written into the model file.
    fn params(&self) -> serde_json::Value;
    /// Checks the parameters; called first by `fit`.
    fn validate(&self) -> Result<(), ParamError>;
    /// How raw columns become features.
    fn features(&self) -> &FeatureParams;
    /// Learns from encoded features.
    fn learn(&self, data: &TrainingSet<'_>, progress: &dyn Progress) -> Result<(Box<dyn Predictor>, FitReport)>;
    /// Nominal seconds of one core that a fit to data of this size takes, computed from the size alone.
    fn seconds(&self, size: &Size) -> f64;
    /// Bytes that a fit to data of this size needs with so many workers, the data included.
    fn bytes(&self, size: &Size, workers: Workers) -> usize;
    /// Another learner to fit in its place, from one that chooses among others. `fit` asks for it first, with
    /// parameters, data and weights that it has checked.
    fn select(&self, _data: &Dataset, _weights: Option<&[f64]>, _progress: &dyn Progress) -> Result<Option<Selection>> {
        Ok(None)
    }
    /// The learner as one that other processes can help, if they can.
    fn divisible(&self) -> Option<&dyn Divisible> {
        None
    }
}

/// The head of a [`Learner`] that is declared by `params!` and has a field `features`.
///
/// `learner_head!("name")` checks what is declared. `learner_head!("name", check)` also calls `self.check()`, for what the
/// declaration cannot say.
#[macro_export]
macro_rules! learner_head {
    ($method:literal $(, $check:ident)?) => {
        fn method(&self) -> &'static str {
            $method
        }

        fn params(&self) -> serde_json::Value {
            arbormix_base::params::Value::write(self)
        }

        fn features(&self) -> &arbormix_learn::features::FeatureParams {
            &self.features
        }

        fn validate(&self) -> Result<(), arbormix_base::params::ParamError> {
            arbormix_base::params::check(self, "")?;
            $( self.$check()?; )?
            Ok(())
        }
    };
}
