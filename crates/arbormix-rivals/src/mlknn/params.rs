//! Parameters of MLKNN.

use arbormix_base::params;
use arbormix_base::params::Allowed;
use arbormix_learn::features::FeatureParams;

params! {
    /// MLKNN: its parameters, and its learner.
    pub struct NeighbourParams {
        /// How raw columns become features; distances are between scaled features.
        features: FeatureParams = FeatureParams::default(), level = main, python = "";
        /// Neighbours of a row, k.
        neighbours: usize = 10, allowed = Allowed::AtLeast(1.0), level = main, python = "n_neighbors";
        /// Rows added to every count, s.
        smoothing: f64 = 1.0, allowed = Allowed::Positive, level = main;
    }
}
