//! Dense rows.

use super::{Columns, lanes};

/// A row-major matrix with every cell stored.
#[derive(Debug, Clone, PartialEq)]
pub struct DenseMatrix {
    rows: usize,
    cols: usize,
    values: Vec<f64>,
}

impl DenseMatrix {
    /// From the cells, row after row.
    ///
    /// # Panics
    /// If there are not `rows * cols` cells.
    pub fn new(rows: usize, cols: usize, values: Vec<f64>) -> DenseMatrix {
        assert_eq!(values.len(), rows * cols, "a {rows} x {cols} matrix has rows * cols cells");
        DenseMatrix { rows, cols, values }
    }

    /// All zeros.
    pub fn zeros(rows: usize, cols: usize) -> DenseMatrix {
        DenseMatrix { rows, cols, values: vec![0.0; rows * cols] }
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
    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.cols..(row + 1) * self.cols]
    }

    /// One row, to change.
    pub fn row_mut(&mut self, row: usize) -> &mut [f64] {
        &mut self.values[row * self.cols..(row + 1) * self.cols]
    }

    /// One cell.
    pub fn get(&self, row: usize, column: usize) -> f64 {
        self.values[row * self.cols + column]
    }

    /// All cells, row after row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// All cells, row after row, to change.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// The cells, row after row.
    pub fn into_values(self) -> Vec<f64> {
        self.values
    }

    /// The rows with the given indices, in that order.
    pub fn select_rows(&self, rows: &[usize]) -> DenseMatrix {
        let mut values = Vec::with_capacity(rows.len() * self.cols);
        for &row in rows {
            values.extend_from_slice(self.row(row));
        }
        DenseMatrix { rows: rows.len(), cols: self.cols, values }
    }

    /// `self · right`, rows × P.
    pub fn product(&self, right: &Columns) -> Columns {
        lanes::dense_product(self, right)
    }
}
