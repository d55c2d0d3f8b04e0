//! The best sets of one tree, and of anything whose best set under restrictions can be found.

use super::passes::{Semiring, by_value, upward};
use super::{Allowed, Table, parent_value, unrestricted};
use crate::data::LabelSet;
use crate::tree::Branching;

/// Log-weights of which the largest counts.
#[derive(Clone, Copy)]
pub(in crate::tree) struct Best(pub(in crate::tree) f64);

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

/// The best set found among some, and a bound on all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Bounded {
    /// The set.
    pub set: LabelSet,
    /// Its log-probability.
    pub log_probability: f64,
    /// None of the sets has a log-probability above this.
    pub log_bound: f64,
}

impl From<(LabelSet, f64)> for Bounded {
    /// A set that is known to be the best.
    fn from((set, log_probability): (LabelSet, f64)) -> Bounded {
        Bounded { set, log_probability, log_bound: log_probability }
    }
}

/// All sets, best first, of any distribution whose best set under restrictions can be found; made one at a time.
///
/// `best(allowed)` gives the most probable allowed set and its log-probability, or, where that is not proven, a
/// [`Bounded`] set. Lawler's partition: what is left after removing a set from its subspace splits by the first label that
/// differs from it. Ties go to the smaller set.
pub struct BestSets<F> {
    best: F,
    open: Vec<(Bounded, Allowed)>,
    /// The set given last, and the subspace it was the best of: split only when another set is asked for.
    last: Option<(LabelSet, Allowed)>,
}

impl<B: Into<Bounded>, F: FnMut(&[[bool; 2]]) -> B> BestSets<F> {
    /// Begins with all sets over `labels` labels.
    pub fn new(labels: usize, mut best: F) -> BestSets<F> {
        let all = unrestricted(labels);
        BestSets { open: vec![(best(&all).into(), all)], best, last: None }
    }

    /// The next set, with a bound on all sets that were not given before.
    pub fn next_bounded(&mut self) -> Option<Bounded> {
        if let Some((set, space)) = self.last.take() {
            self.split(&set, space);
        }
        let order =
            |a: &Bounded, b: &Bounded| b.log_probability.total_cmp(&a.log_probability).then_with(|| a.set.cmp(&b.set));
        let better = |at: usize, i: usize| if order(&self.open[i].0, &self.open[at].0).is_lt() { i } else { at };
        let at = (0..self.open.len()).reduce(better)?;
        let (mut top, space) = self.open.swap_remove(at);
        top.log_bound = self.open.iter().map(|(other, _)| other.log_bound).fold(top.log_bound, f64::max);
        self.last = Some((top.set.clone(), space));
        Some(top)
    }

    fn split(&mut self, set: &LabelSet, mut space: Allowed) {
        for label in 0..space.len() {
            let value = usize::from(set.get(label));
            if space[label] == [true; 2] {
                space[label][value] = false;
                self.open.push(((self.best)(&space).into(), space.clone()));
            }
            space[label] = [value == 0, value == 1];
        }
    }
}

impl<B: Into<Bounded>, F: FnMut(&[[bool; 2]]) -> B> Iterator for BestSets<F> {
    type Item = (LabelSet, f64);

    fn next(&mut self) -> Option<(LabelSet, f64)> {
        self.next_bounded().map(|top| (top.set, top.log_probability))
    }
}

impl<F> std::fmt::Debug for BestSets<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BestSets").field("open", &self.open.len()).finish_non_exhaustive()
    }
}
