//! IBLR (Cheng & Hüllermeier 2009): logistic regression on what the nearest training rows are labelled with.
//!
//! ωⱼ(x) is the share of the k nearest training rows that have label j (a training row is not its own neighbour). Each
//! label is a logistic regression on all ω, or on x and all ω (`plus`, IBLR-ML+). `share_scale` multiplies every ω.
//! Distances are between the features as scaled by `features.scaling`; `none` leaves them raw.

mod fit;
mod params;
mod predict;
#[cfg(test)]
mod tests;

use arbormix_joint::learner::Method;

pub use params::NeighbourRegressionParams;
pub use predict::{NeighbourRegression, NeighbourShares};

/// Its entry in the registry.
pub const METHOD: Method = Method::of::<NeighbourRegressionParams>(
    "iblr",
    "IBLR",
    "IBLR",
    "logistic regressions on the labels of the nearest training rows and, unless `plus` is off, on the features",
    |stored| Ok(Box::new(NeighbourRegression::load(stored)?)),
);
