//! Rows of numbers with their products in both directions.

use std::sync::{Arc, OnceLock};

use super::lanes::{self, SparseRows};
use super::sparse::KeptColumns;
use super::{Columns, Matrix, Real, SparseBuilder, SparseMatrix, Strips, Tiled};

/// Stored cells from which on nothing of sparse rows is copied, since that would be most of the memory of a fit. Kernels of
/// single precision then round the cells as they read them, which takes no longer once no copy would stay in a cache; and
/// rows that outnumber the columns are not turned into columns.
const NOT_COPIED: usize = 1 << 20;

/// Whether sparse rows get their columns stored beside them.
fn has_columns(rows: usize, cols: usize, stored: usize) -> bool {
    stored < NOT_COPIED || rows < cols
}

/// How often sparse rows are copied, at most and about, for products in both directions and both precisions.
pub fn sparse_copies(rows: usize, cols: usize, stored: usize) -> usize {
    usize::from(has_columns(rows, cols, stored)) + usize::from(stored < NOT_COPIED)
}

/// Rows of numbers, and if they are sparse and not too many also their columns, made when first asked for: both directions
/// then read the matrix in order and gather from a small vector. Products are of the precision T.
#[derive(Debug, Clone)]
pub struct BothWays<T: Tiled>(Cells<T>);

#[derive(Debug, Clone)]
enum Cells<T: Tiled> {
    Dense(Strips<T>),
    Sparse(Arc<TwoWay<T>>),
    /// Cells of double precision, shared with the products of double precision.
    Wide(Arc<TwoWay<f64>>),
}

/// Sparse rows and their columns.
#[derive(Debug)]
struct TwoWay<V> {
    rows: SparseMatrix<V>,
    /// Whether every row has a further, last cell of 1 that is not stored: so the rows can be shared with those that have
    /// no such cell.
    ones: bool,
    /// With the column of ones, if there is one; made when first asked for.
    columns: OnceLock<SparseMatrix<V>>,
}

impl<V: Real> TwoWay<V> {
    fn new(rows: SparseMatrix<V>, ones: bool) -> TwoWay<V> {
        TwoWay { rows, ones, columns: OnceLock::new() }
    }

    fn rows(&self) -> SparseRows<'_, V> {
        SparseRows::beside(&self.rows, self.ones)
    }

    /// The columns, unless the rows are the better way to them.
    fn columns(&self) -> Option<SparseRows<'_, V>> {
        let columns = || self.columns.get_or_init(|| self.rows.transposed_beside(self.ones));
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
            None => lanes::sparse_strewn::<T, V, SQUARED>(self.rows(), left),
        }
    }

    fn curved_product<T: Tiled, F: Real>(&self, right: &[&[T]], factors: &[&[F]]) -> (Columns<T>, Columns<T>) {
        match self.columns() {
            Some(columns) => lanes::sparse_curved(self.rows(), columns, right, factors),
            None => lanes::sparse_curved_strewn(self.rows(), right, factors),
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

    /// Sparse rows, each with a further, last cell of 1.
    pub(crate) fn beside_ones(rows: SparseMatrix) -> BothWays<f64> {
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

    /// Columns that are not empty on the rows with the given indices, if rows are sparse; a column of ones is not told of.
    pub(crate) fn kept_columns(&self, rows: &[usize]) -> Option<KeptColumns> {
        self.sparse().map(|sparse| sparse.rows.kept_columns(Some(rows)))
    }

    /// Whether there is a last column of ones that is not stored.
    pub(crate) fn has_ones(&self) -> bool {
        self.sparse().is_some_and(|sparse| sparse.ones)
    }

    /// The rows with the given indices in precision U, without columns that are not kept.
    pub(crate) fn select_kept<U: Tiled>(&self, rows: &[usize], kept: &KeptColumns) -> BothWays<U> {
        let sparse = self.sparse().expect("only sparse rows know which columns to keep");
        BothWays(Cells::Sparse(Arc::new(TwoWay::new(sparse.rows.select_kept(rows, kept), sparse.ones))))
    }

    /// The rows with the given indices (`None`: all) with `extras` (each with a number for every row of this matrix) as last
    /// columns; sparse ones without empty columns, and with the columns that stay.
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
            Cells::Sparse(sparse) | Cells::Wide(sparse) if sparse.rows.stored() < NOT_COPIED => {
                let single = TwoWay::new(sparse.rows.to_precision(), sparse.ones);
                let columns = sparse.columns.get().map(|columns| OnceLock::from(columns.to_precision()));
                Cells::Sparse(Arc::new(TwoWay { columns: columns.unwrap_or_default(), ..single }))
            }
            Cells::Sparse(sparse) | Cells::Wide(sparse) => Cells::Wide(sparse.clone()),
        })
    }

    /// The largest size of a cell.
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
