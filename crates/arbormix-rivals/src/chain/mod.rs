//! The chain that CC, PCC and ECC share: P(y | x) = Πᵢ P(yᵢ | x, labels earlier in the chain).
//!
//! - [`Order`]: which label comes after which
//! - `fit`: one logistic regression per label, on the features and the *true* earlier labels
//! - [`Chain`]: the fitted chain; [`RowChain`]: the chain at one row, which answers the questions
//! - [`Search`]: ways to look for the most probable label set

mod fit;
mod model;
mod order;
mod row;
mod search;
#[cfg(test)]
mod tests;

pub(crate) use fit::{ChainTrainer, Recipe, Sample};
pub(crate) use model::Chain;
pub use order::{Order, OrderRule};
pub(crate) use row::RowChain;
pub use search::Search;
