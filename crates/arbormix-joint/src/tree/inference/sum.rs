//! Probabilities of restrictions, and what they leave of a tree.

use super::Table;
use super::passes::{Semiring, Upward, upward};
use crate::tree::Branching;

/// Log-weights whose exponentials are added.
#[derive(Clone, Copy)]
pub struct Sum(pub f64);

impl Semiring for Sum {
    const ZERO: Self = Sum(f64::NEG_INFINITY);
    const ONE: Self = Sum(0.0);

    fn plus(self, other: Self) -> Self {
        let (high, low) = if self.0 >= other.0 { (self.0, other.0) } else { (other.0, self.0) };
        // −∞ + −∞ would be −∞ − (−∞), which is no number.
        if low == f64::NEG_INFINITY { Sum(high) } else { Sum(high + (low - high).exp().ln_1p()) }
    }

    fn times(self, other: Self) -> Self {
        Sum(self.0 + other.0)
    }
}

fn restricted(tree: &Branching, tables: &[Table], allowed: &[[bool; 2]]) -> Upward<Sum> {
    upward(tree, |i, u, v| if allowed[i][v] { Sum(tables[i][u][v]) } else { Sum::ZERO })
}

/// log P(every label has an allowed value), −∞ if that is impossible. O(d).
pub fn log_mass(tree: &Branching, tables: &[Table], allowed: &[[bool; 2]]) -> f64 {
    restricted(tree, tables, allowed).total.0
}

/// The tree's distribution given that every label has an allowed value: the log-probability of that, and the tables
/// of P(y | allowed, x), which is a tree with the same edges. O(d).
pub fn given(tree: &Branching, tables: &[Table], allowed: &[[bool; 2]]) -> (f64, Vec<Table>) {
    let up = restricted(tree, tables, allowed);
    let side = |i: usize, u: usize| {
        let message = up.at[i].message[u].0;
        if message == f64::NEG_INFINITY {
            // The parent cannot have this value, so nothing depends on this side; it must only be a distribution.
            return if allowed[i][0] { [0.0, f64::NEG_INFINITY] } else { [f64::NEG_INFINITY, 0.0] };
        }
        let value = |v: usize| {
            if allowed[i][v] { tables[i][u][v] + up.at[i].below[v].0 - message } else { f64::NEG_INFINITY }
        };
        [value(0), value(1)]
    };
    let tables = (0..tree.len()).map(|i| [side(i, 0), side(i, 1)]).collect();
    (up.total.0, tables)
}
