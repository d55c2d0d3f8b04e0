//! A model's answers on labelled rows, and their measures.

use crate::error::Result;
use crate::measure::{MeasureOptions, Measures, Outcome, evaluate};
use crate::model::Model;
use arbormix_base::progress::Progress;
use arbormix_data::Dataset;
use arbormix_joint::learner::Inference;
use arbormix_matrix::{DenseMatrix, Matrix};

/// Rows that are worked on between two looks at the clock and at a wish to stop.
///
/// The command line and Python work in the same blocks, so that products add in the same order and both give the same
/// bits.
pub const BLOCK: usize = 256;

/// Calls `work(first row, rows)` for blocks of rows, one after the other.
///
/// Before each block `progress` is asked whether to go on, in the thread that called: there Python looks for signals.
pub fn each_block(
    features: &Matrix,
    inference: Inference,
    stage: &str,
    progress: &dyn Progress,
    mut work: impl FnMut(usize, &Matrix) -> Result<()>,
) -> Result<()> {
    let rows = features.rows();
    // Annealing draws each row's numbers by its place in the matrix, so its rows must stay together.
    let block = if matches!(inference, Inference::Annealing { .. }) { rows.max(1) } else { BLOCK };
    progress.begin(stage, rows);
    for start in (0..rows).step_by(block) {
        progress.check()?;
        let some = start..rows.min(start + block);
        // Few rows need no copy: a single one should cost little.
        if some.len() == rows {
            work(0, features)?;
        } else {
            work(start, &features.select_rows(&some.clone().collect::<Vec<_>>()))?;
        }
        progress.advance(some.len());
    }
    Ok(())
}

/// Applies `work(first row, rows)` to blocks of rows ([`each_block`]) and joins the results in order.
pub fn in_blocks<T>(
    features: &Matrix,
    inference: Inference,
    stage: &str,
    progress: &dyn Progress,
    mut work: impl FnMut(usize, &Matrix) -> Result<Vec<T>>,
) -> Result<Vec<T>> {
    let mut out = Vec::with_capacity(features.rows());
    each_block(features, inference, stage, progress, |first, some| {
        out.extend(work(first, some)?);
        Ok(())
    })?;
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
    let work = |_, some: &_| predictor.predict_with_marginals(some, inference);
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
