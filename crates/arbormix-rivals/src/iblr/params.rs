//! Parameters of IBLR.

use arbormix_base::params;
use arbormix_base::params::Allowed;
use arbormix_learn::features::FeatureParams;
use arbormix_learn::logistic::LogisticParams;

params! {
    /// IBLR: its parameters, and its learner.
    pub struct NeighbourRegressionParams {
        /// How raw columns become features; distances are between scaled features.
        features: FeatureParams = FeatureParams::default(), level = main, python = "";
        /// The logistic regressions.
        logistic: LogisticParams = LogisticParams::default(), level = main, python = "";
        /// Neighbours of a row, k.
        neighbours: usize = 10, allowed = Allowed::AtLeast(1.0), level = main, python = "n_neighbors";
        /// Whether the regressions also see the features (IBLR-ML+). The paper does not say so, but its figures are those with
        /// the features (scene: CLL-loss 283.9; ours with them 284.4, without 303.1).
        plus: bool = true, level = main;
        /// What the shares of neighbours are multiplied by. The penalty bears less on a larger scale: 1 is the share, the
        /// number of neighbours is the count. Matters most beside features (`plus`).
        share_scale: f64 = 1.0, allowed = Allowed::Positive;
        /// Seed of the fold assignments.
        seed: u64 = 0, level = main, python = "random_state";
    }
}
