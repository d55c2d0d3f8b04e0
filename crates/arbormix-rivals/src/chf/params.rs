//! Parameters of CHF.

use arbormix_base::params;
use arbormix_base::params::Allowed;
use arbormix_learn::features::FeatureParams;
use arbormix_learn::logistic::LogisticParams;

params! {
    /// CHF: its parameters, and its learner.
    pub struct TwoLayerParams {
        /// How raw columns become features.
        features: FeatureParams = FeatureParams::default(), level = main, python = "";
        /// The logistic regressions of both layers.
        logistic: LogisticParams = LogisticParams::default(), level = main, python = "";
        /// Whether the second layer learns from what the first says about its own training rows. For the paper this is a guess
        /// from its large losses on RCV1, since it does not say.
        in_sample: bool = false, paper = true, level = main;
        /// Folds of the first layer, unless `in_sample`; at most one per row.
        folds: usize = 5, allowed = Allowed::AtLeast(2.0), level = main, python = "layer_folds";
        /// Whether the first layer gives decisions (0 or 1; ½ counts as 1) instead of probabilities.
        hard: bool = false, level = main;
        /// Seed of the fold assignments.
        seed: u64 = 0, level = main, python = "random_state";
    }
}
