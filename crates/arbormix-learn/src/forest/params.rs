//! Parameters of a forest, and growing it.

use rayon::prelude::*;

use super::grow::Grower;
use super::predict::Forest;
use super::values::Values;
use arbormix_base::params;
use arbormix_base::params::Allowed;
use arbormix_base::progress::Cancelled;
use arbormix_base::progress::Progress;
use arbormix_base::random::Stream;
use arbormix_matrix::Matrix;

params! {
    /// A forest of extra-trees: its parameters.
    pub struct ForestParams {
        /// Number of trees.
        trees: usize = 200, allowed = Allowed::AtLeast(1.0), level = main, python = "n_estimators";
        /// Features that a split looks at; 0 means √m.
        split_features: usize = 0;
        /// Rows of a node that is split, at least; 2 grows trees fully, more rows than there are leaves single leaves. 0 means
        /// 2 up to 7,500 rows and one 2,500th of more.
        min_split_rows: usize = 0;
    }
}

/// Part of the rows that a node must have to be split, unless told otherwise: fully grown trees of 100,000 rows make models
/// of gigabytes, and their likelihood is no better.
const FINEST: usize = 2500;

/// A split of a tree, in seconds per row, level and feature that is tried; of sparse features only stored cells are looked at.
const SPLIT_SECONDS: f64 = 7e-9;
const SPARSE_SPLIT_SECONDS: f64 = 2e-9;
/// Bytes of a node of a grown tree, about.
const NODE_BYTES: usize = 24;

/// Nominal seconds of growing so many trees on rows with so many features.
pub fn grow_seconds(trees: usize, rows: usize, features: usize, sparse: bool) -> f64 {
    let split = if sparse { SPARSE_SPLIT_SECONDS } else { SPLIT_SECONDS };
    let rows = rows as f64;
    split * trees as f64 * rows * rows.max(2.0).log2() * (features as f64).sqrt()
}

/// Bytes of so many fully grown trees: about as many leaves as rows, and as many inner nodes.
pub fn grown_bytes(trees: usize, rows: usize) -> usize {
    trees * 2 * rows * NODE_BYTES
}

impl ForestParams {
    /// Grows the trees, each from a stream of its own.
    ///
    /// `classes[n] < class_count` is the class of row n. Rows of weight 0 take no part; if no row does, every
    /// prediction is empty.
    ///
    /// ```
    /// use arbormix_learn::forest::ForestParams;
    /// use arbormix_matrix::{DenseMatrix, Matrix};
    /// use arbormix_base::progress::Silent;
    ///
    /// let rows = Matrix::Dense(DenseMatrix::new(4, 1, vec![0.0, 1.0, 8.0, 9.0]));
    /// let forest = ForestParams::default().grow(&rows, &[0, 0, 1, 1], 2, None, 7, &Silent)?;
    /// let shares = forest.shares(&rows);
    /// assert_eq!(shares[0], [(0, 1.0)]); // fully grown trees know their own rows
    /// # Ok::<(), arbormix_base::progress::Cancelled>(())
    /// ```
    ///
    /// # Panics
    /// If there is not one class (and weight) per row, or a class is not below `class_count`.
    pub fn grow(
        &self,
        features: &Matrix,
        classes: &[usize],
        class_count: usize,
        weights: Option<&[f64]>,
        seed: u64,
        progress: &dyn Progress,
    ) -> Result<Forest, Cancelled> {
        assert_eq!(classes.len(), features.rows(), "one class per row");
        assert!(weights.is_none_or(|weights| weights.len() == classes.len()), "one weight per row");
        assert!(classes.iter().all(|&class| class < class_count), "every class is below their number");
        let values = Values::new(features);
        let looked_at = match self.split_features {
            0 => (features.cols() as f64).sqrt() as usize,
            count => count,
        };
        let min_split_rows = match self.min_split_rows {
            0 => (features.rows() / FINEST).max(2),
            count => count,
        };
        let grower = Grower::new(&values, classes, class_count, weights, looked_at.max(1), min_split_rows);
        progress.begin("growing trees", self.trees);
        let trees = (0..self.trees)
            .into_par_iter()
            .map(|number| {
                progress.check()?;
                let tree = grower.grow(&mut Stream::new(seed, "extra-tree", number as u64));
                progress.advance(1);
                Ok(tree)
            })
            .collect::<Result<_, Cancelled>>()?;
        Ok(Forest::new(trees, features.cols(), class_count))
    }
}
