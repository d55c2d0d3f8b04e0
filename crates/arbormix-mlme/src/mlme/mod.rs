//! ML-ME: a mixture of CTBN experts with a softmax gate (Section 5 of the paper).
//!
//! P(y | x) = Σ_k g_k(x) P(y | x, T_k) (Eq. 6). How it is learned and used:
//!
//! - `em`: the parameters for fixed trees (Algorithm 1)
//! - `boosting`: trees one after the other, each for the rows the mixture so far predicts badly (Section 5.3.2)
//! - `clusters`: experts from clusters of label sets, our default start; `regions`: from random regions of the features
//! - `fit`: the internal split, the number of experts, the refit on all rows
//! - [`arbormix_joint::joint`]: prediction and every other question, for this and any other mixture of trees
//! - `stack`: label-set expert, tied mixture and stacked tree or chain, joined by weights that held-out rows choose
//! - [`Mixture`]: the fitted model; [`MixtureParams`]: its learner

mod boosting;
pub mod clusters;
mod em;
mod fit;
mod params;
mod predict;
mod regions;
#[cfg(test)]
mod tests;

use arbormix_joint::learner::Method;

pub use params::{EmParams, Experts, GateChoice, MixtureParams, Responsibilities, Start, ValidationParams};
pub use predict::Mixture;

/// Its entry in the registry.
pub const METHOD: Method = Method::of::<MixtureParams>(
    "mlme",
    "ML-ME",
    "MLME",
    "mixture of conditional tree-structured Bayesian networks with a softmax gate",
    |stored| Ok(Box::new(Mixture::load(stored)?)),
);
