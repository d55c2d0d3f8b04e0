//! A label tree at one row.

use super::Expert;
use crate::tree::Branching;
use crate::tree::inference::{self, Counts, Table};
use arbormix_base::random::Stream;
use arbormix_data::LabelSet;

/// A label tree and its tables: every set is possible that they do not rule out.
#[derive(Debug, Clone)]
pub struct RowTree<'a> {
    /// The tree.
    pub tree: &'a Branching,
    /// A table for every label.
    pub tables: Vec<Table>,
}

impl Expert for RowTree<'_> {
    fn labels(&self) -> usize {
        self.tree.len()
    }

    fn log_prob(&self, set: &LabelSet) -> f64 {
        inference::log_prob(self.tree, &self.tables, set)
    }

    fn children(&self) -> Vec<Vec<usize>> {
        let mut out = vec![Vec::new(); self.tree.len()];
        for (label, parent) in self.tree.parents().iter().enumerate() {
            if let Some(parent) = parent {
                out[*parent].push(label);
            }
        }
        out
    }

    fn log_prob_with_change(&self, set: &LabelSet, label: usize, before: f64, children: &[Vec<usize>]) -> f64 {
        let (old, new) = (usize::from(set.get(label)), usize::from(!set.get(label)));
        let above = self.tree.parents()[label].map_or(0, |parent| usize::from(set.get(parent)));
        let below = children[label].iter().map(|&child| {
            let value = usize::from(set.get(child));
            self.tables[child][new][value] - self.tables[child][old][value]
        });
        before + self.tables[label][above][new] - self.tables[label][above][old] + below.sum::<f64>()
    }

    fn parent(&self, label: usize, _set: &LabelSet) -> Option<usize> {
        self.tree.parents()[label]
    }

    fn log_odds(&self, label: usize, set: &LabelSet) -> Option<f64> {
        let above = self.tree.parents()[label].is_some_and(|parent| set.get(parent));
        let [absent, present] = self.tables[label][usize::from(above)];
        Some(present - absent)
    }

    fn marginals(&self) -> Vec<f64> {
        inference::marginals(self.tree, &self.tables)
    }

    fn best_set(&self, allowed: &[[bool; 2]]) -> (LabelSet, f64) {
        inference::best_set(self.tree, &self.tables, allowed)
    }

    fn max_marginals(&self, allowed: &[[bool; 2]]) -> Vec<[f64; 2]> {
        inference::max_marginals(self.tree, &self.tables, allowed)
    }

    fn log_mass(&self, allowed: &[[bool; 2]]) -> f64 {
        inference::log_mass(self.tree, &self.tables, allowed)
    }

    fn given(&self, allowed: &[[bool; 2]]) -> (f64, Self) {
        let (log_probability, tables) = inference::given(self.tree, &self.tables, allowed);
        (log_probability, RowTree { tree: self.tree, tables })
    }

    fn counts(&self, group: &LabelSet) -> Counts {
        inference::counts(self.tree, &self.tables, group)
    }

    fn sample(&self, stream: &mut Stream) -> LabelSet {
        inference::sample(self.tree, &self.tables, stream)
    }
}
