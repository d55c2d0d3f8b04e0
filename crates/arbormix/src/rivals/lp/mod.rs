//! LP: label powerset. Every label set seen in training is a class; a forest of extra-trees (the default) or a softmax
//! regression gives the classes' probabilities q(s | x).
//!
//! Alone that would give probability 0 to every set that was never seen, and with it an infinite loss. So
//!
//! P(y | x) = (1 − ε) q(y | x) + ε Πᵢ rᵢ(yᵢ)
//!
//! where rᵢ is the share of the training rows with label i, (n₁ + ½) / (N + 1), and ε is how often a further row would
//! have an unseen set: by Good and Turing the share of rows whose set no other row has, (singletons + ½) / (N + 1).
//! That is a mixture of a table and a tree without edges, so every question of [`crate::joint::Rows`] has an exact
//! answer. With `unseen = 0` it is the plain label powerset.

mod fit;
mod params;
mod predict;
#[cfg(test)]
mod tests;

pub use params::{LabelPowersetParams, PowersetBase};
pub use predict::LabelPowerset;
