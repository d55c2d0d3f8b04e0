//! Growing one tree.

use super::tree::FlatTree;
use super::values::Values;
use crate::random::Stream;

/// What all trees of a forest share.
pub(super) struct Grower<'a> {
    values: &'a Values,
    /// Rows of positive weight.
    rows: Vec<u32>,
    /// Class and weight of every row.
    classes: Vec<u32>,
    weights: Vec<f64>,
    class_count: usize,
    looked_at: usize,
    /// Rows of a node that is split, at least.
    min_split_rows: usize,
}

/// A part of the rows that will be a node.
struct Pending {
    start: usize,
    end: usize,
    /// How many features are known to be constant on these rows.
    constant: usize,
    /// The split whose right child this is.
    right_of: Option<usize>,
}

/// The best split of a node so far.
struct Split {
    feature: u32,
    threshold: f64,
    score: f64,
}

impl<'a> Grower<'a> {
    pub(super) fn new(
        values: &'a Values,
        classes: &[usize],
        class_count: usize,
        weights: Option<&[f64]>,
        looked_at: usize,
        min_split_rows: usize,
    ) -> Grower<'a> {
        let weights = weights.map_or_else(|| vec![1.0; classes.len()], <[f64]>::to_vec);
        let rows = (0..).zip(&weights).filter(|(_, weight)| **weight > 0.0).map(|(row, _)| row).collect();
        let classes = classes.iter().map(|&class| class as u32).collect();
        Grower { values, rows, classes, weights, class_count, looked_at, min_split_rows }
    }

    /// Grows a tree; nodes are made depth first, left before right.
    pub(super) fn grow(&self, stream: &mut Stream) -> FlatTree {
        let mut state = Growth::new(self);
        let mut tree = FlatTree::default();
        let mut open = vec![Pending { start: 0, end: self.rows.len(), constant: 0, right_of: None }];
        while let Some(Pending { start, end, mut constant, right_of }) = open.pop() {
            if let Some(split) = right_of {
                tree.link_next(split);
            }
            let is_leaf = end - start < self.min_split_rows || state.is_pure(start, end);
            let split = if is_leaf { None } else { state.best_split(start, end, &mut constant, stream) };
            match split {
                None => state.leaf(start, end, &mut tree),
                Some(Split { feature, threshold, .. }) => {
                    let middle = state.partition(start, end, feature as usize, threshold);
                    let split = tree.push_split(feature, threshold);
                    open.push(Pending { start: middle, end, constant, right_of: Some(split) });
                    open.push(Pending { start, end: middle, constant, right_of: None });
                }
            }
        }
        tree
    }
}

/// Scratch space of one tree: nothing is allocated per node.
struct Growth<'a> {
    shared: &'a Grower<'a>,
    /// Rows, those of a node side by side.
    order: Vec<u32>,
    /// Where each row stands in `order`; empty unless the features are sparse.
    place: Vec<u32>,
    /// All features; before a node's split is sought, those known to be constant stand first.
    features: Vec<u32>,
    /// The constant features of the node at hand and of its ancestors, in the order they were found. A node's own
    /// descendants only write behind its part, so its sibling finds its own again.
    constants: Vec<u32>,
    /// Values of one feature for the rows of a node.
    buffer: Vec<f64>,
    /// Weight of each class among the rows of a node, and among those that a split sends left.
    totals: Vec<f64>,
    left: Vec<f64>,
    /// The classes among the rows of a node.
    present: Vec<u32>,
}

