//! The default: presets race on held-out rows, and the winner is fitted to all of them.
//!
//! [`AutoParams`] is a learner that fits nothing itself. [`crate::fit`] asks it for a [`Selection`] first: it estimates what
//! every [`Candidate`] would cost (`cost`), leaves out those that are over the budget or need more rows, fits
//! the others to a few of the rows (`race`) and asks them about others. The model is the winner's, with the [`Choice`] beside
//! it. Costs are reckoned, never measured: the same seed and budget choose the same on any machine.

mod candidates;
mod fit;
mod params;
mod race;
#[cfg(test)]
mod tests;

use arbormix_joint::learner::Method;
use arbormix_learn::store::ModelFileError;

pub use arbormix_joint::learner::{Choice, Entrant, Selection};
pub use candidates::Candidate;
pub use params::AutoParams;

/// Its entry in the registry.
pub const METHOD: Method = Method::of::<AutoParams>(
    "auto",
    "Auto",
    "AutoMixture",
    "the best of several presets of our methods, by a race on held-out rows within a budget",
    |_| Err(ModelFileError::MethodOfNoModel { name: "auto" }.into()),
);
