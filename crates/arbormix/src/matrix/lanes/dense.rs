//! Products of dense rows; here the lanes of a register run along a row's cells.
//!
//! As in every fast matrix product, a few rows meet a few vectors at once and their sums stay in registers, so that a cell
//! that was loaded serves several of them; few vectors (regressions that have not converged yet) waste no lanes. Rows are
//! worked on in strips that stay in the nearest cache for all vectors and for the way back.

use super::{Kernel, Lanes, Tiled};
use crate::matrix::{Columns, DenseMatrix, Real, flops};

/// Rows of a strip: a multiple of all numbers of rows that meet vectors at once.
const STRIP: usize = 12;
/// Vectors that meet rows at once, at most; with the rows of `for_some!` they have six to twelve sums in registers.
const VECTORS: usize = 6;

/// Runs `$body` with the constants `$vectors` (1 to 6) and `$rows`, how many rows meet so many vectors at once.
macro_rules! for_some {
    ($count:expr, |$vectors:ident, $rows:ident| $body:expr) => {
        match $count {
            1 => for_some!(@ 1, 6, $vectors, $rows, $body),
            2 => for_some!(@ 2, 6, $vectors, $rows, $body),
            3 => for_some!(@ 3, 4, $vectors, $rows, $body),
            4 => for_some!(@ 4, 3, $vectors, $rows, $body),
            5 => for_some!(@ 5, 2, $vectors, $rows, $body),
            _ => for_some!(@ 6, 2, $vectors, $rows, $body),
        }
    };
    (@ $p:literal, $r:literal, $vectors:ident, $rows:ident, $body:expr) => {{
        const $vectors: usize = $p;
        const $rows: usize = $r;
        $body
    }};
}

/// Shares of so many vectors that they differ by one at most and hold [`VECTORS`] at most: first vector, number.
fn shares(vectors: usize) -> impl Iterator<Item = (usize, usize)> {
    let count = vectors.div_ceil(VECTORS);
    let start = move |share: usize| share * vectors / count.max(1);
    (0..count).map(move |share| (start(share), start(share + 1) - start(share)))
}

/// A strip of rows.
struct Strip<'a, T> {
    cells: &'a [T],
    cols: usize,
    first: usize,
    rows: usize,
}

fn strips<T: Real>(matrix: &DenseMatrix<T>) -> impl Iterator<Item = Strip<'_, T>> {
    let (rows, cols) = (matrix.rows(), matrix.cols());
    (0..rows).step_by(STRIP).map(move |first| {
        let rows = STRIP.min(rows - first);
        Strip { cells: &matrix.values()[first * cols..(first + rows) * cols], cols, first, rows }
    })
}

/// A vector in registers' portions, the last one filled up with zeros.
#[inline(always)]
fn portions<T: Real, const W: usize>(vector: &[T]) -> Vec<Lanes<T, W>> {
    let mut out = vec![Lanes::ZERO; vector.len().div_ceil(W)];
    for (to, from) in out.iter_mut().zip(vector.chunks(W)) {
        to.0[..from.len()].copy_from_slice(from);
    }
    out
}

/// The sums of R rows of a strip with P vectors.
#[inline(always)]
fn sums<T: Real, const W: usize, const R: usize, const P: usize>(
    rows: [&[T]; R],
    vectors: &[Vec<Lanes<T, W>>; P],
) -> [[T; P]; R] {
    let whole = rows[0].len() / W;
    let cells: [(&[[T; W]], &[T]); R] = rows.map(|row| {
        let (cells, rest) = row.as_chunks::<W>();
        (&cells[..whole], rest)
    });
    let portions: [&[Lanes<T, W>]; P] = std::array::from_fn(|p| &vectors[p][..whole]);
    let mut sums = [[Lanes::<T, W>::ZERO; P]; R];
    for at in 0..whole {
        for r in 0..R {
            for p in 0..P {
                sums[r][p].add_product(&cells[r].0[at], &portions[p][at].0);
            }
        }
    }
    if vectors[0].len() > whole {
        for r in 0..R {
            let mut last = [T::ZERO; W];
            last[..cells[r].1.len()].copy_from_slice(cells[r].1);
            for p in 0..P {
                sums[r][p].add_product(&last, &vectors[p][whole].0);
            }
        }
    }
    sums.map(|row| row.map(|lanes| lanes.total()))
}

