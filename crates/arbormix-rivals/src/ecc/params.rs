//! Parameters of ECC.

use serde::{Deserialize, Serialize};

use arbormix_base::params::Presets;
use arbormix_learn::features::FeatureParams;
use arbormix_learn::logistic::LogisticParams;

/// Which rows each chain learns from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sampling {
    /// This share of the rows, drawn without replacement.
    Subset(f64),
    /// As many rows as there are, drawn with replacement; a row drawn twice has twice the weight.
    Bootstrap,
}

/// What the chains' mean is taken of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Combination {
    /// Their greedy decisions, 0 or 1.
    #[default]
    Votes,
    /// The probabilities along their greedy paths.
    Probabilities,
}

/// From which score on a label is predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Threshold {
    /// From ½.
    #[default]
    Half,
    /// From the score that gives the training rows as many labels as they have, all labels together (PCut).
    Pcut,
    /// The same for each label by itself.
    PcutPerLabel,
}

/// ECC: its parameters, and its learner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChainEnsembleParams {
    /// How raw columns become features.
    pub features: FeatureParams,
    /// The logistic regressions.
    pub logistic: LogisticParams,
    /// Number of chains.
    pub chains: usize,
    /// Which rows each chain learns from.
    pub sampling: Sampling,
    /// What the chains' mean is taken of.
    pub combination: Combination,
    /// From which score on a label is predicted.
    pub threshold: Threshold,
    /// Seed of the fold assignments, the orders and the samples.
    pub seed: u64,
}

impl Default for ChainEnsembleParams {
    fn default() -> Self {
        ChainEnsembleParams {
            features: FeatureParams::default(),
            logistic: LogisticParams::default(),
            chains: 10,
            sampling: Sampling::Subset(0.67),
            combination: Combination::default(),
            threshold: Threshold::default(),
            seed: 0,
        }
    }
}

impl Presets for ChainEnsembleParams {
    /// The defaults; the paper does not say more than that there are ten chains.
    fn paper() -> Self {
        ChainEnsembleParams::default()
    }
}
