//! Parameters of LP.

use serde::{Deserialize, Serialize};

use arbormix_base::params::Presets;
use arbormix_learn::features::FeatureParams;
use arbormix_learn::forest::ForestParams;
use arbormix_learn::logistic::GateParams;

/// What gives the probabilities of the label sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PowersetBase {
    /// Extra-trees.
    #[default]
    Forest,
    /// Softmax regression.
    Logistic,
}

/// LP: its parameters, and its learner.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelPowersetParams {
    /// How raw columns become features.
    pub features: FeatureParams,
    /// What gives the probabilities of the label sets.
    pub base: PowersetBase,
    /// The forest, if that is the base.
    pub forest: ForestParams,
    /// The softmax regression's penalty and solver, if that is the base.
    pub gate: GateParams,
    /// Probability given to independent labels, so that unseen sets are possible; `null`: estimated by Good and Turing.
    pub unseen: Option<f64>,
    /// Seed of the forest.
    pub seed: u64,
}

impl Presets for LabelPowersetParams {
    /// The paper does not have this method: the defaults.
    fn paper() -> Self {
        LabelPowersetParams::default()
    }
}
