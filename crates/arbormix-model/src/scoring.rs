//! A model's answers on labelled rows, and their measures.

use crate::error::Result;
use crate::measure::{MeasureOptions, Measures, Outcome, evaluate};
use crate::model::Model;
use arbormix_base::progress::Progress;
use arbormix_data::Dataset;
use arbormix_joint::learner::Inference;
use arbormix_matrix::{DenseMatrix, Matrix};

/// Rows that are worked on between two looks at the clock and at a wish to stop.
const BLOCK: usize = 256;

/// Applies `work` to blocks of rows and joins the results in order.
///
/// Annealing draws each row's numbers by its place in the matrix, so its rows must stay together.
pub fn in_blocks<T>(
    features: &Matrix,
    inference: Inference,
    stage: &str,
    progress: &dyn Progress,
    mut work: impl FnMut(&Matrix) -> Result<Vec<T>>,
) -> Result<Vec<T>> {
    let rows = features.rows();
    let block = if matches!(inference, Inference::Annealing { .. }) { rows.max(1) } else { BLOCK };
    progress.begin(stage, rows);
    let mut out = Vec::with_capacity(rows);
    for start in (0..rows).step_by(block) {
        progress.check()?;
        let some: Vec<usize> = (start..rows.min(start + block)).collect();
        out.extend(work(&features.select_rows(&some))?);
        progress.advance(some.len());
    }
    Ok(out)
}

/// All measures of a model on labelled rows.
pub fn measure_model(
    model: &Model,
    data: &Dataset,
    inference: Inference,
    options: &MeasureOptions,
    progress: &dyn Progress,
) -> Result<Measures> {
    let (features, truth) = (model.encode(data)?, model.align_labels(data)?);
    let predictor = model.predictor();
    let work = |some: &_| predictor.predict_with_marginals(some, inference);
    let predictions = in_blocks(&features, inference, "predicting", progress, work)?;
    let (predicted, marginals): (Vec<_>, Vec<_>) =
        predictions.into_iter().map(|(prediction, marginals)| (prediction.labels, marginals)).unzip();
    let marginals = DenseMatrix::new(features.rows(), predictor.label_count(), marginals.concat());
    let joint = predictor.joint().has_probabilities();
    let log_probs = joint.then(|| predictor.log_prob(&features, truth.sets())).transpose()?;
    let outcome =
        Outcome { truth: &truth, predicted: &predicted, marginals: Some(&marginals), log_probs: log_probs.as_deref() };
    evaluate(&outcome, options)
}
