//! CTBN: one conditional tree-structured Bayesian network over the labels (Section 4 of the paper).
//!
//! P(y | x, T) = Πᵢ P(yᵢ | x, y_π(i)) (Eq. 3): each label has at most one parent label, and each conditional is a
//! logistic regression (or two, one per value of the parent).
//!
//! - [`EdgeScores`]: how well each label is predicted alone and with each other label known (Eq. 11)
//! - `screening`: which edges are worth a score when there are many labels
//! - [`Branching`]: the tree, found by maximum branching
//! - `nodes`: the logistic regressions of a tree's nodes
//! - `stages`: what of a fit other processes can do
//! - `partial`: learning when some label cells are unknown
//! - [`CliqueTree`]: several parents per label, where that leaves every question exact (not in the paper)
//! - [`inference`]: the best label set, marginals and probabilities of one row
//! - [`Tree`]: the fitted model; [`TreeParams`]: its learner

mod branching;
mod cliques;
mod fit;
pub mod inference;
mod nodes;
mod params;
mod partial;
mod predict;
mod scores;
mod screening;
mod stages;
#[cfg(test)]
pub(crate) mod tests;

#[cfg(test)]
pub(crate) use cliques::tests as clique_tests;
#[cfg(test)]
pub(crate) use partial::tests as partial_tests;

pub use branching::Branching;
pub use cliques::{CliqueTables, CliqueTree, MOST_PARENTS};
pub(crate) use fit::{Trainer, constant_label_notes, require_observed, tree_report, unknown_cells_note};
pub(crate) use nodes::Fitted;
pub use params::{Candidates, CompletionParams, NodeKind, NodeParams, Scoring, StructureParams, TreeParams};
pub use predict::{NodeWeights, Tree};
pub use scores::EdgeScores;
pub(crate) use stages::{Purpose, StagedLearner};
