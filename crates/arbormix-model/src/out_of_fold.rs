//! Every row seen by a model that was fitted without it: what anything fitted on top of a model should look at.

use crate::decide::{PooledF1, Thresholds};
use crate::fit::fit;
use crate::model::Model;
use arbormix_base::progress::Progress;
use arbormix_data::splits::Folds;
use arbormix_data::{DataError, Dataset};
use arbormix_joint::learner::Learner;
use arbormix_joint::{Error, Result};
use arbormix_matrix::DenseMatrix;

/// P(yᵢ = 1 | x) of every row, by a model that was fitted to the other folds; N × d.
///
/// ```
/// use arbormix_base::progress::Silent;
/// use arbormix_data::planted::Planted;
/// use arbormix_data::splits::Folds;
/// use arbormix_model::out_of_fold_marginals;
/// use arbormix_rivals::br::BinaryRelevanceParams;
///
/// let (data, _truth) = Planted { rows: 90, seed: 1, ..Planted::default() }.sample()?;
/// let learner = BinaryRelevanceParams::default();
/// let folds = Folds::shuffled(90, 3, 0)?;
/// assert_eq!(out_of_fold_marginals(&learner, &data, None, &folds, &Silent)?.rows(), 90);
/// # Ok::<(), arbormix_joint::Error>(())
/// ```
pub fn out_of_fold_marginals(
    learner: &dyn Learner,
    data: &Dataset,
    weights: Option<&[f64]>,
    folds: &Folds,
    progress: &dyn Progress,
) -> Result<DenseMatrix> {
    let mut out = DenseMatrix::zeros(data.rows(), data.labels().count());
    for_each_fold(learner, data, weights, folds, progress, |model, rows, held| {
        let marginals = model.marginals(held)?;
        for (place, &row) in rows.iter().enumerate() {
            out.row_mut(row).copy_from_slice(marginals.row(place));
        }
        Ok(())
    })?;
    Ok(out)
}

/// Calls `look(model, rows, held)` for every fold: the model was fitted to the other folds, `held` are the fold's rows.
pub(crate) fn for_each_fold(
    learner: &dyn Learner,
    data: &Dataset,
    weights: Option<&[f64]>,
    folds: &Folds,
    progress: &dyn Progress,
    mut look: impl FnMut(Model, &[usize], &Dataset) -> Result<()>,
) -> Result<()> {
    if folds.ids().len() != data.rows() {
        let what = "rows of the folds and of the data";
        return Err(DataError::Sizes { what, left: folds.ids().len(), right: data.rows() }.into());
    }
    for fold in 0..folds.count() {
        let (seen, held) = (folds.train(fold), folds.test(fold));
        let seen_weights: Option<Vec<f64>> = weights.map(|weights| seen.iter().map(|&row| weights[row]).collect());
        let model = fit(learner, &data.select_rows(&seen), seen_weights.as_deref(), progress)?;
        look(model, &held, &data.select_rows(&held))?;
    }
    Ok(())
}

impl Model {
    /// Fits thresholds for every [`PooledF1`] to the marginals of the model's training rows, each predicted by a model
    /// of the other folds: as many more fits as there are folds. Not needed by models that have
    /// [some](Model::thresholds) already.
    ///
    /// `learner`, `data` and `weights` are those the model was fitted with. Refused by methods that cannot decide by a rule.
    pub fn fit_thresholds(
        &mut self,
        learner: &dyn Learner,
        data: &Dataset,
        weights: Option<&[f64]>,
        folds: &Folds,
        progress: &dyn Progress,
    ) -> Result<()> {
        if !self.predictor().has_distributions() {
            let (method, what) = (self.method(), "decisions by thresholds");
            let reason = "they are part of answers from a joint distribution, which it has not; use mlme or ctbn";
            return Err(Error::Unsupported { method, what, reason });
        }
        let marginals = out_of_fold_marginals(learner, data, weights, folds, progress)?;
        let fit = |measure| Thresholds::fit(measure, &marginals, data.labels(), weights);
        self.set_thresholds(PooledF1::ALL.into_iter().map(fit).collect());
        Ok(())
    }
}
