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
