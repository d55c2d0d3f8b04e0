//! Rows of numbers with their products in both directions.

use std::sync::{Arc, OnceLock};

use super::lanes::{self, SparseRows};
use super::sparse::KeptColumns;
use super::{Columns, Matrix, Real, SparseBuilder, SparseMatrix, Strips, Tiled};

/// Sparse matrices with at least this many stored cells are not copied: a copy would take most of the memory of a fit.
/// Single-precision kernels then round the cells as they read them, which costs nothing extra once a copy would not fit
/// into a cache. If there are more rows than columns, the transpose is not stored either.
const COPY_LIMIT: usize = 1 << 20;

/// Whether the transpose of sparse rows is stored.
fn has_columns(rows: usize, cols: usize, stored: usize) -> bool {
    stored < COPY_LIMIT || rows < cols
}

/// Roughly how many copies of sparse rows products in both directions and both precisions make, at most.
pub fn sparse_copies(rows: usize, cols: usize, stored: usize) -> usize {
    usize::from(has_columns(rows, cols, stored)) + usize::from(stored < COPY_LIMIT)
}

/// Rows of numbers. Sparse ones, unless there are too many, also have their transpose, which is made on first use:
/// products in both directions then read the matrix in order and gather from a small vector. Products have the
/// precision T.
#[derive(Debug, Clone)]
pub struct BothWays<T: Tiled>(Cells<T>);

#[derive(Debug, Clone)]
enum Cells<T: Tiled> {
    Dense(Strips<T>),
    Sparse(Arc<TwoWay<T>>),
    /// Cells in double precision, shared with double-precision products.
    Wide(Arc<TwoWay<f64>>),
}

/// Sparse rows and their transpose.
#[derive(Debug)]
struct TwoWay<V> {
    rows: SparseMatrix<V>,
    /// Whether every row has one more cell at its end, a 1 that is not stored. Rows with and without it can share their
    /// cells.
    ones: bool,
    /// The transpose, with the column of ones if there is one; made on first use.
    columns: OnceLock<SparseMatrix<V>>,
}

impl<V: Real> TwoWay<V> {
    fn new(rows: SparseMatrix<V>, ones: bool) -> TwoWay<V> {
        TwoWay { rows, ones, columns: OnceLock::new() }
    }

    fn rows(&self) -> SparseRows<'_, V> {
        SparseRows::with_ones(&self.rows, self.ones)
    }

    /// The transpose, unless products with it are better made from the rows.
    fn columns(&self) -> Option<SparseRows<'_, V>> {
        let columns = || self.columns.get_or_init(|| self.rows.transposed_with_ones(self.ones));
        has_columns(self.rows.rows(), self.rows.cols(), self.rows.stored()).then(|| SparseRows::new(columns()))
    }

    fn select_rows(&self, rows: &[usize]) -> TwoWay<V> {
        TwoWay::new(self.rows.select_rows(rows), self.ones)
    }

    fn product<T: Tiled>(&self, right: &[&[T]]) -> Columns<T> {
        lanes::sparse_product::<T, V, false>(self.rows(), right)
    }

    fn transposed_product<T: Tiled, const SQUARED: bool>(&self, left: &[&[T]]) -> Columns<T> {
        match self.columns() {
            Some(columns) => lanes::sparse_product::<T, V, SQUARED>(columns, left),
            None => lanes::sparse_scattered::<T, V, SQUARED>(self.rows(), left),
        }
    }

    fn curved_product<T: Tiled, F: Real>(&self, right: &[&[T]], factors: &[&[F]]) -> (Columns<T>, Columns<T>) {
        match self.columns() {
            Some(columns) => lanes::sparse_curved(self.rows(), columns, right, factors),
            None => lanes::sparse_curved_scattered(self.rows(), right, factors),
        }
    }
}

impl<T: Tiled> BothWays<T> {
    /// X · right, rows × P; `right` are P vectors with a number per column.
    pub fn product(&self, right: &[&[T]]) -> Columns<T> {
        match &self.0 {
            Cells::Dense(strips) => strips.product(right),
            Cells::Sparse(sparse) => sparse.product(right),
            Cells::Wide(sparse) => sparse.product(right),
        }
    }

    /// Xᵀ · left, columns × P; `left` are P vectors with a number per row.
    pub fn transposed_product(&self, left: &[&[T]]) -> Columns<T> {
        match &self.0 {
            Cells::Dense(strips) => lanes::strips::transposed::<T, false>(strips, left),
            Cells::Sparse(sparse) => sparse.transposed_product::<T, false>(left),
            Cells::Wide(sparse) => sparse.transposed_product::<T, false>(left),
        }
    }

    /// (X ∘ X)ᵀ · left: the diagonals of Xᵀ diag(left) X, as columns × P.
    pub fn squares_transposed_product(&self, left: &[&[T]]) -> Columns<T> {
        match &self.0 {
            Cells::Dense(strips) => lanes::strips::transposed::<T, true>(strips, left),
            Cells::Sparse(sparse) => sparse.transposed_product::<T, true>(left),
            Cells::Wide(sparse) => sparse.transposed_product::<T, true>(left),
        }
    }

