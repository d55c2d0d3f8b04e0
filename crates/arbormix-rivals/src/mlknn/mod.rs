//! MLKNN (Zhang & Zhou 2007): a label's probability by how many of the k nearest training rows have it.
//!
//! For each label and each count j of neighbours with it, Bayes' rule on the training rows gives
//! P(y = 1 | j) ∝ P(y = 1) P(j | y = 1), with both factors smoothed. The neighbours of a training row exclude the row
//! itself. Labels are independent given x. Distances are Euclidean, between the features as
//! scaled by `features.scaling`: `none` leaves them raw, `auto` is `minmax` for dense features and `none` for sparse ones.

mod fit;
mod params;
mod predict;
#[cfg(test)]
mod tests;

use arbormix_joint::learner::Method;

pub use params::NeighbourParams;
pub use predict::NeighbourBayes;

/// Its entry in the registry.
pub const METHOD: Method = Method::of::<NeighbourParams>(
    "mlknn",
    "MLKNN",
    "MLKNN",
    "each label by how many of the nearest training rows have it",
    |stored| Ok(Box::new(NeighbourBayes::load(stored)?)),
);
