//! A matrix prepared for many products in both directions.

use std::sync::OnceLock;

use super::{Columns, Matrix, Real, SparseMatrix, Strips, Tiled, lanes};

/// Cells whose size lies within this of 1 leave single precision room for sums of their products.
const MODERATE: f64 = 1e9;

/// Rows of numbers with what makes repeated products fast, in either precision when first asked for.
#[derive(Debug, Clone)]
pub struct Operator<'a> {
    rows: usize,
    cols: usize,
    source: Source<'a>,
    double: OnceLock<BothWays<f64>>,
    single: OnceLock<Option<BothWays<f32>>>,
}

/// Where an operator's rows are.
#[derive(Debug, Clone, Copy)]
enum Source<'a> {
    Own,
    Lent(&'a Operator<'a>),
    Selected(&'a Operator<'a>, &'a [usize]),
}

impl<'a> Operator<'a> {
    /// Prepares a matrix.
    pub fn new(matrix: Matrix) -> Operator<'a> {
        Operator::own(match matrix {
            Matrix::Dense(dense) => Rows::Dense(Strips::from_dense(&dense)),
            Matrix::Sparse(sparse) => Rows::Sparse(sparse),
        })
    }

    /// Of rows that are prepared already.
    pub fn own(rows: Rows<f64>) -> Operator<'a> {
        let (count, cols) = (rows.rows(), rows.cols());
        let double = OnceLock::from(BothWays::new(rows));
        Operator { rows: count, cols, source: Source::Own, double, single: OnceLock::new() }
    }

    fn of(source: Source<'a>, rows: usize, cols: usize) -> Operator<'a> {
        Operator { rows, cols, source, double: OnceLock::new(), single: OnceLock::new() }
    }

    /// The same rows, lent.
    pub fn lent(&'a self) -> Operator<'a> {
        Operator::of(Source::Lent(self), self.rows, self.cols)
    }

    /// The rows with the given indices, gathered in the precision that is asked for.
    pub fn select_rows(&'a self, rows: &'a [usize]) -> Operator<'a> {
        Operator::of(Source::Selected(self, rows), rows.len(), self.cols)
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
            Source::Lent(source) | Source::Selected(source, _) => source.is_sparse(),
            Source::Own => matches!(self.all_rows(), Rows::Sparse(_)),
        }
    }

    /// The rows themselves.
    pub fn all_rows(&self) -> &Rows<f64> {
        &self.double().rows
    }

    /// The matrix in double precision.
    pub fn double(&self) -> &BothWays<f64> {
        match self.source {
            Source::Lent(source) => source.double(),
            Source::Selected(source, rows) => self.double.get_or_init(|| source.double().select_rows(rows)),
            Source::Own => self.double.get().expect("an operator's own rows are there from the start"),
        }
    }

    /// The matrix in single precision, unless its cells are so large or small that it could not hold their products.
    pub fn single(&self) -> Option<&BothWays<f32>> {
        let make = || match self.source {
            Source::Selected(source, rows) => source.single().map(|single| single.select_rows(rows)),
            _ => self.all_rows().is_moderate().then(|| self.double().to_single()),
        };
        match self.source {
            Source::Lent(source) => source.single(),
            _ => self.single.get_or_init(make).as_ref(),
        }
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

/// Rows of numbers, and if they are sparse also their columns, made when first asked for: both directions then read the
/// matrix in order and gather from a small vector.
#[derive(Debug, Clone)]
pub struct BothWays<T: Tiled> {
    rows: Rows<T>,
    columns: OnceLock<SparseMatrix<T>>,
}

impl<T: Tiled> BothWays<T> {
    fn new(rows: Rows<T>) -> BothWays<T> {
        BothWays { rows, columns: OnceLock::new() }
    }

    fn select_rows(&self, rows: &[usize]) -> BothWays<T> {
        BothWays::new(self.rows.select_rows(rows))
    }

    fn columns_of(&self, sparse: &SparseMatrix<T>) -> &SparseMatrix<T> {
        self.columns.get_or_init(|| sparse.transposed())
    }

    /// X · right, rows × P; `right` are P vectors with a number per column.
    pub fn product(&self, right: &[&[T]]) -> Columns<T> {
        match &self.rows {
            Rows::Dense(strips) => lanes::strips::product(strips, right),
            Rows::Sparse(sparse) => lanes::sparse_product::<T, false>(sparse, right),
        }
    }

    /// Xᵀ · left, columns × P; `left` are P vectors with a number per row.
    pub fn transposed_product(&self, left: &[&[T]]) -> Columns<T> {
        match &self.rows {
            Rows::Dense(strips) => lanes::strips::transposed::<T, false>(strips, left),
            Rows::Sparse(sparse) => lanes::sparse_product::<T, false>(self.columns_of(sparse), left),
        }
    }

    /// (X ∘ X)ᵀ · left: the diagonals of Xᵀ diag(left) X, as columns × P.
    pub fn squares_transposed_product(&self, left: &[&[T]]) -> Columns<T> {
        match &self.rows {
            Rows::Dense(strips) => lanes::strips::transposed::<T, true>(strips, left),
            Rows::Sparse(sparse) => lanes::sparse_product::<T, true>(self.columns_of(sparse), left),
        }
    }

    /// Xᵀ (factors ∘ X · right) as columns × P, and X · right as rows × P; `right` are P vectors with a number per
    /// column, `factors` P with a number per row.
    pub fn curved_product<F: Real>(&self, right: &[&[T]], factors: &[&[F]]) -> (Columns<T>, Columns<T>) {
        match &self.rows {
            Rows::Dense(strips) => lanes::strips::curved(strips, right, factors),
            Rows::Sparse(sparse) => lanes::sparse_curved(sparse, self.columns_of(sparse), right, factors),
        }
    }
}

impl BothWays<f64> {
    fn to_single(&self) -> BothWays<f32> {
        let columns = self.columns.get().map(SparseMatrix::to_precision);
        let single = match &self.rows {
            Rows::Dense(strips) => BothWays::new(Rows::Dense(strips.to_precision())),
            Rows::Sparse(sparse) => BothWays::new(Rows::Sparse(sparse.to_precision())),
        };
        match columns {
            None => single,
            Some(columns) => BothWays { columns: OnceLock::from(columns), ..single },
        }
    }
}

/// Rows as they lie in memory for products.
#[derive(Debug, Clone)]
pub enum Rows<T: Tiled> {
    /// Every cell stored.
    Dense(Strips<T>),
    /// Only non-zero cells stored.
    Sparse(SparseMatrix<T>),
}

impl<T: Tiled> Rows<T> {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Rows::Dense(strips) => strips.rows(),
            Rows::Sparse(sparse) => sparse.rows(),
        }
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        match self {
            Rows::Dense(strips) => strips.cols(),
            Rows::Sparse(sparse) => sparse.cols(),
        }
    }

    /// The rows with the given indices, in that order.
    pub fn select_rows(&self, rows: &[usize]) -> Rows<T> {
        match self {
            Rows::Dense(strips) => Rows::Dense(strips.select_rows(rows)),
            Rows::Sparse(sparse) => Rows::Sparse(sparse.select_rows(rows)),
        }
    }

    /// Whether the largest cell is neither huge nor tiny.
    fn is_moderate(&self) -> bool {
        let largest = match self {
            Rows::Dense(strips) => strips.largest(),
            Rows::Sparse(sparse) => sparse.values().iter().map(|v| v.wide().abs()).fold(0.0, f64::max),
        };
        largest == 0.0 || (1.0 / MODERATE..=MODERATE).contains(&largest)
    }
}
