//! The stacked mixture: a mixture of a few tractable parts, each fitted to the out-of-fold answers of forests and regressions.
//!
//! P(y | x) = Σ_p w_p P_p(y | x)
//!
//! y is a label set, x a row, P_p a *part* and w_p its weight. Every part is a mixture of label trees, clique trees or tables
//! of label sets, so every question about P(y | x) has an exact answer.
//!
//! A fit has three steps. Each uses only answers to rows that the step before has not seen.
//!
//! 1. **Level 0** (`level0`) is fitted to the rows. Its parts give log-odds per label; some also give a distribution over the
//!    label sets seen. They answer every row *out-of-fold*: by a model that was fitted to the other folds.
//! 2. **Level 1** (`level1`) is fitted to these answers. A small regression blends the log-odds of all parts of level 0 into
//!    one log-odds l̃ per label. The parts of the mixture build on l̃.
//! 3. **The pool** (`pool`) is fitted to the answers of level 1 to held-out folds: the exponents of the label-set table, the
//!    weights w, and the choice between several ways to fit a part. A part that gets weight 0 is left out of the model.
//!
//! | level | part | file | contributes |
//! |---|---|---|---|
//! | 0 | regressions | `level0/regressions.rs` | log-odds, by logistic regressions on a map φ of the features (`level0/feature_map.rs`) |
//! | 0 | forest | `level0/forest.rs` | log-odds and a distribution over the label sets seen, by extra-trees |
//! | 1 | label-set table | `level1/label_sets.rs` | a log-linear pool of forest, tied trees and row counts over the sets seen |
//! | 1 | tied trees | `level1/tied/` | many trees with shared slopes under a softmax gate; optionally with hidden factors |
//! | 1 | stacked tree | `level1/tree.rs` | one tree, logit P(yᵢ \| x, y_π(i)) = b l̃ᵢ + c + a (y_π(i) − p_π(i)) + e p_π(i) with p = σ(l̃) |
//! | 1 | stacked chain | `level1/chain/` | the same with several parents per label; takes the place of the tree if it is better |
//!
//! The table has sharp modes but knows only the sets seen; the trees give every set some probability. Together they have both.
//!
//! To **add a part**, write one file that implements `Level0Part` and `Level0Model`, or `Level1Part`, `Plan` and `Level1Model`,
//! and add one line to a list in `parts.rs`. The part says how it is fitted, what it answers, how it is stored and loaded, and
//! what it costs. Nothing else changes: the weights are as long as the list. (Parameters of its own go to `params.rs`.)
//!
//! [`StackParams`] is the learner (`fit.rs`), [`Stack`] the fitted model (`predict.rs`, `file.rs`).

mod cost;
mod file;
mod fit;
mod level0;
mod level1;
mod model;
mod newton;
mod params;
mod parts;
mod pool;
mod predict;
mod stored;
#[cfg(test)]
mod tests;
mod unknown_cells;

use arbormix_joint::learner::Method;

pub use model::Stack;
pub use params::{
    BlendParams, ChainParams, FactorParams, MapParams, PoolParams, StackParams, StackedTreeParams, TiedParams,
};

/// Its entry in the registry.
pub const METHOD: Method = Method::of::<StackParams>(
    "stack",
    "Stacked ML-ME",
    "StackedMixture",
    "forest, mixture of tied trees and stacked tree or chain, joined by weights that held-out rows choose",
    |stored| Ok(Box::new(Stack::load(stored)?)),
);
