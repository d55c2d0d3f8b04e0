//! The search.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::rough::Rough;
use super::selection::Selection;
use crate::data::{DataError, LabelSet};
use crate::error::{ParamError, Result};
use crate::learner::TrainingSet;
use crate::matrix::{Columns, DenseMatrix, Matrix};

/// Cells of a block of sparse queries at most: 32 MB.
const BLOCK_CELLS: usize = 1 << 22;
/// Rows of a block: the products of two blocks stay in the second cache level.
const BLOCK_ROWS: usize = 256;
/// Candidates of all rows of a block at most, 256 MB: where all distances are equal, every row is one.
const BLOCK_CANDIDATES: usize = 1 << 24;

/// The training rows, their labels, and how many neighbours a row has.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbours {
    pub(super) rows: Matrix,
    /// Without it every row must be measured.
    rough: Option<Rough>,
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
        Neighbours { rough: Rough::new(&rows), rows, labels, count }
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
        self.counts_of(&self.training_nearest())
    }

    /// How many of each row's nearest training rows have each label, rows × d.
    pub fn counts(&self, features: &Matrix) -> DenseMatrix {
        self.counts_of(&self.nearest(features))
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

    /// The nearest training rows of each row, ascending.
    pub(super) fn nearest(&self, features: &Matrix) -> Vec<Vec<usize>> {
        self.nearest_by_blocks(features, false)
    }

    /// The nearest *other* training rows of each training row, ascending.
    pub(super) fn training_nearest(&self) -> Vec<Vec<usize>> {
        match &self.rough {
            // The candidates of all rows are kept at once.
            Some(rough) if rough.has_rows() && self.rows.rows().pow(2) <= BLOCK_CANDIDATES => {
                let of = |(row, candidates)| self.of_candidates(&self.rows, row, candidates);
                self.training_candidates(rough).into_par_iter().enumerate().map(of).collect()
            }
            _ => self.nearest_by_blocks(&self.rows, true),
        }
    }

    /// The nearest training rows of each row, ascending; `others`: the rows are the training rows themselves, and none is
    /// its own neighbour.
    pub(super) fn nearest_by_blocks(&self, features: &Matrix, others: bool) -> Vec<Vec<usize>> {
        let of_block = |block: Range<usize>| -> Vec<Vec<usize>> {
            let candidates = self.candidates(features, block.clone(), others);
            block.zip(candidates).map(|(query, rows)| self.of_candidates(features, query, rows)).collect()
        };
        let blocks: Vec<Vec<Vec<usize>>> = self.blocks(features).into_par_iter().map(of_block).collect();
        blocks.into_iter().flatten().collect()
    }

    fn blocks(&self, features: &Matrix) -> Vec<Range<usize>> {
        let fits = BLOCK_CANDIDATES / self.rows.rows();
        let size = match self.rows {
            Matrix::Dense(_) => fits,
            Matrix::Sparse(_) => fits.min(BLOCK_CELLS / features.cols().max(1)),
        };
        blocks(features.rows(), size.clamp(1, BLOCK_ROWS))
    }

    /// For each row of a block, those that may be among its nearest training rows.
    fn candidates(&self, features: &Matrix, block: Range<usize>, others: bool) -> Vec<Vec<usize>> {
        let all = |query| (0..self.rows.rows()).filter(|&row| !(others && row == query)).collect();
        let Some(rough) = &self.rough else { return block.map(all).collect() };
        let queries = rough.queries(features, block.clone());
        let slack = |place| rough.slack(&queries, place).map(|slack| Selection::new(self.count, slack));
        let mut selections: Vec<Option<Selection>> = (0..block.len()).map(slack).collect();
        let mut see = |rows: Range<usize>, place: usize, products: &[f32]| {
            if let Some(selection) = &mut selections[place] {
                let own = others.then_some(block.start + place);
                selection.see(rows.start, products, &rough.lows[rows.clone()], &rough.widths[rows], own);
            }
        };
        if rough.has_rows() {
            for rows in blocks(self.rows.rows(), BLOCK_ROWS) {
                let products = rough.products(&queries, rows.clone());
                products.chunks(rows.len()).enumerate().for_each(|(place, row)| see(rows.clone(), place, row));
            }
        } else {
            let mut columns = Columns::zeros(features.cols(), block.len());
            for (place, query) in block.clone().enumerate() {
                let column = columns.column_mut(place);
                features.visit_row(query, |feature, value| column[feature] = value);
            }
            let products = self.rows.product(&columns);
            for place in 0..block.len() {
                let divided: Vec<f32> = products.column(place).iter().map(|&product| rough.divided(product)).collect();
                see(0..self.rows.rows(), place, &divided);
            }
        }
        let rows_of = |(place, selection): (usize, Option<Selection>)| match selection {
            Some(selection) => selection.finish(),
            None => all(block.start + place),
        };
        selections.into_iter().enumerate().map(rows_of).collect()
    }

    /// For each dense training row the others that may be among its nearest. A product of two blocks serves both.
    ///
    /// Blocks are seen in the order in which threads are done with them; the candidates do not depend on it.
    fn training_candidates(&self, rough: &Rough) -> Vec<Vec<usize>> {
        let parts = blocks(self.rows.rows(), BLOCK_ROWS);
        // Divided by the largest cell, no training row is too large.
        let start = |row| Selection::new(self.count, rough.own_slack(row).unwrap_or(f32::INFINITY));
        let selections: Vec<Mutex<Vec<Selection>>> =
            parts.iter().map(|part| Mutex::new(part.clone().map(start).collect())).collect();
        let see = |of: usize, part: usize, products: &[f32]| {
            let (seen, first) = (parts[part].clone(), parts[of].start);
            let mut selections = selections[of].lock().unwrap_or_else(PoisonError::into_inner);
            for (place, (selection, row)) in selections.iter_mut().zip(products.chunks(seen.len())).enumerate() {
                let (lows, widths) = (&rough.lows[seen.clone()], &rough.widths[seen.clone()]);
                selection.see(seen.start, row, lows, widths, Some(first + place));
            }
        };
        let pairs: Vec<(usize, usize)> = (0..parts.len()).flat_map(|a| (a..parts.len()).map(move |b| (a, b))).collect();
        pairs.into_par_iter().for_each(|(a, b)| {
            let products = rough.own_products(parts[a].clone(), parts[b].clone());
            see(a, b, &products);
            if a != b {
                see(b, a, &transposed(&products, parts[b].len()));
            }
        });
        let finish = |part: Mutex<Vec<Selection>>| part.into_inner().unwrap_or_else(PoisonError::into_inner);
        selections.into_iter().flat_map(finish).map(Selection::finish).collect()
    }

    /// The nearest of candidates, which hold them, ascending.
    fn of_candidates(&self, features: &Matrix, query: usize, mut candidates: Vec<usize>) -> Vec<usize> {
        if candidates.len() > self.count {
            let mut exact: Vec<(f64, usize)> = match (features, &self.rows) {
                (Matrix::Dense(features), Matrix::Dense(rows)) => {
                    let distance = |row: usize| dense_squared_distance(features.row(query), rows.row(row));
                    candidates.iter().map(|&row| (distance(row), row)).collect()
                }
                _ => {
                    let query = cells(features, query);
                    candidates.iter().map(|&row| (squared_distance(&query, &cells(&self.rows, row)), row)).collect()
                }
            };
            exact.select_nth_unstable_by(self.count - 1, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            exact.truncate(self.count);
            candidates = exact.into_iter().map(|(_, row)| row).collect();
            candidates.sort_unstable();
        }
        candidates
    }
}

/// Ranges of `size` rows, the last one perhaps shorter.
fn blocks(rows: usize, size: usize) -> Vec<Range<usize>> {
    (0..rows).step_by(size).map(|start| start..rows.min(start + size)).collect()
}

/// The transpose of rows with `width` cells each.
fn transposed(rows: &[f32], width: usize) -> Vec<f32> {
    /// Cells of so many rows fill a cache line of the transpose.
    const STRIP: usize = 16;
    let height = rows.len() / width;
    let mut out = vec![0.0; rows.len()];
    for (strip, cells) in rows.chunks(STRIP * width).enumerate() {
        for column in 0..width {
            let target = &mut out[column * height + STRIP * strip..(column + 1) * height];
            target.iter_mut().zip(cells[column..].iter().step_by(width)).for_each(|(to, &from)| *to = from);
        }
    }
    out
}

/// Σ (a − b)², column by column in ascending order.
fn dense_squared_distance(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).fold(0.0, |total, (a, b)| total + (a - b) * (a - b))
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

/// The same sum without the columns in which both are 0, which does not change its bits.
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
