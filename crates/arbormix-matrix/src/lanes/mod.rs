//! Products with several vectors at a time, in the lanes of vector registers.
//!
//! Dense rows for repeated products are stored in strips of neighbouring rows; the lanes are rows (`strips`). Sparse
//! rows share no columns, so the lanes are vectors: a batch of P vectors is cut into *tiles* of 8 (or 4) vectors, 16
//! (or 8) in single precision. A tile keeps the numbers of its vectors for one row next to each other, so every cell of
//! the matrix is loaded once for all of them. The order of additions for one vector does not depend on the other
//! vectors: a batch gives the same bits as its vectors one by one. Loops are compiled for the instruction set found at
//! run time; this only reaches code that is inlined into them. Loops over tiles are plain; loops over strips name their
//! registers, because the compiler did not vectorise them for every number of vectors.

mod packed;
mod sparse;
pub(crate) mod strips;

pub use packed::PackedColumns;
pub(crate) use packed::packed_product;
pub(crate) use sparse::{SparseRows, sparse_curved, sparse_curved_scattered, sparse_product, sparse_scattered};

use super::tiled::{Kernel, REGISTER, TILE, Tiled};
use super::{Columns, Real};

/// Rows of a tile that are transposed together: they stay in the L1 cache.
const TRANSPOSED_TOGETHER: usize = 16;

/// The numbers of one row for the vectors of a tile.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(32))]
struct Lanes<T, const W: usize>([T; W]);

impl<T: Real, const W: usize> Lanes<T, W> {
    const ZERO: Lanes<T, W> = Lanes([T::ZERO; W]);

    #[inline(always)]
    fn add_scaled(&mut self, factor: T, by: &Lanes<T, W>) {
        for lane in 0..W {
            self.0[lane] = factor.times_plus(by.0[lane], self.0[lane]);
        }
    }
}

/// Vectors `first .. first + W` of equal length, side by side; lanes beyond the last vector are 0.
#[inline(always)]
fn load<T: Real, const W: usize>(length: usize, vectors: &[&[T]], first: usize) -> Vec<Lanes<T, W>> {
    let mut tile = vec![Lanes::ZERO; length];
    let vectors = &vectors[first..vectors.len().min(first + W)];
    for start in (0..length).step_by(TRANSPOSED_TOGETHER) {
        let end = length.min(start + TRANSPOSED_TOGETHER);
        for (lane, vector) in vectors.iter().enumerate() {
            for (to, &from) in tile[start..end].iter_mut().zip(&vector[start..end]) {
                to.0[lane] = from;
            }
        }
    }
    tile
}

/// Multiplies each row of a tile by that row's factors, one per vector.
#[inline(always)]
fn scale<T: Real, F: Real, const W: usize>(rows: &mut [Lanes<T, W>], factors: &[&[F]], first: usize) {
    let factors = &factors[first..factors.len().min(first + W)];
    for start in (0..rows.len()).step_by(TRANSPOSED_TOGETHER) {
        let end = rows.len().min(start + TRANSPOSED_TOGETHER);
        for (lane, factors) in factors.iter().enumerate() {
            for (row, &factor) in rows[start..end].iter_mut().zip(&factors[start..end]) {
                row.0[lane] *= T::of(factor.wide());
            }
        }
    }
}

#[inline(always)]
fn store<T: Real, const W: usize>(tile: &[Lanes<T, W>], block: &mut Columns<T>, first: usize) {
    store_from(tile, block, first, 0);
}

/// Stores rows `row ..` of a block.
#[inline(always)]
fn store_from<T: Real, const W: usize>(tile: &[Lanes<T, W>], block: &mut Columns<T>, first: usize, row: usize) {
    for start in (0..tile.len()).step_by(TRANSPOSED_TOGETHER) {
        let end = tile.len().min(start + TRANSPOSED_TOGETHER);
        for lane in 0..W.min(block.cols() - first) {
            let rows = &mut block.column_mut(first + lane)[row + start..row + end];
            for (to, from) in rows.iter_mut().zip(&tile[start..end]) {
                *to = from.0[lane];
            }
        }
    }
}

/// First vector of every tile of `2 W` vectors, and whether it has more than W.
fn tiles<const W: usize>(vectors: usize) -> impl Iterator<Item = (usize, bool)> {
    (0..vectors.div_ceil(2 * W)).map(move |tile| (2 * W * tile, vectors - 2 * W * tile > W))
}
