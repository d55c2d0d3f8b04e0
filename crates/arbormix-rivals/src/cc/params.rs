//! Parameters of CC.

use arbormix_base::params::ParamError;
use arbormix_base::{choices, params};
use arbormix_learn::features::FeatureParams;
use arbormix_learn::logistic::LogisticParams;

use crate::chain::Order;

choices! {
    /// What the probability of a label set is, given a chain.
    pub enum ChainScoring: Copy, Eq {
        /// Πᵢ P(yᵢ | x, true earlier labels): the chain's joint distribution.
        TeacherForced = "teacher-forced",
        /// Πᵢ P(yᵢ | x, greedily predicted earlier labels): labels independent given the greedy path, as in the paper's
        /// column for CC.
        GreedyPath = "greedy-path",
    }
}

params! {
    /// CC: its parameters, and its learner.
    pub struct ClassifierChainParams {
        /// How raw columns become features.
        features: FeatureParams = FeatureParams::default(), level = main, python = "";
        /// The logistic regressions.
        logistic: LogisticParams = LogisticParams::default(), level = main, python = "";
        /// The order of the labels.
        order: Order = Order::default(), level = main;
        /// What log-probabilities are of.
        scoring: ChainScoring = ChainScoring::TeacherForced, paper = ChainScoring::GreedyPath, level = main;
        /// Seed of the fold assignments and of a random order.
        seed: u64 = 0, level = main, python = "random_state";
    }
}

impl ClassifierChainParams {
    /// Checks what the declaration cannot say.
    pub(super) fn check(&self) -> Result<(), ParamError> {
        self.order.validate()
    }
}
