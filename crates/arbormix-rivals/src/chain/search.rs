//! The most probable label sets of a chain at one row.
//!
//! The log-probability of a prefix never rises along a path, so a prefix bounds everything below it. Best-first search
//! opens the best prefix; what is not better than the worst set still wanted is never looked at.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::row::RowChain;
use arbormix_base::choices;
use arbormix_base::params::ParamError;
use arbormix_base::random::Stream;
use arbormix_joint::learner::{Certificate, DEFAULT_NODE_LIMIT};
use arbormix_learn::logistic::loss::log_probability;

choices! {
    /// How a chain's most probable label set is looked for.
    pub enum Search: Copy {
        /// Best-first with a certificate; gives up after this many nodes (0: never).
        Exact {
            /// Prefixes to open before giving up.
            node_limit: usize,
        } = "exact",
        /// Looks at all 2^d sets, as the paper does; at most 20 labels.
        Exhaustive = "exhaustive",
        /// Opens only prefixes with at least this probability; if no set has it, completes the best ones greedily. Finds
        /// every set that is more probable than the threshold, with O(d / threshold) nodes.
        Epsilon {
            /// From 0 (exact) to 1 (greedy).
            threshold: f64,
        } = "epsilon",
        /// Keeps the best prefixes of every length; 1 is the greedy path.
        Beam {
            /// How many.
            width: usize,
        } = "beam",
        /// The most probable of the greedy path and random draws.
        MonteCarlo {
            /// How many draws.
            samples: usize,
        } = "monte-carlo",
    }
}

impl Default for Search {
    fn default() -> Self {
        Search::Exact { node_limit: DEFAULT_NODE_LIMIT }
    }
}

impl Search {
    /// Labels at most for [`Search::Exhaustive`].
    pub const MAX_EXHAUSTIVE: usize = 20;

    /// Errs if there are too many labels for it.
    pub fn check_labels(&self, labels: usize) -> Result<(), ParamError> {
        let feasible = *self != Search::Exhaustive || labels <= Search::MAX_EXHAUSTIVE;
        let rule = "looks at all label sets, for at most 20 labels; use exact, which proves the same";
        ParamError::require_choice(feasible, "inference", self, rule)
    }

    /// Prefixes that a search for the best sets may open (0: any number).
    pub fn node_limit(&self) -> usize {
        match *self {
            Search::Exact { node_limit } => node_limit,
            Search::Exhaustive => 0,
            _ => DEFAULT_NODE_LIMIT,
        }
    }

    /// Checks the values.
    pub fn validate(&self) -> Result<(), ParamError> {
        let (usable, rule) = match *self {
            Search::Exact { .. } | Search::Exhaustive => (true, ""),
            Search::Epsilon { threshold } => ((0.0..=1.0).contains(&threshold), "threshold must be between 0 and 1"),
            Search::Beam { width } => (width > 0, "width must be at least 1"),
            Search::MonteCarlo { samples } => (samples > 0, "samples must be at least 1"),
        };
        ParamError::require_choice(usable, "inference", self, rule)
    }
}

/// Values in chain order, their log-probability, and what is proven.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The values.
    pub values: Vec<bool>,
    /// Their log-probability.
    pub log_probability: f64,
    /// What is proven; nothing for Monte Carlo.
    pub certificate: Option<Certificate>,
}

/// The values of the first labels in the chain.
#[derive(Debug, Clone, PartialEq)]
struct Prefix {
    log_probability: f64,
    values: Vec<bool>,
}

impl Eq for Prefix {}

impl PartialOrd for Prefix {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Prefix {
    /// By log-probability, then longer first, then present before absent as on the greedy path: never by chance.
    fn cmp(&self, other: &Self) -> Ordering {
        self.log_probability
            .total_cmp(&other.log_probability)
            .then_with(|| self.values.len().cmp(&other.values.len()))
            .then_with(|| self.values.cmp(&other.values))
    }
}

impl RowChain<'_> {
    /// The most probable set, looked for as told; `stream` is for Monte Carlo.
    pub fn best(&self, search: Search, stream: &mut Stream) -> Found {
        match search {
            Search::Exact { node_limit } => {
                let (mut sets, certificate) = self.best_first(1, node_limit);
                let top = sets.swap_remove(0);
                found(top, Some(certificate))
            }
            Search::Exhaustive => self.best_of_all(),
            Search::Epsilon { threshold } => self.above(threshold.ln()),
            Search::Beam { width } => self.beam(width),
            Search::MonteCarlo { samples } => self.best_draw(samples, stream),
        }
    }

    /// The `count` most probable sets, best first, with their log-probabilities.
    ///
    /// Only proven ones: a search that gives up after `node_limit` nodes (0: never) leaves out the sets that something it
    /// has not opened might surpass, and the list is shorter.
    pub fn best_sets(&self, count: usize, node_limit: usize) -> Vec<(Vec<bool>, f64)> {
        let (mut sets, certificate) = self.best_first(count, node_limit);
        if !certificate.certified {
            sets.retain(|set| set.log_probability >= certificate.log_bound);
        }
        sets.into_iter().map(|set| (set.values, set.log_probability)).collect()
    }

