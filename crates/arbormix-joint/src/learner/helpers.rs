//! Fits that are shared with other processes: what is asked of these.

use arbormix_base::progress::Progress;

use super::{FitReport, Predictor, TrainingSet};
use crate::error::Result;

/// Answers the units of a fit.
pub trait Helper: Send + Sync {
    /// The answers to `units` of a stage, in their order.
    fn answer(&self, stage: &[u8], units: &[Vec<u8>]) -> Result<Vec<Vec<u8>>>;
}

/// A learner whose fit consists of units.
pub trait Divisible {
    /// Learns, with the help of others if there are any.
    fn learn_with(
        &self,
        data: &TrainingSet<'_>,
        helper: Option<&dyn Helper>,
        progress: &dyn Progress,
    ) -> Result<(Box<dyn Predictor>, FitReport)>;
    /// What answers units from encoded features.
    fn helper(&self, data: &TrainingSet<'_>) -> Box<dyn Helper>;
}

/// What went wrong between a fit and its helpers.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HelperError {
    /// Bytes that are no stage, unit or answer of this version.
    #[error(
        "a message between a fit and its helpers cannot be read ({message}); is every process of version {version}?"
    )]
    Message {
        /// What is wrong with it.
        message: String,
        /// The version of this process.
        version: &'static str,
    },
    /// Answers are missing, or there are too many.
    #[error("{units} units of a fit got {answers} answers")]
    Answers {
        /// Units that were sent.
        units: usize,
        /// Answers that came back.
        answers: usize,
    },
    /// The helpers could not do their work.
    #[error("the helpers of a fit failed: {message}")]
    Failed {
        /// What they said.
        message: String,
    },
}

impl HelperError {
    /// A [`HelperError::Message`].
    pub fn message(message: impl ToString) -> HelperError {
        HelperError::Message { message: message.to_string(), version: env!("CARGO_PKG_VERSION") }
    }
}
