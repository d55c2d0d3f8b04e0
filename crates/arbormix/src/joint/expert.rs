//! One expert at one row, of whatever kind: what the mixture asks of it.

use crate::data::LabelSet;
use crate::random::Stream;
use crate::tree::Branching;
use crate::tree::inference::{self, Counts, Table};

/// An expert's distribution over label sets at one row.
#[derive(Debug, Clone)]
pub enum RowExpert<'a> {
    /// A label tree and its tables: every set is possible.
    Tree(&'a Branching, Vec<Table>),
    /// A table of probabilities over some label sets: no other set is possible.
    Sets(RowSets<'a>),
}

/// Probabilities of some label sets; those of the others are 0.
#[derive(Debug, Clone)]
pub struct RowSets<'a> {
    labels: usize,
    /// Ascending.
    sets: &'a [LabelSet],
    /// Index of a set and its probability (> 0), indices ascending.
    shares: Vec<(u32, f64)>,
}

impl<'a> RowSets<'a> {
    /// From sets over `labels` labels in ascending order, and the probabilities of some of them by index, indices
    /// ascending; probabilities of 0 may be left out.
    pub fn new(labels: usize, sets: &'a [LabelSet], mut shares: Vec<(u32, f64)>) -> RowSets<'a> {
        shares.retain(|(_, share)| *share > 0.0);
        RowSets { labels, sets, shares }
    }

    /// The possible sets with their probabilities.
    fn possible(&self) -> impl Iterator<Item = (&'a LabelSet, f64)> + '_ {
        self.shares.iter().map(|&(index, share)| (&self.sets[index as usize], share))
    }

    /// The possible sets that are allowed.
    fn among<'s>(&'s self, allowed: &'s [[bool; 2]]) -> impl Iterator<Item = (&'a LabelSet, f64)> + 's {
        self.possible().filter(|(set, _)| is_allowed(set, allowed))
    }

    fn log_prob(&self, set: &LabelSet) -> f64 {
        let place = self.sets.binary_search(set).ok();
        let share = place.and_then(|at| self.shares.binary_search_by_key(&at, |&(index, _)| index as usize).ok());
        share.map_or(f64::NEG_INFINITY, |at| self.shares[at].1.ln())
    }

    fn marginals(&self) -> Vec<f64> {
        let mut out = vec![0.0; self.labels];
        for (set, share) in self.possible() {
            set.members().for_each(|label| out[label] += share);
        }
        // The shares sum to one but for rounding.
        out.iter_mut().for_each(|p| *p = p.min(1.0));
        out
    }

    fn best_set(&self, allowed: &[[bool; 2]]) -> (LabelSet, f64) {
        let best = self.among(allowed).reduce(|best, next| if next.1 > best.1 { next } else { best });
        best.map_or_else(
            // None is possible: any allowed set will do.
            || (LabelSet::from_bools(&allowed.iter().map(|v| !v[0]).collect::<Vec<_>>()), f64::NEG_INFINITY),
            |(set, share)| (set.clone(), share.ln()),
        )
    }

    fn max_marginals(&self, allowed: &[[bool; 2]]) -> Vec<[f64; 2]> {
        let mut out = vec![[0.0_f64; 2]; self.labels];
        for (set, share) in self.among(allowed) {
            for (label, values) in out.iter_mut().enumerate() {
                let value = &mut values[usize::from(set.get(label))];
                *value = value.max(share);
            }
        }
        out.into_iter().map(|values| values.map(f64::ln)).collect()
    }

    fn log_mass(&self, allowed: &[[bool; 2]]) -> f64 {
        // Rounding must not make the certain more than certain.
        self.among(allowed).map(|(_, share)| share).sum::<f64>().min(1.0).ln()
    }

    fn given(&self, allowed: &[[bool; 2]]) -> (f64, RowSets<'a>) {
        let mut rest = self.clone();
        rest.shares.retain(|&(index, _)| is_allowed(&self.sets[index as usize], allowed));
        let total: f64 = rest.shares.iter().map(|(_, share)| share).sum();
        rest.shares.iter_mut().for_each(|(_, share)| *share /= total);
        (total.min(1.0).ln(), rest)
    }

    fn counts(&self, group: &LabelSet) -> Counts {
        let points = group.count() + 1;
        let mut out = Counts { sizes: vec![0.0; points], with: vec![vec![0.0; points]; self.labels] };
        for (set, share) in self.possible() {
            let size = group.members().filter(|&label| set.get(label)).count();
            out.sizes[size] += share;
            set.members().for_each(|label| out.with[label][size] += share);
        }
        out
    }

    fn sample(&self, stream: &mut Stream) -> LabelSet {
        let shares: Vec<f64> = self.shares.iter().map(|(_, share)| *share).collect();
        let drawn = self.shares.get(stream.weighted(&shares)).map(|&(index, _)| self.sets[index as usize].clone());
        drawn.unwrap_or_else(|| LabelSet::empty(self.labels))
    }
}

