//! Joint distributions P(y | x) of single rows, made of label trees, tables of label sets and trees of cliques.
//!
//! All are tractable, and so is a mixture of them: whatever a method fitted, if it hands out [`Rows`] every question
//! about the joint distribution has an exact answer here.
//!
//! - [`Expert`]: what is asked of a distribution at one row; [`RowTree`], [`RowSets`], [`RowCliques`]: its kinds;
//!   [`RowExpert`]: one of them
//! - [`map`]: the most probable label set of a mixture, proven; `annealing`: the paper's search for it (Section 5.4)
//! - `block`: the same for several rows at once, where no search is needed
//! - `questions`: everything else one row's distribution answers
//! - [`Rows`]: the distributions of many rows

mod annealing;
pub mod block;
mod expert;
pub mod map;
pub mod questions;
mod rows;
#[cfg(test)]
mod tests;

pub use expert::{Expert, RowCliques, RowExpert, RowSets, RowTree};
pub use map::RowMixture;
pub use questions::{CredibleSets, Given, Pairs};
pub use rows::Rows;
