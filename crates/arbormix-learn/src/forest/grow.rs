//! Growing one tree.

use super::few::Tally;
use super::tree::FlatTree;
use super::values::{Cells, Values};
use arbormix_base::random::Stream;
use arbormix_matrix::SparseMatrix;

/// What all trees of a forest share.
pub(crate) struct Grower<'a> {
    values: &'a Values<'a>,
    /// Rows of positive weight.
    rows: Vec<u32>,
    /// Class and weight of every row.
    classes: Vec<u32>,
    weights: Vec<f64>,
    class_count: usize,
    looked_at: usize,
    /// Fewest rows of a node that is split.
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
    pub(crate) fn new(
        values: &'a Values<'a>,
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
    pub(crate) fn grow(&self, stream: &mut Stream) -> FlatTree {
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
                    let middle = state.partition(start, end, feature, threshold);
                    let split = tree.push_split(feature, threshold);
                    open.push(Pending { start: middle, end, constant, right_of: Some(split) });
                    open.push(Pending { start, end: middle, constant, right_of: None });
                }
            }
        }
        tree
    }
}

/// Scratch space of one tree, so that nodes of dense rows allocate nothing.
struct Growth<'a> {
    shared: &'a Grower<'a>,
    /// Rows; the rows of a node are consecutive.
    order: Vec<u32>,
    /// Where each row stands in `order`; empty unless the features are sparse.
    place: Vec<u32>,
    /// All features; before the split of a node is searched, its known constant features are first.
    features: Vec<u32>,
    /// The constant features of the current node and of its ancestors, in the order in which they were found.
    /// Descendants of a node write only behind its part, so the part is still valid for its sibling.
    constants: Vec<u32>,
    /// Values of one feature for the rows of a node.
    cells: Cells,
    /// Class and weight of each row of a node.
    members: Vec<(u32, f64)>,
    /// Weight of each class among the rows of a node, and among the rows on one side of a split. Even and odd rows have
    /// separate sums, so that additions do not wait for each other.
    totals: Vec<f64>,
    side: Vec<[f64; 2]>,
    /// Σ of the squares of `totals`.
    total_squares: f64,
    /// The classes among the rows of a node, and among those of one side.
    present: Vec<u32>,
    on_side: Vec<u32>,
    /// The features of small nodes.
    tally: Tally,
}

