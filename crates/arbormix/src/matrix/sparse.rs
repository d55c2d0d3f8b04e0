//! Sparse rows (compressed sparse rows, CSR).

use super::Columns;

/// Rows of which only the non-zero cells are stored, columns ascending in each row.
#[derive(Debug, Clone, PartialEq)]
pub struct SparseMatrix {
    cols: usize,
    /// `starts[r]..starts[r + 1]` are the cells of row r.
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

/// Builds a [`SparseMatrix`] row by row.
#[derive(Debug, Clone)]
pub struct SparseBuilder {
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Default for SparseBuilder {
    fn default() -> Self {
        SparseBuilder { starts: vec![0], columns: Vec::new(), values: Vec::new() }
    }
}

impl SparseBuilder {
    /// Adds a cell to the row under construction; zeros are not stored.
    ///
    /// # Panics
    /// If columns of a row do not ascend: readers check this where they can still name the line.
    pub fn push(&mut self, column: usize, value: f64) {
        let row_start = self.starts[self.starts.len() - 1];
        assert!(
            self.columns.len() == row_start || (self.columns[self.columns.len() - 1] as usize) < column,
            "columns of a sparse row ascend"
        );
        if value != 0.0 {
            self.columns.push(u32::try_from(column).expect("at most 2^32 columns"));
            self.values.push(value);
        }
    }

    /// Ends the row under construction.
    pub fn end_row(&mut self) {
        self.starts.push(self.columns.len());
    }

    /// The matrix, with `cols` columns.
    ///
    /// # Panics
    /// If a cell lies beyond `cols`.
    pub fn finish(self, cols: usize) -> SparseMatrix {
        assert!(self.columns.iter().all(|&c| (c as usize) < cols), "cells lie within the columns");
        SparseMatrix { cols, starts: self.starts, columns: self.columns, values: self.values }
    }
}

impl SparseMatrix {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Number of stored cells.
    pub fn stored(&self) -> usize {
        self.values.len()
    }

    /// Columns and values of one row.
    pub fn row(&self, row: usize) -> (&[u32], &[f64]) {
        let range = self.starts[row]..self.starts[row + 1];
        (&self.columns[range.clone()], &self.values[range])
    }

    /// The stored values, to change; zeros may result and stay stored.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Column of every stored cell, row after row.
    pub fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// Value of every stored cell, row after row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The rows with the given indices, in that order.
    pub fn select_rows(&self, rows: &[usize]) -> SparseMatrix {
        let mut starts = Vec::with_capacity(rows.len() + 1);
        starts.push(0);
        let stored: usize = rows.iter().map(|&r| self.starts[r + 1] - self.starts[r]).sum();
        let (mut columns, mut values) = (Vec::with_capacity(stored), Vec::with_capacity(stored));
        for &row in rows {
            let (row_columns, row_values) = self.row(row);
            columns.extend_from_slice(row_columns);
            values.extend_from_slice(row_values);
            starts.push(columns.len());
        }
        SparseMatrix { cols: self.cols, starts, columns, values }
    }

    /// `self · right`, rows × P.
    ///
    /// Works on a row-major copy of `right`, so that each stored cell meets P neighbouring numbers.
    pub fn product(&self, right: &Columns) -> Columns {
        let width = right.cols();
        let wide = transpose(right.values(), self.cols, width);
        let mut out = Columns::zeros(self.rows(), width);
        let mut sum = vec![0.0; width];
        for row in 0..self.rows() {
            sum.fill(0.0);
            let (columns, values) = self.row(row);
            for (&column, &value) in columns.iter().zip(values) {
                let start = column as usize * width;
                for (s, w) in sum.iter_mut().zip(&wide[start..start + width]) {
                    *s += value * w;
                }
            }
            for (problem, &s) in sum.iter().enumerate() {
                out.column_mut(problem)[row] = s;
            }
        }
        out
    }

    /// `selfᵀ · right`, columns × P.
    pub fn transposed_product(&self, right: &Columns) -> Columns {
        let width = right.cols();
        let mut wide = vec![0.0; self.cols * width];
        let mut factors = vec![0.0; width];
        for row in 0..self.rows() {
            for (problem, factor) in factors.iter_mut().enumerate() {
                *factor = right.get(row, problem);
            }
            let (columns, values) = self.row(row);
            for (&column, &value) in columns.iter().zip(values) {
                let start = column as usize * width;
                for (w, f) in wide[start..start + width].iter_mut().zip(&factors) {
                    *w += value * f;
                }
            }
        }
        let mut out = Columns::zeros(self.cols, width);
        out.values_mut().copy_from_slice(&transpose(&wide, width, self.cols));
        out
    }
}

/// Row-major copy (`rows` × `cols`) of column-major cells; equally, column-major to row-major of the transpose.
fn transpose(cells: &[f64], rows: usize, cols: usize) -> Vec<f64> {
    let mut out = vec![0.0; cells.len()];
    for column in 0..cols {
        for row in 0..rows {
            out[row * cols + column] = cells[column * rows + row];
        }
    }
    out
}
