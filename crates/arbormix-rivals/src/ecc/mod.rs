//! ECC, the ensemble of classifier chains (Read et al. 2009): chains in random orders on random rows, which vote.
//!
//! A label's score is the mean over the chains of their greedy decisions (or of the probabilities these were made by);
//! it is predicted when its score reaches a threshold, which is ½ or fitted on scores of the training rows. Each row is
//! scored for that by the chains that did not learn from it, so the thresholds see no flattered scores.

mod fit;
mod params;
mod predict;
#[cfg(test)]
mod tests;
mod threshold;

use arbormix_joint::learner::Method;

pub use params::{ChainEnsembleParams, Combination, Sampling, Threshold};
pub use predict::ChainEnsemble;

/// Its entry in the registry.
pub const METHOD: Method = Method::of::<ChainEnsembleParams>(
    "ecc",
    "ECC",
    "EnsembleOfChains",
    "ensemble of classifier chains in random orders on random rows, which vote",
    |stored| Ok(Box::new(ChainEnsemble::load(stored)?)),
);
