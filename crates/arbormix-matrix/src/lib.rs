//! Matrices: dense rows, sparse rows (CSR), and the products the solvers need.
//!
//! [`DenseMatrix`] is row-major and contiguous: a data set's rows. [`Columns`] is column-major and contiguous: one
//! column per problem of a batch. [`Matrix`] is either dense or sparse rows; nothing turns one into the other
//! unasked. [`Operator`] holds rows for repeated products, dense ones as [`Strips`].

mod both_ways;
mod columns;
mod dense;
mod flops;
mod lanes;
mod operator;
mod real;
mod sparse;
mod strips;
#[cfg(test)]
mod tests;

pub use both_ways::BothWays;
pub use both_ways::sparse_copies;
pub use columns::Columns;
pub use dense::DenseMatrix;
#[cfg(feature = "count-flops")]
pub use flops::flops;
pub use lanes::PackedColumns;
pub use lanes::TILE;
pub use lanes::Tiled;
pub use operator::Operator;
pub use real::Real;
pub use sparse::{SparseBuilder, SparseMatrix};
pub use strips::Strips;

use std::ops::Range;

use rayon::prelude::*;

/// The Gram matrix `XᵀX`, columns × columns.
pub fn gram(matrix: &DenseMatrix) -> DenseMatrix {
    DenseMatrix::new(matrix.cols(), matrix.cols(), arbormix_linalg::gram(matrix.values(), matrix.rows(), matrix.cols()))
}

/// Eigenvalues (ascending) and eigenvectors (as columns) of a symmetric matrix, or `None` if the iteration fails.
pub fn eigen_symmetric(matrix: &DenseMatrix) -> Option<(Vec<f64>, DenseMatrix)> {
    let size = matrix.rows();
    let (values, vectors) = arbormix_linalg::eigen_symmetric(matrix.values(), size)?;
    Some((values, DenseMatrix::new(size, size, vectors)))
}

/// Rows that are worked on together where there are many, see [`Matrix::in_chunks`].
const DENSE_CHUNK: usize = 48;
const SPARSE_CHUNK: usize = 192;
/// At most so many where little is kept of each, see [`Matrix::by_chunks`]. Sparse rows find a cell of what they are
/// multiplied with near the more often, the more of them there are.
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

    /// The product with `right` (columns × P), as rows × P.
    pub fn product(&self, right: &Columns) -> Columns {
        match self {
            Matrix::Sparse(sparse) => sparse.product(right),
            Matrix::Dense(_) => {
                let by_rows = self.packed_product(&PackedColumns::new(right));
                let mut out = Columns::zeros(self.rows(), right.cols());
                for column in 0..right.cols() {
                    let cells = out.column_mut(column).iter_mut().enumerate();
                    cells.for_each(|(row, cell)| *cell = by_rows.get(row, column));
                }
                out
            }
        }
    }

    /// The same product with columns that were packed once, as rows; each cell has the same bits.
    pub fn packed_product(&self, right: &PackedColumns) -> DenseMatrix {
        self.packed_product_of(0..self.rows(), right)
    }

    /// That of some rows.
    pub fn packed_product_of(&self, rows: Range<usize>, right: &PackedColumns) -> DenseMatrix {
        lanes::packed_product(self, rows, right)
    }

    /// The answers of `work(first row, rows)` to all rows, in their order: cut into chunks which threads work on in parallel,
    /// so small that what is kept of each row does not add up.
    pub fn in_chunks<T: Send>(&self, work: impl Fn(usize, &Matrix) -> Vec<T> + Sync) -> Vec<T> {
        self.cut(if self.is_sparse() { SPARSE_CHUNK } else { DENSE_CHUNK }, |rows| {
            if rows.len() == self.rows() {
                return work(0, self);
            }
            work(rows.start, &self.select_rows(&rows.collect::<Vec<_>>()))
        })
    }

    /// The answers of `work(rows)` to all rows, likewise, for work that keeps little of each row. The answers must not depend
    /// on the chunks: these depend on the number of threads.
    pub fn by_chunks<T: Send>(&self, work: impl Fn(Range<usize>) -> Vec<T> + Sync) -> Vec<T> {
        let (least, most) = match self.is_sparse() {
            true => (SPARSE_CHUNK, SPARSE_BATCH),
            false => (DENSE_CHUNK, DENSE_BATCH),
        };
        // Every thread should have several.
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