impl<'a> Growth<'a> {
    fn new(shared: &'a Grower<'a>) -> Growth<'a> {
        let (rows, features) = (shared.rows.len(), shared.values.features());
        let mut place = Vec::new();
        if shared.values.is_sparse() {
            place = vec![u32::MAX; shared.classes.len()];
            (0..).zip(&shared.rows).for_each(|(at, &row)| place[row as usize] = at);
        }
        Growth {
            shared,
            order: shared.rows.clone(),
            place,
            features: (0..features as u32).collect(),
            constants: vec![0; features],
            buffer: vec![0.0; rows],
            totals: vec![0.0; shared.class_count],
            left: vec![0.0; shared.class_count],
            present: Vec::new(),
        }
    }

    fn class(&self, at: usize) -> u32 {
        self.shared.classes[self.order[at] as usize]
    }

    fn is_pure(&self, start: usize, end: usize) -> bool {
        (start + 1..end).all(|at| self.class(at) == self.class(start))
    }

    /// The best of the features looked at, with one random threshold each; `None` if every feature is constant here.
    ///
    /// Features are drawn without replacement. Those that are constant count as looked at, but the search goes on
    /// until one can split (as in scikit-learn). `constant` grows by the constant features that are found.
    fn best_split(&mut self, start: usize, end: usize, constant: &mut usize, stream: &mut Stream) -> Option<Split> {
        let shared = self.shared;
        let count = end - start;
        let weight = self.count_classes(start, end);
        let known = *constant;
        self.features[..known].copy_from_slice(&self.constants[..known]);
        // features = drawn constants | known constants | found constants | not drawn | drawn
        let (mut drawn, mut found, mut open) = (0, 0, self.features.len());
        let mut best: Option<Split> = None;
        let mut looked = 0;
        while open > known + found && (looked < shared.looked_at || best.is_none()) {
            looked += 1;
            let mut at = drawn + stream.below(open - found - drawn);
            if at < known {
                self.features.swap(drawn, at);
                drawn += 1;
                continue;
            }
            at += found;
            let feature = self.features[at];
            let range =
                shared.values.gather(feature as usize, &self.order, &self.place, start, &mut self.buffer[..count]);
            let Some((low, high)) = range.filter(|(low, high)| low < high) else {
                self.features.swap(known + found, at);
                found += 1;
                continue;
            };
            open -= 1;
            self.features.swap(open, at);
            let threshold = between(low, high, stream.uniform());
            let score = self.score(start, end, threshold, weight);
            if best.as_ref().is_none_or(|best| score > best.score) {
                best = Some(Split { feature, threshold, score });
            }
        }
        self.constants[known..known + found].copy_from_slice(&self.features[known..known + found]);
        *constant = known + found;
        self.forget_classes();
        best
    }

    /// Weight of each class among these rows, and of all.
    fn count_classes(&mut self, start: usize, end: usize) -> f64 {
        let shared = self.shared;
        let mut weight = 0.0;
        for &row in &self.order[start..end] {
            let (class, own) = (shared.classes[row as usize], shared.weights[row as usize]);
            let total = &mut self.totals[class as usize];
            if *total == 0.0 {
                self.present.push(class);
            }
            *total += own;
            weight += own;
        }
        weight
    }

    fn forget_classes(&mut self) {
        self.present.drain(..).for_each(|class| self.totals[class as usize] = 0.0);
    }

    /// Σ_c left_c² / left + Σ_c right_c² / right: the larger, the purer (Gini). Values are in the buffer.
    ///
    /// Which side a row takes is a coin toss to the processor, so the pass over the rows has no branch: those that go
    /// right add 0.
    fn score(&mut self, start: usize, end: usize, threshold: f64, weight: f64) -> f64 {
        let shared = self.shared;
        let mut left_weight = 0.0;
        for (&row, &value) in self.order[start..end].iter().zip(&self.buffer) {
            let (class, weight) = (shared.classes[row as usize], shared.weights[row as usize]);
            let own = if value <= threshold { weight } else { 0.0 };
            self.left[class as usize] += own;
            left_weight += own;
        }
        let (mut left_squares, mut right_squares) = (0.0, 0.0);
        for &class in &self.present {
            let left = std::mem::take(&mut self.left[class as usize]);
            let right = self.totals[class as usize] - left;
            left_squares += left * left;
            right_squares += right * right;
        }
        left_squares / left_weight + right_squares / (weight - left_weight)
    }

    /// Puts the rows that go left before the others; gives where the others begin.
    fn partition(&mut self, start: usize, end: usize, feature: usize, threshold: f64) -> usize {
        let count = end - start;
        let buffer = &mut self.buffer[..count];
        // A split was found, so the feature has stored cells here and the buffer is filled.
        self.shared.values.gather(feature, &self.order, &self.place, start, buffer);
        let (mut low, mut high) = (0, count);
        while low < high {
            if buffer[low] <= threshold {
                low += 1;
            } else {
                high -= 1;
                buffer.swap(low, high);
                self.order.swap(start + low, start + high);
            }
        }
        if !self.place.is_empty() {
            (start..end).for_each(|at| self.place[self.order[at] as usize] = at as u32);
        }
        start + low
    }

    /// The shares of the classes among these rows, classes ascending.
    fn leaf(&mut self, start: usize, end: usize, tree: &mut FlatTree) {
        let total = self.count_classes(start, end);
        self.present.sort_unstable();
        tree.push_leaf(self.present.iter().map(|&class| (class, self.totals[class as usize] / total)));
        self.forget_classes();
    }
}

/// A threshold in [low, high), so that both sides of a split have rows.
fn between(low: f64, high: f64, share: f64) -> f64 {
    // Not low + share · (high − low): the difference of large numbers may overflow.
    let threshold = low * (1.0 - share) + high * share;
    if threshold >= low && threshold < high { threshold } else { low }
}
