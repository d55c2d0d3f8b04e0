//! The search.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::rough::Rough;
use super::selection::{Found, Selections};
use super::whole::{GROUP, WholeRows};
use arbormix_data::{DataError, LabelSet};
use arbormix_joint::Result;
use arbormix_joint::learner::TrainingSet;
use arbormix_matrix::{Columns, DenseMatrix, Matrix};

/// Cells of a block of sparse queries at most: 32 MB.
const BLOCK_CELLS: usize = 1 << 22;
/// Rows of a block: the products of two blocks stay in the second cache level.
const BLOCK_ROWS: usize = 256;
/// Candidates of all rows of a block at most, 256 MB: where all distances are equal, every row is one.
const BLOCK_CANDIDATES: usize = 1 << 24;

/// The training rows, their labels, and how many neighbours a row has.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Neighbours {
    pub(crate) rows: Matrix,
    /// Without it every row must be measured.
    rough: Option<Rough>,
    pub(crate) labels: Vec<LabelSet>,
    pub(crate) count: usize,
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

    pub(crate) fn of(rows: Matrix, labels: Vec<LabelSet>, count: usize) -> Neighbours {
        Neighbours { rough: Rough::new(&rows), rows, labels, count }
    }

    /// Neighbours of a row.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The training rows.
    pub(crate) fn rows(&self) -> &Matrix {
        &self.rows
    }

    /// Number of labels.
    pub(crate) fn label_count(&self) -> usize {
        self.labels[0].len()
    }

    /// Number of features.
    pub(crate) fn feature_count(&self) -> usize {
        self.rows.cols()
    }

    /// How many of each training row's nearest *other* training rows have each label, N × d.
    pub(crate) fn training_counts(&self) -> DenseMatrix {
        self.counts_of(&self.training_nearest())
    }

    /// How many of each row's nearest training rows have each label, rows × d.
    pub(crate) fn counts(&self, features: &Matrix) -> DenseMatrix {
        self.counts_of(&self.nearest(features))
    }

    fn counts_of(&self, nearest: &[Vec<usize>]) -> DenseMatrix {
        let mut out = DenseMatrix::zeros(nearest.len(), self.label_count());
        for (row, neighbours) in nearest.iter().enumerate() {
            let counts = out.row_mut(row);
            for &neighbour in neighbours {
                self.labels[neighbour].members().for_each(|label| counts[label] += 1.0);
            }
        }
        out
    }

    /// The nearest training rows of each row, ascending.
    pub(crate) fn nearest(&self, features: &Matrix) -> Vec<Vec<usize>> {
        self.nearest_by_blocks(features, false)
    }

    /// The nearest *other* training rows of each training row, ascending.
    pub(crate) fn training_nearest(&self) -> Vec<Vec<usize>> {
        let rough = self.rough.as_ref().and_then(|rough| Some((rough, rough.rows()?)));
        match rough {
            // The candidates of all rows are kept at once.
            Some((rough, rows)) if self.rows.rows().pow(2) <= BLOCK_CANDIDATES => {
                let of = |(row, found)| self.of_candidates(&self.rows, row, found);
                self.training_candidates(rough, rows).into_par_iter().enumerate().map(of).collect()
            }
            _ => self.nearest_by_blocks(&self.rows, true),
        }
    }

    /// The nearest training rows of each row, ascending; `others`: the rows are the training rows themselves, and none is
    /// its own neighbour.
    pub(crate) fn nearest_by_blocks(&self, features: &Matrix, others: bool) -> Vec<Vec<usize>> {
        let of_block = |block: Range<usize>| -> Vec<Vec<usize>> {
            let candidates = self.candidates(features, block.clone(), others);
            block.zip(candidates).map(|(query, found)| self.of_candidates(features, query, found)).collect()
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

    /// What is known of the nearest training rows of each row of a block.
    fn candidates(&self, features: &Matrix, block: Range<usize>, others: bool) -> Vec<Found> {
        let all = |query| {
            let open = (0..self.rows.rows()).filter(|&row| !(others && row == query)).collect();
            Found { sure: Vec::new(), open }
        };
        let Some(rough) = &self.rough else { return block.map(all).collect() };
        let queries = rough.queries(features, block.clone());
        let mut selections = Selections::new(self.count, rough.slacks(&queries));
        if let (Some(cells), Some(rows)) = (queries.cells(), rough.rows()) {
            let mut products = Vec::new();
            for part in blocks(rows.rows(), BLOCK_ROWS) {
                let stride = cells.products(0..block.len(), rows, part.clone(), &mut products);
                if others {
                    leave_out_own(&mut products, stride, block.clone(), part.clone());
                }
                selections.see(rough.seen(part), 0, &products, stride);
            }
        } else {
            let mut columns = Columns::zeros(features.cols(), block.len());
            for (place, query) in block.clone().enumerate() {
                let column = columns.column_mut(place);
                features.visit_row(query, |feature, value| column[feature] = value);
            }
            let products = self.rows.product(&columns);
            let every = 0..self.rows.rows();
            for (place, query) in block.clone().enumerate() {
                let mut divided: Vec<f32> =
                    products.column(place).iter().map(|&product| rough.divided(product)).collect();
                if others {
                    leave_out_own(&mut divided, every.len(), query..query + 1, every.clone());
                }
                selections.see(rough.seen(every.clone()), place, &divided, every.len());
            }
        }
        block.zip(selections.finish()).map(|(query, found)| found.unwrap_or_else(|| all(query))).collect()
    }

    /// What is known of the nearest others of each dense training row. A product of two blocks serves both.
    ///
    /// Blocks are seen in the order in which threads are done with them; what is found does not depend on it.
    fn training_candidates(&self, rough: &Rough, rows: &WholeRows) -> Vec<Found> {
        let count = self.rows.rows().div_ceil(BLOCK_ROWS);
        let parts = blocks(self.rows.rows(), self.rows.rows().div_ceil(count).next_multiple_of(GROUP));
        // The rows of a block begin with each other.
        let begin = |products: &mut Vec<f32>, part: &Range<usize>| {
            let mut selections = Selections::new(self.count, rough.own_slacks(part.clone()));
            let stride = rows.own_products(part.clone(), products);
            leave_out_own(products, stride, part.clone(), part.clone());
            selections.see(rough.seen(part.clone()), 0, products, stride);
            Mutex::new(selections)
        };
        let selections: Vec<Mutex<Selections>> = parts.par_iter().map_init(Vec::new, begin).collect();
        let of = |part: usize| selections[part].lock().unwrap_or_else(PoisonError::into_inner);
        let pairs: Vec<(usize, usize)> =
            (0..parts.len()).flat_map(|a| (a + 1..parts.len()).map(move |b| (a, b))).collect();
        pairs.into_par_iter().for_each_init(Vec::new, |products, (a, b)| {
            let stride = rows.products(parts[a].clone(), rows, parts[b].clone(), products);
            of(a).see(rough.seen(parts[b].clone()), 0, products, stride);
            of(b).see_across(rough.seen(parts[a].clone()), products, stride);
        });
        let finish = |part: Mutex<Selections>| part.into_inner().unwrap_or_else(PoisonError::into_inner).finish();
        // Divided by the largest cell, no training row is too large.
        selections.into_iter().flat_map(finish).map(Option::unwrap_or_default).collect()
    }

    /// The nearest rows, ascending, where these are known.
    fn of_candidates(&self, features: &Matrix, query: usize, found: Found) -> Vec<usize> {
        let Found { sure: mut nearest, open } = found;
        let wanted = self.count - nearest.len();
        if wanted > 0 {
            let mut exact: Vec<(f64, usize)> = match (features, &self.rows) {
                (Matrix::Dense(features), Matrix::Dense(rows)) => {
                    dense_squared_distances(features.row(query), rows, &open)
                }
                _ => {
                    let query = cells(features, query);
                    open.iter().map(|&row| (squared_distance(&query, &cells(&self.rows, row)), row)).collect()
                }
            };
            exact.select_nth_unstable_by(wanted - 1, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            nearest.extend(exact[..wanted].iter().map(|&(_, row)| row));
        }
        nearest.sort_unstable();
        nearest
    }
}

/// Makes the products of rows with themselves NaN: none is its own neighbour.
fn leave_out_own(products: &mut [f32], stride: usize, queries: Range<usize>, rows: Range<usize>) {
    for (place, query) in queries.enumerate() {
        if rows.contains(&query) {
            products[place * stride + query - rows.start] = f32::NAN;
        }
    }
}

/// Ranges of `size` rows, the last one perhaps shorter.
fn blocks(rows: usize, size: usize) -> Vec<Range<usize>> {
    (0..rows).step_by(size).map(|start| start..rows.min(start + size)).collect()
}

/// Σ (a − b)² for some rows, column by column in ascending order.
fn dense_squared_distances(query: &[f64], matrix: &DenseMatrix, rows: &[usize]) -> Vec<(f64, usize)> {
    /// Rows whose sums do not wait for each other.
    const TOGETHER: usize = 4;
    let mut out = Vec::with_capacity(rows.len() + TOGETHER);
    for some in rows.chunks(TOGETHER) {
        // The last ones stand in for those that are missing.
        let row = |place: usize| some[place.min(some.len() - 1)];
        let cells: [&[f64]; TOGETHER] = std::array::from_fn(|place| &matrix.row(row(place))[..query.len()]);
        let mut sums = [0.0; TOGETHER];
        for (column, cell) in query.iter().enumerate() {
            for place in 0..TOGETHER {
                let difference = cell - cells[place][column];
                sums[place] += difference * difference;
            }
        }
        out.extend(sums.into_iter().zip(some.iter().copied()));
    }
    out
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
