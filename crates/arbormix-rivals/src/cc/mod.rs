//! CC, the classifier chain (Read et al. 2009): a `Chain` with greedy predictions.
//!
//! Each label is decided by its regression on the features and the decisions (0 or 1) on the earlier labels; a
//! probability of ½ counts as present. PCC is the same chain with a search for the most probable set.

mod fit;
mod params;
mod predict;

use arbormix_joint::learner::Method;

pub use params::{ChainScoring, ClassifierChainParams};
pub use predict::ClassifierChain;

/// Its entry in the registry.
pub const METHOD: Method = Method::of::<ClassifierChainParams>(
    "cc",
    "CC",
    "ClassifierChain",
    "classifier chain: each label given the predictions of the earlier ones",
    |stored| Ok(Box::new(ClassifierChain::load(stored)?)),
);
