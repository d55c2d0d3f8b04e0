//! Parameters of BR.

use serde::{Deserialize, Serialize};

use arbormix_base::params::Presets;
use arbormix_learn::features::FeatureParams;
use arbormix_learn::logistic::LogisticParams;

/// BR: its parameters, and its learner.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BinaryRelevanceParams {
    /// How raw columns become features.
    pub features: FeatureParams,
    /// The logistic regressions.
    pub logistic: LogisticParams,
    /// Seed of the fold assignments.
    pub seed: u64,
}

impl Presets for BinaryRelevanceParams {
    /// The defaults are the paper's.
    fn paper() -> Self {
        BinaryRelevanceParams::default()
    }
}
