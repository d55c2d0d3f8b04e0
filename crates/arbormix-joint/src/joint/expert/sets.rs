//! A table of label sets at one row.

use super::Expert;
use crate::tree::inference::Counts;
use arbormix_base::random::Stream;
use arbormix_data::LabelSet;

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
}

impl Expert for RowSets<'_> {
    fn labels(&self) -> usize {
        self.labels
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

    fn given(&self, allowed: &[[bool; 2]]) -> (f64, Self) {
        let mut rest = self.clone();
        rest.shares.retain(|&(index, _)| is_allowed(&self.sets[index as usize], allowed));
        let total: f64 = rest.shares.iter().map(|(_, share)| share).sum();
        rest.shares.iter_mut().for_each(|(_, share)| *share /= total);
        (total.min(1.0).ln(), rest)
    }

    fn counts(&self, group: &LabelSet) -> Counts {
        let mut out = Counts::none(self.labels, group);
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
