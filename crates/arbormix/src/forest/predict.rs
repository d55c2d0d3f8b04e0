//! A grown forest.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::tree::FlatTree;
use crate::error::Result;
use crate::matrix::Matrix;
use crate::model::Stored;

/// Classes of positive probability with their probabilities, classes ascending.
pub type Shares = Vec<(u32, f64)>;

/// Rows predicted by one thread with the same scratch space.
const CHUNK: usize = 64;

/// A grown forest.
#[derive(Debug, Clone, PartialEq)]
pub struct Forest {
    trees: Vec<FlatTree>,
    features: usize,
    classes: usize,
}

/// What the file holds beside the tensors.
#[derive(Serialize, Deserialize)]
struct Facts {
    trees: usize,
    features: usize,
    classes: usize,
}

impl Forest {
    pub(super) fn new(trees: Vec<FlatTree>, features: usize, classes: usize) -> Forest {
        Forest { trees, features, classes }
    }

    /// One forest of the trees of several, all over the same features and classes; `None` if there are none.
    pub(crate) fn of_all(forests: Vec<Forest>) -> Option<Forest> {
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
        let starts: Vec<usize> = (0..features.rows()).step_by(CHUNK).collect();
        let chunk = |&start: &usize| {
            let (mut cells, mut sums) = (vec![0.0; self.features], vec![0.0; self.classes]);
            let end = features.rows().min(start + CHUNK);
            (start..end).map(|row| self.row(features, row, &mut cells, &mut sums)).collect::<Vec<_>>()
        };
        starts.par_iter().map(chunk).collect::<Vec<_>>().into_iter().flatten().collect()
    }

    /// One row; `cells` and `sums` are zero before and after.
    fn row(&self, features: &Matrix, row: usize, cells: &mut [f64], sums: &mut [f64]) -> Shares {
        features.visit_row(row, |column, value| cells[column] = value);
        let mut seen = Vec::new();
        for tree in &self.trees {
            let (classes, shares) = tree.leaf(cells);
            for (&class, share) in classes.iter().zip(shares) {
                if sums[class as usize] == 0.0 {
                    seen.push(class);
                }
                sums[class as usize] += share;
            }
        }
        features.visit_row(row, |column, _| cells[column] = 0.0);
        seen.sort_unstable();
        let mean = |class: u32| (class, std::mem::take(&mut sums[class as usize]) / self.trees.len() as f64);
        seen.into_iter().map(mean).collect()
    }

    /// What a file must hold to bring the forest back bit by bit.
    pub fn store(&self) -> Stored {
        let facts = Facts { trees: self.trees.len(), features: self.features, classes: self.classes };
        let mut stored = Stored::with_facts(&facts);
        for (number, tree) in self.trees.iter().enumerate() {
            tree.put(&mut stored, &format!("tree.{number}."));
        }
        stored
    }

    /// Brings back what [`Forest::store`] gave.
    pub fn load(stored: &Stored) -> Result<Forest> {
        let Facts { trees, features, classes } = stored.facts_as()?;
        let tree = |number: usize| FlatTree::load(stored, &format!("tree.{number}."), features, classes);
        Ok(Forest { trees: (0..trees).map(tree).collect::<Result<_, _>>()?, features, classes })
    }
}
