//! Products of rows with vectors, by the kernels of `lanes`.

use std::ops::Range;

use crate::lanes::{self, SparseRows};
use crate::{Columns, DenseMatrix, Matrix, PackedColumns, SparseMatrix, Strips, Tiled};

impl Matrix {
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

    /// The same product, with columns that were packed before, as rows × P; each cell has the same bits.
    pub fn packed_product(&self, right: &PackedColumns) -> DenseMatrix {
        self.packed_product_of(0..self.rows(), right)
    }

    /// The product of some rows with packed columns.
    pub fn packed_product_of(&self, rows: Range<usize>, right: &PackedColumns) -> DenseMatrix {
        lanes::packed_product(self, rows, right)
    }
}

impl<T: Tiled> SparseMatrix<T> {
    /// `self · right`, rows × P.
    pub fn product(&self, right: &Columns<T>) -> Columns<T> {
        lanes::sparse_product::<T, T, false>(SparseRows::new(self), &right.all())
    }
}

impl<T: Tiled> Strips<T> {
    /// X · right, rows × P; `right` are P vectors with a number per column.
    pub fn product(&self, right: &[&[T]]) -> Columns<T> {
        lanes::strips::product(self, right)
    }
}
