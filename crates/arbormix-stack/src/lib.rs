//! The stacked mixture: a label-set expert, a mixture of tied trees and one stacked tree or chain, joined by weights that rows
//! choose which none of their parts has seen.
//!
//! P(y | x) = w₁ g(y | x) + w₂ Σ_k h_k(x) P(y | x, T_k) + w₃ P(y | x, T)
//!
//! Level 0 (`level`) answers label by label and set by set: logistic regressions on a map φ of the features (`map`) give
//! log-odds lᵢ, a forest of extra-trees over the label sets S gives p_T(s | x). Regressions and fully grown trees know
//! their own rows by heart, so everything above is fitted to *out-of-fold* answers: of models that were fitted to the
//! other folds.
//!
//! Level 1 (`experts`) joins these answers:
//! - `blend`: l̃ᵢ, the log-odds of label i from lᵢ and the forest's share of sets with the label
//! - `structure`: the stacked tree T, logit P(yᵢ | x, y_π(i)) = b l̃ᵢ + c + a (y_π(i) − p_π(i)) + e p_π(i), where pⱼ = σ(l̃ⱼ);
//!   `chain`: its alternative, in which a label depends on many others
//! - `tied`: trees with shared slopes and intercepts of their own, logit = bᵢ l̃ᵢ + eᵢ (y_π(i) − κᵢ p_π(i)) + β_kᵢ, under a
//!   softmax gate on φ; `starts`: the clusters of label sets they begin with; `tied::factors`: intercepts of low rank, an
//!   alternative for labels that have more in common than trees and seen sets can say
//!
//! Level 2 (`held_out`, `pool`, `weights`): g, a table over the label sets seen, is a log-linear pool of the forest, the
//! tied trees and the sets' numbers of rows; its exponents and the weights w are fitted to rows that level 1 has not
//! seen either. The table has sharp modes, the trees give every set some probability, and both are tractable: every
//! question has an exact answer.
//!
//! [`StackParams`] is the learner, [`Stack`] the fitted model.

mod blend;
mod chain;
mod choice;
mod cost;
mod experts;
mod fit;
mod held_out;
mod level;
mod map;
mod newton;
mod params;
mod pool;
mod predict;
mod starts;
mod structure;
#[cfg(test)]
mod tests;
mod tied;
mod unknown;
mod weights;

use arbormix_joint::learner::Method;

pub use params::{
    BlendParams, ChainParams, FactorParams, MapParams, PoolParams, StackParams, StackedTreeParams, TiedParams,
};
pub use predict::Stack;

/// Its entry in the registry.
pub const METHOD: Method = Method::of::<StackParams>(
    "stack",
    "Stacked ML-ME",
    "StackedMixture",
    "forest, mixture of tied trees and stacked tree or chain, joined by weights that held-out rows choose",
    |stored| Ok(Box::new(Stack::load(stored)?)),
);