fn is_allowed(set: &LabelSet, allowed: &[[bool; 2]]) -> bool {
    allowed.iter().enumerate().all(|(label, values)| values[usize::from(set.get(label))])
}

impl<'a> RowExpert<'a> {
    /// Number of labels.
    pub fn labels(&self) -> usize {
        match self {
            RowExpert::Tree(tree, _) => tree.len(),
            RowExpert::Sets(sets) => sets.labels,
        }
    }

    /// log P(y | x) of the expert.
    pub fn log_prob(&self, set: &LabelSet) -> f64 {
        match self {
            RowExpert::Tree(tree, tables) => inference::log_prob(tree, tables, set),
            RowExpert::Sets(sets) => sets.log_prob(set),
        }
    }

    /// The children of every label in its tree; nothing for a table.
    pub(super) fn children(&self) -> Vec<Vec<usize>> {
        match self {
            RowExpert::Tree(tree, _) => {
                let mut out = vec![Vec::new(); tree.len()];
                for (label, parent) in tree.parents().iter().enumerate() {
                    if let Some(parent) = parent {
                        out[*parent].push(label);
                    }
                }
                out
            }
            RowExpert::Sets(_) => Vec::new(),
        }
    }

    /// log P of a set after one label's value is changed, from that before the change, but for rounding.
    pub(super) fn log_prob_with_change(
        &self,
        set: &LabelSet,
        label: usize,
        before: f64,
        children: &[Vec<usize>],
    ) -> f64 {
        match self {
            RowExpert::Tree(tree, tables) => {
                let (old, new) = (usize::from(set.get(label)), usize::from(!set.get(label)));
                let above = tree.parents()[label].map_or(0, |parent| usize::from(set.get(parent)));
                let below = children[label].iter().map(|&child| {
                    let value = usize::from(set.get(child));
                    tables[child][new][value] - tables[child][old][value]
                });
                before + tables[label][above][new] - tables[label][above][old] + below.sum::<f64>()
            }
            RowExpert::Sets(sets) => {
                let mut changed = set.clone();
                changed.set(label, !set.get(label));
                sets.log_prob(&changed)
            }
        }
    }

    /// The label's parent in its tree; none in a table.
    pub fn parent(&self, label: usize) -> Option<usize> {
        match self {
            RowExpert::Tree(tree, _) => tree.parents()[label],
            RowExpert::Sets(_) => None,
        }
    }

    /// P(yᵢ = 1 | x) of every label.
    pub fn marginals(&self) -> Vec<f64> {
        match self {
            RowExpert::Tree(tree, tables) => inference::marginals(tree, tables),
            RowExpert::Sets(sets) => sets.marginals(),
        }
    }

    /// The most probable allowed set and its log-probability.
    pub fn best_set(&self, allowed: &[[bool; 2]]) -> (LabelSet, f64) {
        match self {
            RowExpert::Tree(tree, tables) => inference::best_set(tree, tables, allowed),
            RowExpert::Sets(sets) => sets.best_set(allowed),
        }
    }

    /// `out[i][v]` = max { log P(y) : y allowed, yᵢ = v }.
    pub fn max_marginals(&self, allowed: &[[bool; 2]]) -> Vec<[f64; 2]> {
        match self {
            RowExpert::Tree(tree, tables) => inference::max_marginals(tree, tables, allowed),
            RowExpert::Sets(sets) => sets.max_marginals(allowed),
        }
    }

    /// log P(every label has an allowed value).
    pub fn log_mass(&self, allowed: &[[bool; 2]]) -> f64 {
        match self {
            RowExpert::Tree(tree, tables) => inference::log_mass(tree, tables, allowed),
            RowExpert::Sets(sets) => sets.log_mass(allowed),
        }
    }

    /// The expert given that every label has an allowed value, after the log-probability of that.
    pub fn given(&self, allowed: &[[bool; 2]]) -> (f64, RowExpert<'a>) {
        match self {
            RowExpert::Tree(tree, tables) => {
                let (log_probability, tables) = inference::given(tree, tables, allowed);
                (log_probability, RowExpert::Tree(tree, tables))
            }
            RowExpert::Sets(sets) => {
                let (log_probability, sets) = sets.given(allowed);
                (log_probability, RowExpert::Sets(sets))
            }
        }
    }

    /// The distribution of |y ∩ group|.
    pub fn counts(&self, group: &LabelSet) -> Counts {
        match self {
            RowExpert::Tree(tree, tables) => inference::counts(tree, tables, group),
            RowExpert::Sets(sets) => sets.counts(group),
        }
    }

    /// Draws a label set.
    pub fn sample(&self, stream: &mut Stream) -> LabelSet {
        match self {
            RowExpert::Tree(tree, tables) => inference::sample(tree, tables, stream),
            RowExpert::Sets(sets) => sets.sample(stream),
        }
    }
}
