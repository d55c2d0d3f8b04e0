//! A matrix prepared for many products in both directions.

use std::sync::OnceLock;

use super::{Columns, Matrix, Real, SparseMatrix, Tiled, lanes};

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
        let (rows, cols) = (matrix.rows(), matrix.cols());
        let double = OnceLock::from(BothWays::new(matrix));
        Operator { rows, cols, source: Source::Own, double, single: OnceLock::new() }
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
            Source::Own => self.matrix().is_sparse(),
        }
    }

    /// The matrix itself.
    pub fn matrix(&self) -> &Matrix {
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
            _ => self.matrix().is_moderate().then(|| self.double().to_single()),
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
pub struct BothWays<T> {
    rows: Matrix<T>,
    columns: OnceLock<SparseMatrix<T>>,
}

impl<T: Tiled> BothWays<T> {
    fn new(rows: Matrix<T>) -> BothWays<T> {
        BothWays { rows, columns: OnceLock::new() }
    }

    fn select_rows(&self, rows: &[usize]) -> BothWays<T> {
        BothWays::new(match &self.rows {
            Matrix::Dense(dense) => Matrix::Dense(dense.select_rows(rows)),
            Matrix::Sparse(sparse) => Matrix::Sparse(sparse.select_rows(rows)),
        })
    }

    fn columns_of(&self, sparse: &SparseMatrix<T>) -> &SparseMatrix<T> {
        self.columns.get_or_init(|| sparse.transposed())
    }

    /// X · right, rows × P; `right` are P vectors with a number per column.
    pub fn product(&self, right: &[&[T]]) -> Columns<T> {
        match &self.rows {
            Matrix::Dense(dense) => lanes::dense_product(dense, right),
            Matrix::Sparse(sparse) => lanes::sparse_product::<T, false>(sparse, right),
        }
    }

    /// Xᵀ · left, columns × P; `left` are P vectors with a number per row.
    pub fn transposed_product(&self, left: &[&[T]]) -> Columns<T> {
        match &self.rows {
            Matrix::Dense(dense) => lanes::dense_transposed::<T, false>(dense, left),
            Matrix::Sparse(sparse) => lanes::sparse_product::<T, false>(self.columns_of(sparse), left),
        }
    }

    /// (X ∘ X)ᵀ · left: the diagonals of Xᵀ diag(left) X, as columns × P.
    pub fn squares_transposed_product(&self, left: &[&[T]]) -> Columns<T> {
        match &self.rows {
            Matrix::Dense(dense) => lanes::dense_transposed::<T, true>(dense, left),
            Matrix::Sparse(sparse) => lanes::sparse_product::<T, true>(self.columns_of(sparse), left),
        }
    }

    /// Xᵀ (factors ∘ X · right) as columns × P, and X · right as rows × P; `right` are P vectors with a number per
    /// column, `factors` P with a number per row.
    pub fn curved_product<F: Real>(&self, right: &[&[T]], factors: &[&[F]]) -> (Columns<T>, Columns<T>) {
        match &self.rows {
            Matrix::Dense(dense) => lanes::dense_curved(dense, right, factors),
            Matrix::Sparse(sparse) => lanes::sparse_curved(sparse, self.columns_of(sparse), right, factors),
        }
    }
}

impl BothWays<f64> {
    fn to_single(&self) -> BothWays<f32> {
        let columns = self.columns.get().map(SparseMatrix::to_precision);
        let single = match &self.rows {
            Matrix::Dense(dense) => BothWays::new(Matrix::Dense(dense.to_precision())),
            Matrix::Sparse(sparse) => BothWays::new(Matrix::Sparse(sparse.to_precision())),
        };
        match columns {
            None => single,
            Some(columns) => BothWays { columns: OnceLock::from(columns), ..single },
        }
    }
}

impl<T: Real> Matrix<T> {
    /// Whether the largest cell is neither huge nor tiny.
    fn is_moderate(&self) -> bool {
        let values = match self {
            Matrix::Dense(dense) => dense.values(),
            Matrix::Sparse(sparse) => sparse.values(),
        };
        let largest = values.iter().map(|v| v.wide().abs()).fold(0.0, f64::max);
        largest == 0.0 || (1.0 / MODERATE..=MODERATE).contains(&largest)
    }
}
