//! Parameters of IBLR.

use serde::{Deserialize, Serialize};

use arbormix_base::params::Presets;
use arbormix_learn::features::FeatureParams;
use arbormix_learn::logistic::LogisticParams;

/// IBLR: its parameters, and its learner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NeighbourRegressionParams {
    /// How raw columns become features; distances are between scaled features.
    pub features: FeatureParams,
    /// The logistic regressions.
    pub logistic: LogisticParams,
    /// Neighbours of a row, k.
    pub neighbours: usize,
    /// Whether the regressions also see the features (IBLR-ML+). The paper does not say so, but its figures are those with
    /// the features (scene: CLL-loss 283.9; ours with them 284.4, without 303.1).
    pub plus: bool,
    /// What the shares of neighbours are multiplied by. The penalty bears less on a larger scale: 1 is the share, the
    /// number of neighbours is the count. Matters most beside features (`plus`).
    pub share_scale: f64,
    /// Seed of the fold assignments.
    pub seed: u64,
}

impl Default for NeighbourRegressionParams {
    fn default() -> Self {
        NeighbourRegressionParams {
            features: FeatureParams::default(),
            logistic: LogisticParams::default(),
            neighbours: 10,
            plus: true,
            share_scale: 1.0,
            seed: 0,
        }
    }
}

impl Presets for NeighbourRegressionParams {
    /// The defaults are the paper's.
    fn paper() -> Self {
        NeighbourRegressionParams::default()
    }
}
