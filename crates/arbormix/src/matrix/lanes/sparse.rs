//! Products of sparse rows; those of the transpose are the same on its rows.

use super::{Kernel, Lanes, Tiled, load, scale, store, tiles};
use crate::matrix::{Columns, Real, SparseMatrix, flops};

/// Sums of a row that grow side by side: one alone would make every addition wait for the one before.
const CHAINS: usize = 4;

/// Σⱼ X[row, j] v[j]; cell i of the row belongs to sum i mod 4, whatever the width of the tile.
#[inline(always)]
pub(super) fn sparse_row<T: Real, const SQUARED: bool, const W: usize>(
    matrix: &SparseMatrix<T>,
    row: usize,
    right: &[Lanes<T, W>],
) -> Lanes<T, W> {
    let (columns, values) = matrix.row(row);
    let mut sums = [Lanes::<T, W>::ZERO; CHAINS];
    let (groups, rest) = columns.as_chunks::<CHAINS>();
    let (value_groups, value_rest) = values.as_chunks::<CHAINS>();
    for (columns, values) in groups.iter().zip(value_groups) {
        for chain in 0..CHAINS {
            let value = if SQUARED { values[chain] * values[chain] } else { values[chain] };
            sums[chain].add_scaled(value, &right[columns[chain] as usize]);
        }
    }
    for (chain, (&column, &value)) in rest.iter().zip(value_rest).enumerate() {
        sums[chain].add_scaled(if SQUARED { value * value } else { value }, &right[column as usize]);
    }
    let [mut total, second, third, fourth] = sums;
    for lane in 0..W {
        total.0[lane] = (total.0[lane] + second.0[lane]) + (third.0[lane] + fourth.0[lane]);
    }
    total
}

/// The sums of all rows with a tile.
#[inline(always)]
fn rows_with<T: Real, const SQUARED: bool, const W: usize>(
    matrix: &SparseMatrix<T>,
    tile: &[Lanes<T, W>],
) -> Vec<Lanes<T, W>> {
    let mut sums = vec![Lanes::<T, W>::ZERO; matrix.rows()];
    for (row, sum) in sums.iter_mut().enumerate() {
        *sum = sparse_row::<T, SQUARED, W>(matrix, row, tile);
    }
    sums
}

/// X · right, rows × P, where `right` are P vectors with a number per column; with `SQUARED`, of the squares of X's cells.
pub(in crate::matrix) fn sparse_product<T: Tiled, const SQUARED: bool>(
    matrix: &SparseMatrix<T>,
    right: &[&[T]],
) -> Columns<T> {
    flops::count::<T>(matrix.stored(), right.len());
    T::run(SparseProduct::<T, SQUARED> { matrix, right })
}

struct SparseProduct<'a, T, const SQUARED: bool> {
    matrix: &'a SparseMatrix<T>,
    right: &'a [&'a [T]],
}

impl<T: Tiled, const SQUARED: bool> Kernel for SparseProduct<'_, T, SQUARED> {
    type Output = Columns<T>;

    #[inline(always)]
    fn call<const W: usize, const TWO: usize>(self) -> Columns<T> {
        let SparseProduct { matrix, right } = self;
        let mut out = Columns::zeros(matrix.rows(), right.len());
        for (first, wide) in tiles::<W>(right.len()) {
            match (wide, right.len() - first) {
                (true, _) => product_tile::<T, SQUARED, TWO>(matrix, right, first, &mut out),
                (false, 1) => product_tile::<T, SQUARED, 1>(matrix, right, first, &mut out),
                (false, _) => product_tile::<T, SQUARED, W>(matrix, right, first, &mut out),
            }
        }
        out
    }
}

#[inline(always)]
fn product_tile<T: Real, const SQUARED: bool, const W: usize>(
    matrix: &SparseMatrix<T>,
    right: &[&[T]],
    first: usize,
    out: &mut Columns<T>,
) {
    let tile = load::<T, W>(matrix.cols(), right, first);
    store(&rows_with::<T, SQUARED, W>(matrix, &tile), out, first);
}

/// Xᵀ (factors ∘ X · right) and X · right: `right` are P vectors with a number per column, `factors` P with a number per
/// row, `transpose` is Xᵀ.
pub(in crate::matrix) fn sparse_curved<T: Tiled, F: Real>(
    matrix: &SparseMatrix<T>,
    transpose: &SparseMatrix<T>,
    right: &[&[T]],
    factors: &[&[F]],
) -> (Columns<T>, Columns<T>) {
    flops::count::<T>(matrix.stored(), 2 * right.len());
    T::run(SparseCurved { matrix, transpose, right, factors })
}

struct SparseCurved<'a, T, F> {
    matrix: &'a SparseMatrix<T>,
    transpose: &'a SparseMatrix<T>,
    right: &'a [&'a [T]],
    factors: &'a [&'a [F]],
}

impl<T: Tiled, F: Real> Kernel for SparseCurved<'_, T, F> {
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

impl<T: Tiled, F: Real> SparseCurved<'_, T, F> {
    /// One tile; the rows' sums stay side by side for the way back.
    #[inline(always)]
    fn tile<const W: usize>(&self, first: usize, out: &mut Columns<T>, inner: &mut Columns<T>) {
        let tile = load::<T, W>(self.matrix.cols(), self.right, first);
        let mut sums = rows_with::<T, false, W>(self.matrix, &tile);
        store(&sums, inner, first);
        scale(&mut sums, self.factors, first);
        store(&rows_with::<T, false, W>(self.transpose, &sums), out, first);
    }
}
