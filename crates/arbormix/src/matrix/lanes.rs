//! Products with a few vectors at a time, side by side in the lanes of vector registers.
//!
//! A batch of P vectors is cut into *tiles* of 8 (or 4) neighbours; a tile keeps the numbers of its vectors for one row
//! next to each other, so that every cell of the matrix is loaded once and meets all of them. Each lane adds in an
//! order of its own that does not depend on its neighbours: the result for a batch is, bit for bit, that of the vectors
//! one by one. The loops are compiled for the instruction set found at run time; that reaches only what is inlined
//! into them, so they are plain loops, without closures.

use super::{Columns, DenseMatrix, SparseMatrix};
use pulp::{Arch, NullaryFnOnce};

/// The numbers of one row for the vectors of a tile.
#[derive(Debug, Clone, Copy)]
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

/// Rows of a dense matrix that are worked on together: their cells stay in the nearest cache for all tiles.
const ROWS_TOGETHER: usize = 48;
/// Rows whose sums are kept in registers at once.
const GROUP: usize = 4;

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
    (0..cols.div_ceil(8)).map(move |tile| (8 * tile, cols - 8 * tile > 4))
}

/// Σⱼ X[n, j] v[j] for a group of rows.
#[inline(always)]
fn group_product<const W: usize, const R: usize>(rows: &[&[f64]; R], right: &[Lanes<W>]) -> [Lanes<W>; R] {
    let rows = rows.map(|row| &row[..right.len()]);
    let mut sums = [Lanes::ZERO; R];
    for (j, v) in right.iter().enumerate() {
        for r in 0..R {
            sums[r].add_scaled(rows[r][j], v);
        }
    }
    sums
}

/// out[j] += Σₙ X[n, j] u[n] over a group of rows.
#[inline(always)]
fn add_group<const W: usize, const R: usize>(rows: &[&[f64]; R], left: &[Lanes<W>; R], out: &mut [Lanes<W>]) {
    let rows = rows.map(|row| &row[..out.len()]);
    for (j, out) in out.iter_mut().enumerate() {
        let mut sum = *out;
        for r in 0..R {
            sum.add_scaled(rows[r][j], &left[r]);
        }
        *out = sum;
    }
}

/// Calls `$work(rows, first row)` for groups of rows of the range, four at a time, then one by one.
macro_rules! for_groups {
    ($matrix:expr, $range:expr, |$rows:ident, $first:ident| $work:expr) => {{
        let mut $first = $range.start;
        while $first + GROUP <= $range.end {
            let $rows: [&[f64]; GROUP] = std::array::from_fn(|r| $matrix.row($first + r));
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

/// Ranges of rows worked on together.
fn strips(rows: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
    (0..rows.div_ceil(ROWS_TOGETHER)).map(move |s| s * ROWS_TOGETHER..((s + 1) * ROWS_TOGETHER).min(rows))
}

#[inline(always)]
fn dense_product_tile<const W: usize>(matrix: &DenseMatrix, right: &Columns, first: usize, out: &mut Columns) {
    let tile = load::<W>(right, first);
    let mut sums = vec![Lanes::<W>::ZERO; matrix.rows()];
    for_groups!(matrix, (0..matrix.rows()), |rows, n| {
        let group = group_product(&rows, &tile);
        sums[n..n + group.len()].copy_from_slice(&group);
    });
    store(&sums, out, first);
}

/// X · right, rows × P.
pub(super) fn dense_product(matrix: &DenseMatrix, right: &Columns) -> Columns {
    Arch::new().dispatch(DenseProduct { matrix, right })
}

struct DenseProduct<'a> {
    matrix: &'a DenseMatrix,
    right: &'a Columns,
}

impl NullaryFnOnce for DenseProduct<'_> {
    type Output = Columns;

    #[inline(always)]
    fn call(self) -> Columns {
        let DenseProduct { matrix, right } = self;
        let mut out = Columns::zeros(matrix.rows(), right.cols());
        for (first, wide) in tiles(right.cols()) {
            match wide {
                true => dense_product_tile::<8>(matrix, right, first, &mut out),
                false => dense_product_tile::<4>(matrix, right, first, &mut out),
            }
        }
        out
    }
}

#[inline(always)]
fn dense_transposed_tile<const W: usize, const SQUARED: bool>(
    matrix: &DenseMatrix,
    left: &Columns,
    first: usize,
    out: &mut Columns,
) {
    let tile = load::<W>(left, first);
    let mut sums = vec![Lanes::<W>::ZERO; matrix.cols()];
    for_groups!(matrix, (0..matrix.rows()), |rows, n| {
        let group = std::array::from_fn(|r| tile[n + r]);
        if SQUARED {
            add_group_squared(&rows, &group, &mut sums);
        } else {
            add_group(&rows, &group, &mut sums);
        }
    });
    store(&sums, out, first);
}

/// out[j] += Σₙ X[n, j]² u[n] over a group of rows.
#[inline(always)]
fn add_group_squared<const W: usize, const R: usize>(rows: &[&[f64]; R], left: &[Lanes<W>; R], out: &mut [Lanes<W>]) {
    let rows = rows.map(|row| &row[..out.len()]);
    for (j, out) in out.iter_mut().enumerate() {
        let mut sum = *out;
        for r in 0..R {
            sum.add_scaled(rows[r][j] * rows[r][j], &left[r]);
        }
        *out = sum;
    }
}

/// Xᵀ · left, columns × P; with `SQUARED`, of the squares of X's cells.
pub(super) fn dense_transposed<const SQUARED: bool>(matrix: &DenseMatrix, left: &Columns) -> Columns {
    Arch::new().dispatch(DenseTransposed::<SQUARED> { matrix, left })
}

struct DenseTransposed<'a, const SQUARED: bool> {
    matrix: &'a DenseMatrix,
    left: &'a Columns,
}

impl<const SQUARED: bool> NullaryFnOnce for DenseTransposed<'_, SQUARED> {
    type Output = Columns;

    #[inline(always)]
    fn call(self) -> Columns {
        let DenseTransposed { matrix, left } = self;
        let mut out = Columns::zeros(matrix.cols(), left.cols());
        for (first, wide) in tiles(left.cols()) {
            match wide {
                true => dense_transposed_tile::<8, SQUARED>(matrix, left, first, &mut out),
                false => dense_transposed_tile::<4, SQUARED>(matrix, left, first, &mut out),
            }
        }
        out
    }
}