impl<T: Real> Strip<'_, T> {
    #[inline(always)]
    fn row(&self, row: usize) -> &[T] {
        &self.cells[row * self.cols..(row + 1) * self.cols]
    }

    /// X · vectors: for each row of the strip its P sums.
    #[inline(always)]
    fn product<const W: usize, const R: usize, const P: usize>(
        &self,
        vectors: &[Vec<Lanes<T, W>>; P],
    ) -> [[T; P]; STRIP] {
        let mut out = [[T::ZERO; P]; STRIP];
        let mut row = 0;
        while row + R <= self.rows {
            let some = sums::<T, W, R, P>(std::array::from_fn(|r| self.row(row + r)), vectors);
            out[row..row + R].copy_from_slice(&some);
            row += R;
        }
        while row < self.rows {
            [out[row]] = sums::<T, W, 1, P>([self.row(row)], vectors);
            row += 1;
        }
        out
    }

    /// out += Xᵀ · left, where `left` has P numbers for each row; with `SQUARED`, of the squares of X's cells.
    #[inline(always)]
    fn add_back<const SQUARED: bool, const W: usize, const P: usize>(
        &self,
        left: &[[T; P]; STRIP],
        out: &mut [Vec<Lanes<T, W>>; P],
    ) {
        let whole = self.cols / W;
        let mut at = 0;
        while at + 2 <= whole {
            self.add_portions::<SQUARED, W, P, 2>(left, out, at);
            at += 2;
        }
        if at < whole {
            self.add_portions::<SQUARED, W, P, 1>(left, out, at);
        }
        let rest = self.cols - whole * W;
        if rest > 0 {
            for row in 0..self.rows {
                let mut cells = [T::ZERO; W];
                cells[..rest].copy_from_slice(&self.row(row)[whole * W..]);
                if SQUARED {
                    cells.iter_mut().for_each(|cell| *cell *= *cell);
                }
                for p in 0..P {
                    out[p][whole].add_scaled(left[row][p], &Lanes(cells));
                }
            }
        }
    }

    /// The same for N neighbouring portions of columns.
    #[inline(always)]
    fn add_portions<const SQUARED: bool, const W: usize, const P: usize, const N: usize>(
        &self,
        left: &[[T; P]; STRIP],
        out: &mut [Vec<Lanes<T, W>>; P],
        at: usize,
    ) {
        let mut sums: [[Lanes<T, W>; N]; P] = std::array::from_fn(|p| std::array::from_fn(|n| out[p][at + n]));
        for row in 0..self.rows {
            let (cells, _) = self.cells[row * self.cols + at * W..][..N * W].as_chunks::<W>();
            for n in 0..N {
                let mut cells = cells[n];
                if SQUARED {
                    cells.iter_mut().for_each(|cell| *cell *= *cell);
                }
                for p in 0..P {
                    sums[p][n].add_scaled(left[row][p], &Lanes(cells));
                }
            }
        }
        for p in 0..P {
            out[p][at..at + N].copy_from_slice(&sums[p]);
        }
    }
}

/// P neighbouring vectors in portions.
#[inline(always)]
fn some_portions<T: Real, const W: usize, const P: usize>(vectors: &[&[T]], first: usize) -> [Vec<Lanes<T, W>>; P] {
    std::array::from_fn(|p| portions(vectors[first + p]))
}

/// Writes sums kept in portions to columns of `out`.
#[inline(always)]
fn finish<T: Real, const W: usize, const P: usize>(sums: &[Vec<Lanes<T, W>>; P], out: &mut Columns<T>, first: usize) {
    for p in 0..P {
        for (to, from) in out.column_mut(first + p).chunks_mut(W).zip(&sums[p]) {
            to.copy_from_slice(&from.0[..to.len()]);
        }
    }
}

/// X · right, rows × P; `right` are P vectors with a number per column.
pub(in crate::matrix) fn dense_product<T: Tiled>(matrix: &DenseMatrix<T>, right: &[&[T]]) -> Columns<T> {
    flops::count::<T>(matrix.values().len(), right.len());
    T::run(DenseProduct { matrix, right })
}

struct DenseProduct<'a, T> {
    matrix: &'a DenseMatrix<T>,
    right: &'a [&'a [T]],
}

impl<T: Tiled> Kernel for DenseProduct<'_, T> {
    type Output = Columns<T>;

    #[inline(always)]
    fn call<const W: usize, const TWO: usize>(self) -> Columns<T> {
        let mut out = Columns::zeros(self.matrix.rows(), self.right.len());
        for (first, count) in shares(self.right.len()) {
            for_some!(count, |P, R| {
                let vectors = some_portions::<T, W, P>(self.right, first);
                for strip in strips(self.matrix) {
                    put(&strip.product::<W, R, P>(&vectors), &strip, first, &mut out);
                }
            });
        }
        out
    }
}

