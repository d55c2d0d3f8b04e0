//! Products of sparse rows; those of the transpose are the same on its rows.

use super::{Kernel, Lanes, Tiled, load, scale, store, tiles};
use crate::matrix::{Columns, Real, SparseMatrix, flops};

/// Sums of a row that grow side by side: one alone would make every addition wait for the one before.
const CHAINS: usize = 4;

/// Sparse rows as the kernels read them. Their cells may be stored with more digits than the products have: they are rounded
/// as they are read.
#[derive(Debug, Clone, Copy)]
pub(in crate::matrix) struct SparseRows<'a, V> {
    cells: &'a SparseMatrix<V>,
    /// Whether every row has a further, last cell of 1 that is not stored.
    ones: bool,
}

impl<'a, V: Real> SparseRows<'a, V> {
    pub(in crate::matrix) fn new(cells: &'a SparseMatrix<V>) -> SparseRows<'a, V> {
        SparseRows { cells, ones: false }
    }

    /// With a last column of ones if `ones`.
    pub(in crate::matrix) fn beside(cells: &'a SparseMatrix<V>, ones: bool) -> SparseRows<'a, V> {
        SparseRows { cells, ones }
    }

    fn rows(self) -> usize {
        self.cells.rows()
    }

    fn cols(self) -> usize {
        self.cells.cols() + usize::from(self.ones)
    }

    fn stored(self) -> usize {
        self.cells.stored() + if self.ones { self.rows() } else { 0 }
    }
}

/// A stored cell in the precision of the products, or its square.
#[inline(always)]
fn cell<T: Real, V: Real, const SQUARED: bool>(value: V) -> T {
    let value = T::of(value.wide());
    if SQUARED { value * value } else { value }
}

/// Σⱼ X[row, j] v[j]; cell i of the row belongs to sum i mod 4, whatever the width of the tile.
#[inline(always)]
pub(super) fn sparse_row<T: Real, V: Real, const SQUARED: bool, const W: usize>(
    matrix: SparseRows<'_, V>,
    row: usize,
    right: &[Lanes<T, W>],
) -> Lanes<T, W> {
    let (columns, values) = matrix.cells.row(row);
    let mut sums = [Lanes::<T, W>::ZERO; CHAINS];
    let (groups, rest) = columns.as_chunks::<CHAINS>();
    let (value_groups, value_rest) = values.as_chunks::<CHAINS>();
    for (columns, values) in groups.iter().zip(value_groups) {
        for chain in 0..CHAINS {
            sums[chain].add_scaled(cell::<T, V, SQUARED>(values[chain]), &right[columns[chain] as usize]);
        }
    }
    for (chain, (&column, &value)) in rest.iter().zip(value_rest).enumerate() {
        sums[chain].add_scaled(cell::<T, V, SQUARED>(value), &right[column as usize]);
    }
    if matrix.ones {
        sums[rest.len()].add_scaled(T::of(1.0), &right[matrix.cells.cols()]);
    }
    let [mut total, second, third, fourth] = sums;
    for lane in 0..W {
        total.0[lane] = (total.0[lane] + second.0[lane]) + (third.0[lane] + fourth.0[lane]);
    }
    total
}

/// The sums of all rows with a tile.
#[inline(always)]
fn rows_with<T: Real, V: Real, const SQUARED: bool, const W: usize>(
    matrix: SparseRows<'_, V>,
    tile: &[Lanes<T, W>],
) -> Vec<Lanes<T, W>> {
    let mut sums = vec![Lanes::<T, W>::ZERO; matrix.rows()];
    for (row, sum) in sums.iter_mut().enumerate() {
        *sum = sparse_row::<T, V, SQUARED, W>(matrix, row, tile);
    }
    sums
}

/// X · right, rows × P, where `right` are P vectors with a number per column; with `SQUARED`, of the squares of X's cells.
pub(in crate::matrix) fn sparse_product<T: Tiled, V: Real, const SQUARED: bool>(
    matrix: SparseRows<'_, V>,
    right: &[&[T]],
) -> Columns<T> {
    flops::count::<T>(matrix.stored(), right.len());
    T::run(SparseProduct::<T, V, SQUARED> { matrix, right })
}

struct SparseProduct<'a, T, V, const SQUARED: bool> {
    matrix: SparseRows<'a, V>,
    right: &'a [&'a [T]],
}

