//! Parameters of PCC.

use arbormix_base::params;
use arbormix_base::params::{Allowed, ParamError};
use arbormix_learn::features::FeatureParams;
use arbormix_learn::logistic::LogisticParams;

use crate::chain::{Order, Search};

params! {
    /// PCC: its parameters, and its learner. The defaults are the paper's: it enumerates, which the exact search equals.
    pub struct ProbabilisticChainParams {
        /// How raw columns become features.
        features: FeatureParams = FeatureParams::default(), level = main, python = "";
        /// The logistic regressions.
        logistic: LogisticParams = LogisticParams::default(), level = main, python = "";
        /// The order of the labels.
        order: Order = Order::default(), level = main;
        /// How the most probable label set is looked for.
        inference: Search = Search::default(), level = main;
        /// Draws that marginals are averaged over when there are too many labels to enumerate.
        samples: usize = 1000, allowed = Allowed::AtLeast(1.0), level = main, python = "n_samples";
        /// Seed of the fold assignments, of a random order, and of draws.
        seed: u64 = 0, level = main, python = "random_state";
    }
}

impl ProbabilisticChainParams {
    /// Checks what the declaration cannot say.
    pub(super) fn check(&self) -> Result<(), ParamError> {
        self.order.validate()?;
        self.inference.validate()
    }
}
