//! Rows of numbers, dense or sparse, and chunks of them.

use std::ops::Range;

use rayon::prelude::*;

use crate::{DenseMatrix, SparseMatrix};

/// Rows per chunk of [`Matrix::in_chunks`].
const DENSE_CHUNK: usize = 48;
const SPARSE_CHUNK: usize = 192;
/// Most rows per chunk of [`Matrix::by_chunks`]. Larger chunks of sparse rows find the cells that they multiply with in
/// a cache more often.
const DENSE_BATCH: usize = 192;
const SPARSE_BATCH: usize = 1536;

/// Rows of numbers, dense or sparse.
#[derive(Debug, Clone, PartialEq)]
pub enum Matrix<T = f64> {
    /// Every cell stored.
    Dense(DenseMatrix<T>),
    /// Only non-zero cells stored.
    Sparse(SparseMatrix<T>),
}

impl Matrix {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Matrix::Dense(dense) => dense.rows(),
            Matrix::Sparse(sparse) => sparse.rows(),
        }
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        match self {
            Matrix::Dense(dense) => dense.cols(),
            Matrix::Sparse(sparse) => sparse.cols(),
        }
    }

    /// Whether only non-zeros are stored.
    pub fn is_sparse(&self) -> bool {
        matches!(self, Matrix::Sparse(_))
    }

    /// Calls `visit(column, value)` for every stored cell of a row, columns ascending.
    pub fn visit_row(&self, row: usize, mut visit: impl FnMut(usize, f64)) {
        match self {
            Matrix::Dense(dense) => {
                dense.row(row).iter().enumerate().for_each(|(column, &value)| visit(column, value));
            }
            Matrix::Sparse(sparse) => {
                let (columns, values) = sparse.row(row);
                columns.iter().zip(values).for_each(|(&column, &value)| visit(column as usize, value));
            }
        }
    }

    /// The rows with the given indices, in that order.
    pub fn select_rows(&self, rows: &[usize]) -> Matrix {
        match self {
            Matrix::Dense(dense) => Matrix::Dense(dense.select_rows(rows)),
            Matrix::Sparse(sparse) => Matrix::Sparse(sparse.select_rows(rows)),
        }
    }

    /// Calls `work(first row, rows)` on chunks of rows in parallel and returns the results in the order of the rows.
    /// Chunks are small, so that what `work` keeps for each row needs little memory.
    pub fn in_chunks<T: Send>(&self, work: impl Fn(usize, &Matrix) -> Vec<T> + Sync) -> Vec<T> {
        self.cut(if self.is_sparse() { SPARSE_CHUNK } else { DENSE_CHUNK }, |rows| {
            if rows.len() == self.rows() {
                return work(0, self);
            }
            work(rows.start, &self.select_rows(&rows.collect::<Vec<_>>()))
        })
    }

    /// Like [`Matrix::in_chunks`], for work that keeps little for each row: chunks are larger. Their size depends on
    /// the number of threads, so results must not depend on it.
    pub fn by_chunks<T: Send>(&self, work: impl Fn(Range<usize>) -> Vec<T> + Sync) -> Vec<T> {
        let (least, most) = match self.is_sparse() {
            true => (SPARSE_CHUNK, SPARSE_BATCH),
            false => (DENSE_CHUNK, DENSE_BATCH),
        };
        // Every thread should get several chunks.
        let size = self.rows() / (4 * rayon::current_num_threads());
        self.cut(size.clamp(least, most), work)
    }

    fn cut<T: Send>(&self, size: usize, work: impl Fn(Range<usize>) -> Vec<T> + Sync) -> Vec<T> {
        let rows = self.rows();
        // A single row must not wait for another thread to wake up.
        if rows <= size {
            return work(0..rows);
        }
        let chunk = |place: usize| work(place * size..rows.min((place + 1) * size));
        let chunks: Vec<Vec<T>> = (0..rows.div_ceil(size)).into_par_iter().map(chunk).collect();
        chunks.into_iter().flatten().collect()
    }
}