/// One tile of a curved product.
struct CurvedTile<const W: usize> {
    first: usize,
    right: Vec<Lanes<W>>,
    factors: Vec<Lanes<W>>,
    inner: Vec<Lanes<W>>,
    out: Vec<Lanes<W>>,
}

impl<const W: usize> CurvedTile<W> {
    #[inline(always)]
    fn new(matrix: &DenseMatrix, right: &Columns, factors: &[&[f64]], first: usize) -> CurvedTile<W> {
        CurvedTile {
            first,
            right: load(right, first),
            factors: side_by_side(matrix.rows(), factors[first..].iter().copied()),
            inner: vec![Lanes::ZERO; matrix.rows()],
            out: vec![Lanes::ZERO; matrix.cols()],
        }
    }

    #[inline(always)]
    fn add(&mut self, matrix: &DenseMatrix, range: std::ops::Range<usize>) {
        for_groups!(matrix, range, |rows, n| {
            let mut group = group_product(&rows, &self.right);
            for (r, sums) in group.iter_mut().enumerate() {
                self.inner[n + r] = *sums;
                for lane in 0..W {
                    sums.0[lane] *= self.factors[n + r].0[lane];
                }
            }
            add_group(&rows, &group, &mut self.out);
        });
    }
}

/// Xᵀ (factors ∘ X · right) and X · right, reading X once: `factors` are P columns of one number per row, `right`
/// columns × P.
pub(super) fn dense_curved(matrix: &DenseMatrix, right: &Columns, factors: &[&[f64]]) -> (Columns, Columns) {
    Arch::new().dispatch(DenseCurved { matrix, right, factors })
}

struct DenseCurved<'a> {
    matrix: &'a DenseMatrix,
    right: &'a Columns,
    factors: &'a [&'a [f64]],
}

impl NullaryFnOnce for DenseCurved<'_> {
    type Output = (Columns, Columns);

    #[inline(always)]
    fn call(self) -> (Columns, Columns) {
        let DenseCurved { matrix, right, factors } = self;
        let mut out = Columns::zeros(matrix.cols(), right.cols());
        let mut inner = Columns::zeros(matrix.rows(), right.cols());
        let mut eights: Vec<CurvedTile<8>> = Vec::new();
        let mut fours: Vec<CurvedTile<4>> = Vec::new();
        for (first, wide) in tiles(right.cols()) {
            match wide {
                true => eights.push(CurvedTile::new(matrix, right, factors, first)),
                false => fours.push(CurvedTile::new(matrix, right, factors, first)),
            }
        }
        for strip in strips(matrix.rows()) {
            for tile in &mut eights {
                tile.add(matrix, strip.clone());
            }
            for tile in &mut fours {
                tile.add(matrix, strip.clone());
            }
        }
        for tile in &eights {
            store(&tile.inner, &mut inner, tile.first);
            store(&tile.out, &mut out, tile.first);
        }
        for tile in &fours {
            store(&tile.inner, &mut inner, tile.first);
            store(&tile.out, &mut out, tile.first);
        }
        (out, inner)
    }
}

#[inline(always)]
fn sparse_row<const W: usize, const SQUARED: bool>(matrix: &SparseMatrix, row: usize, right: &[Lanes<W>]) -> Lanes<W> {
    let (columns, values) = matrix.row(row);
    let mut sum = Lanes::ZERO;
    for (&column, &value) in columns.iter().zip(values) {
        sum.add_scaled(if SQUARED { value * value } else { value }, &right[column as usize]);
    }
    sum
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
pub(super) fn sparse_product<const SQUARED: bool>(matrix: &SparseMatrix, right: &Columns) -> Columns {
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
                (true, _) => sparse_tile::<8, SQUARED>(matrix, right, first, &mut out),
                (false, 1) => sparse_tile::<1, SQUARED>(matrix, right, first, &mut out),
                (false, _) => sparse_tile::<4, SQUARED>(matrix, right, first, &mut out),
            }
        }
        out
    }
}
