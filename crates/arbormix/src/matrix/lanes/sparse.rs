//! Products of sparse rows; those of the transpose are the same on its rows.

use pulp::{Arch, NullaryFnOnce};

use super::{HALF, Lanes, TILE, load, store, tiles};
use crate::matrix::{Columns, SparseMatrix, flops};

/// Sums of a row that grow side by side: one alone would make every addition wait for the one before.
const CHAINS: usize = 4;

/// Σⱼ X[row, j] v[j]; cell i of the row belongs to sum i mod 4, whatever the width of the tile.
#[inline(always)]
pub(super) fn sparse_row<const W: usize, const SQUARED: bool>(
    matrix: &SparseMatrix,
    row: usize,
    right: &[Lanes<W>],
) -> Lanes<W> {
    let (columns, values) = matrix.row(row);
    let mut sums = [Lanes::<W>::ZERO; CHAINS];
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

#[inline(always)]
fn sparse_tile<const W: usize, const SQUARED: bool>(
    matrix: &SparseMatrix,
    right: &Columns,
    first: usize,
    out: &mut Columns,
) {
    let tile = load::<W>(right, first);
    let mut sums = vec![Lanes::<W>::ZERO; matrix.rows()];
    for (row, sum) in sums.iter_mut().enumerate() {
        *sum = sparse_row::<W, SQUARED>(matrix, row, &tile);
    }
    store(&sums, out, first);
}

/// X · right, rows × P; with `SQUARED`, of the squares of X's cells.
pub(in crate::matrix) fn sparse_product<const SQUARED: bool>(matrix: &SparseMatrix, right: &Columns) -> Columns {
    flops::count(matrix.stored(), right.cols());
    Arch::new().dispatch(SparseProduct::<SQUARED> { matrix, right })
}

struct SparseProduct<'a, const SQUARED: bool> {
    matrix: &'a SparseMatrix,
    right: &'a Columns,
}

impl<const SQUARED: bool> NullaryFnOnce for SparseProduct<'_, SQUARED> {
    type Output = Columns;

    #[inline(always)]
    fn call(self) -> Columns {
        let SparseProduct { matrix, right } = self;
        let mut out = Columns::zeros(matrix.rows(), right.cols());
        for (first, wide) in tiles(right.cols()) {
            match (wide, right.cols() - first) {
                (true, _) => sparse_tile::<TILE, SQUARED>(matrix, right, first, &mut out),
                (false, 1) => sparse_tile::<1, SQUARED>(matrix, right, first, &mut out),
                (false, _) => sparse_tile::<HALF, SQUARED>(matrix, right, first, &mut out),
            }
        }
        out
    }
}
