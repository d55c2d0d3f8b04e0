//! All sets, best first, of anything whose best set under restrictions can be found.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::rc::Rc;

use super::{Allowed, unrestricted};
use arbormix_data::LabelSet;

/// A bound may be this much too low by rounding, relative to itself.
const ROUNDING: f64 = 1e-11;

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
/// differs from it. `bounds(allowed)[i][v]` is at least the log-probability of every allowed set with yᵢ = v: a part is
/// searched only when its bound says that it may hold the next set. Ties go to the smaller set.
pub struct BestSets<F, G> {
    best: F,
    bounds: G,
    searched: BinaryHeap<Searched>,
    waiting: BinaryHeap<Waiting>,
    /// The set given last, and the subspace it was the best of: split only when another set is asked for.
    last: Option<Searched>,
}

/// A subspace and its best set.
struct Searched {
    top: Bounded,
    space: Allowed,
}

/// The part of a subspace that agrees with its best set before `label` and differs there.
struct Waiting {
    log_bound: f64,
    of: Rc<Searched>,
    label: usize,
}

impl Waiting {
    fn space(&self) -> Allowed {
        let Searched { top, space } = self.of.as_ref();
        let fixed = |present: bool| [!present, present];
        let of = |label: usize| match label.cmp(&self.label) {
            Ordering::Less => fixed(top.set.get(label)),
            Ordering::Equal => fixed(!top.set.get(label)),
            Ordering::Greater => space[label],
        };
        (0..space.len()).map(of).collect()
    }
}

impl<B: Into<Bounded>, F: FnMut(&[[bool; 2]]) -> B, G: FnMut(&[[bool; 2]]) -> Vec<[f64; 2]>> BestSets<F, G> {
    /// Begins with all sets over `labels` labels.
    pub fn new(labels: usize, mut best: F, bounds: G) -> BestSets<F, G> {
        let space = unrestricted(labels);
        let all = Searched { top: best(&space).into(), space };
        BestSets { best, bounds, searched: BinaryHeap::from([all]), waiting: BinaryHeap::new(), last: None }
    }

    /// The next set, with a bound on all sets that were not given before.
    pub fn next_bounded(&mut self) -> Option<Bounded> {
        if let Some(last) = self.last.take() {
            self.split(last);
        }
        while let Some(part) = self.waiting.pop() {
            let known = self.searched.peek().map_or(f64::NEG_INFINITY, |best| best.top.log_probability);
            let slack = if part.log_bound.is_finite() { ROUNDING * (1.0 + part.log_bound.abs()) } else { 0.0 };
            if part.log_bound + slack < known {
                self.waiting.push(part);
                break;
            }
            let space = part.space();
            self.searched.push(Searched { top: (self.best)(&space).into(), space });
        }
        let next = self.searched.pop()?;
        let others = self.searched.iter().map(|other| other.top.log_bound);
        let top = Bounded { log_bound: others.fold(next.top.log_bound, f64::max), ..next.top.clone() };
        self.last = Some(next);
        Some(top)
    }

    fn split(&mut self, last: Searched) {
        let bounds = (self.bounds)(&last.space);
        let of = Rc::new(last);
        for (label, bounds) in bounds.iter().enumerate().filter(|(label, _)| of.space[*label] == [true; 2]) {
            let log_bound = bounds[usize::from(!of.top.set.get(label))];
            self.waiting.push(Waiting { log_bound, of: Rc::clone(&of), label });
        }
    }
}

impl<B: Into<Bounded>, F: FnMut(&[[bool; 2]]) -> B, G: FnMut(&[[bool; 2]]) -> Vec<[f64; 2]>> Iterator
    for BestSets<F, G>
{
    type Item = (LabelSet, f64);

    fn next(&mut self) -> Option<(LabelSet, f64)> {
        self.next_bounded().map(|top| (top.set, top.log_probability))
    }
}

impl<F, G> std::fmt::Debug for BestSets<F, G> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (searched, waiting) = (self.searched.len(), self.waiting.len());
        f.debug_struct("BestSets").field("searched", &searched).field("waiting", &waiting).finish_non_exhaustive()
    }
}

/// The order of a heap's elements.
macro_rules! ordered {
    ($kind:ident, $order:expr) => {
        impl Ord for $kind {
            fn cmp(&self, other: &Self) -> Ordering {
                let order: fn(&Self, &Self) -> Ordering = $order;
                order(self, other)
            }
        }

        impl PartialOrd for $kind {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                Some(self.cmp(other))
            }
        }

        impl PartialEq for $kind {
            fn eq(&self, other: &Self) -> bool {
                self.cmp(other) == Ordering::Equal
            }
        }

        impl Eq for $kind {}
    };
}

// The largest comes first: the most probable set, of equal ones the smaller.
ordered!(Searched, |a, b| {
    a.top.log_probability.total_cmp(&b.top.log_probability).then_with(|| b.top.set.cmp(&a.top.set))
});
ordered!(Waiting, |a, b| a.log_bound.total_cmp(&b.log_bound));
