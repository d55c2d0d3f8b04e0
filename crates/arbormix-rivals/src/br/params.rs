//! Parameters of BR.

use arbormix_base::params;
use arbormix_learn::features::FeatureParams;
use arbormix_learn::logistic::LogisticParams;

params! {
    /// BR: its parameters, and its learner.
    pub struct BinaryRelevanceParams {
        /// How raw columns become features.
        features: FeatureParams = FeatureParams::default(), level = main, python = "";
        /// The logistic regressions.
        logistic: LogisticParams = LogisticParams::default(), level = main, python = "";
        /// Seed of the fold assignments.
        seed: u64 = 0, level = main, python = "random_state";
    }
}
