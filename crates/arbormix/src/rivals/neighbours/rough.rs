//! Distances up to a bound on their rounding, in single precision: twice as many per instruction as in double.

use crate::matrix::{Matrix, single_product};

/// Half the distance from 1 to the next number in single precision: what rounding changes at most, relatively.
const UNIT: f64 = f32::EPSILON as f64 / 2.0;
/// Rows are divided by their largest cell; if that is no ordinary number, so may be squares.
const ORDINARY: std::ops::RangeInclusive<f64> = 1e-100..=1e100;
/// The largest squared length, after that division, whose products are sure to stay finite in single precision.
const LARGEST: f64 = 1e30;

/// What is needed for rough squared distances to the training rows.
///
/// Rows are moved by the mean row (which changes no distance and makes products small) if they are dense, and divided by
/// their largest cell. With |x|² for a row's squared length after that, and ab for the product of two rows as computed,
/// the squared distance of a and b differs from |a|² + |b|² − 2ab by at most `share` (|a|² + |b|²) + `floor`:
/// rounding the m cells, adding m products and the two last sums changes the products by (m + 8) units at most, and `share`
/// is twice that and more; `floor` covers what does not shrink with the rows, the rounding of moved cells and of numbers
/// too small for single precision.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Rough {
    /// Dense training rows, moved and divided.
    rows: Option<Vec<f32>>,
    /// The mean of dense rows.
    mean: Vec<f64>,
    scale: f64,
    share: f64,
    floor: f64,
    squares: Vec<f64>,
    /// (1 − share) |x|²: what a product is taken from twice for a lower bound.
    pub(super) lows: Vec<f32>,
    /// 2 share |x|²: from there to an upper bound.
    pub(super) widths: Vec<f32>,
}

/// A block of queries.
pub(super) struct Queries {
    /// Their cells, if the training rows are dense.
    cells: Vec<f32>,
    /// Squared length of each.
    squares: Vec<f64>,
}

impl Rough {
    /// For these training rows; `None` if single precision is of no use for them.
    pub(super) fn new(rows: &Matrix) -> Option<Rough> {
        let mut largest = 0.0_f64;
        let mut mean = vec![0.0; if rows.is_sparse() { 0 } else { rows.cols() }];
        for row in 0..rows.rows() {
            rows.visit_row(row, |column, value| {
                largest = largest.max(value.abs());
                mean.get_mut(column).into_iter().for_each(|sum| *sum += value);
            });
        }
        mean.iter_mut().for_each(|sum| *sum /= rows.rows() as f64);
        let terms = if rows.is_sparse() { 0 } else { rows.cols() };
        let share = 2.0 * (terms + 16) as f64 * UNIT;
        if !ORDINARY.contains(&largest) || share > 0.1 {
            return None;
        }
        let floor = 1e-20 * (rows.cols() + 1) as f64;
        let (scale, empty) = (1.0 / largest, Vec::new());
        let mut rough =
            Rough { rows: None, mean, scale, share, floor, squares: Vec::new(), lows: empty.clone(), widths: empty };
        let Queries { cells, squares } = rough.queries(rows, 0..rows.rows());
        rough.lows = squares.iter().map(|square| ((1.0 - share) * square) as f32).collect();
        rough.widths = squares.iter().map(|square| (2.0 * share * square) as f32).collect();
        rough.rows = (!rows.is_sparse()).then_some(cells);
        rough.squares = squares;
        Some(rough)
    }

    /// Whether the training rows are here, so that their products can be had.
    pub(super) fn has_rows(&self) -> bool {
        self.rows.is_some()
    }

    /// Rows made like the training rows.
    pub(super) fn queries(&self, matrix: &Matrix, rows: std::ops::Range<usize>) -> Queries {
        let width = self.mean.len();
        let mut cells = Vec::with_capacity(width * rows.len());
        let mut squares = Vec::with_capacity(rows.len());
        let mut moved = vec![0.0; width];
        for row in rows {
            let mut square = 0.0;
            if width == 0 {
                matrix.visit_row(row, |_, value| square += (self.scale * value).powi(2));
            } else {
                moved.iter_mut().zip(&self.mean).for_each(|(cell, mean)| *cell = -mean);
                matrix.visit_row(row, |column, value| moved[column] += value);
                for cell in &moved {
                    let cell = self.scale * cell;
                    square += cell * cell;
                    cells.push(cell as f32);
                }
            }
            squares.push(square);
        }
        Queries { cells, squares }
    }

    /// Products of queries with some of the dense training rows, query after query.
    pub(super) fn products(&self, queries: &Queries, rows: std::ops::Range<usize>) -> Vec<f32> {
        let (Some(cells), width) = (&self.rows, self.mean.len()) else { return Vec::new() };
        let right = &cells[rows.start * width..rows.end * width];
        single_product([queries.squares.len(), rows.len(), width], &queries.cells, right)
    }

    /// Products of some of the dense training rows with others, row after row.
    pub(super) fn own_products(&self, left: std::ops::Range<usize>, right: std::ops::Range<usize>) -> Vec<f32> {
        let (Some(cells), width) = (&self.rows, self.mean.len()) else { return Vec::new() };
        let part = |rows: &std::ops::Range<usize>| &cells[rows.start * width..rows.end * width];
        single_product([left.len(), right.len(), width], part(&left), part(&right))
    }

    /// A product of undivided rows, as one of divided ones.
    pub(super) fn divided(&self, product: f64) -> f32 {
        (self.scale * self.scale * product) as f32
    }

    /// How far the bounds of a query's distances lie apart beside the training rows' part of it, `widths`; `None` if the
    /// query is too large for single precision.
    pub(super) fn slack(&self, queries: &Queries, query: usize) -> Option<f32> {
        self.slack_of(queries.squares[query])
    }

    /// The same for a training row.
    pub(super) fn own_slack(&self, row: usize) -> Option<f32> {
        self.slack_of(self.squares[row])
    }

    fn slack_of(&self, square: f64) -> Option<f32> {
        (square <= LARGEST).then_some((2.0 * (self.share * square + self.floor)) as f32)
    }
}
