//! The most probable label set of a mixture, proven: best-first branch and bound.
//!
//! A mixture's best set is hard to find in general (unlike a single tree's), but every tree's own best set under any
//! restriction costs O(d) (a table's O(d) per set), and so do its max-marginals mₖ(i, v): the best log-probability with yᵢ = v. They bound the
//! mixture: no set with yᵢ = v has more than Uᵢ(v) = Σₖ gₖ exp mₖ(i, v). A label value whose bound does not exceed the
//! best set found so far is ruled out; what cannot be ruled out is branched on.

use std::cell::Cell;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::time::{Duration, Instant};

use super::expert::{Expert, RowExpert};
use crate::prediction::{Certificate, Prediction};
use crate::tree::Tree;
use crate::tree::inference::{BestSets, Bounded, Table, unrestricted};
use arbormix_data::LabelSet;
use arbormix_learn::logistic::loss::log_sum_exp;
use arbormix_matrix::{DenseMatrix, Matrix};

/// A bound must exceed the best set found by this much (in log-probability) to be worth a look: less is rounding.
pub const MARGIN: f64 = 1e-12;

/// A change of a label that seems to lose more than this cannot gain but for rounding.
const CHANGE_ROUNDING: f64 = 1e-9;
/// Experts whose best sets in a subspace are looked at.
const LOOKED_AT: usize = 16;

/// The mixture at one row: gate weights and the experts.
#[derive(Debug, Clone)]
pub struct RowMixture<'a> {
    /// log gₖ(x).
    pub log_gate: Vec<f64>,
    /// The experts, at least one.
    pub experts: Vec<RowExpert<'a>>,
}

/// A set and what is proven about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The set.
    pub labels: LabelSet,
    /// Its log-probability.
    pub log_probability: f64,
    /// What is proven.
    pub certificate: Certificate,
}

impl Found {
    /// How much more probable a better set could be, see [`Certificate::gap`].
    pub fn gap(&self) -> f64 {
        self.certificate.gap(self.log_probability)
    }
}

impl From<Found> for Prediction {
    fn from(found: Found) -> Prediction {
        let Found { labels, log_probability, certificate } = found;
        Prediction { labels, log_probability: Some(log_probability), certificate: Some(certificate) }
    }
}

