//! Dense rows.

use super::Real;

/// A row-major matrix with every cell stored.
#[derive(Debug, Clone, PartialEq)]
pub struct DenseMatrix<T = f64> {
    rows: usize,
    cols: usize,
    values: Vec<T>,
}

impl<T: Real> DenseMatrix<T> {
    /// From the cells, row after row.
    ///
    /// # Panics
    /// If there are not `rows * cols` cells.
    pub fn new(rows: usize, cols: usize, values: Vec<T>) -> DenseMatrix<T> {
        assert_eq!(values.len(), rows * cols, "a {rows} x {cols} matrix has rows * cols cells");
        DenseMatrix { rows, cols, values }
    }

    /// All zeros.
    pub fn zeros(rows: usize, cols: usize) -> DenseMatrix<T> {
        DenseMatrix { rows, cols, values: vec![T::ZERO; rows * cols] }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// One row.
    pub fn row(&self, row: usize) -> &[T] {
        &self.values[row * self.cols..(row + 1) * self.cols]
    }

    /// One row, to change.
    pub fn row_mut(&mut self, row: usize) -> &mut [T] {
        &mut self.values[row * self.cols..(row + 1) * self.cols]
    }

    /// One cell.
    pub fn get(&self, row: usize, column: usize) -> T {
        self.values[row * self.cols + column]
    }

    /// All cells, row after row.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// All cells, row after row, to change.
    pub fn values_mut(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// The cells, row after row.
    pub fn into_values(self) -> Vec<T> {
        self.values
    }

    /// The rows with the given indices, in that order.
    pub fn select_rows(&self, rows: &[usize]) -> DenseMatrix<T> {
        let mut values = Vec::with_capacity(rows.len() * self.cols);
        for &row in rows {
            values.extend_from_slice(self.row(row));
        }
        DenseMatrix { rows: rows.len(), cols: self.cols, values }
    }

    /// The same cells in another precision.
    pub fn to_precision<U: Real>(&self) -> DenseMatrix<U> {
        let values = self.values.iter().map(|v| U::of(v.wide())).collect();
        DenseMatrix { rows: self.rows, cols: self.cols, values }
    }
}
