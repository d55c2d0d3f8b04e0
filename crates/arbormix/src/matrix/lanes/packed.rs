//! Columns packed into tiles once, for many products.

use pulp::{Arch, NullaryFnOnce};

use super::dense::{GROUP, for_groups, group_product, strips};
use super::sparse::sparse_row;
use super::{HALF, Lanes, TILE, load, tiles};
use crate::matrix::{Columns, DenseMatrix, Matrix, SparseMatrix, flops};

/// Columns that ever new rows are multiplied with, as the kernels read them: a product with a single row must not wait
/// for the packing of all columns.
#[derive(Debug, Clone, PartialEq)]
pub struct PackedColumns {
    rows: usize,
    cols: usize,
    tiles: Vec<Tile>,
}

/// Neighbouring columns, side by side.
#[derive(Debug, Clone, PartialEq)]
enum Tile {
    Eight(Vec<Lanes<TILE>>),
    Four(Vec<Lanes<HALF>>),
}

impl PackedColumns {
    /// Packs columns.
    pub fn new(columns: &Columns) -> PackedColumns {
        let tile = |(first, wide)| match wide {
            true => Tile::Eight(load(columns, first)),
            false => Tile::Four(load(columns, first)),
        };
        PackedColumns { rows: columns.rows(), cols: columns.cols(), tiles: tiles(columns.cols()).map(tile).collect() }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// One cell.
    pub fn get(&self, row: usize, column: usize) -> f64 {
        match &self.tiles[column / TILE] {
            Tile::Eight(lanes) => lanes[row].0[column % TILE],
            Tile::Four(lanes) => lanes[row].0[column % TILE],
        }
    }

    /// The columns, unpacked.
    pub fn to_columns(&self) -> Columns {
        let mut out = Columns::zeros(self.rows, self.cols);
        for column in 0..self.cols {
            out.column_mut(column).iter_mut().enumerate().for_each(|(row, cell)| *cell = self.get(row, column));
        }
        out
    }
}

/// X · right, rows × P, row by row; each cell has the bits of [`Matrix::product`].
pub(in crate::matrix) fn packed_product(matrix: &Matrix, right: &PackedColumns) -> DenseMatrix {
    let cells = match matrix {
        Matrix::Dense(dense) => dense.values().len(),
        Matrix::Sparse(sparse) => sparse.stored(),
    };
    flops::count(cells, right.cols);
    Arch::new().dispatch(PackedProduct { matrix, right })
}

struct PackedProduct<'a> {
    matrix: &'a Matrix,
    right: &'a PackedColumns,
}

impl NullaryFnOnce for PackedProduct<'_> {
    type Output = DenseMatrix;

    #[inline(always)]
    fn call(self) -> DenseMatrix {
        let PackedProduct { matrix, right } = self;
        let mut out = DenseMatrix::zeros(matrix.rows(), right.cols);
        for strip in strips(matrix.rows()) {
            for (place, tile) in right.tiles.iter().enumerate() {
                match (matrix, tile) {
                    (Matrix::Dense(dense), Tile::Eight(tile)) => {
                        dense_rows(dense, strip.clone(), tile, place, &mut out)
                    }
                    (Matrix::Dense(dense), Tile::Four(tile)) => dense_rows(dense, strip.clone(), tile, place, &mut out),
                    (Matrix::Sparse(sparse), Tile::Eight(tile)) => {
                        sparse_rows(sparse, strip.clone(), tile, place, &mut out);
                    }
                    (Matrix::Sparse(sparse), Tile::Four(tile)) => {
                        sparse_rows(sparse, strip.clone(), tile, place, &mut out);
                    }
                }
            }
        }
        out
    }
}

#[inline(always)]
fn dense_rows<const W: usize>(
    matrix: &DenseMatrix,
    range: std::ops::Range<usize>,
    tile: &[Lanes<W>],
    place: usize,
    out: &mut DenseMatrix,
) {
    for_groups!(matrix, range, |rows, n| {
        let group = group_product(&rows, tile);
        for r in 0..group.len() {
            put(&group[r], place, out.row_mut(n + r));
        }
    });
}

#[inline(always)]
fn sparse_rows<const W: usize>(
    matrix: &SparseMatrix,
    range: std::ops::Range<usize>,
    tile: &[Lanes<W>],
    place: usize,
    out: &mut DenseMatrix,
) {
    for row in range {
        put(&sparse_row::<W, false>(matrix, row, tile), place, out.row_mut(row));
    }
}

/// Writes the lanes of a tile's columns, without those beyond the last column.
#[inline(always)]
fn put<const W: usize>(lanes: &Lanes<W>, place: usize, row: &mut [f64]) {
    let to = &mut row[TILE * place..];
    let width = to.len().min(W);
    to[..width].copy_from_slice(&lanes.0[..width]);
}
