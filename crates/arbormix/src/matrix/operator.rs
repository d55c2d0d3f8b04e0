//! A matrix prepared for many products in both directions.

use std::sync::OnceLock;

use super::{Columns, Matrix, SparseMatrix, lanes};

/// Rows of numbers with what makes repeated products fast; sparse rows also keep their columns, made when first asked
/// for.
#[derive(Debug, Clone)]
pub struct Operator {
    rows: Matrix,
    /// The transpose of sparse rows: both directions then read the matrix in order and gather from a small vector.
    columns: OnceLock<SparseMatrix>,
}

impl Operator {
    /// Prepares a matrix.
    pub fn new(rows: Matrix) -> Operator {
        Operator { rows, columns: OnceLock::new() }
    }

    /// The matrix itself.
    pub fn matrix(&self) -> &Matrix {
        &self.rows
    }

    fn columns_of(&self, sparse: &SparseMatrix) -> &SparseMatrix {
        self.columns.get_or_init(|| sparse.transposed())
    }

    /// X · right (columns × P), as rows × P.
    pub fn product(&self, right: &Columns) -> Columns {
        self.rows.product(right)
    }

    /// Xᵀ · left (rows × P), as columns × P.
    pub fn transposed_product(&self, left: &Columns) -> Columns {
        match &self.rows {
            Matrix::Dense(dense) => lanes::dense_transposed::<false>(dense, left),
            Matrix::Sparse(sparse) => lanes::sparse_product::<false>(self.columns_of(sparse), left),
        }
    }

    /// (X ∘ X)ᵀ · left (rows × P): the diagonals of Xᵀ diag(left) X, as columns × P.
    pub fn squares_transposed_product(&self, left: &Columns) -> Columns {
        match &self.rows {
            Matrix::Dense(dense) => lanes::dense_transposed::<true>(dense, left),
            Matrix::Sparse(sparse) => lanes::sparse_product::<true>(self.columns_of(sparse), left),
        }
    }

    /// Xᵀ (factors ∘ X · right) as columns × P, and X · right as rows × P; `factors` has a column for each of `right`.
    pub fn curved_product(&self, right: &Columns, factors: &[&[f64]]) -> (Columns, Columns) {
        match &self.rows {
            Matrix::Dense(dense) => lanes::dense_curved(dense, right, factors),
            Matrix::Sparse(_) => {
                let inner = self.product(right);
                let mut weighted = inner.clone();
                for (column, factors) in factors.iter().enumerate() {
                    weighted.column_mut(column).iter_mut().zip(*factors).for_each(|(u, f)| *u *= f);
                }
                (self.transposed_product(&weighted), inner)
            }
        }
    }
}
