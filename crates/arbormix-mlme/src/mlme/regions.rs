//! Experts for random regions of the features: a start that knows nothing of the labels.

use crate::ctbn::Trainer;
use arbormix_base::random::Stream;
use arbormix_learn::logistic::Gate;
use arbormix_matrix::Columns;

/// Standard deviation of the regions' scores: their borders are soft.
const SPREAD: f64 = 3.0;

/// First responsibilities of `count` experts, N × K: a softmax of random directions.
pub(crate) fn responsibilities(trainer: &Trainer<'_>, count: usize, seed: u64, restart: u64) -> Columns {
    let mut stream = Stream::new(seed, "regions", restart);
    let block = trainer.design.block(None, &[]);
    let mut gate = Gate::uniform(&block, count);
    gate.weights.values_mut().iter_mut().for_each(|weight| *weight = stream.normal());
    let scores = gate.scores(&block);
    for k in 0..count {
        let column = scores.column(k);
        let mean = column.iter().sum::<f64>() / column.len() as f64;
        let variance = column.iter().map(|s| (s - mean) * (s - mean)).sum::<f64>() / column.len() as f64;
        let factor = if variance > 0.0 { SPREAD / variance.sqrt() } else { 0.0 };
        gate.weights.column_mut(k).iter_mut().for_each(|weight| *weight *= factor);
    }
    let mut out = gate.log_weights(&block);
    out.values_mut().iter_mut().for_each(|log| *log = log.exp());
    out
}