impl<T: Tiled, V: Real, const SQUARED: bool> Kernel for SparseProduct<'_, T, V, SQUARED> {
    type Output = Columns<T>;

    #[inline(always)]
    fn call<const W: usize, const TWO: usize>(self) -> Columns<T> {
        let SparseProduct { matrix, right } = self;
        let mut out = Columns::zeros(matrix.rows(), right.len());
        for (first, wide) in tiles::<W>(right.len()) {
            match (wide, right.len() - first) {
                (true, _) => product_tile::<T, V, SQUARED, TWO>(matrix, right, first, &mut out),
                (false, 1) => product_tile::<T, V, SQUARED, 1>(matrix, right, first, &mut out),
                (false, _) => product_tile::<T, V, SQUARED, W>(matrix, right, first, &mut out),
            }
        }
        out
    }
}

#[inline(always)]
fn product_tile<T: Real, V: Real, const SQUARED: bool, const W: usize>(
    matrix: SparseRows<'_, V>,
    right: &[&[T]],
    first: usize,
    out: &mut Columns<T>,
) {
    let tile = load::<T, W>(matrix.cols(), right, first);
    store(&rows_with::<T, V, SQUARED, W>(matrix, &tile), out, first);
}

/// Xᵀ (factors ∘ X · right) and X · right: `right` are P vectors with a number per column, `factors` P with a number per
/// row, `transpose` is Xᵀ.
pub(in crate::matrix) fn sparse_curved<T: Tiled, V: Real, F: Real>(
    matrix: SparseRows<'_, V>,
    transpose: SparseRows<'_, V>,
    right: &[&[T]],
    factors: &[&[F]],
) -> (Columns<T>, Columns<T>) {
    flops::count::<T>(matrix.stored(), 2 * right.len());
    T::run(SparseCurved { matrix, transpose, right, factors })
}

struct SparseCurved<'a, T, V, F> {
    matrix: SparseRows<'a, V>,
    transpose: SparseRows<'a, V>,
    right: &'a [&'a [T]],
    factors: &'a [&'a [F]],
}

impl<T: Tiled, V: Real, F: Real> Kernel for SparseCurved<'_, T, V, F> {
    type Output = (Columns<T>, Columns<T>);

    #[inline(always)]
    fn call<const W: usize, const TWO: usize>(self) -> (Columns<T>, Columns<T>) {
        let mut out = Columns::zeros(self.matrix.cols(), self.right.len());
        let mut inner = Columns::zeros(self.matrix.rows(), self.right.len());
        for (first, wide) in tiles::<W>(self.right.len()) {
            match (wide, self.right.len() - first) {
                (true, _) => self.tile::<TWO>(first, &mut out, &mut inner),
                (false, 1) => self.tile::<1>(first, &mut out, &mut inner),
                (false, _) => self.tile::<W>(first, &mut out, &mut inner),
            }
        }
        (out, inner)
    }
}

impl<T: Tiled, V: Real, F: Real> SparseCurved<'_, T, V, F> {
    /// One tile; the rows' sums stay side by side for the way back.
    #[inline(always)]
    fn tile<const W: usize>(&self, first: usize, out: &mut Columns<T>, inner: &mut Columns<T>) {
        let tile = load::<T, W>(self.matrix.cols(), self.right, first);
        let mut sums = rows_with::<T, V, false, W>(self.matrix, &tile);
        store(&sums, inner, first);
        scale(&mut sums, self.factors, first);
        store(&rows_with::<T, V, false, W>(self.transpose, &sums), out, first);
    }
}
