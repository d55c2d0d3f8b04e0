//! Parameters of LP.

use arbormix_base::params::Allowed;
use arbormix_base::{choices, params};
use arbormix_learn::features::FeatureParams;
use arbormix_learn::forest::ForestParams;
use arbormix_learn::logistic::GateParams;

choices! {
    /// What gives the probabilities of the label sets.
    pub enum PowersetBase: Copy, Eq {
        /// Extra-trees.
        Forest = "forest",
        /// Softmax regression.
        Logistic = "logistic",
    }
}

params! {
    /// LP: its parameters, and its learner. The paper does not have this method.
    pub struct LabelPowersetParams {
        /// How raw columns become features.
        features: FeatureParams = FeatureParams::default(), level = main, python = "";
        /// What gives the probabilities of the label sets.
        base: PowersetBase = PowersetBase::Forest, level = main;
        /// The forest, if that is the base.
        forest: ForestParams = ForestParams::default(), level = main, python = "";
        /// The softmax regression's penalty and solver, if that is the base.
        gate: GateParams = GateParams::default();
        /// Probability given to independent labels, so that unseen sets are possible; `null`: estimated by Good and Turing.
        unseen: Option<f64> = None, allowed = Allowed::Within(0.0, 1.0), level = main;
        /// Seed of the forest.
        seed: u64 = 0, level = main, python = "random_state";
    }
}
