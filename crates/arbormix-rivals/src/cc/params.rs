//! Parameters of CC.

use serde::{Deserialize, Serialize};

use crate::chain::Order;
use arbormix_base::params::Presets;
use arbormix_learn::features::FeatureParams;
use arbormix_learn::logistic::LogisticParams;

/// What the probability of a label set is, given a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChainScoring {
    /// Πᵢ P(yᵢ | x, true earlier labels): the chain's joint distribution.
    #[default]
    TeacherForced,
    /// Πᵢ P(yᵢ | x, greedily predicted earlier labels): labels independent given the greedy path, as in the paper's
    /// column for CC.
    GreedyPath,
}

/// CC: its parameters, and its learner.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassifierChainParams {
    /// How raw columns become features.
    pub features: FeatureParams,
    /// The logistic regressions.
    pub logistic: LogisticParams,
    /// The order of the labels.
    pub order: Order,
    /// What log-probabilities are of.
    pub scoring: ChainScoring,
    /// Seed of the fold assignments and of a random order.
    pub seed: u64,
}

impl Presets for ClassifierChainParams {
    /// The paper scores along the greedy path.
    fn paper() -> Self {
        ClassifierChainParams { scoring: ChainScoring::GreedyPath, ..ClassifierChainParams::default() }
    }
}
