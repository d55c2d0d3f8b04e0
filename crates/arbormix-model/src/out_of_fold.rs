//! Every row seen by a model that was fitted without it: what anything fitted on top of a model should look at.

use crate::decide::{PooledF1, Thresholds};
use crate::fit::fit;
use crate::model::Model;
use arbormix_base::progress::Progress;
use arbormix_data::splits::Folds;
use arbormix_data::{DataError, Dataset, Labels};
use arbormix_joint::Result;
use arbormix_joint::learner::{HeldOutMarginals, Learner};
use arbormix_matrix::DenseMatrix;

/// How far marginals, and not truths, decide about thresholds.
const BELIEF: f64 = 0.5;

/// Thresholds for every pooled F1, from the labels and weights of the whole training set.
///
/// A label that other rows have but none of these would never be said, so its threshold for macro F1 is the one of all
/// labels together, that for micro F1.
pub(crate) fn thresholds(held_out: &HeldOutMarginals, labels: &Labels, weights: Option<&[f64]>) -> Vec<Thresholds> {
    let weights: Option<Vec<f64>> = weights.map(|weights| held_out.rows.iter().map(|&row| weights[row]).collect());
    let held = labels.select_rows(&held_out.rows);
    let mut fitted = PooledF1::ALL
        .map(|measure| Thresholds::fit_believing(measure, &held_out.marginals, &held, weights.as_deref(), BELIEF));
    let [by_label, together] = &mut fitted;
    for (label, value) in by_label.values.iter_mut().enumerate() {
        let has = |labels: &Labels| labels.sets().iter().any(|set| set.get(label));
        if !has(&held) && has(labels) {
            *value = together.values[label];
        }
    }
    fitted.to_vec()
}

/// P(yᵢ = 1 | x) of every row, by a model that was fitted to the other folds; N × d.
///
/// ```
/// use arbormix::{out_of_fold_marginals, progress::Silent, registry};
/// use arbormix::data::{planted::Planted, splits::Folds};
///
/// let (data, _truth) = Planted { rows: 90, seed: 1, ..Planted::default() }.sample()?;
/// let learner = registry::learner("br", registry::Preset::Default, &serde_json::json!({}))?;
/// let folds = Folds::shuffled(90, 3, 0)?;
/// assert_eq!(out_of_fold_marginals(learner.as_ref(), &data, None, &folds, &Silent)?.rows(), 90);
/// # Ok::<(), arbormix::Error>(())
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

#[cfg(test)]
mod tests {
    use super::*;
    use arbormix_data::LabelSet;

    #[test]
    fn a_label_that_no_held_out_row_has_takes_the_threshold_of_all() {
        let sets = [[true, false, false], [false, false, false], [true, true, false], [false, false, false]];
        let labels = Labels::new(3, sets.map(|set| LabelSet::from_bools(&set)).to_vec());
        let marginals = DenseMatrix::new(2, 3, vec![0.1, 0.1, 0.0, 0.7, 0.3, 0.0]);
        let held_out = HeldOutMarginals { rows: vec![1, 0], marginals };
        let weights = [1.0, 2.0, 3.0, 4.0];
        let [by_label, together] = <[Thresholds; 2]>::try_from(thresholds(&held_out, &labels, Some(&weights))).unwrap();
        let near = |found: &[f64], expected: [f64; 3]| found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12);
        // Midway between the marginals of the rows with and without the first label; the third label no row has at all.
        assert!(
            near(&by_label.values, [0.4, 0.5, 1.0]) && near(&together.values, [0.5; 3]),
            "{by_label:?} {together:?}"
        );
        assert_eq!((by_label.rows, by_label.reached, together.reached), (2, 1.0 / 3.0, 1.0));
    }
}
