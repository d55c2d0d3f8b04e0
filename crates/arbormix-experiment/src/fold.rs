//! One round of cross-validation.

use std::time::Instant;

use crate::error::Result;
use arbormix_base::progress::Progress;
use arbormix_data::Dataset;
use arbormix_data::splits::Folds;
use arbormix_joint::learner::Learner;
use arbormix_model::fit;
use arbormix_model::measure::{MeasureOptions, Measures};
use arbormix_model::model::Model;
use arbormix_model::scoring::measure_model;

/// What one round gave.
#[derive(Debug)]
pub struct Round {
    /// The model of the training rows.
    pub model: Model,
    /// The rows it has not seen.
    pub test: Dataset,
    /// How it did on them.
    pub measures: Measures,
    /// Seconds that fitting took, by the clock on the wall.
    pub fit_seconds: f64,
    /// Seconds that predicting and measuring took.
    pub test_seconds: f64,
}

/// Fits on all folds but one and measures on that one, searching as the method's parameters say.
///
/// ```
/// use arbormix_base::progress::Silent;
/// use arbormix_data::planted::Planted;
/// use arbormix_data::splits::Folds;
/// use arbormix_experiment::run_fold;
/// use arbormix_rivals::br::BinaryRelevanceParams;
///
/// let (data, _truth) = Planted { rows: 90, seed: 1, ..Planted::default() }.sample()?;
/// let learner = BinaryRelevanceParams::default();
/// let round = run_fold(&learner, &data, &Folds::shuffled(90, 3, 7)?, 0, &Silent)?;
/// assert_eq!(round.measures.rows(), 30);
/// # Ok::<(), arbormix_experiment::Error>(())
/// ```
pub fn run_fold(
    learner: &dyn Learner,
    data: &Dataset,
    folds: &Folds,
    fold: usize,
    progress: &dyn Progress,
) -> Result<Round> {
    let (train, test) = (data.select_rows(&folds.train(fold)), data.select_rows(&folds.test(fold)));
    let begin = Instant::now();
    let model = fit(learner, &train, None, progress)?;
    let fit_seconds = begin.elapsed().as_secs_f64();
    let begin = Instant::now();
    let measures = measure_model(&model, &test, model.predictor().inference(), &MeasureOptions::default(), progress)?;
    Ok(Round { model, test, measures, fit_seconds, test_seconds: begin.elapsed().as_secs_f64() })
}
