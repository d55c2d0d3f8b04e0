//! Distances up to a bound on their rounding, from products of rows with few digits.

use std::ops::Range;

use pulp::{Arch, NullaryFnOnce};

use super::selection::Seen;
use super::whole::WholeRows;
use arbormix_matrix::{DenseMatrix, Matrix};

/// Half the distance from 1 to the next number in single precision: what rounding changes at most, relatively.
const UNIT: f64 = f32::EPSILON as f64 / 2.0;
/// Rows are divided by their largest cell; if that is no ordinary number, so may be squares.
const ORDINARY: std::ops::RangeInclusive<f64> = 1e-100..=1e100;
/// The largest squared length, after that division, whose products are sure to stay finite in single precision.
const LARGEST: f64 = 1e30;
/// The length of rows of whole numbers.
const LENGTH: f64 = 32767.0;
/// Sums that are added up side by side.
const SUMS: usize = 16;

/// What is needed for rough squared distances to the training rows.
///
/// Rows are moved by the mean row (which changes no distance and makes products small) if they are dense, and divided by
/// their largest cell. With |x|² for a row's squared length after that, and ab for the product of two rows as computed,
/// the squared distance of a and b differs from |a|² + |b|² − 2ab by at most `share` (|a|² + |b|²) + `floor`.
///
/// Dense rows become whole numbers: the m cells of a row are divided by |x| / 32767, and rounding them changes the row by no more than
/// c |x|, c = √m / 65534; the product of two rows then changes by (2c + c²) |a| |b|, which is at most half as much times |a|² + |b|².
/// To this `share` adds some units for numbers in single precision; `floor` covers what does not shrink with the rows, the rounding
/// of moved cells and of numbers too small for single precision.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Rough {
    /// Dense training rows, moved.
    rows: Option<WholeRows>,
    /// The mean of dense rows.
    mean: Vec<f64>,
    scale: f64,
    share: f64,
    floor: f64,
    squares: Vec<f64>,
    /// (1 − share) |x|²: what a product is taken from twice for a lower bound.
    lows: Vec<f32>,
    /// 2 share |x|²: from there to an upper bound.
    widths: Vec<f32>,
}

/// A block of queries.
pub(crate) struct Queries {
    /// Their cells, if they are dense as the training rows are.
    cells: Option<WholeRows>,
    /// Squared length of each.
    squares: Vec<f64>,
}

impl Rough {
    /// For these training rows; `None` if rough distances are of no use for them.
    pub(crate) fn new(rows: &Matrix) -> Option<Rough> {
        let (largest, mean) = match rows {
            Matrix::Dense(dense) => Arch::new().dispatch(Survey(dense)),
            Matrix::Sparse(sparse) => {
                (sparse.values().iter().fold(0.0, |largest: f64, value| largest.max(value.abs())), Vec::new())
            }
        };
        let change = (mean.len() as f64).sqrt() / (2.0 * LENGTH);
        let share = 1.01 * (2.0 + change) * change + 64.0 * UNIT;
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
        rough.rows = cells;
        rough.squares = squares;
        Some(rough)
    }

    /// The dense training rows.
    pub(crate) fn rows(&self) -> Option<&WholeRows> {
        self.rows.as_ref()
    }

