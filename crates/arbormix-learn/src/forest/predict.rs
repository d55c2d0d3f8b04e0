//! A grown forest.

use std::ops::Range;

use rayon::prelude::*;

use super::tree::FlatTree;
use arbormix_matrix::Matrix;

/// Classes of positive probability with their probabilities, classes ascending.
pub type Shares = Vec<(u32, f64)>;

/// Rows that go down the trees together: the nodes of a tree stay in the cache for all of them.
const CHUNK: usize = 64;
/// Most cells of rows and sums of classes that fit into the cache together with a tree.
const CELLS: usize = 1 << 15;
/// Rows that go down a tree in step: while one waits for a node, the others go on.
const IN_STEP: usize = 8;

/// A grown forest.
#[derive(Debug, Clone, PartialEq)]
pub struct Forest {
    pub(crate) trees: Vec<FlatTree>,
    pub(crate) features: usize,
    pub(crate) classes: usize,
}

impl Forest {
    pub(crate) fn new(trees: Vec<FlatTree>, features: usize, classes: usize) -> Forest {
        Forest { trees, features, classes }
    }

    /// Joins forests over the same features and classes; `None` if there are none.
    pub fn of_all(forests: Vec<Forest>) -> Option<Forest> {
        let (features, classes) = forests.first().map(|forest| (forest.features, forest.classes))?;
        Some(Forest::new(forests.into_iter().flat_map(|forest| forest.trees).collect(), features, classes))
    }

    /// Number of features, m.
    pub fn feature_count(&self) -> usize {
        self.features
    }

    /// Number of classes.
    pub fn class_count(&self) -> usize {
        self.classes
    }

    /// Number of nodes of all trees, leaves included.
    pub fn node_count(&self) -> usize {
        self.trees.iter().map(FlatTree::nodes).sum()
    }

    /// P(class | x) of every row: the mean over the trees.
    ///
    /// # Panics
    /// If the rows have another number of features.
    pub fn shares(&self, features: &Matrix) -> Vec<Shares> {
        assert_eq!(features.cols(), self.features, "rows have the features of the forest");
        let size = (CELLS / (self.features + self.classes).max(1)).clamp(1, CHUNK);
        let starts: Vec<usize> = (0..features.rows()).step_by(size).collect();
        let chunk = |&start: &usize| self.some_shares(features, start..features.rows().min(start + size));
        starts.par_iter().map(chunk).collect::<Vec<_>>().into_iter().flatten().collect()
    }

    /// The probabilities of some rows. Shares are added in the order of the trees.
    fn some_shares(&self, features: &Matrix, rows: Range<usize>) -> Vec<Shares> {
        let mut cells = vec![0.0; rows.len() * self.features];
        let mut sums = vec![(vec![0.0; self.classes], Vec::new()); rows.len()];
        for (place, row) in rows.enumerate() {
            let own = &mut cells[place * self.features..(place + 1) * self.features];
            features.visit_row(row, |column, value| own[column] = value);
        }
        let row = |place: usize| &cells[place * self.features..(place + 1) * self.features];
        let add = |(sums, seen): &mut (Vec<f64>, Vec<u32>), (classes, shares): (&[u32], &[f64])| {
            for (&class, share) in classes.iter().zip(shares) {
                if sums[class as usize] == 0.0 {
                    seen.push(class);
                }
                sums[class as usize] += share;
            }
        };
        for tree in &self.trees {
            let (groups, rest) = sums.as_chunks_mut::<IN_STEP>();
            let alone = groups.len() * IN_STEP;
            for (group, sums) in groups.iter_mut().enumerate() {
                let leaves = tree.leaves(std::array::from_fn::<_, IN_STEP, _>(|r| row(group * IN_STEP + r)));
                sums.iter_mut().zip(leaves).for_each(|(sums, leaf)| add(sums, tree.shares(leaf)));
            }
            for (place, sums) in rest.iter_mut().enumerate() {
                let [leaf] = tree.leaves([row(alone + place)]);
                add(sums, tree.shares(leaf));
            }
        }
        let mean = |(sums, mut seen): (Vec<f64>, Vec<u32>)| {
            seen.sort_unstable();
            seen.into_iter().map(|class| (class, sums[class as usize] / self.trees.len() as f64)).collect()
        };
        sums.into_iter().map(mean).collect()
    }
}
