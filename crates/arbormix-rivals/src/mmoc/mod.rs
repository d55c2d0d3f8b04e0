//! MMOC, maximum margin output coding (Zhang & Schneider 2012): codes of the labels that can be predicted and told apart.
//!
//! A code z = Vᵀy is a set of linear combinations of the labels. Ridge regression predicts the labels, ŷ = P·\[x, 1\],
//! and hence the code, Vᵀŷ. V is learned so that a row's code is predicted closer to its own label set than to any
//! other, by a margin that grows with the number of labels that differ (`metric.rs`). A new row's labels are then
//! *decoded* from two kinds of evidence, the predicted code and one logistic regression per label, the same as BR's
//! (`field.rs`):
//!
//! E(y) = Σₖ (vₖᵀy − vₖᵀŷ)² / (2 sₖ) − λ Σⱼ log P(yⱼ | x),   sₖ the mean squared error of code k in training.
//!
//! No implementation by the authors is public, and the papers leave open the cost C, the ridge and the decoder's details.
//! What we chose: C and the ridge on held-out rows (parameters `costs`, `ridges`), the code's length from the rank of
//! VVᵀ, λ = 1. The margin constraints range over the box \[0, 1\]^d instead of {0, 1}^d, as in the paper: more constraints
//! than needed, but each violated one can be found. Instead of cutting planes we minimise the convex objective directly,
//! until a bound from its gradient proves it near the optimum; for that the margin bulges a little between the corners
//! of the box (`bulge`, 0 is the paper's).
//!
//! *Probabilities.* The original decodes by mean field and gives no probability of a label set. The mean field itself is a
//! distribution, Πⱼ μⱼ^yⱼ (1 − μⱼ)^(1 − yⱼ), and its best set is the prediction, so that is what `log_prob` answers with.
//! With `decoding` = `exact` it is exp(−E(y)) / Σ exp(−E), by enumeration. Both count the evidence of x twice (P and the
//! logistic regressions see the same features), so expect them to be too sure of themselves.

mod code;
mod field;
mod fit;
mod metric;
mod oracle;
mod params;
mod predict;
#[cfg(test)]
mod tests;

use arbormix_joint::learner::Method;

pub use params::{Decoding, OutputCodeParams, Variances};
pub use predict::OutputCode;

/// Its entry in the registry.
pub const METHOD: Method = Method::of::<OutputCodeParams>(
    "mmoc",
    "MMOC",
    "MMOC",
    "maximum margin output coding: a learned code of the labels, decoded with binary relevance",
    |stored| Ok(Box::new(OutputCode::load(stored)?)),
);
