//! The search.

use rayon::prelude::*;

use crate::data::{DataError, LabelSet};
use crate::error::{ParamError, Result};
use crate::learner::TrainingSet;
use crate::matrix::{Columns, DenseMatrix, Matrix};

/// Cells of a block of queries at most: 32 MB.
const BLOCK_CELLS: usize = 1 << 22;
/// Queries of a block at most.
const BLOCK_ROWS: usize = 256;
/// Products give squared distances up to this share of the rows' squared lengths, by a wide margin.
const ROUNDING: f64 = 1e-9;

/// The training rows, their labels, and how many neighbours a row has.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbours {
    pub(super) rows: Matrix,
    /// Squared length of each row.
    pub(super) squares: Vec<f64>,
    pub(super) labels: Vec<LabelSet>,
    pub(super) count: usize,
}

impl Neighbours {
    /// Keeps the training rows; errs if a row has fewer than `count` others.
    pub(crate) fn new(data: &TrainingSet<'_>, count: usize) -> Result<Neighbours> {
        let found = data.features.rows();
        if found <= count {
            let remedy = "; lower the parameter neighbours, or bring more rows";
            return Err(DataError::TooFew { what: "rows to learn from", found, needed: count + 1, remedy }.into());
        }
        Ok(Neighbours::of(data.features.clone(), data.labels.sets().to_vec(), count))
    }

    pub(super) fn of(rows: Matrix, labels: Vec<LabelSet>, count: usize) -> Neighbours {
        let squares = (0..rows.rows()).map(|row| squared_length(&rows, row)).collect();
        Neighbours { rows, squares, labels, count }
    }

    /// Checks the number of neighbours.
    pub(crate) fn validate(count: usize) -> Result<(), ParamError> {
        ParamError::require(count > 0, "neighbours", count, "must be at least 1")
    }

    /// Neighbours of a row.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The training rows.
    pub(crate) fn rows(&self) -> &Matrix {
        &self.rows
    }

    /// Number of labels.
    pub fn label_count(&self) -> usize {
        self.labels[0].len()
    }

    /// Number of features.
    pub fn feature_count(&self) -> usize {
        self.rows.cols()
    }

    /// How many of each training row's nearest *other* training rows have each label, N × d.
    pub fn training_counts(&self) -> DenseMatrix {
        self.counts_of(&self.nearest(&self.rows, true))
    }

    /// How many of each row's nearest training rows have each label, rows × d.
    pub fn counts(&self, features: &Matrix) -> DenseMatrix {
        self.counts_of(&self.nearest(features, false))
    }

    fn counts_of(&self, nearest: &[Vec<usize>]) -> DenseMatrix {
        let mut out = DenseMatrix::zeros(nearest.len(), self.label_count());
        for (row, neighbours) in nearest.iter().enumerate() {
            for label in neighbours.iter().flat_map(|&neighbour| self.labels[neighbour].members()) {
                out.row_mut(row)[label] += 1.0;
            }
        }
        out
    }

    /// The nearest training rows of each row, nearest first; `others`: the rows are the training rows themselves, and
    /// none is its own neighbour.
    pub(super) fn nearest(&self, features: &Matrix, others: bool) -> Vec<Vec<usize>> {
        let size = (BLOCK_CELLS / features.cols().max(1)).clamp(1, BLOCK_ROWS);
        let starts: Vec<usize> = (0..features.rows()).step_by(size).collect();
        let blocks: Vec<Vec<Vec<usize>>> = starts
            .par_iter()
            .map(|&start| {
                let queries: Vec<usize> = (start..features.rows().min(start + size)).collect();
                let mut columns = Columns::zeros(features.cols(), queries.len());
                for (place, &query) in queries.iter().enumerate() {
                    let column = columns.column_mut(place);
                    features.visit_row(query, |feature, value| column[feature] = value);
                }
                let products = self.rows.product(&columns);
                let of = |(place, &query)| self.of_one(features, query, products.column(place), others);
                queries.iter().enumerate().map(of).collect()
            })
            .collect();
        blocks.into_iter().flatten().collect()
    }

    /// The nearest training rows of one row, given its products with all of them.
    fn of_one(&self, features: &Matrix, query: usize, products: &[f64], others: bool) -> Vec<usize> {
        let own = squared_length(features, query);
        let candidates = (0..products.len()).filter(|&row| !(others && row == query));
        let rough: Vec<(f64, usize)> =
            candidates.map(|row| (own + self.squares[row] - 2.0 * products[row], row)).collect();
        let mut sorted = rough.clone();
        let (_, last, _) = sorted.select_nth_unstable_by(self.count - 1, |a, b| a.0.total_cmp(&b.0));
        let limit = |row: usize| last.0 + 2.0 * ROUNDING * (own + self.squares[row] + last.0.abs());
        let query_cells = cells(features, query);
        let mut exact: Vec<(f64, usize)> = rough
            .iter()
            .filter(|(distance, row)| *distance <= limit(*row))
            .map(|&(_, row)| (squared_distance(&query_cells, &cells(&self.rows, row)), row))
            .collect();
        exact.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        exact.truncate(self.count);
        exact.into_iter().map(|(_, row)| row).collect()
    }
}

fn squared_length(matrix: &Matrix, row: usize) -> f64 {
    let mut total = 0.0;
    matrix.visit_row(row, |_, value| total += value * value);
    total
}

/// The cells of a row that are not zero, columns ascending.
fn cells(matrix: &Matrix, row: usize) -> Vec<(usize, f64)> {
    let mut out = Vec::new();
    matrix.visit_row(row, |column, value| {
        if value != 0.0 {
            out.push((column, value));
        }
    });
    out
}

/// Σ (a − b)², column by column in ascending order.
fn squared_distance(mut left: &[(usize, f64)], mut right: &[(usize, f64)]) -> f64 {
    let mut total = 0.0;
    loop {
        // A side that has ended lies beyond every column.
        let next = |side: &[(usize, f64)]| side.first().map_or(usize::MAX, |cell| cell.0);
        let column = next(left).min(next(right));
        if column == usize::MAX {
            return total;
        }
        let difference = take(&mut left, column) - take(&mut right, column);
        total += difference * difference;
    }
}

/// Takes the first cell if it is in this column; else the value there is 0.
fn take(side: &mut &[(usize, f64)], column: usize) -> f64 {
    match side.split_first() {
        Some((&(first, value), rest)) if first == column => {
            *side = rest;
            value
        }
        _ => 0.0,
    }
}
