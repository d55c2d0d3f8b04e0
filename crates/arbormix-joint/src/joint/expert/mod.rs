//! One expert at one row, of whatever kind: what the mixture asks of it.

mod cliques;
mod sets;
mod tree;

pub use cliques::RowCliques;
pub use sets::RowSets;
pub use tree::RowTree;

use crate::tree::Branching;
use crate::tree::inference::{Counts, Table};
use arbormix_base::random::Stream;
use arbormix_data::LabelSet;

/// A distribution over label sets at one row, of which everything can be asked exactly.
pub trait Expert {
    /// Number of labels.
    fn labels(&self) -> usize;

    /// log P(y | x) of the expert.
    fn log_prob(&self, set: &LabelSet) -> f64;

    /// The children of every label in its tree; nothing for what is no tree.
    fn children(&self) -> Vec<Vec<usize>> {
        Vec::new()
    }

    /// log P of a set after one label's value is changed, from that before the change, but for rounding; `children` are
    /// those that the expert told.
    fn log_prob_with_change(&self, set: &LabelSet, label: usize, _before: f64, _children: &[Vec<usize>]) -> f64 {
        let mut changed = set.clone();
        changed.set(label, !set.get(label));
        self.log_prob(&changed)
    }

    /// The label's parent in its tree; of several, that whose value moves it most in a set. None in a table.
    fn parent(&self, _label: usize, _set: &LabelSet) -> Option<usize> {
        None
    }

    /// A label's log-odds given its parents' values in a set; none in a table.
    fn log_odds(&self, _label: usize, _set: &LabelSet) -> Option<f64> {
        None
    }

    /// P(yᵢ = 1 | x) of every label.
    fn marginals(&self) -> Vec<f64>;

    /// The most probable allowed set and its log-probability.
    fn best_set(&self, allowed: &[[bool; 2]]) -> (LabelSet, f64);

    /// `out[i][v]` = max { log P(y) : y allowed, yᵢ = v }.
    fn max_marginals(&self, allowed: &[[bool; 2]]) -> Vec<[f64; 2]>;

    /// log P(every label has an allowed value).
    fn log_mass(&self, allowed: &[[bool; 2]]) -> f64;

    /// The expert given that every label has an allowed value, after the log-probability of that.
    fn given(&self, allowed: &[[bool; 2]]) -> (f64, Self)
    where
        Self: Sized;

    /// The distribution of |y ∩ group|.
    fn counts(&self, group: &LabelSet) -> Counts;

    /// Draws a label set.
    fn sample(&self, stream: &mut Stream) -> LabelSet;
}

/// An expert of one of the kinds there are.
#[derive(Debug, Clone)]
pub enum RowExpert<'a> {
    /// A label tree.
    Tree(RowTree<'a>),
    /// A table of probabilities over some label sets: no other set is possible.
    Sets(RowSets<'a>),
    /// A tree of cliques: labels with several parents.
    Cliques(RowCliques<'a>),
}

impl<'a> RowExpert<'a> {
    /// A label tree with its tables.
    pub fn tree(tree: &'a Branching, tables: Vec<Table>) -> RowExpert<'a> {
        RowExpert::Tree(RowTree { tree, tables })
    }

    /// Whatever kind it is.
    fn kind(&self) -> &dyn Expert {
        match self {
            RowExpert::Tree(tree) => tree,
            RowExpert::Sets(sets) => sets,
            RowExpert::Cliques(cliques) => cliques,
        }
    }
}

impl Expert for RowExpert<'_> {
    fn labels(&self) -> usize {
        self.kind().labels()
    }

    fn log_prob(&self, set: &LabelSet) -> f64 {
        self.kind().log_prob(set)
    }

    fn children(&self) -> Vec<Vec<usize>> {
        self.kind().children()
    }

    fn log_prob_with_change(&self, set: &LabelSet, label: usize, before: f64, children: &[Vec<usize>]) -> f64 {
        self.kind().log_prob_with_change(set, label, before, children)
    }

    fn parent(&self, label: usize, set: &LabelSet) -> Option<usize> {
        self.kind().parent(label, set)
    }

    fn log_odds(&self, label: usize, set: &LabelSet) -> Option<f64> {
        self.kind().log_odds(label, set)
    }

    fn marginals(&self) -> Vec<f64> {
        self.kind().marginals()
    }

    fn best_set(&self, allowed: &[[bool; 2]]) -> (LabelSet, f64) {
        self.kind().best_set(allowed)
    }

    fn max_marginals(&self, allowed: &[[bool; 2]]) -> Vec<[f64; 2]> {
        self.kind().max_marginals(allowed)
    }

    fn log_mass(&self, allowed: &[[bool; 2]]) -> f64 {
        self.kind().log_mass(allowed)
    }

    fn given(&self, allowed: &[[bool; 2]]) -> (f64, Self) {
        match self {
            RowExpert::Tree(tree) => wrapped(tree.given(allowed), RowExpert::Tree),
            RowExpert::Sets(sets) => wrapped(sets.given(allowed), RowExpert::Sets),
            RowExpert::Cliques(cliques) => wrapped(cliques.given(allowed), RowExpert::Cliques),
        }
    }

    fn counts(&self, group: &LabelSet) -> Counts {
        self.kind().counts(group)
    }

    fn sample(&self, stream: &mut Stream) -> LabelSet {
        self.kind().sample(stream)
    }
}

fn wrapped<'a, E>((mass, expert): (f64, E), kind: impl Fn(E) -> RowExpert<'a>) -> (f64, RowExpert<'a>) {
    (mass, kind(expert))
}
