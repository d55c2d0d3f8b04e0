//! BR, binary relevance: one logistic regression per label, P(y | x) = Πᵢ P(yᵢ | x).
//!
//! It is the CTBN without edges, and is kept as one, so that every question a tree answers it answers too.

mod fit;
mod params;
mod predict;

pub use params::BinaryRelevanceParams;
pub use predict::BinaryRelevance;
