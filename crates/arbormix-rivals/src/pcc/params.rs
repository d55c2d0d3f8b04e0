//! Parameters of PCC.

use serde::{Deserialize, Serialize};

use crate::chain::{Order, Search};
use arbormix_base::params::Presets;
use arbormix_learn::features::FeatureParams;
use arbormix_learn::logistic::LogisticParams;

/// PCC: its parameters, and its learner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProbabilisticChainParams {
    /// How raw columns become features.
    pub features: FeatureParams,
    /// The logistic regressions.
    pub logistic: LogisticParams,
    /// The order of the labels.
    pub order: Order,
    /// How the most probable label set is looked for.
    pub inference: Search,
    /// Draws that marginals are averaged over when there are too many labels to enumerate.
    pub samples: usize,
    /// Seed of the fold assignments, of a random order, and of draws.
    pub seed: u64,
}

impl Default for ProbabilisticChainParams {
    fn default() -> Self {
        ProbabilisticChainParams {
            features: FeatureParams::default(),
            logistic: LogisticParams::default(),
            order: Order::default(),
            inference: Search::default(),
            samples: 1000,
            seed: 0,
        }
    }
}

impl Presets for ProbabilisticChainParams {
    /// The defaults are the paper's: it enumerates, which the exact search equals.
    fn paper() -> Self {
        ProbabilisticChainParams::default()
    }
}
