//! Columns packed into tiles once, for many products.

use std::ops::Range;

use super::sparse::{SparseRows, sparse_row};
use super::{Kernel, Lanes, REGISTER, TILE, Tiled, load, tiles};
use crate::{Columns, DenseMatrix, Matrix, SparseMatrix, flops};

/// Columns in the layout of the kernels, for products with many different rows: a product with a single row must not
/// wait until all columns are packed.
#[derive(Debug, Clone, PartialEq)]
pub struct PackedColumns {
    rows: usize,
    cols: usize,
    tiles: Vec<Tile>,
}

/// Neighbouring columns, side by side.
#[derive(Debug, Clone, PartialEq)]
enum Tile {
    Eight(Vec<Lanes<f64, TILE>>),
    Four(Vec<Lanes<f64, REGISTER>>),
}

impl PackedColumns {
    /// Packs columns.
    pub fn new(columns: &Columns) -> PackedColumns {
        let (rows, cols, vectors) = (columns.rows(), columns.cols(), columns.all());
        let tile = |(first, wide)| match wide {
            true => Tile::Eight(load(rows, &vectors, first)),
            false => Tile::Four(load(rows, &vectors, first)),
        };
        PackedColumns { rows, cols, tiles: tiles::<REGISTER>(cols).map(tile).collect() }
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

/// Rows of a dense matrix that are processed together: their cells stay in the L1 cache for all tiles.
const ROWS_TOGETHER: usize = 48;
/// Rows whose sums are in registers at once. With a tile of two registers they take twelve of sixteen registers. A tile
/// does not fit into the L1 cache together with the rows; it is read once for the whole group.
const GROUP: usize = 6;

/// Σⱼ X[n, j] v[j] for a group of rows.
#[inline(always)]
fn group_product<const W: usize, const R: usize>(rows: &[&[f64]; R], right: &[Lanes<f64, W>]) -> [Lanes<f64, W>; R] {
    let rows = rows.map(|row| &row[..right.len()]);
    let mut sums = [Lanes::ZERO; R];
    for (j, v) in right.iter().enumerate() {
        for r in 0..R {
            sums[r].add_scaled(rows[r][j], v);
        }
    }
    sums
}

/// Calls `$work(rows, first row)` for groups of rows of the range, six at a time, then one by one.
macro_rules! for_groups {
    ($matrix:expr, $range:expr, |$rows:ident, $first:ident| $work:expr) => {{
        let mut $first = $range.start;
        while $first + GROUP <= $range.end {
            let $rows: [&[_]; GROUP] = std::array::from_fn(|r| $matrix.row($first + r));
            $work;
            $first += GROUP;
        }
        while $first < $range.end {
            let $rows = [$matrix.row($first)];
            $work;
            $first += 1;
        }
    }};
}

/// Ranges of rows that are processed together.
fn strips(rows: usize) -> impl Iterator<Item = Range<usize>> {
    (0..rows.div_ceil(ROWS_TOGETHER)).map(move |s| s * ROWS_TOGETHER..((s + 1) * ROWS_TOGETHER).min(rows))
}

/// X · right for some rows, as rows × P. For sparse rows each cell has the bits of [`Matrix::product`]; for dense rows
/// it is equal up to rounding.
pub(crate) fn packed_product(matrix: &Matrix, rows: Range<usize>, right: &PackedColumns) -> DenseMatrix {
    let cells = match matrix {
        Matrix::Dense(dense) => rows.len() * dense.cols(),
        Matrix::Sparse(sparse) => rows.clone().map(|row| sparse.row(row).0.len()).sum(),
    };
    flops::count::<f64>(cells, right.cols);
    f64::run(PackedProduct { matrix, rows, right })
}

struct PackedProduct<'a> {
    matrix: &'a Matrix,
    rows: Range<usize>,
    right: &'a PackedColumns,
}

impl Kernel for PackedProduct<'_> {
    type Output = DenseMatrix;

    #[inline(always)]
    fn call<const W: usize, const TWO: usize>(self) -> DenseMatrix {
        let PackedProduct { matrix, rows, right } = self;
        let mut out = DenseMatrix::zeros(rows.len(), right.cols);
        match matrix {
            Matrix::Dense(dense) => {
                for strip in strips(rows.len()) {
                    let strip = Strip { rows: rows.start + strip.start..rows.start + strip.end, first: rows.start };
                    for (place, tile) in right.tiles.iter().enumerate() {
                        match tile {
                            Tile::Eight(tile) => dense_rows(dense, &strip, tile, place, &mut out),
                            Tile::Four(tile) => dense_rows(dense, &strip, tile, place, &mut out),
                        }
                    }
                }
            }
            Matrix::Sparse(sparse) => {
                for (place, tile) in right.tiles.iter().enumerate() {
                    match tile {
                        Tile::Eight(tile) => sparse_rows(sparse, rows.clone(), tile, place, &mut out),
                        Tile::Four(tile) => sparse_rows(sparse, rows.clone(), tile, place, &mut out),
                    }
                }
            }
        }
        out
    }
}

/// Dense rows that are processed together.
struct Strip {
    rows: Range<usize>,
    /// The row of the matrix that is row 0 of the product.
    first: usize,
}

#[inline(always)]
fn dense_rows<const W: usize>(
    matrix: &DenseMatrix,
    strip: &Strip,
    tile: &[Lanes<f64, W>],
    place: usize,
    out: &mut DenseMatrix,
) {
    for_groups!(matrix, strip.rows, |rows, n| {
        let group = group_product(&rows, tile);
        for r in 0..group.len() {
            put(&group[r], place, out.row_mut(n + r - strip.first));
        }
    });
}

#[inline(always)]
fn sparse_rows<const W: usize>(
    matrix: &SparseMatrix,
    rows: Range<usize>,
    tile: &[Lanes<f64, W>],
    place: usize,
    out: &mut DenseMatrix,
) {
    let first = rows.start;
    for row in rows {
        put(&sparse_row::<f64, f64, false, W>(SparseRows::new(matrix), row, tile), place, out.row_mut(row - first));
    }
}

/// Writes the lanes of a tile's columns, without those beyond the last column.
#[inline(always)]
fn put<const W: usize>(lanes: &Lanes<f64, W>, place: usize, row: &mut [f64]) {
    let to = &mut row[TILE * place..];
    let width = to.len().min(W);
    to[..width].copy_from_slice(&lanes.0[..width]);
}
