//! LP: label powerset. Every label set seen in training is a class; a forest of extra-trees (the default) or a softmax
//! regression gives the classes' probabilities q(s | x).
//!
//! Alone that would give probability 0 to every set that was never seen, and with it an infinite loss. So
//!
//! P(y | x) = (1 − ε) q(y | x) + ε Πᵢ rᵢ(yᵢ)
//!
//! where rᵢ is the share of the training rows with label i, (n₁ + ½) / (N + 1), and ε is how often a further row would
//! have an unseen set: by Good and Turing the share of rows whose set no other row has, (singletons + ½) / (N + 1).
//! That is a mixture of a table and a tree without edges, so every question of [`arbormix_joint::joint::Rows`] has an exact
//! answer. With `unseen = 0` it is the plain label powerset.

mod fit;
mod params;
mod predict;
#[cfg(test)]
mod tests;

use arbormix_joint::learner::Method;

pub use params::{LabelPowersetParams, PowersetBase};
pub use predict::LabelPowerset;

/// Its entry in the registry.
pub const METHOD: Method = Method::of::<LabelPowersetParams>(
    "lp",
    "LP",
    "LabelPowerset",
    "label powerset: every label set seen is a class of a forest of extra-trees, or of a softmax",
    |stored| Ok(Box::new(LabelPowerset::load(stored)?)),
);
