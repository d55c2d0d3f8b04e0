//! Parameters of MLKNN.

use serde::{Deserialize, Serialize};

use arbormix_base::params::Presets;
use arbormix_learn::features::FeatureParams;

/// MLKNN: its parameters, and its learner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NeighbourParams {
    /// How raw columns become features; distances are between scaled features.
    pub features: FeatureParams,
    /// Neighbours of a row, k.
    pub neighbours: usize,
    /// Rows added to every count, s.
    pub smoothing: f64,
}

impl Default for NeighbourParams {
    fn default() -> Self {
        NeighbourParams { features: FeatureParams::default(), neighbours: 10, smoothing: 1.0 }
    }
}

impl Presets for NeighbourParams {
    /// The defaults are the paper's.
    fn paper() -> Self {
        NeighbourParams::default()
    }
}