    /// Some training rows, to be seen.
    pub(crate) fn seen(&self, rows: Range<usize>) -> Seen<'_> {
        Seen { first: rows.start, lows: &self.lows[rows.clone()], widths: &self.widths[rows] }
    }

    /// Rows made like the training rows.
    pub(crate) fn queries(&self, matrix: &Matrix, rows: Range<usize>) -> Queries {
        if self.mean.is_empty() {
            let square = |row| {
                let mut square = 0.0;
                matrix.visit_row(row, |_, value| square += (self.scale * value).powi(2));
                square
            };
            return Queries { cells: None, squares: rows.map(square).collect() };
        }
        let mut packed = WholeRows::zeros(rows.len(), self.mean.len());
        let mut moved = vec![0.0; self.mean.len()];
        let mut whole = vec![0; self.mean.len()];
        let squares = rows.enumerate().map(|(place, row)| {
            moved.fill(0.0);
            let from = match matrix {
                Matrix::Dense(dense) => dense.row(row),
                Matrix::Sparse(_) => {
                    matrix.visit_row(row, |column, value| moved[column] = value);
                    &moved
                }
            };
            Arch::new().dispatch(Move { rough: self, from, whole: &mut whole, to: (&mut packed, place) })
        });
        let squares = squares.collect();
        Queries { cells: Some(packed), squares }
    }

    /// A product of undivided rows, as one of divided ones.
    pub(crate) fn divided(&self, product: f64) -> f32 {
        (self.scale * self.scale * product) as f32
    }

    /// How far the bounds of a query's distances lie apart beside the training rows' part of it, `widths`; `None` if the
    /// query is too large for single precision.
    fn slack(&self, square: f64) -> Option<f32> {
        (square <= LARGEST).then_some((2.0 * (self.share * square + self.floor)) as f32)
    }

    /// That of some training rows.
    pub(crate) fn own_slacks(&self, rows: Range<usize>) -> impl Iterator<Item = Option<f32>> {
        self.squares[rows].iter().map(|&square| self.slack(square))
    }

    /// That of queries.
    pub(crate) fn slacks(&self, queries: &Queries) -> impl Iterator<Item = Option<f32>> {
        queries.squares.iter().map(|&square| self.slack(square))
    }
}

impl Queries {
    /// The cells of dense queries.
    pub(crate) fn cells(&self) -> Option<&WholeRows> {
        self.cells.as_ref()
    }
}

/// The largest cell, sign aside, and the mean row.
struct Survey<'a>(&'a DenseMatrix);

impl NullaryFnOnce for Survey<'_> {
    type Output = (f64, Vec<f64>);

    #[inline(always)]
    fn call(self) -> (f64, Vec<f64>) {
        let mut mean = vec![0.0; self.0.cols()];
        let mut peaks = vec![0.0_f64; self.0.cols()];
        for row in 0..self.0.rows() {
            for ((sum, peak), value) in mean.iter_mut().zip(&mut peaks).zip(self.0.row(row)) {
                *sum += value;
                *peak = if value.abs() > *peak { value.abs() } else { *peak };
            }
        }
        mean.iter_mut().for_each(|sum| *sum /= self.0.rows() as f64);
        (peaks.into_iter().fold(0.0, f64::max), mean)
    }
}

/// Makes a row one of whole numbers; its squared length.
struct Move<'a> {
    rough: &'a Rough,
    from: &'a [f64],
    whole: &'a mut [i16],
    to: (&'a mut WholeRows, usize),
}

impl NullaryFnOnce for Move<'_> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        let Move { rough: Rough { mean, scale, .. }, from, whole, to: (rows, place) } = self;
        let mut sums = [0.0; SUMS];
        for (from, mean) in from.chunks(SUMS).zip(mean.chunks(SUMS)) {
            for (sum, (from, mean)) in sums.iter_mut().zip(from.iter().zip(mean)) {
                let cell = scale * (from - mean);
                *sum += cell * cell;
            }
        }
        let square: f64 = sums.iter().sum();
        let length = square.sqrt();
        let factor = scale * LENGTH / length;
        // Added to numbers of sixteen bits, it leaves their nearest whole number in the last digits. A row of length 0 becomes
        // one of zeros, as NaN is no number.
        let shift = 1.5 * 2.0_f64.powi(52);
        let factor = if factor.is_finite() { factor } else { 0.0 };
        for (to, (from, mean)) in whole.iter_mut().zip(from.iter().zip(mean)) {
            *to = (factor * (from - mean) + shift).to_bits() as i16;
        }
        rows.set(place, whole, (length / LENGTH) as f32);
        square
    }
}
