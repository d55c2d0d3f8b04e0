//! ML-ME: a mixture of CTBN experts with a softmax gate (Section 5 of the paper).
//!
//! P(y | x) = Σ_k g_k(x) P(y | x, T_k) (Eq. 6). How it is learned and used:
//!
//! - `em`: the parameters for fixed trees (Algorithm 1)
//! - `boosting`: trees one after the other, each for the rows the mixture so far predicts badly (Section 5.3.2)
//! - `clusters`: experts from clusters of label sets, our default start; `regions`: from random regions of the features
//! - `fit`: the internal split, the number of experts, the refit on all rows
//! - [`map`]: the most probable label set, proven; `annealing`: the paper's search for it
//! - [`RowExpert`]: an expert at one row, a tree or a table of label sets
//! - `questions`: everything else one row's distribution answers; [`Rows`]: that distribution for any method with trees
//! - [`Mixture`]: the fitted model; [`MixtureParams`]: its learner

mod annealing;
mod boosting;
mod clusters;
mod em;
mod expert;
mod fit;
pub mod map;
mod params;
mod predict;
pub(crate) mod questions;
mod regions;
mod rows;
#[cfg(test)]
mod tests;

pub use expert::{RowExpert, RowSets};
pub use params::{EmParams, Experts, GateChoice, MixtureParams, Responsibilities, Start, ValidationParams};
pub use predict::Mixture;
pub use questions::{CredibleSets, Given, Pairs};
pub use rows::Rows;
