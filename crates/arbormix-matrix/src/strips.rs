//! Dense rows stored for repeated products: strips of neighbouring rows, column by column.

use super::{DenseMatrix, Tiled};

/// Dense rows in strips of [`Tiled::HEIGHT`] rows. The cells of one column in the rows of a strip are neighbours and
/// fill one cache line. So the lanes of a register are rows, in both directions and for any number of vectors.
#[derive(Debug, Clone)]
pub struct Strips<T: Tiled> {
    rows: usize,
    cols: usize,
    /// Column j of strip s is line s · cols + j; rows beyond the last are 0.
    lines: Vec<T::Line>,
}

impl<T: Tiled> Strips<T> {
    /// All zeros.
    pub fn zeros(rows: usize, cols: usize) -> Strips<T> {
        Strips { rows, cols, lines: vec![T::EMPTY; rows.div_ceil(T::HEIGHT) * cols] }
    }

    /// The same cells.
    pub fn from_dense(dense: &DenseMatrix<T>) -> Strips<T> {
        let mut out = Strips::zeros(dense.rows(), dense.cols());
        out.put(0, dense.cols(), dense.values());
        out
    }

    /// Writes rows from `cells`, starting at row `first`. Each row has `width` cells, of which the leading ones are
    /// used.
    pub fn put(&mut self, first: usize, width: usize, cells: &[T]) {
        for (row, cells) in (first..).zip(cells.chunks_exact(width.max(1))) {
            let (strip, lane) = (row / T::HEIGHT * self.cols, row % T::HEIGHT);
            for (line, &cell) in self.lines[strip..strip + self.cols].iter_mut().zip(cells) {
                line.as_mut()[lane] = cell;
            }
        }
    }

    /// Writes cells of a column, starting at row `first`, which must be the first row of a strip.
    ///
    /// # Panics
    /// If `first` is not the first row of a strip, or if there are more cells than rows.
    pub fn put_column(&mut self, first: usize, column: usize, cells: &[T]) {
        assert!(first.is_multiple_of(T::HEIGHT) && first + cells.len() <= self.rows, "cells of whole strips");
        for (strip, cells) in (first / T::HEIGHT..).zip(cells.chunks(T::HEIGHT)) {
            self.lines[strip * self.cols + column].as_mut()[..cells.len()].copy_from_slice(cells);
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Number of strips.
    pub(crate) fn count(&self) -> usize {
        self.rows.div_ceil(T::HEIGHT)
    }

    /// The columns of a strip.
    #[inline(always)]
    pub(crate) fn strip(&self, strip: usize) -> &[T::Line] {
        &self.lines[strip * self.cols..(strip + 1) * self.cols]
    }

    /// The given rows, in that order, followed by `further` columns of zeros.
    fn selected(&self, rows: &[usize], further: usize) -> Strips<T> {
        let mut out = Strips::zeros(rows.len(), self.cols + further);
        for (strip, rows) in rows.chunks(T::HEIGHT).enumerate() {
            let target: &mut [T::Line] = &mut out.lines[strip * out.cols..][..self.cols];
            for (lane, &row) in rows.iter().enumerate() {
                let (from, place) = (self.strip(row / T::HEIGHT), row % T::HEIGHT);
                for (to, from) in target.iter_mut().zip(from) {
                    to.as_mut()[lane] = from.as_ref()[place];
                }
            }
        }
        out
    }

    /// The rows with the given indices, in that order.
    pub fn select_rows(&self, rows: &[usize]) -> Strips<T> {
        self.selected(rows, 0)
    }

    /// The given rows (`None`: all) with `extras` as last columns; each extra column has a number for every row of this
    /// matrix.
    pub fn with_columns(&self, rows: Option<&[usize]>, extras: &[&[T]]) -> Strips<T> {
        let all: Vec<usize>;
        let rows = match rows {
            Some(rows) => rows,
            None => {
                all = (0..self.rows).collect();
                &all
            }
        };
        let mut out = self.selected(rows, extras.len());
        for (column, extra) in (self.cols..).zip(extras) {
            for (strip, rows) in rows.chunks(T::HEIGHT).enumerate() {
                let line = out.lines[strip * out.cols + column].as_mut();
                line.iter_mut().zip(rows).for_each(|(cell, &row)| *cell = extra[row]);
            }
        }
        out
    }

    /// The same cells in another precision.
    pub fn to_precision<U: Tiled>(&self) -> Strips<U> {
        let mut out = Strips::<U>::zeros(self.rows, self.cols);
        for strip in 0..self.count() {
            let first = strip * T::HEIGHT;
            let count = T::HEIGHT.min(self.rows - first);
            // A strip of one precision lies within one strip of the other, or consists of several.
            for start in (0..count).step_by(U::HEIGHT.min(T::HEIGHT)) {
                let row = first + start;
                let end = count.min(start + U::HEIGHT);
                let target = &mut out.lines[row / U::HEIGHT * self.cols..][..self.cols];
                for (to, from) in target.iter_mut().zip(self.strip(strip)) {
                    let cells = &from.as_ref()[start..end];
                    for (to, from) in to.as_mut()[row % U::HEIGHT..].iter_mut().zip(cells) {
                        *to = U::of(from.wide());
                    }
                }
            }
        }
        out
    }

    /// The largest absolute value of a cell.
    pub(crate) fn largest(&self) -> f64 {
        let of_line = |line: &T::Line| line.as_ref().iter().map(|v| v.wide().abs()).fold(0.0, f64::max);
        self.lines.iter().map(of_line).fold(0.0, f64::max)
    }
}