/// A subspace that may hold a better set.
struct Node {
    bound: f64,
    allowed: Vec<[bool; 2]>,
    branch_on: usize,
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Node {}

impl PartialOrd for Node {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Node {
    /// By bound; equal bounds by their restrictions, so that the order of the search never depends on chance.
    fn cmp(&self, other: &Self) -> Ordering {
        self.bound.total_cmp(&other.bound).then_with(|| other.allowed.cmp(&self.allowed))
    }
}

impl<'a> RowMixture<'a> {
    /// The mixtures of rows under trees and their gate's log-weights (`None`: there is one tree).
    pub fn of_trees(trees: &[&'a Tree], log_gate: Option<DenseMatrix>, features: &Matrix) -> Vec<Self> {
        let tables: Vec<Vec<Table>> = trees.iter().map(|tree| tree.tables(features)).collect();
        let expert = |(tree, tables): (&&'a Tree, &Vec<Table>), row| {
            RowExpert::tree(tree.branching(), tree.of_row(tables, row).to_vec())
        };
        let mixture = |row: usize| RowMixture {
            log_gate: log_gate.as_ref().map_or_else(|| vec![0.0], |gate| gate.row(row).to_vec()),
            experts: trees.iter().zip(&tables).map(|pair| expert(pair, row)).collect(),
        };
        (0..features.rows()).map(mixture).collect()
    }

    /// Number of labels.
    pub fn labels(&self) -> usize {
        self.experts[0].labels()
    }

    /// log P(y | x) = log Σₖ gₖ P(y | x, Tₖ) (Eq. 6).
    pub fn log_prob(&self, set: &LabelSet) -> f64 {
        let of = |(expert, gate): (&RowExpert<'_>, &f64)| gate + expert.log_prob(set);
        log_sum_exp(&self.experts.iter().zip(&self.log_gate).map(of).collect::<Vec<_>>())
    }

    /// P(yᵢ = 1 | x) of every label.
    pub fn marginals(&self) -> Vec<f64> {
        let mut out = vec![0.0; self.labels()];
        for (expert, gate) in self.experts.iter().zip(&self.log_gate) {
            let weight = gate.exp();
            out.iter_mut().zip(expert.marginals()).for_each(|(sum, p)| *sum += weight * p);
        }
        // Rounding may add up to a little more than 1.
        out.iter_mut().for_each(|p| *p = p.min(1.0));
        out
    }

    /// The paper's heuristic: the best under the mixture of the experts' own best sets.
    pub fn best_expert(&self, allowed: &[[bool; 2]]) -> (LabelSet, f64) {
        self.best_of(&self.own_sets(allowed), None)
    }

    /// Every expert's own best set and its log-probability there.
    fn own_sets(&self, allowed: &[[bool; 2]]) -> Vec<(LabelSet, f64)> {
        self.experts.iter().map(|expert| expert.best_set(allowed)).collect()
    }

    /// The best under the mixture of the experts' own sets and the best so far.
    fn best_of(&self, own: &[(LabelSet, f64)], mut best: Option<(LabelSet, f64)>) -> (LabelSet, f64) {
        for (k, (set, _)) in own.iter().enumerate() {
            // Experts agree more often than not.
            if own[..k].iter().all(|(earlier, _)| earlier != set) {
                self.offer(set.clone(), &mut best);
            }
        }
        best.unwrap_or_else(|| (LabelSet::empty(self.labels()), f64::NEG_INFINITY))
    }

    /// The sets of those experts that give them most. In a subspace these are enough to look at: what proves the best set are the
    /// bounds, and where all experts agree their set is among these.
    fn weightiest(&self, own: &[(LabelSet, f64)]) -> Vec<(LabelSet, f64)> {
        if own.len() <= LOOKED_AT {
            return own.to_vec();
        }
        let share = |k: usize| self.log_gate[k] + own[k].1;
        let mut experts: Vec<usize> = (0..own.len()).collect();
        experts.sort_by(|&a, &b| share(b).total_cmp(&share(a)).then(a.cmp(&b)));
        experts[..LOOKED_AT].iter().map(|&k| own[k].clone()).collect()
    }

    /// Keeps the better of a set and the best so far; ties go to the smaller set.
    fn offer(&self, set: LabelSet, best: &mut Option<(LabelSet, f64)>) {
        let value = self.log_prob(&set);
        let better = |(top, top_value): &(LabelSet, f64)| value > *top_value || (value == *top_value && set < *top);
        if best.as_ref().is_none_or(better) {
            *best = Some((set, value));
        }
    }

    /// The most probable allowed set; `node_limit` 0 means no limit.
    pub fn best_set(&self, allowed: &[[bool; 2]], node_limit: usize) -> Found {
        self.search(allowed, |nodes| node_limit > 0 && nodes >= node_limit)
    }

    /// The most probable set without restrictions, as far as it can be proven in this time.
    ///
    /// Where the time ends depends on the machine: [`RowMixture::map`] with a limit of nodes gives the same on all.
    pub fn map_within(&self, time: Duration) -> Found {
        let start = Instant::now();
        self.search(&unrestricted(self.labels()), |_| start.elapsed() >= time)
    }

    /// Looks at nodes, best bound first, until the best set is proven or `enough(nodes)` says so.
    fn search(&self, allowed: &[[bool; 2]], enough: impl Fn(usize) -> bool) -> Found {
        let (incumbent, root) = self.examine_all(allowed);
        self.branch(incumbent, root, enough)
    }

    /// The most probable allowed set, where the best of the experts' own sets is known and not proven to be it.
    pub(crate) fn search_from(
        &self,
        found: (LabelSet, f64),
        own: Vec<(LabelSet, f64)>,
        allowed: &[[bool; 2]],
        node_limit: usize,
    ) -> Found {
        let (incumbent, root) = self.improve(found, own, allowed, self.bounds(allowed));
        self.branch(incumbent, root, |nodes| node_limit > 0 && nodes >= node_limit)
    }

    /// The rest of a search, from the root.
    fn branch(&self, mut incumbent: (LabelSet, f64), root: Option<Node>, enough: impl Fn(usize) -> bool) -> Found {
        let mut open = BinaryHeap::from_iter(root);
        let mut nodes = 1;
        while let Some(node) = open.pop() {
            if node.bound <= incumbent.1 + MARGIN {
                break;
            }
            if enough(nodes) {
                let certificate = Certificate { log_bound: node.bound, certified: false, nodes };
                return Found { labels: incumbent.0, log_probability: incumbent.1, certificate };
            }
            for value in 0..2 {
                let mut child = node.allowed.clone();
                child[node.branch_on][value] = false;
                nodes += 1;
                open.extend(self.examine(child, &mut incumbent));
            }
        }
        let certificate = Certificate { log_bound: incumbent.1, certified: true, nodes };
        Found { labels: incumbent.0, log_probability: incumbent.1, certificate }
    }

    /// The `count` most probable sets, best first; fewer if fewer are possible. See [`RowMixture::ranked_sets`].
    pub fn best_sets(&self, count: usize, node_limit: usize) -> Vec<(LabelSet, f64)> {
        self.ranked_sets(count, node_limit).into_iter().map(|found| (found.labels, found.log_probability)).collect()
    }

    /// The `count` most probable sets, best first, fewer if fewer are possible, each with what is proven about it: no set
    /// that is not listed before it has more than its bound.
    ///
    /// `node_limit` (0: none) holds for each search, of which a set needs up to d. Where it ends one, a less probable set
    /// may stand before a more probable one; the former's certificate then says that it is not proven.
    pub fn ranked_sets(&self, count: usize, node_limit: usize) -> Vec<Found> {
        self.ranked(count, |nodes| node_limit > 0 && nodes >= node_limit)
    }

    /// The same, as far as it can be proven in this time for all of them. See [`RowMixture::map_within`].
    pub fn ranked_sets_within(&self, count: usize, time: Duration) -> Vec<Found> {
        let start = Instant::now();
        self.ranked(count, |_| start.elapsed() >= time)
    }

    fn ranked(&self, count: usize, enough: impl Fn(usize) -> bool) -> Vec<Found> {
        if count == 0 {
            return Vec::new();
        }
        let nodes = Cell::new(0);
        let best = |allowed: &[[bool; 2]]| {
            let found = self.search(allowed, &enough);
            nodes.set(nodes.get() + found.certificate.nodes);
            let log_bound = found.certificate.log_bound;
            Bounded { set: found.labels, log_probability: found.log_probability, log_bound }
        };
        let mut sets = BestSets::new(self.labels(), best, |allowed: &[[bool; 2]]| self.bounds(allowed));
        let mut out = Vec::new();
        while out.len() < count
            && let Some(Bounded { set, log_probability, log_bound }) = sets.next_bounded()
            && log_probability > f64::NEG_INFINITY
        {
            let certified = log_bound <= log_probability + MARGIN;
            let certificate = Certificate { log_bound, certified, nodes: nodes.take() };
            out.push(Found { labels: set, log_probability, certificate });
        }
        out
    }

    /// All possible sets, best first, each searched for when it is asked for.
    pub fn sets_in_order(&self, node_limit: usize) -> impl Iterator<Item = (LabelSet, f64)> + '_ {
        self.sets_in_order_by(move |nodes| node_limit > 0 && nodes >= node_limit)
    }

    /// The same, where `enough(nodes)` ends a search.
    pub(crate) fn sets_in_order_by<'s>(
        &'s self,
        enough: impl Fn(usize) -> bool + 's,
    ) -> impl Iterator<Item = (LabelSet, f64)> + 's {
        let best = move |allowed: &[[bool; 2]]| {
            let found = self.search(allowed, &enough);
            (found.labels, found.log_probability)
        };
        let sets = BestSets::new(self.labels(), best, |allowed: &[[bool; 2]]| self.bounds(allowed));
        sets.take_while(|(_, log_probability)| *log_probability > f64::NEG_INFINITY)
    }

