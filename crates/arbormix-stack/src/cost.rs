//! What a fit of the stacked mixture costs: the sum over its parts, and what they share.

use arbormix_joint::learner::{Learner, Size, Workers};
use arbormix_mlme::mlme::MixtureParams;

use crate::params::StackParams;
use crate::parts::{LEVEL0, LEVEL1};

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
