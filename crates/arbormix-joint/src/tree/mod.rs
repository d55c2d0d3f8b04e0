//! Trees over the labels and exact inference in them (Section 4 of the paper).
//!
//! P(y | x, T) = Πᵢ P(yᵢ | x, y_π(i)) (Eq. 3): each label has at most one parent label.
//!
//! - [`Branching`]: the tree; the best one for [`EdgeScores`] is a maximum branching
//! - [`inference`]: the best label set, marginals and probabilities of one row
//! - [`CliqueTree`]: several parents per label, where that leaves every question exact (not in the paper)
//! - [`Tree`]: a fitted tree whose nodes are logistic regressions

mod branching;
pub(crate) mod cliques;
mod fitted;
pub mod inference;
#[cfg(test)]
pub(crate) mod tests;

pub use branching::{Branching, EdgeScores};
pub use cliques::{CliqueTables, CliqueTree, MOST_PARENTS};
pub use fitted::{NodeWeights, Tree};