    /// Changes one of these labels at a time while that helps.
    ///
    /// In a tree a change touches the label and its children only, so most changes are ruled out without a look at the others.
    fn climb(&self, start: (LabelSet, f64), labels: &[usize]) -> (LabelSet, f64) {
        let children: Vec<Vec<Vec<usize>>> = self.experts.iter().map(Expert::children).collect();
        let logs_of = |set: &LabelSet| self.experts.iter().map(|expert| expert.log_prob(set)).collect::<Vec<f64>>();
        let (mut set, mut value) = start;
        let mut logs = logs_of(&set);
        let mut terms = vec![0.0; logs.len()];
        loop {
            let before = value;
            let mut moved = false;
            for &label in labels {
                for (k, expert) in self.experts.iter().enumerate() {
                    terms[k] = self.log_gate[k] + expert.log_prob_with_change(&set, label, logs[k], &children[k]);
                }
                // Changes between impossible sets are not a number: only a look tells.
                let is_worse = log_sum_exp(&terms) < value - CHANGE_ROUNDING;
                if is_worse && !terms.iter().any(|term| term.is_nan()) {
                    continue;
                }
                let mut flipped = set.clone();
                flipped.set(label, !set.get(label));
                let mut best = Some((set.clone(), value));
                self.offer(flipped, &mut best);
                if let Some((better, reached)) = best.filter(|(better, _)| *better != set) {
                    (set, value, moved) = (better, reached, true);
                    logs = logs_of(&set);
                }
            }
            if !moved && value == before {
                return (set, value);
            }
        }
    }

    /// The best set found at first, and the whole space unless that is proven to be the best.
    fn examine_all(&self, allowed: &[[bool; 2]]) -> ((LabelSet, f64), Option<Node>) {
        let own = self.own_sets(allowed);
        let found = self.best_of(&own, None);
        if agreed(&own) {
            return (found, None);
        }
        let bounds = self.bounds(allowed);
        // Every other set differs from it at some label.
        let other = |(label, values): (usize, &[f64; 2])| values[usize::from(!found.0.get(label))];
        if bounds.iter().enumerate().map(other).all(|bound| bound <= found.1 + MARGIN) {
            return (found, None);
        }
        self.improve(found, own, allowed, bounds)
    }

