//! Questions to one tree about one row.
//!
//! A row's tree is given by its [`Branching`] and one [`Table`] per label: `table[u][v]` = log P(yᵢ = v | y_π(i) = u, x).
//! A label without a parent uses `table[0]`. Everything is in log space.
//!
//! - `max`: the best set ([`best_set`], [`max_marginals`]); `best_sets`: all, best first ([`BestSets`])
//! - `lanes`: the best sets of several rows at once
//! - `sum`: what some labels' values mean for the rest ([`log_mass`], [`given`])
//! - `count`: how many labels there are ([`counts`])
//! - `passes`: the two sweeps over a tree that these share
//!
//! Known labels need no case of their own: a tree given some labels is again a tree ([`given`]), of which everything
//! else can be asked.

mod best_sets;
mod count;
pub mod lanes;
mod max;
pub mod passes;
mod sum;

pub use best_sets::{BestSets, Bounded};
pub use count::{Complex, counts_by};
pub use count::{Counts, counts};
pub use max::Best;
pub use max::{best_set, max_marginals};
pub use sum::Sum;
pub use sum::{given, log_mass};

use super::branching::Branching;
use arbormix_base::random::Stream;
use arbormix_data::LabelSet;

/// `table[u][v]` = log P(label = v | parent = u).
pub type Table = [[f64; 2]; 2];

/// Which values each label may take: `allowed[i][v]`.
pub type Allowed = Vec<[bool; 2]>;

/// Every label may take both values.
pub fn unrestricted(labels: usize) -> Allowed {
    vec![[true; 2]; labels]
}

fn parent_value(tree: &Branching, label: usize, set: &LabelSet) -> usize {
    tree.parents()[label].map_or(0, |parent| usize::from(set.get(parent)))
}

/// log P(y | x, T) = Σᵢ log P(yᵢ | x, y_π(i)) (Eq. 3).
pub fn log_prob(tree: &Branching, tables: &[Table], set: &LabelSet) -> f64 {
    (0..tree.len()).map(|i| tables[i][parent_value(tree, i, set)][usize::from(set.get(i))]).sum()
}

/// P(yᵢ = 1 | x) of every label: one pass from the roots to the leaves.
pub fn marginals(tree: &Branching, tables: &[Table]) -> Vec<f64> {
    let mut on = vec![0.0; tree.len()];
    for &i in tree.order() {
        let given = |u: usize| tables[i][u][1].exp();
        on[i] = match tree.parents()[i] {
            None => given(0),
            Some(parent) => (1.0 - on[parent]) * given(0) + on[parent] * given(1),
        };
    }
    on
}

/// Draws a label set: each label given its parent's value.
pub fn sample(tree: &Branching, tables: &[Table], stream: &mut Stream) -> LabelSet {
    let mut set = LabelSet::empty(tree.len());
    for &i in tree.order() {
        let on = tables[i][parent_value(tree, i, &set)][1].exp();
        set.set(i, stream.uniform() < on);
    }
    set
}
