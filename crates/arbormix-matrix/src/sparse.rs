//! Sparse rows (compressed sparse rows, CSR).

use std::sync::Arc;

use super::Real;

/// Rows that store only non-zero cells, with ascending columns in each row.
#[derive(Debug, Clone, PartialEq)]
pub struct SparseMatrix<T = f64> {
    cols: usize,
    /// `starts[r]..starts[r + 1]` are the cells of row r. Clones share all three vectors; the same matrix in another
    /// precision shares the first two.
    starts: Arc<Vec<usize>>,
    columns: Arc<Vec<u32>>,
    values: Arc<Vec<T>>,
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
    #[inline]
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

    /// Removes the cells of the row under construction.
    pub fn clear_row(&mut self) {
        let row_start = self.starts[self.starts.len() - 1];
        self.columns.truncate(row_start);
        self.values.truncate(row_start);
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
        SparseMatrix { cols, starts: self.starts.into(), columns: self.columns.into(), values: self.values.into() }
    }
}

impl<T: Real> SparseMatrix<T> {
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
    pub fn row(&self, row: usize) -> (&[u32], &[T]) {
        let range = self.starts[row]..self.starts[row + 1];
        (&self.columns[range.clone()], &self.values[range])
    }

    /// The stored values, mutable. Zeros stay stored. Values that are shared with a clone are copied first.
    pub fn values_mut(&mut self) -> &mut [T] {
        Arc::make_mut(&mut self.values).as_mut_slice()
    }

    /// Column of every stored cell, row after row.
    pub fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// Value of every stored cell, row after row.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// The rows with the given indices, in that order.
    pub fn select_rows(&self, rows: &[usize]) -> SparseMatrix<T> {
        self.gathered(rows, self.cols, |column| column, |value| value)
    }

    /// The given rows in precision U, with only the columns of `kept`, renumbered from 0.
    pub(crate) fn select_kept<U: Real>(&self, rows: &[usize], kept: &KeptColumns) -> SparseMatrix<U> {
        self.gathered(rows, kept.columns.len(), |column| kept.place[column as usize], |value| U::of(value.wide()))
    }

    fn gathered<U>(
        &self,
        rows: &[usize],
        cols: usize,
        place: impl Fn(u32) -> u32,
        convert: impl Fn(T) -> U,
    ) -> SparseMatrix<U> {
        let mut starts = Vec::with_capacity(rows.len() + 1);
        starts.push(0);
        let stored: usize = rows.iter().map(|&r| self.starts[r + 1] - self.starts[r]).sum();
        let (mut columns, mut values) = (Vec::with_capacity(stored), Vec::with_capacity(stored));
        for &row in rows {
            let (row_columns, row_values) = self.row(row);
            columns.extend(row_columns.iter().map(|&column| place(column)));
            values.extend(row_values.iter().map(|&value| convert(value)));
            starts.push(columns.len());
        }
        SparseMatrix { cols, starts: starts.into(), columns: columns.into(), values: values.into() }
    }

    /// The columns that are not empty on the given rows (`None`: on all rows).
    pub(crate) fn kept_columns(&self, rows: Option<&[usize]>) -> KeptColumns {
        let mut place = vec![u32::MAX; self.cols];
        match rows {
            None => self.columns.iter().for_each(|&column| place[column as usize] = 0),
            Some(rows) => {
                let cells = rows.iter().flat_map(|&row| self.row(row).0);
                cells.for_each(|&column| place[column as usize] = 0);
            }
        }
        let columns: Vec<u32> = (0..).zip(&place).filter(|(_, seen)| **seen == 0).map(|(column, _)| column).collect();
        (0..).zip(&columns).for_each(|(to, &from)| place[from as usize] = to);
        KeptColumns { columns, place }
    }

    /// The same cells in another precision; the positions of the cells are shared.
    pub fn to_precision<U: Real>(&self) -> SparseMatrix<U> {
        let values = self.values.iter().map(|v| U::of(v.wide())).collect();
        SparseMatrix {
            cols: self.cols,
            starts: self.starts.clone(),
            columns: self.columns.clone(),
            values: Arc::new(values),
        }
    }

    /// The transpose: its rows are the columns of `self`.
    pub fn transposed(&self) -> SparseMatrix<T> {
        self.transposed_with_ones(false)
    }

    /// The transpose; with `ones`, the transpose of the matrix with a last column of ones.
    pub(crate) fn transposed_with_ones(&self, ones: bool) -> SparseMatrix<T> {
        let (rows, stored) = (self.rows(), self.stored() + if ones { self.rows() } else { 0 });
        let mut starts = Vec::with_capacity(self.cols + 1 + usize::from(ones));
        starts.resize(self.cols + 1, 0);
        for &column in &*self.columns {
            starts[column as usize + 1] += 1;
        }
        for column in 0..self.cols {
            starts[column + 1] += starts[column];
        }
        let mut next = starts.clone();
        let (mut columns, mut values) = (vec![0; stored], vec![T::ZERO; stored]);
        for row in 0..rows {
            let (row_columns, row_values) = self.row(row);
            for (&column, &value) in row_columns.iter().zip(row_values) {
                let place = &mut next[column as usize];
                columns[*place] = u32::try_from(row).expect("at most 2^32 rows");
                values[*place] = value;
                *place += 1;
            }
        }
        if ones {
            columns[self.stored()..].iter_mut().zip(0..).for_each(|(column, row)| *column = row);
            values[self.stored()..].fill(T::of(1.0));
            starts.push(stored);
        }
        SparseMatrix { cols: rows, starts: starts.into(), columns: columns.into(), values: values.into() }
    }

    /// The matrix without its empty columns, and the columns that stay, in ascending order.
    pub fn without_empty_columns(mut self) -> (SparseMatrix<T>, Vec<u32>) {
        let kept = self.kept_columns(None);
        Arc::make_mut(&mut self.columns).iter_mut().for_each(|column| *column = kept.place[*column as usize]);
        self.cols = kept.columns.len();
        (self, kept.columns)
    }
}

/// Columns that are not empty.
#[derive(Debug, Clone)]
pub(crate) struct KeptColumns {
    /// Their numbers, ascending.
    pub(crate) columns: Vec<u32>,
    /// The new number of every column that is kept.
    place: Vec<u32>,
}