impl<'a> Growth<'a> {
    fn new(shared: &'a Grower<'a>) -> Growth<'a> {
        let (rows, features) = (shared.rows.len(), shared.values.features());
        let mut place = Vec::new();
        let sparse = shared.values.sparse_rows();
        if sparse.is_some() {
            place = vec![u32::MAX; shared.classes.len()];
            (0..).zip(&shared.rows).for_each(|(at, &row)| place[row as usize] = at);
        }
        Growth {
            shared,
            order: shared.rows.clone(),
            place,
            features: (0..features as u32).collect(),
            constants: vec![0; features],
            cells: Cells { all: vec![0.0; if sparse.is_some() { 0 } else { rows }], stored: Vec::new() },
            totals: vec![0.0; shared.class_count],
            members: Vec::with_capacity(rows),
            side: vec![[0.0; 2]; shared.class_count],
            total_squares: 0.0,
            present: Vec::new(),
            on_side: Vec::new(),
            tally: Tally::new(sparse, shared.looked_at),
        }
    }

    fn class(&self, at: usize) -> u32 {
        self.shared.classes[self.order[at] as usize]
    }

    fn is_pure(&self, start: usize, end: usize) -> bool {
        (start + 1..end).all(|at| self.class(at) == self.class(start))
    }

    /// The best of the features tried, with one random threshold each; `None` if every feature is constant here.
    ///
    /// Features are drawn without replacement. Constant ones count as tried, but the search goes on until one can
    /// split, as in scikit-learn. Constant features that are found are added to `constant`.
    fn best_split(&mut self, start: usize, end: usize, constant: &mut usize, stream: &mut Stream) -> Option<Split> {
        let shared = self.shared;
        let weight = self.count_classes(start, end);
        let best = match shared.values.sparse_rows().filter(|_| self.tally.suits(end - start)) {
            Some(rows) => self.best_of_few(rows, start, end, weight, stream),
            None => self.best_of_drawn(start, end, weight, constant, stream),
        };
        self.forget_classes();
        best
    }

    fn best_of_drawn(
        &mut self,
        start: usize,
        end: usize,
        weight: f64,
        constant: &mut usize,
        stream: &mut Stream,
    ) -> Option<Split> {
        let shared = self.shared;
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
            let (low, high) = self.gather(feature, start, end);
            if low >= high {
                self.features.swap(known + found, at);
                found += 1;
                continue;
            }
            open -= 1;
            self.features.swap(open, at);
            self.try_split(feature, (low, high), weight, stream, &mut best);
        }
        self.constants[known..known + found].copy_from_slice(&self.features[known..known + found]);
        *constant = known + found;
        best
    }

    /// The same for rows with few stored cells: all their features are listed, and as many of the non-constant ones are
    /// tried as drawing would have found.
    fn best_of_few(
        &mut self,
        rows: &SparseMatrix,
        start: usize,
        end: usize,
        weight: f64,
        stream: &mut Stream,
    ) -> Option<Split> {
        let mut best = None;
        for (feature, low, high) in self.tally.drawn(rows, &self.order[start..end], stream) {
            self.gather(feature, start, end);
            self.try_split(feature, (low, high), weight, stream, &mut best);
        }
        best
    }

    fn gather(&mut self, feature: u32, start: usize, end: usize) -> (f64, f64) {
        self.shared.values.gather(feature as usize, &self.order, &self.place, (start, end), &mut self.cells)
    }

    /// Tries a random threshold of a feature, whose values are gathered, and keeps the better split.
    fn try_split(
        &mut self,
        feature: u32,
        (low, high): (f64, f64),
        weight: f64,
        stream: &mut Stream,
        best: &mut Option<Split>,
    ) {
        let threshold = between(low, high, stream.uniform());
        let score = match self.shared.values.sparse_rows() {
            None => self.score(threshold),
            Some(_) => self.score_of_stored(threshold, weight),
        };
        if best.as_ref().is_none_or(|best| score > best.score) {
            *best = Some(Split { feature, threshold, score });
        }
    }

    /// Weight of each class among these rows (with the sum of their squares), and of all.
    fn count_classes(&mut self, start: usize, end: usize) -> f64 {
        let shared = self.shared;
        let mut weight = 0.0;
        let member = |&row: &u32| (shared.classes[row as usize], shared.weights[row as usize]);
        self.members.clear();
        self.members.extend(self.order[start..end].iter().map(member));
        for &(class, own) in &self.members {
            let total = &mut self.totals[class as usize];
            if *total == 0.0 {
                self.present.push(class);
            }
            *total += own;
            weight += own;
        }
        self.total_squares = self.present.iter().map(|&class| self.totals[class as usize].powi(2)).sum();
        weight
    }

    fn forget_classes(&mut self) {
        self.present.drain(..).for_each(|class| self.totals[class as usize] = 0.0);
    }

    /// Σ_c left_c² / left + Σ_c right_c² / right: the larger, the purer (Gini). The feature's values are gathered.
    ///
    /// The side of a row is unpredictable for the processor, so the loop has no branch: rows that go right add 0.
    fn score(&mut self, threshold: f64) -> f64 {
        for (at, (&(class, weight), &value)) in self.members.iter().zip(&self.cells.all).enumerate() {
            self.side[class as usize][at % 2] += if value <= threshold { weight } else { 0.0 };
        }
        let (mut left_weight, mut right_weight, mut left_squares, mut right_squares) = (0.0, 0.0, 0.0, 0.0);
        for &class in &self.present {
            let [even, odd] = std::mem::take(&mut self.side[class as usize]);
            let left = even + odd;
            let right = self.totals[class as usize] - left;
            left_weight += left;
            right_weight += right;
            left_squares += left * left;
            right_squares += right * right;
        }
        purity(left_squares, left_weight) + purity(right_squares, right_weight)
    }

    /// The same if most cells are zeros that are not stored. Only rows on the side without zero are visited; the sums
    /// of the other side are those of the node, corrected for the classes of these rows.
    fn score_of_stored(&mut self, threshold: f64, weight: f64) -> f64 {
        let shared = self.shared;
        let mut side_weight = 0.0;
        for &(row, _) in apart_from_zero(&self.cells.stored, threshold) {
            let (class, own) = (shared.classes[row as usize], shared.weights[row as usize]);
            let [side, _] = &mut self.side[class as usize];
            if *side == 0.0 {
                self.on_side.push(class);
            }
            *side += own;
            side_weight += own;
        }
        let (mut squares, mut rest_squares) = (0.0, self.total_squares);
        for class in self.on_side.drain(..) {
            let ([own, _], total) = (std::mem::take(&mut self.side[class as usize]), self.totals[class as usize]);
            squares += own * own;
            rest_squares += (total - own) * (total - own) - total * total;
        }
        // The rest after subtractions may be only rounding errors.
        squares / side_weight + purity(rest_squares.max(0.0), weight - side_weight)
    }

    /// Moves the rows that go left to the front; returns where the others begin.
    fn partition(&mut self, start: usize, end: usize, feature: u32, threshold: f64) -> usize {
        self.gather(feature, start, end);
        if self.shared.values.sparse_rows().is_some() {
            return self.partition_stored(start, end, threshold);
        }
        let values = &mut self.cells.all[..end - start];
        let (mut low, mut high) = (0, values.len());
        while low < high {
            if values[low] <= threshold {
                low += 1;
            } else {
                high -= 1;
                values.swap(low, high);
                self.order.swap(start + low, start + high);
            }
        }
        start + low
    }

    /// Moves the rows on the side without zero to their end of the node.
    fn partition_stored(&mut self, mut start: usize, mut end: usize, threshold: f64) -> usize {
        let zero_goes_left = threshold >= 0.0;
        for &(row, _) in apart_from_zero(&self.cells.stored, threshold) {
            let to = if zero_goes_left { end - 1 } else { start };
            if zero_goes_left {
                end -= 1;
            } else {
                start += 1;
            }
            let from = self.place[row as usize] as usize;
            self.order.swap(from, to);
            self.place[self.order[from] as usize] = from as u32;
            self.place[row as usize] = to as u32;
        }
        if zero_goes_left { end } else { start }
    }

    /// The shares of the classes among these rows, classes ascending.
    fn leaf(&mut self, start: usize, end: usize, tree: &mut FlatTree) {
        let total = self.count_classes(start, end);
        self.present.sort_unstable();
        tree.push_leaf(self.present.iter().map(|&class| (class, self.totals[class as usize] / total)));
        self.forget_classes();
    }
}

/// Σ_c w_c² / w of one side; 0 if its weight is negligible compared with the other side.
fn purity(squares: f64, weight: f64) -> f64 {
    if weight > 0.0 { squares / weight } else { 0.0 }
}

/// The stored cells on the side of a threshold where zero is not.
fn apart_from_zero(stored: &[(u32, f64)], threshold: f64) -> impl Iterator<Item = &(u32, f64)> {
    stored.iter().filter(move |(_, value)| (*value <= threshold) != (threshold >= 0.0))
}

/// A threshold in [low, high), so that both sides of a split have rows.
fn between(low: f64, high: f64, share: f64) -> f64 {
    // Not low + share · (high − low): the difference of large numbers may overflow.
    let threshold = low * (1.0 - share) + high * share;
    if threshold >= low && threshold < high { threshold } else { low }
}
