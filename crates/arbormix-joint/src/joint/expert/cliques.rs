//! A tree of cliques at one row.

use super::Expert;
use crate::tree::inference::Counts;
use crate::tree::{CliqueTables, CliqueTree};
use arbormix_base::random::Stream;
use arbormix_data::LabelSet;

/// A tree of cliques and its tables.
#[derive(Debug, Clone)]
pub struct RowCliques<'a> {
    /// The tree.
    pub tree: &'a CliqueTree,
    /// A table for every label.
    pub tables: CliqueTables,
}

impl Expert for RowCliques<'_> {
    fn labels(&self) -> usize {
        self.tree.len()
    }

    fn log_prob(&self, set: &LabelSet) -> f64 {
        self.tables.log_prob(self.tree, set)
    }

    fn parent(&self, label: usize, set: &LabelSet) -> Option<usize> {
        let here = self.tables.log_odds(self.tree, label, set);
        let moved = |parent: usize| {
            let mut otherwise = set.clone();
            otherwise.set(parent, !set.get(parent));
            (self.tables.log_odds(self.tree, label, &otherwise) - here).abs()
        };
        let parents = self.tree.parents_of(label).map(|parent| (parent, moved(parent)));
        parents.reduce(|most, next| if next.1 > most.1 { next } else { most }).map(|(parent, _)| parent)
    }

    fn log_odds(&self, label: usize, set: &LabelSet) -> Option<f64> {
        Some(self.tables.log_odds(self.tree, label, set))
    }

    fn marginals(&self) -> Vec<f64> {
        self.tables.marginals(self.tree)
    }

    fn best_set(&self, allowed: &[[bool; 2]]) -> (LabelSet, f64) {
        self.tables.best_set(self.tree, allowed)
    }

    fn max_marginals(&self, allowed: &[[bool; 2]]) -> Vec<[f64; 2]> {
        self.tables.max_marginals(self.tree, allowed)
    }

    fn log_mass(&self, allowed: &[[bool; 2]]) -> f64 {
        self.tables.log_mass(self.tree, allowed)
    }

    fn given(&self, allowed: &[[bool; 2]]) -> (f64, Self) {
        let (log_probability, tables) = self.tables.given(self.tree, allowed);
        (log_probability, RowCliques { tree: self.tree, tables })
    }

    fn counts(&self, group: &LabelSet) -> Counts {
        self.tables.counts(self.tree, group)
    }

    fn sample(&self, stream: &mut Stream) -> LabelSet {
        self.tables.sample(self.tree, stream)
    }
}
