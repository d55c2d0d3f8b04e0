//! Column-major blocks: one contiguous column per problem of a batch.

use super::Real;

/// A column-major matrix whose columns are the problems of a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct Columns<T = f64> {
    rows: usize,
    cols: usize,
    values: Vec<T>,
}

impl<T: Real> Columns<T> {
    /// All zeros.
    pub fn zeros(rows: usize, cols: usize) -> Columns<T> {
        Columns { rows, cols, values: vec![T::ZERO; rows * cols] }
    }

    /// From equally long columns; `rows` is needed because there may be none.
    ///
    /// # Panics
    /// If a column's length is not `rows`: callers build the columns themselves.
    pub fn from_columns<'a>(rows: usize, columns: impl IntoIterator<Item = &'a [T]>) -> Columns<T> {
        let (mut values, mut cols) = (Vec::new(), 0);
        for column in columns {
            assert_eq!(column.len(), rows, "columns of a block have one length");
            values.extend_from_slice(column);
            cols += 1;
        }
        Columns { rows, cols, values }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// One column.
    pub fn column(&self, column: usize) -> &[T] {
        &self.values[column * self.rows..(column + 1) * self.rows]
    }

    /// One column, to change.
    pub fn column_mut(&mut self, column: usize) -> &mut [T] {
        &mut self.values[column * self.rows..(column + 1) * self.rows]
    }

    /// All columns.
    pub fn all(&self) -> Vec<&[T]> {
        (0..self.cols).map(|column| self.column(column)).collect()
    }

    /// One cell.
    pub fn get(&self, row: usize, column: usize) -> T {
        self.values[column * self.rows + row]
    }

    /// All cells, column after column.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// All cells, column after column, to change.
    pub fn values_mut(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// The listed rows.
    pub fn select_rows(&self, rows: &[usize]) -> Columns<T> {
        let of = |column: usize| rows.iter().map(move |&row| self.get(row, column));
        Columns { rows: rows.len(), cols: self.cols, values: (0..self.cols).flat_map(of).collect() }
    }

    /// Keeps the listed columns (ascending), in place.
    pub fn keep(&mut self, columns: &[usize]) {
        for (to, &from) in columns.iter().enumerate() {
            if to != from {
                self.values.copy_within(from * self.rows..(from + 1) * self.rows, to * self.rows);
            }
        }
        self.cols = columns.len();
        self.values.truncate(self.cols * self.rows);
    }

    /// The same numbers in another precision.
    pub fn to_precision<U: Real>(&self) -> Columns<U> {
        Columns { rows: self.rows, cols: self.cols, values: self.values.iter().map(|v| U::of(v.wide())).collect() }
    }
}
