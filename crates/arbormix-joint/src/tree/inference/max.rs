//! The best set of a tree, and its max-marginals.

use super::passes::{Semiring, by_value, upward};
use super::{Table, parent_value};
use crate::tree::Branching;
use arbormix_data::LabelSet;

/// Log-weights of which the largest counts.
#[derive(Clone, Copy)]
pub struct Best(pub f64);

impl Semiring for Best {
    const ZERO: Self = Best(f64::NEG_INFINITY);
    const ONE: Self = Best(0.0);

    fn plus(self, other: Self) -> Self {
        Best(self.0.max(other.0))
    }

    fn times(self, other: Self) -> Self {
        Best(self.0 + other.0)
    }
}

fn weight(tables: &[Table], allowed: &[[bool; 2]]) -> impl Fn(usize, usize, usize) -> Best {
    move |i, u, v| if allowed[i][v] { Best(tables[i][u][v]) } else { Best::ZERO }
}

/// The most probable set among the allowed ones and its log-probability: max-sum, O(d). Ties prefer absence.
///
/// Each label must have an allowed value.
pub fn best_set(tree: &Branching, tables: &[Table], allowed: &[[bool; 2]]) -> (LabelSet, f64) {
    let up = upward(tree, weight(tables, allowed));
    let mut set = LabelSet::empty(tree.len());
    for &i in tree.order() {
        let u = parent_value(tree, i, &set);
        let value = |v: usize| tables[i][u][v] + up.at[i].below[v].0;
        // Where both values are impossible the set must still be an allowed one.
        set.set(i, allowed[i][1] && (!allowed[i][0] || value(1) > value(0)));
    }
    (set, up.total.0)
}

/// Max-marginals: `out[i][v]` = max { log P(y) : y allowed, yᵢ = v }, −∞ where yᵢ = v is not allowed.
///
/// One upward and one downward pass, O(d).
pub fn max_marginals(tree: &Branching, tables: &[Table], allowed: &[[bool; 2]]) -> Vec<[f64; 2]> {
    let (_, values) = by_value(tree, weight(tables, allowed));
    values.into_iter().map(|[off, on]| [off.0, on.0]).collect()
}
