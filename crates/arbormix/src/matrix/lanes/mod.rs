//! Products with a few vectors at a time, side by side in the lanes of vector registers.
//!
//! A batch of P vectors is cut into *tiles* of 8 (or 4) neighbours; a tile keeps the numbers of its vectors for one row
//! next to each other, so that every cell of the matrix is loaded once and meets all of them. Each lane adds in an
//! order of its own that does not depend on its neighbours: the result for a batch is, bit for bit, that of the vectors
//! one by one. The loops are compiled for the instruction set found at run time; that reaches only what is inlined
//! into them, so they are plain loops, without closures.

mod dense;
mod packed;
mod sparse;

pub(super) use dense::{dense_curved, dense_product, dense_transposed};
pub use packed::PackedColumns;
pub(super) use packed::packed_product;
pub(super) use sparse::sparse_product;

use super::Columns;

/// Vectors that the kernels work on side by side.
pub(crate) const TILE: usize = 8;
/// The width of a last tile with few vectors.
const HALF: usize = TILE / 2;

/// The numbers of one row for the vectors of a tile.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(32))]
struct Lanes<const W: usize>([f64; W]);

impl<const W: usize> Lanes<W> {
    const ZERO: Lanes<W> = Lanes([0.0; W]);

    #[inline(always)]
    fn add_scaled(&mut self, factor: f64, by: &Lanes<W>) {
        for lane in 0..W {
            self.0[lane] = factor.mul_add(by.0[lane], self.0[lane]);
        }
    }
}

/// Columns `first .. first + W` of a block, side by side; lanes beyond its last column are 0.
#[inline(always)]
fn load<const W: usize>(block: &Columns, first: usize) -> Vec<Lanes<W>> {
    let columns = (first..block.cols().min(first + W)).map(|column| block.column(column));
    side_by_side(block.rows(), columns)
}

#[inline(always)]
fn side_by_side<'a, const W: usize>(rows: usize, columns: impl Iterator<Item = &'a [f64]>) -> Vec<Lanes<W>> {
    let mut tile = vec![Lanes::ZERO; rows];
    for (lane, column) in columns.take(W).enumerate() {
        for (to, &from) in tile.iter_mut().zip(column) {
            to.0[lane] = from;
        }
    }
    tile
}

#[inline(always)]
fn store<const W: usize>(tile: &[Lanes<W>], block: &mut Columns, first: usize) {
    for lane in 0..W.min(block.cols() - first) {
        for (to, from) in block.column_mut(first + lane).iter_mut().zip(tile) {
            *to = from.0[lane];
        }
    }
}

/// First column and width of every tile: eights, then one four or eight for the rest.
fn tiles(cols: usize) -> impl Iterator<Item = (usize, bool)> {
    (0..cols.div_ceil(TILE)).map(move |tile| (TILE * tile, cols - TILE * tile > HALF))
}
