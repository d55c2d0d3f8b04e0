//! What a fit of the stacked mixture costs: the sum over its parts, and what they share.

use arbormix_joint::learner::{Learner, Size, Workers};
use arbormix_mlme::mlme::MixtureParams;

use crate::params::StackParams;
use crate::parts::{LEVEL0, LEVEL1};

/// How often level 1 is fitted, and to how many rows it is then applied.
pub(crate) struct Level1Work {
    /// Tied trees.
    pub(crate) experts: f64,
    /// Fits: without each held-out fold, and to all rows.
    pub(crate) fits: f64,
    /// Fits of the tied trees: without the first fold there is one for every penalty of the intercepts.
    pub(crate) tied_fits: f64,
    /// Held-out rows, as often as they are answered.
    pub(crate) held_out_rows: f64,
}

impl Level1Work {
    pub(crate) fn of(params: &StackParams, size: &Size) -> Level1Work {
        let experts = params.most_experts(size.rows, size.labels).min(size.sets) as f64;
        let folds = params.folds.min(size.rows).max(1);
        let held_out = params.held_out_folds(size.rows, size.labels, folds);
        let (fits, tied_fits) = (1.0 + held_out as f64, (held_out + params.tied.intercept_ridges.len()) as f64);
        let held_out_rows = size.rows as f64 * (tied_fits - 1.0) / folds as f64;
        Level1Work { experts, fits, tied_fits, held_out_rows }
    }
}

impl StackParams {
    /// Seconds of all parts, of the map φ, and of the mixture that draws unknown cells.
    pub(crate) fn seconds_of(&self, size: &Size) -> f64 {
        let level0: f64 = LEVEL0.iter().map(|part| part.seconds(self, size)).sum();
        let level1: f64 = LEVEL1.iter().map(|part| part.seconds(self, size)).sum();
        let completion = if size.unknown { MixtureParams::default().seconds(size) } else { 0.0 };
        level0 + level1 + self.map_seconds(size) + completion
    }

    /// Bytes of all parts, of the encoded features, and of the blended log-odds and labels.
    pub(crate) fn bytes_of(&self, size: &Size, workers: Workers) -> usize {
        let level0: usize = LEVEL0.iter().map(|part| part.bytes(self, size, workers)).sum();
        let level1: usize = LEVEL1.iter().map(|part| part.bytes(self, size)).sum();
        let shared = size.encoded_bytes() + 2 * size.rows * size.labels * size_of::<f64>();
        level0 + level1 + shared
    }
}
