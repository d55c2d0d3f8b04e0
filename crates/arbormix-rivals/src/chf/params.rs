//! Parameters of CHF.

use serde::{Deserialize, Serialize};

use arbormix_base::params::Presets;
use arbormix_learn::features::FeatureParams;
use arbormix_learn::logistic::LogisticParams;

/// CHF: its parameters, and its learner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TwoLayerParams {
    /// How raw columns become features.
    pub features: FeatureParams,
    /// The logistic regressions of both layers.
    pub logistic: LogisticParams,
    /// Whether the second layer learns from what the first says about its own training rows.
    pub in_sample: bool,
    /// Folds of the first layer, unless `in_sample`; at most one per row.
    pub folds: usize,
    /// Whether the first layer gives decisions (0 or 1; ½ counts as 1) instead of probabilities.
    pub hard: bool,
    /// Seed of the fold assignments.
    pub seed: u64,
}

impl Default for TwoLayerParams {
    fn default() -> Self {
        TwoLayerParams {
            features: FeatureParams::default(),
            logistic: LogisticParams::default(),
            in_sample: false,
            folds: 5,
            hard: false,
            seed: 0,
        }
    }
}

impl Presets for TwoLayerParams {
    /// In-sample outputs: a guess from the paper's large losses on rcv1, since it does not say.
    fn paper() -> Self {
        TwoLayerParams { in_sample: true, ..TwoLayerParams::default() }
    }
}
