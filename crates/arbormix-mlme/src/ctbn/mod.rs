//! CTBN: one conditional tree-structured Bayesian network over the labels (Section 4 of the paper).
//!
//! P(y | x, T) = Πᵢ P(yᵢ | x, y_π(i)) (Eq. 3): each label has at most one parent label, and each conditional is a
//! logistic regression (or two, one per value of the parent).
//!
//! - `scores`: how well each label is predicted alone and with each other label known (Eq. 11)
//! - `screening`: which edges are worth a score when there are many labels
//! - `nodes`: the logistic regressions of a tree's nodes
//! - `stages`: what of a fit other processes can do
//! - `partial`: learning when some label cells are unknown
//! - [`TreeParams`]: the learner; the fitted model is [`Tree`]

mod fit;
mod nodes;
mod params;
pub(crate) mod partial;
mod scores;
mod screening;
mod stages;
#[cfg(test)]
pub(crate) mod tests;

use arbormix_joint::learner::Method;
use arbormix_joint::tree::Tree;

pub use fit::{Trainer, expert_seconds, tree_report};
pub use nodes::Fitted;
pub use params::{Candidates, CompletionParams, NodeKind, NodeParams, Scoring, StructureParams, TreeParams};
pub use stages::Purpose;

/// Its entry in the registry.
pub const METHOD: Method =
    Method::of::<TreeParams>("ctbn", "CTBN", "CTBN", "one conditional tree-structured Bayesian network", |stored| {
        Ok(Box::new(Tree::load(stored)?))
    });