/// Writes the sums of a strip's rows.
#[inline(always)]
fn put<T: Real, const P: usize>(sums: &[[T; P]; STRIP], strip: &Strip<'_, T>, first: usize, out: &mut Columns<T>) {
    for p in 0..P {
        for (to, sums) in out.column_mut(first + p)[strip.first..strip.first + strip.rows].iter_mut().zip(sums) {
            *to = sums[p];
        }
    }
}

/// Xᵀ · left, columns × P, where `left` are P vectors with a number per row; with `SQUARED`, of the squares of X's cells.
pub(in crate::matrix) fn dense_transposed<T: Tiled, const SQUARED: bool>(
    matrix: &DenseMatrix<T>,
    left: &[&[T]],
) -> Columns<T> {
    flops::count::<T>(matrix.values().len(), left.len());
    T::run(DenseTransposed::<T, SQUARED> { matrix, left })
}

struct DenseTransposed<'a, T, const SQUARED: bool> {
    matrix: &'a DenseMatrix<T>,
    left: &'a [&'a [T]],
}

impl<T: Tiled, const SQUARED: bool> Kernel for DenseTransposed<'_, T, SQUARED> {
    type Output = Columns<T>;

    #[inline(always)]
    fn call<const W: usize, const TWO: usize>(self) -> Columns<T> {
        let mut out = Columns::zeros(self.matrix.cols(), self.left.len());
        for (first, count) in shares(self.left.len()) {
            for_some!(count, |P, _ROWS| {
                let mut sums = [const { Vec::new() }; P].map(|_: Vec<Lanes<T, W>>| zeros(self.matrix.cols()));
                for strip in strips(self.matrix) {
                    let mut left = [[T::ZERO; P]; STRIP];
                    for p in 0..P {
                        let column = &self.left[first + p][strip.first..strip.first + strip.rows];
                        left.iter_mut().zip(column).for_each(|(to, &from)| to[p] = from);
                    }
                    strip.add_back::<SQUARED, W, P>(&left, &mut sums);
                }
                finish(&sums, &mut out, first);
            });
        }
        out
    }
}

#[inline(always)]
fn zeros<T: Real, const W: usize>(cols: usize) -> Vec<Lanes<T, W>> {
    vec![Lanes::ZERO; cols.div_ceil(W)]
}

/// Xᵀ (factors ∘ X · right) and X · right, reading X once: `right` are P vectors with a number per column, `factors` P
/// with a number per row.
pub(in crate::matrix) fn dense_curved<T: Tiled, F: Real>(
    matrix: &DenseMatrix<T>,
    right: &[&[T]],
    factors: &[&[F]],
) -> (Columns<T>, Columns<T>) {
    flops::count::<T>(matrix.values().len(), 2 * right.len());
    T::run(DenseCurved { matrix, right, factors })
}

struct DenseCurved<'a, T, F> {
    matrix: &'a DenseMatrix<T>,
    right: &'a [&'a [T]],
    factors: &'a [&'a [F]],
}

impl<T: Tiled, F: Real> Kernel for DenseCurved<'_, T, F> {
    type Output = (Columns<T>, Columns<T>);

    #[inline(always)]
    fn call<const W: usize, const TWO: usize>(self) -> (Columns<T>, Columns<T>) {
        let mut out = Columns::zeros(self.matrix.cols(), self.right.len());
        let mut inner = Columns::zeros(self.matrix.rows(), self.right.len());
        for (first, count) in shares(self.right.len()) {
            for_some!(count, |P, R| {
                let vectors = some_portions::<T, W, P>(self.right, first);
                let mut back = [const { Vec::new() }; P].map(|_: Vec<Lanes<T, W>>| zeros(self.matrix.cols()));
                for strip in strips(self.matrix) {
                    let mut sums = strip.product::<W, R, P>(&vectors);
                    put(&sums, &strip, first, &mut inner);
                    for p in 0..P {
                        let factors = &self.factors[first + p][strip.first..strip.first + strip.rows];
                        sums.iter_mut().zip(factors).for_each(|(sums, &factor)| sums[p] *= T::of(factor.wide()));
                    }
                    strip.add_back::<false, W, P>(&sums, &mut back);
                }
                finish(&back, &mut out, first);
            });
        }
        (out, inner)
    }
}
