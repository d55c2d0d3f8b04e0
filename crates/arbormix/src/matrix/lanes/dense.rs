//! Products of dense rows.

use pulp::{Arch, NullaryFnOnce};

use super::{HALF, Lanes, TILE, load, side_by_side, store, tiles};
use crate::matrix::{Columns, DenseMatrix, flops};

/// Rows of a dense matrix that are worked on together: their cells stay in the nearest cache for all tiles.
const ROWS_TOGETHER: usize = 48;
/// Rows whose sums are kept in registers at once: with a tile of eight that is twelve of sixteen registers, and a tile,
/// which does not fit the nearest cache beside the rows, is read once for all of them.
pub(super) const GROUP: usize = 6;

/// Σⱼ X[n, j] v[j] for a group of rows.
#[inline(always)]
pub(super) fn group_product<const W: usize, const R: usize>(rows: &[&[f64]; R], right: &[Lanes<W>]) -> [Lanes<W>; R] {
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

/// Calls `$work(rows, first row)` for groups of rows of the range, six at a time, then one by one.
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
pub(super) use for_groups;

/// Ranges of rows worked on together.
pub(super) fn strips(rows: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
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
pub(in crate::matrix) fn dense_product(matrix: &DenseMatrix, right: &Columns) -> Columns {
    flops::count(matrix.values().len(), right.cols());
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
                true => dense_product_tile::<TILE>(matrix, right, first, &mut out),
                false => dense_product_tile::<HALF>(matrix, right, first, &mut out),
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
pub(in crate::matrix) fn dense_transposed<const SQUARED: bool>(matrix: &DenseMatrix, left: &Columns) -> Columns {
    flops::count(matrix.values().len(), left.cols());
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
                true => dense_transposed_tile::<TILE, SQUARED>(matrix, left, first, &mut out),
                false => dense_transposed_tile::<HALF, SQUARED>(matrix, left, first, &mut out),
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
pub(in crate::matrix) fn dense_curved(matrix: &DenseMatrix, right: &Columns, factors: &[&[f64]]) -> (Columns, Columns) {
    flops::count(matrix.values().len(), 2 * right.cols());
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
        let mut eights: Vec<CurvedTile<TILE>> = Vec::new();
        let mut fours: Vec<CurvedTile<HALF>> = Vec::new();
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
