//! BR, binary relevance: one logistic regression per label, P(y | x) = Πᵢ P(yᵢ | x).
//!
//! It is the CTBN without edges, and is kept as one, so that every question a tree answers it answers too.

mod fit;
mod params;
mod predict;

use arbormix_joint::learner::Method;

pub use params::BinaryRelevanceParams;
pub use predict::BinaryRelevance;

/// Its entry in the registry.
pub const METHOD: Method = Method::of::<BinaryRelevanceParams>(
    "br",
    "BR",
    "BinaryRelevance",
    "binary relevance: one logistic regression per label",
    |stored| Ok(Box::new(BinaryRelevance::load(stored)?)),
);
