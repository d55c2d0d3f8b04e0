//! Products with sparse rows. Products with the transpose use its rows, or scatter the cells of every row over the
//! columns.

use std::ops::Range;

use super::{Kernel, Lanes, Tiled, load, scale, store, store_from, tiles};
use crate::{Columns, Real, SparseMatrix, flops};

/// Independent sums per row: with a single sum every addition would wait for the one before.
const CHAINS: usize = 4;

/// Sparse rows for the kernels. Cells may be stored in a higher precision than that of the products; they are rounded
/// when they are read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SparseRows<'a, V> {
    cells: &'a SparseMatrix<V>,
    /// Whether every row has one more cell at its end, a 1 that is not stored.
    ones: bool,
}

impl<'a, V: Real> SparseRows<'a, V> {
    pub(crate) fn new(cells: &'a SparseMatrix<V>) -> SparseRows<'a, V> {
        SparseRows { cells, ones: false }
    }

    /// With a last column of ones if `ones`.
    pub(crate) fn with_ones(cells: &'a SparseMatrix<V>, ones: bool) -> SparseRows<'a, V> {
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

/// Rows that are processed together where the transpose is not stored: their cells stay in a cache between the product
/// with X and the product with Xᵀ.
const SCATTERED_TOGETHER: usize = 64;

/// A stored cell, or its square, in the precision of the products.
#[inline(always)]
fn cell<T: Real, V: Real, const SQUARED: bool>(value: V) -> T {
    let value = T::of(value.wide());
    if SQUARED { value * value } else { value }
}

/// Σⱼ X[row, j] v[j]; cell i of the row belongs to sum i mod 4, whatever the width of the tile.
#[inline(always)]
pub(crate) fn sparse_row<T: Real, V: Real, const SQUARED: bool, const W: usize>(
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
pub(crate) fn sparse_product<T: Tiled, V: Real, const SQUARED: bool>(
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
pub(crate) fn sparse_curved<T: Tiled, V: Real, F: Real>(
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
    /// One tile; the sums of the rows are kept for the product with Xᵀ.
    #[inline(always)]
    fn tile<const W: usize>(&self, first: usize, out: &mut Columns<T>, inner: &mut Columns<T>) {
        let tile = load::<T, W>(self.matrix.cols(), self.right, first);
        let mut sums = rows_with::<T, V, false, W>(self.matrix, &tile);
        store(&sums, inner, first);
        scale(&mut sums, self.factors, first);
        store(&rows_with::<T, V, false, W>(self.transpose, &sums), out, first);
    }
}

/// Xᵀ · left, columns × P, without the transpose: every row adds its cells, times its number, to the sums of their
/// columns. This reads the matrix in order and accesses one number per column at random; the transpose would access one
/// number per row. So this is faster if there are more rows than columns. The products of a column are added in the
/// order of the rows.
pub(crate) fn sparse_scattered<T: Tiled, V: Real, const SQUARED: bool>(
    matrix: SparseRows<'_, V>,
    left: &[&[T]],
) -> Columns<T> {
    flops::count::<T>(matrix.stored(), left.len());
    T::run(SparseScattered::<T, V, SQUARED> { matrix, left })
}

struct SparseScattered<'a, T, V, const SQUARED: bool> {
    matrix: SparseRows<'a, V>,
    left: &'a [&'a [T]],
}

impl<T: Tiled, V: Real, const SQUARED: bool> Kernel for SparseScattered<'_, T, V, SQUARED> {
    type Output = Columns<T>;

    #[inline(always)]
    fn call<const W: usize, const TWO: usize>(self) -> Columns<T> {
        let mut out = Columns::zeros(self.matrix.cols(), self.left.len());
        for (first, wide) in tiles::<W>(self.left.len()) {
            match (wide, self.left.len() - first) {
                (true, _) => self.tile::<TWO>(first, &mut out),
                (false, 1) => self.tile::<1>(first, &mut out),
                (false, _) => self.tile::<W>(first, &mut out),
            }
        }
        out
    }
}

impl<T: Tiled, V: Real, const SQUARED: bool> SparseScattered<'_, T, V, SQUARED> {
    #[inline(always)]
    fn tile<const W: usize>(&self, first: usize, out: &mut Columns<T>) {
        let mut sums = vec![Lanes::<T, W>::ZERO; self.matrix.cols()];
        for rows in strips(self.matrix.rows()) {
            let part: Vec<&[T]> = self.left.iter().map(|vector| &vector[rows.clone()]).collect();
            let factors = load::<T, W>(rows.len(), &part, first);
            for (row, factor) in rows.zip(&factors) {
                scatter_row::<T, V, SQUARED, W>(self.matrix, row, factor, &mut sums);
            }
        }
        store(&sums, out, first);
    }
}

/// Like [`sparse_curved`], without the transpose; see [`sparse_scattered`].
pub(crate) fn sparse_curved_scattered<T: Tiled, V: Real, F: Real>(
    matrix: SparseRows<'_, V>,
    right: &[&[T]],
    factors: &[&[F]],
) -> (Columns<T>, Columns<T>) {
    flops::count::<T>(matrix.stored(), 2 * right.len());
    T::run(CurvedScattered { matrix, right, factors })
}

struct CurvedScattered<'a, T, V, F> {
    matrix: SparseRows<'a, V>,
    right: &'a [&'a [T]],
    factors: &'a [&'a [F]],
}

impl<T: Tiled, V: Real, F: Real> Kernel for CurvedScattered<'_, T, V, F> {
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

impl<T: Tiled, V: Real, F: Real> CurvedScattered<'_, T, V, F> {
    #[inline(always)]
    fn tile<const W: usize>(&self, first: usize, out: &mut Columns<T>, inner: &mut Columns<T>) {
        let tile = load::<T, W>(self.matrix.cols(), self.right, first);
        let mut sums = vec![Lanes::<T, W>::ZERO; self.matrix.cols()];
        let mut images = [Lanes::<T, W>::ZERO; SCATTERED_TOGETHER];
        for rows in strips(self.matrix.rows()) {
            let images = &mut images[..rows.len()];
            for (row, image) in rows.clone().zip(images.iter_mut()) {
                *image = sparse_row::<T, V, false, W>(self.matrix, row, &tile);
            }
            store_from(images, inner, first, rows.start);
            let part: Vec<&[F]> = self.factors.iter().map(|vector| &vector[rows.clone()]).collect();
            scale(images, &part, first);
            for (row, image) in rows.zip(images.iter()) {
                scatter_row::<T, V, false, W>(self.matrix, row, image, &mut sums);
            }
        }
        store(&sums, out, first);
    }
}

fn strips(rows: usize) -> impl Iterator<Item = Range<usize>> {
    (0..rows).step_by(SCATTERED_TOGETHER).map(move |start| start..rows.min(start + SCATTERED_TOGETHER))
}

/// Adds a row's cells, times `factor`, to the sums of their columns.
#[inline(always)]
fn scatter_row<T: Real, V: Real, const SQUARED: bool, const W: usize>(
    matrix: SparseRows<'_, V>,
    row: usize,
    factor: &Lanes<T, W>,
    sums: &mut [Lanes<T, W>],
) {
    let (columns, values) = matrix.cells.row(row);
    for (&column, &value) in columns.iter().zip(values) {
        sums[column as usize].add_scaled(cell::<T, V, SQUARED>(value), factor);
    }
    if matrix.ones {
        sums[matrix.cells.cols()].add_scaled(T::of(1.0), factor);
    }
}