    /// The best of all 2^d sets, depth first.
    fn best_of_all(&self) -> Found {
        let mut best: Option<Prefix> = None;
        let mut open = vec![root()];
        let mut nodes = 0;
        while let Some(prefix) = open.pop() {
            if prefix.values.len() < self.labels() {
                nodes += 1;
                open.extend(self.children(&prefix));
            } else if best.as_ref().is_none_or(|best| prefix > *best) {
                best = Some(prefix);
            }
        }
        let best = best.unwrap_or_else(root);
        let log_bound = best.log_probability;
        found(best, Some(Certificate { log_bound, certified: true, nodes }))
    }

    fn children(&self, prefix: &Prefix) -> [Prefix; 2] {
        let z = self.log_odds(&prefix.values);
        [false, true].map(|value| {
            let mut values = Vec::with_capacity(self.labels());
            values.extend_from_slice(&prefix.values);
            values.push(value);
            Prefix { log_probability: prefix.log_probability + log_probability(z, value), values }
        })
    }

    fn completed(&self, prefix: Prefix) -> Prefix {
        let (values, log_probability) = self.complete(prefix.values, prefix.log_probability);
        Prefix { log_probability, values }
    }

    /// Exact for `node_limit` 0; else the best sets known when the limit was reached.
    fn best_first(&self, count: usize, node_limit: usize) -> (Vec<Prefix>, Certificate) {
        let greedy = self.completed(root());
        let mut open = BinaryHeap::from([root()]);
        let mut nodes = 0;
        // Best first, at most `count`. The greedy path is there from the start: a good set prunes early.
        let mut sets = if count > 0 { vec![greedy.clone()] } else { Vec::new() };
        let worth = |sets: &[Prefix], p: &Prefix| {
            sets.len() < count || sets.last().is_some_and(|worst| p.log_probability > worst.log_probability)
        };
        while let Some(prefix) = open.pop().filter(|prefix| worth(&sets, prefix)) {
            if node_limit > 0 && nodes == node_limit {
                let certificate = Certificate { log_bound: prefix.log_probability, certified: false, nodes };
                return (sets, certificate);
            }
            nodes += 1;
            for child in self.children(&prefix) {
                if !worth(&sets, &child) {
                    continue;
                }
                if child.values.len() < self.labels() {
                    open.push(child);
                } else if child.values != greedy.values {
                    let place = sets.partition_point(|set| *set >= child);
                    sets.insert(place, child);
                    sets.truncate(count);
                }
            }
        }
        let log_bound = sets.first().map_or(0.0, |set| set.log_probability);
        (sets, Certificate { log_bound, certified: true, nodes })
    }

    /// Looks only at prefixes with at least this log-probability.
    fn above(&self, threshold: f64) -> Found {
        let mut open = BinaryHeap::from([root()]);
        let mut ends = Vec::new();
        let mut nodes = 0;
        while let Some(prefix) = open.pop() {
            if prefix.values.len() == self.labels() {
                let log_bound = prefix.log_probability;
                return found(prefix, Some(Certificate { log_bound, certified: true, nodes }));
            }
            nodes += 1;
            let before = open.len();
            open.extend(self.children(&prefix).into_iter().filter(|child| child.log_probability >= threshold));
            if open.len() == before {
                ends.push(prefix);
            }
        }
        let best = ends.into_iter().map(|end| self.completed(end)).max();
        let best = best.unwrap_or_else(|| self.completed(root()));
        // No set reaches the threshold, or it would have been returned.
        found(best, Some(Certificate { log_bound: threshold, certified: false, nodes }))
    }

    fn beam(&self, width: usize) -> Found {
        let mut kept = vec![root()];
        let (mut nodes, mut dropped) = (0, f64::NEG_INFINITY);
        for _ in 0..self.labels() {
            nodes += kept.len();
            let mut longer: Vec<Prefix> = kept.iter().flat_map(|prefix| self.children(prefix)).collect();
            longer.sort_by(|a, b| b.cmp(a));
            dropped = longer.get(width).map_or(dropped, |best| dropped.max(best.log_probability));
            longer.truncate(width);
            kept = longer;
        }
        let best = kept.swap_remove(0);
        let log_bound = dropped.max(best.log_probability);
        let certified = dropped <= best.log_probability;
        found(best, Some(Certificate { log_bound, certified, nodes }))
    }

    fn best_draw(&self, samples: usize, stream: &mut Stream) -> Found {
        let draw = |_| {
            let (values, log_probability) = self.sample(stream);
            Prefix { log_probability, values }
        };
        let drawn = (0..samples).map(draw).max();
        let greedy = self.completed(root());
        found(drawn.map_or(greedy.clone(), |best| best.max(greedy)), None)
    }
}

fn root() -> Prefix {
    Prefix { log_probability: 0.0, values: Vec::new() }
}

fn found(prefix: Prefix, certificate: Option<Certificate>) -> Found {
    Found { values: prefix.values, log_probability: prefix.log_probability, certificate }
}