    /// A better set than the one found, if a neighbour is one, and what may hold a better one yet.
    fn improve(
        &self,
        found: (LabelSet, f64),
        own: Vec<(LabelSet, f64)>,
        allowed: &[[bool; 2]],
        bounds: Vec<[f64; 2]>,
    ) -> ((LabelSet, f64), Option<Node>) {
        // Only labels of which both values may be the best set's are worth a change.
        let open = |label: &usize| bounds[*label].iter().all(|&bound| bound > found.1 + MARGIN);
        let labels: Vec<usize> = (0..self.labels()).filter(open).collect();
        let mut incumbent = self.climb(found, &labels);
        let node = self.narrow(allowed.to_vec(), own, bounds, &mut incumbent);
        (incumbent, node)
    }

    /// Bounds a subspace, rules out label values, improves the incumbent; `None` if nothing better can be inside.
    fn examine(&self, allowed: Vec<[bool; 2]>, incumbent: &mut (LabelSet, f64)) -> Option<Node> {
        let own = self.own_sets(&allowed);
        *incumbent = self.best_of(&self.weightiest(&own), Some(incumbent.clone()));
        if agreed(&own) {
            return None;
        }
        let bounds = self.bounds(&allowed);
        self.narrow(allowed, own, bounds, incumbent)
    }

    /// The rest of that, from the experts' own sets and the bounds.
    fn narrow(
        &self,
        mut allowed: Vec<[bool; 2]>,
        own: Vec<(LabelSet, f64)>,
        bounds: Vec<[f64; 2]>,
        incumbent: &mut (LabelSet, f64),
    ) -> Option<Node> {
        let bound = least_bound(&bounds);
        if bound <= incumbent.1 + MARGIN {
            return None;
        }
        let mut changed = false;
        for (label, values) in allowed.iter_mut().enumerate().filter(|(_, values)| **values == [true; 2]) {
            for value in 0..2 {
                if bounds[label][value] <= incumbent.1 + MARGIN {
                    values[value] = false;
                    changed = true;
                }
            }
        }
        if changed {
            return self.examine(allowed, incumbent);
        }
        self.disputed(&own, &allowed).map(|branch_on| Node { bound, allowed, branch_on })
    }

    /// Uᵢ(v) in log space for every label and value.
    fn bounds(&self, allowed: &[[bool; 2]]) -> Vec<[f64; 2]> {
        let maxima: Vec<Vec<[f64; 2]>> = self.experts.iter().map(|expert| expert.max_marginals(allowed)).collect();
        let mut terms = vec![0.0; maxima.len()];
        let mut bound = |label: usize, value: usize| {
            for (term, (maximum, gate)) in terms.iter_mut().zip(maxima.iter().zip(&self.log_gate)) {
                *term = gate + maximum[label][value];
            }
            log_sum_exp(&terms)
        };
        (0..self.labels()).map(|label| [bound(label, 0), bound(label, 1)]).collect()
    }

    /// The free label on which the experts' best sets disagree with the most weight on both sides.
    fn disputed(&self, own: &[(LabelSet, f64)], allowed: &[[bool; 2]]) -> Option<usize> {
        let votes: Vec<f64> = own.iter().zip(&self.log_gate).map(|((_, value), gate)| gate + value).collect();
        let top = votes.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let dispute = |label: usize| {
            let mut sides = [0.0; 2];
            for ((set, _), vote) in own.iter().zip(&votes) {
                sides[usize::from(set.get(label))] += (vote - top).exp();
            }
            sides[0].min(sides[1])
        };
        (0..self.labels())
            .filter(|&label| allowed[label] == [true; 2])
            .map(|label| (label, dispute(label)))
            .reduce(|best, next| if next.1 > best.1 { next } else { best })
            .map(|(label, _)| label)
    }

    /// The most probable set without restrictions.
    pub fn map(&self, node_limit: usize) -> Found {
        self.best_set(&unrestricted(self.labels()), node_limit)
    }
}

/// Whether all experts have the same best set, which then is the mixture's too. An expert for whom everything is
/// impossible has no say.
fn agreed(own: &[(LabelSet, f64)]) -> bool {
    let mut voices = own.iter().filter(|(_, value)| *value > f64::NEG_INFINITY).map(|(set, _)| set);
    let first = voices.next();
    voices.all(|set| Some(set) == first)
}

/// Every label has one of its values: the least over the labels of the larger bound of both values.
fn least_bound(bounds: &[[f64; 2]]) -> f64 {
    bounds.iter().map(|[off, on]| off.max(*on)).fold(f64::INFINITY, f64::min)
}
