//! A matrix prepared for many products in both directions.

use std::sync::OnceLock;

use super::both_ways::BothWays;
use super::sparse::KeptColumns;
use super::{Columns, Matrix, SparseMatrix, Strips};

/// If the largest cell is within this factor of 1, sums of products of cells fit into single precision.
const MODERATE_FACTOR: f64 = 1e9;

/// Rows of numbers, stored so that repeated products are fast. Each precision is made on first use.
#[derive(Debug, Clone)]
pub struct Operator<'a> {
    rows: usize,
    cols: usize,
    source: Source<'a>,
    double: OnceLock<BothWays<f64>>,
    single: OnceLock<Option<BothWays<f32>>>,
    moderate: OnceLock<bool>,
}

/// Where the rows of an operator come from.
#[derive(Debug, Clone)]
enum Source<'a> {
    Own,
    Lent(&'a Operator<'a>),
    Selected(&'a Operator<'a>, &'a [usize]),
    /// Sparse rows, without the columns that are empty on them.
    Kept(&'a Operator<'a>, &'a [usize], KeptColumns),
}

impl<'a> Operator<'a> {
    /// Prepares a matrix.
    pub fn new(matrix: Matrix) -> Operator<'a> {
        let (rows, cols) = (matrix.rows(), matrix.cols());
        Operator::own(BothWays::new(matrix), rows, cols)
    }

    /// From dense rows that are already stored in strips.
    pub fn of_strips(strips: Strips<f64>) -> Operator<'a> {
        let (rows, cols) = (strips.rows(), strips.cols());
        Operator::own(BothWays::of_strips(strips), rows, cols)
    }

    /// Prepares sparse rows with a last column of ones. The cells are shared, not copied.
    pub fn with_ones(sparse: &SparseMatrix) -> Operator<'a> {
        Operator::own(BothWays::with_ones(sparse.clone()), sparse.rows(), sparse.cols() + 1)
    }

    fn own(cells: BothWays<f64>, rows: usize, cols: usize) -> Operator<'a> {
        Operator { double: OnceLock::from(cells), ..Operator::of(Source::Own, rows, cols) }
    }

    fn of(source: Source<'a>, rows: usize, cols: usize) -> Operator<'a> {
        let (double, single, moderate) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Operator { rows, cols, source, double, single, moderate }
    }

    /// The same rows, borrowed.
    pub fn lent(&'a self) -> Operator<'a> {
        Operator::of(Source::Lent(self), self.rows, self.cols)
    }

    /// The given rows, gathered in each precision on first use. Columns that are empty on sparse rows are dropped; the
    /// columns that stay are returned in ascending order.
    pub fn select_rows(&'a self, rows: &'a [usize]) -> (Operator<'a>, Option<Vec<u32>>) {
        let Some(kept) = self.double().kept_columns(rows) else {
            return (Operator::of(Source::Selected(self, rows), rows.len(), self.cols), None);
        };
        let mut columns = kept.columns.clone();
        if self.double().has_ones() {
            columns.push(u32::try_from(self.cols - 1).expect("at most 2^32 columns"));
        }
        (Operator::of(Source::Kept(self, rows, kept), rows.len(), columns.len()), Some(columns))
    }

    /// The rows with the given indices, all columns, as an operator of their own.
    pub fn with_rows(&self, rows: &[usize]) -> Operator<'static> {
        Operator::own(self.double().select_rows(rows), rows.len(), self.cols)
    }

    /// The given rows (`None`: all) with `extras` as last columns; each extra column has a number for every row of this
    /// operator. Empty columns of sparse rows are dropped; the columns that stay are returned.
    pub fn append(&self, rows: Option<&[usize]>, extras: &[&[f64]]) -> (Operator<'static>, Option<Vec<u32>>) {
        let (cells, kept) = self.double().append(rows, extras);
        let cols = kept.as_ref().map_or(self.cols + extras.len(), Vec::len);
        (Operator::own(cells, rows.map_or(self.rows, <[usize]>::len), cols), kept)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Whether only non-zeros are stored.
    pub fn is_sparse(&self) -> bool {
        match self.source {
            Source::Lent(source) | Source::Selected(source, _) | Source::Kept(source, ..) => source.is_sparse(),
            Source::Own => self.double().is_sparse(),
        }
    }

    /// The matrix in double precision.
    pub fn double(&self) -> &BothWays<f64> {
        match &self.source {
            Source::Lent(source) => source.double(),
            Source::Selected(source, rows) => self.double.get_or_init(|| source.double().select_rows(rows)),
            Source::Kept(source, rows, kept) => self.double.get_or_init(|| source.double().select_kept(rows, kept)),
            Source::Own => self.double.get().expect("an operator's own rows are there from the start"),
        }
    }

    /// The matrix in single precision; `None` if cells are too large or too small for their products to fit. It shares
    /// the cells of the double-precision matrix if that was made first.
    pub fn single(&self) -> Option<&BothWays<f32>> {
        let make = || match (&self.source, self.double.get()) {
            (Source::Selected(source, rows), _) => source.single().map(|single| single.select_rows(rows)),
            (Source::Kept(source, rows, kept), None) => {
                source.is_moderate().then(|| source.double().select_kept(rows, kept))
            }
            (Source::Kept(source, ..), Some(double)) => source.is_moderate().then(|| double.to_single()),
            (Source::Own | Source::Lent(_), _) => self.is_moderate().then(|| self.double().to_single()),
        };
        match self.source {
            Source::Lent(source) => source.single(),
            _ => self.single.get_or_init(make).as_ref(),
        }
    }

    /// Whether the largest cell is neither huge nor tiny.
    fn is_moderate(&self) -> bool {
        *self.moderate.get_or_init(|| {
            let largest = self.double().largest();
            largest == 0.0 || (1.0 / MODERATE_FACTOR..=MODERATE_FACTOR).contains(&largest)
        })
    }

    /// X · right (columns × P), as rows × P.
    pub fn product(&self, right: &Columns) -> Columns {
        self.double().product(&right.all())
    }

    /// Xᵀ · left (rows × P), as columns × P.
    pub fn transposed_product(&self, left: &Columns) -> Columns {
        self.double().transposed_product(&left.all())
    }

    /// (X ∘ X)ᵀ · left (rows × P): the diagonals of Xᵀ diag(left) X, as columns × P.
    pub fn squares_transposed_product(&self, left: &Columns) -> Columns {
        self.double().squares_transposed_product(&left.all())
    }
}