    /// Xᵀ (factors ∘ X · right) as columns × P, and X · right as rows × P; `right` are P vectors with a number per
    /// column, `factors` P with a number per row.
    pub fn curved_product<F: Real>(&self, right: &[&[T]], factors: &[&[F]]) -> (Columns<T>, Columns<T>) {
        match &self.0 {
            Cells::Dense(strips) => lanes::strips::curved(strips, right, factors),
            Cells::Sparse(sparse) => sparse.curved_product(right, factors),
            Cells::Wide(sparse) => sparse.curved_product(right, factors),
        }
    }

    /// The rows with the given indices, all columns.
    pub(crate) fn select_rows(&self, rows: &[usize]) -> BothWays<T> {
        BothWays(match &self.0 {
            Cells::Dense(strips) => Cells::Dense(strips.select_rows(rows)),
            Cells::Sparse(sparse) => Cells::Sparse(Arc::new(sparse.select_rows(rows))),
            Cells::Wide(sparse) => Cells::Wide(Arc::new(sparse.select_rows(rows))),
        })
    }
}

impl BothWays<f64> {
    pub(crate) fn new(rows: Matrix) -> BothWays<f64> {
        BothWays(match rows {
            Matrix::Dense(dense) => Cells::Dense(Strips::from_dense(&dense)),
            Matrix::Sparse(sparse) => Cells::Sparse(Arc::new(TwoWay::new(sparse, false))),
        })
    }

    pub(crate) fn of_strips(strips: Strips<f64>) -> BothWays<f64> {
        BothWays(Cells::Dense(strips))
    }

    /// Sparse rows with a last column of ones.
    pub(crate) fn with_ones(rows: SparseMatrix) -> BothWays<f64> {
        BothWays(Cells::Sparse(Arc::new(TwoWay::new(rows, true))))
    }

    fn sparse(&self) -> Option<&Arc<TwoWay<f64>>> {
        match &self.0 {
            Cells::Dense(_) => None,
            Cells::Sparse(sparse) | Cells::Wide(sparse) => Some(sparse),
        }
    }

    pub(crate) fn is_sparse(&self) -> bool {
        self.sparse().is_some()
    }

    /// The columns that are not empty on the given rows, if rows are sparse. The column of ones is not among them.
    pub(crate) fn kept_columns(&self, rows: &[usize]) -> Option<KeptColumns> {
        self.sparse().map(|sparse| sparse.rows.kept_columns(Some(rows)))
    }

    /// Whether there is a last column of ones that is not stored.
    pub(crate) fn has_ones(&self) -> bool {
        self.sparse().is_some_and(|sparse| sparse.ones)
    }

    /// The given rows in precision U, with only the columns of `kept`.
    pub(crate) fn select_kept<U: Tiled>(&self, rows: &[usize], kept: &KeptColumns) -> BothWays<U> {
        let sparse = self.sparse().expect("only sparse rows know which columns to keep");
        BothWays(Cells::Sparse(Arc::new(TwoWay::new(sparse.rows.select_kept(rows, kept), sparse.ones))))
    }

    /// The given rows (`None`: all) with `extras` as last columns; each extra column has a number for every row of this
    /// matrix. Empty columns of sparse rows are dropped; the columns that stay are returned.
    pub(crate) fn append(&self, rows: Option<&[usize]>, extras: &[&[f64]]) -> (BothWays<f64>, Option<Vec<u32>>) {
        match &self.0 {
            Cells::Dense(strips) => (BothWays(Cells::Dense(strips.with_columns(rows, extras))), None),
            Cells::Sparse(sparse) | Cells::Wide(sparse) => {
                let count = rows.map_or(sparse.rows.rows(), <[usize]>::len);
                let own = sparse.rows.cols() + usize::from(sparse.ones);
                let mut builder = SparseBuilder::default();
                for row in (0..count).map(|local| rows.map_or(local, |rows| rows[local])) {
                    let (columns, values) = sparse.rows.row(row);
                    columns.iter().zip(values).for_each(|(&column, &value)| builder.push(column as usize, value));
                    if sparse.ones {
                        builder.push(own - 1, 1.0);
                    }
                    extras.iter().enumerate().for_each(|(index, extra)| builder.push(own + index, extra[row]));
                    builder.end_row();
                }
                let (sparse, kept) = builder.finish(own + extras.len()).without_empty_columns();
                (BothWays::new(Matrix::Sparse(sparse)), Some(kept))
            }
        }
    }

    /// The same rows for products in single precision.
    pub(crate) fn to_single(&self) -> BothWays<f32> {
        BothWays(match &self.0 {
            Cells::Dense(strips) => Cells::Dense(strips.to_precision()),
            Cells::Sparse(sparse) | Cells::Wide(sparse) if sparse.rows.stored() < COPY_LIMIT => {
                let single = TwoWay::new(sparse.rows.to_precision(), sparse.ones);
                let columns = sparse.columns.get().map(|columns| OnceLock::from(columns.to_precision()));
                Cells::Sparse(Arc::new(TwoWay { columns: columns.unwrap_or_default(), ..single }))
            }
            Cells::Sparse(sparse) | Cells::Wide(sparse) => Cells::Wide(sparse.clone()),
        })
    }

    /// The largest absolute value of a cell.
    pub(crate) fn largest(&self) -> f64 {
        match &self.0 {
            Cells::Dense(strips) => strips.largest(),
            Cells::Sparse(sparse) | Cells::Wide(sparse) => {
                let ones = f64::from(u8::from(sparse.ones));
                sparse.rows.values().iter().map(|v| v.abs()).fold(ones, f64::max)
            }
        }
    }
}
