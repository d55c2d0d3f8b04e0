//! Fitting a model to a data set.

use std::borrow::Cow;

use arbormix_base::params::ParamError;
use arbormix_base::progress::Progress;
use arbormix_data::{DataError, Dataset};
use arbormix_joint::learner::{FitReport, Learner, Predictor, Selection, TrainingSet};
use arbormix_learn::features::FeatureMap;
use arbormix_matrix::Matrix;

use crate::decide::thresholds;
use crate::model::{Model, Schema};
use arbormix_joint::Result;

/// Trains `learner` on `data`: fits the feature map, encodes, learns, and packs everything a prediction needs.
///
/// A learner that chooses among others ([`Learner::select`]) does so first; the model is then that of the chosen one, and
/// [`Model::choice`] says why.
///
/// ```
/// use arbormix_base::progress::Silent;
/// use arbormix_data::planted::Planted;
/// use arbormix_model::fit;
/// use arbormix_rivals::br::BinaryRelevanceParams;
///
/// let (train, _truth) = Planted { rows: 200, seed: 1, ..Planted::default() }.sample()?;
/// let learner = BinaryRelevanceParams::default();
/// let model = fit(&learner, &train, None, &Silent)?;
/// assert_eq!(model.predict(&train)?.len(), 200);
/// # Ok::<(), arbormix_joint::Error>(())
/// ```
pub fn fit(learner: &dyn Learner, data: &Dataset, weights: Option<&[f64]>, progress: &dyn Progress) -> Result<Model> {
    check(learner, data, weights)?;
    match learner.select(data, weights, progress)? {
        Some(Selection { learner, choice }) => Ok(fit(learner.as_ref(), data, weights, progress)?.chosen_by(choice)),
        None => prepared(learner, data, weights, progress)?.model(|set| learner.learn(set, progress)),
    }
}

/// Checked rows with their encoded features.
pub(crate) struct Prepared<'a> {
    learner: &'a dyn Learner,
    data: &'a Dataset,
    weights: Option<&'a [f64]>,
    features: FeatureMap,
    encoded: Cow<'a, Matrix>,
}

/// Checks the parameters and what is to be learned from.
fn check(learner: &dyn Learner, data: &Dataset, weights: Option<&[f64]>) -> Result<()> {
    learner.validate()?;
    let need = |what, found, remedy| {
        if found > 0 { Ok(()) } else { Err(DataError::TooFew { what, found, needed: 1, remedy }) }
    };
    need("rows to learn from", data.rows(), "")?;
    need("labels", data.labels().count(), "; say which columns are labels")?;
    let known = data.rows() * data.labels().count() - data.labels().unknown();
    need("label cells that are known", known, "; all of them are marked as missing")?;
    need("features", data.columns().len(), "; every column was taken as a label")?;
    weights.map_or(Ok(()), |weights| check_weights(weights, data.rows()))
}

/// Checks what is to be learned from, fits the feature map and encodes.
pub(crate) fn prepared<'a>(
    learner: &'a dyn Learner,
    data: &'a Dataset,
    weights: Option<&'a [f64]>,
    progress: &dyn Progress,
) -> Result<Prepared<'a>> {
    check(learner, data, weights)?;
    let features = FeatureMap::fit(data, learner.features())?;
    for note in features.notes() {
        progress.note(note);
    }
    let encoded = features.encode(data)?;
    Ok(Prepared { learner, data, weights, features, encoded })
}

impl Prepared<'_> {
    /// What the learner sees.
    pub(crate) fn set(&self) -> TrainingSet<'_> {
        TrainingSet {
            features: &self.encoded,
            labels: self.data.labels(),
            weights: self.weights,
            label_names: self.data.label_names(),
        }
    }

    /// Learns, and packs everything a prediction needs.
    pub(crate) fn model(
        self,
        learn: impl FnOnce(&TrainingSet<'_>) -> Result<(Box<dyn Predictor>, FitReport)>,
    ) -> Result<Model> {
        let (predictor, mut report) = learn(&self.set())?;
        let data = self.data;
        let held_out = report.held_out.take();
        let schema =
            Schema { label_names: data.label_names().to_vec(), trained_on: data.name().to_string(), rows: data.rows() };
        let model = Model::new(schema, self.features, self.learner.params(), predictor, report);
        Ok(match held_out {
            Some(held_out) => model.with_thresholds(thresholds(&held_out, data.labels(), self.weights)),
            None => model,
        })
    }
}

/// Weight of a row at most: the squares and sums of larger ones overflow, or drown everything else.
const MOST_WEIGHT: f64 = 1e12;

fn check_weights(weights: &[f64], rows: usize) -> Result<()> {
    if weights.len() != rows {
        let what = "weights and rows";
        return Err(DataError::Sizes { what, left: weights.len(), right: rows }.into());
    }
    if let Some(bad) = weights.iter().find(|w| !w.is_finite() || **w < 0.0) {
        ParamError::require(false, "weights", bad, "must be finite and not negative")?;
    }
    ParamError::require(weights.iter().any(|&w| w > 0.0), "weights", 0.0, "must not all be zero")?;
    let largest = weights.iter().copied().fold(0.0, f64::max);
    let bound = "must be at most 1e12: divide all by the same number";
    ParamError::require(largest <= MOST_WEIGHT, "weights", largest, bound)?;
    Ok(())
}
