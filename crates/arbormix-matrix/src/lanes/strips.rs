//! Products of dense rows in strips; here the lanes of a register are rows.
//!
//! As in every fast matrix product, several rows meet several vectors at once and their sums stay in registers. A
//! loaded cell serves several vectors, and no lane is idle when few vectors (regressions that have not converged) are
//! left. The sum of a row runs over its cells in order, the sum of a column over the strips in order, lane by lane. So
//! the additions are the same for every batch, number of threads and register width.

use pulp::{Arch, Simd, WithSimd};

use super::Tiled;
use crate::{Columns, Real, Strips, flops};

/// Most vectors per pass over a strip: with two registers of rows for each vector, sums take twelve of sixteen
/// registers.
const VECTORS: usize = 6;
/// Strips that are processed together; they stay in a cache between the product with X and the product with Xᵀ. A
/// multiple of every `$strips` of `for_some`.
const GROUP: usize = 4;
/// Columns whose sums stay in the L1 cache in the product with Xᵀ.
const COLUMNS: usize = 96;

/// Runs `$body` with the constants `$vectors` (1 to 6) and `$strips`, the number of strips that are processed with so
/// many vectors. With fewer than eight sums, additions would wait for each other.
macro_rules! for_some {
    ($count:expr, |$vectors:ident, $strips:ident| $body:expr) => {
        match $count {
            1 => for_some!(@ 1, 4, $vectors, $strips, $body),
            2 => for_some!(@ 2, 2, $vectors, $strips, $body),
            3 => for_some!(@ 3, 1, $vectors, $strips, $body),
            4 => for_some!(@ 4, 1, $vectors, $strips, $body),
            5 => for_some!(@ 5, 1, $vectors, $strips, $body),
            _ => for_some!(@ 6, 1, $vectors, $strips, $body),
        }
    };
    (@ $p:literal, $n:literal, $vectors:ident, $strips:ident, $body:expr) => {{
        const $vectors: usize = $p;
        const $strips: usize = $n;
        $body
    }};
}

/// Splits vectors into groups of at most [`VECTORS`], whose sizes differ by at most one: (first vector, number) each.
fn shares(vectors: usize) -> impl Iterator<Item = (usize, usize)> {
    let count = vectors.div_ceil(VECTORS);
    let start = move |share: usize| share * vectors / count.max(1);
    (0..count).map(move |share| (start(share), start(share + 1) - start(share)))
}

/// First strip and number of strips of every group.
fn groups<T: Tiled>(rows: &Strips<T>) -> impl Iterator<Item = (usize, usize)> {
    let count = rows.count();
    (0..count).step_by(GROUP).map(move |first| (first, GROUP.min(count - first)))
}

/// The rows of a strip: first, number.
#[inline(always)]
fn rows_of<T: Tiled>(rows: &Strips<T>, strip: usize) -> (usize, usize) {
    let first = strip * T::HEIGHT;
    (first, T::HEIGHT.min(rows.rows() - first))
}

/// Registers in half a line. A register is processed together with the one half a line further.
#[inline(always)]
fn half<S: Simd, T: Tiled>() -> usize {
    T::registers::<S>(T::EMPTY.as_ref()).len() / 2
}

/// Cell j of P consecutive vectors, for every j.
fn interleaved<T: Tiled, const P: usize>(vectors: &[&[T]], first: usize, cols: usize) -> Vec<[T; P]> {
    (0..cols).map(|j| std::array::from_fn(|p| vectors[first + p][j])).collect()
}

/// The products of N strips with P interleaved vectors: a line of rows for each strip and vector.
#[inline(always)]
fn sums<S: Simd, T: Tiled, const N: usize, const P: usize>(
    simd: S,
    strips: [&[T::Line]; N],
    vectors: &[[T; P]],
) -> [[T::Line; P]; N] {
    let half = half::<S, T>();
    let strips = strips.map(|strip| &strip[..vectors.len()]);
    let mut out = [[T::EMPTY; P]; N];
    for q in 0..half {
        let mut sums = [[[T::splat(simd, T::ZERO); 2]; P]; N];
        for j in 0..vectors.len() {
            let cells: [[T::Register<S>; 2]; N] = std::array::from_fn(|n| {
                let line = T::registers::<S>(strips[n][j].as_ref());
                [line[q], line[q + half]]
            });
            for p in 0..P {
                let factor = T::splat(simd, vectors[j][p]);
                for n in 0..N {
                    sums[n][p][0] = T::mul_add(simd, cells[n][0], factor, sums[n][p][0]);
                    sums[n][p][1] = T::mul_add(simd, cells[n][1], factor, sums[n][p][1]);
                }
            }
        }
        for n in 0..N {
            for p in 0..P {
                let line = T::registers_mut::<S>(out[n][p].as_mut());
                [line[q], line[q + half]] = sums[n][p];
            }
        }
    }
    out
}

/// The sums of a group of strips with P vectors, N strips at a time.
#[inline(always)]
fn group_sums<S: Simd, T: Tiled, const N: usize, const P: usize>(
    simd: S,
    rows: &Strips<T>,
    (first, count): (usize, usize),
    vectors: &[[T; P]],
) -> [[T::Line; P]; GROUP] {
    let mut out = [[T::EMPTY; P]; GROUP];
    let mut strip = 0;
    while strip + N <= count {
        let some = sums::<S, T, N, P>(simd, std::array::from_fn(|n| rows.strip(first + strip + n)), vectors);
        out[strip..strip + N].copy_from_slice(&some);
        strip += N;
    }
    while strip < count {
        [out[strip]] = sums::<S, T, 1, P>(simd, [rows.strip(first + strip)], vectors);
        strip += 1;
    }
    out
}

/// out += Xᵀ · left for some columns of a strip, where `left` has a line of rows for each of P vectors and `out`, for each
/// column and vector, half a line of sums; with `SQUARED`, of the squares of X's cells.
#[inline(always)]
fn add_back<S: Simd, T: Tiled, const SQUARED: bool, const P: usize>(
    simd: S,
    columns: &[T::Line],
    left: &[T::Line; P],
    out: &mut [T],
) {
    let half = half::<S, T>();
    let out = T::registers_mut::<S>(out);
    for q in 0..half {
        let left: [[T::Register<S>; 2]; P] = std::array::from_fn(|p| {
            let line = T::registers::<S>(left[p].as_ref());
            [line[q], line[q + half]]
        });
        for (line, sums) in columns.iter().zip(out.chunks_exact_mut(P * half)) {
            let line = T::registers::<S>(line.as_ref());
            let mut cells = [line[q], line[q + half]];
            if SQUARED {
                cells = cells.map(|cells| T::mul_add(simd, cells, cells, T::splat(simd, T::ZERO)));
            }
            for p in 0..P {
                let sum = &mut sums[p * half + q];
                *sum = T::mul_add(simd, cells[1], left[p][1], T::mul_add(simd, cells[0], left[p][0], *sum));
            }
        }
    }
}

/// The same for all columns of a group of strips.
#[inline(always)]
fn add_group_back<S: Simd, T: Tiled, const SQUARED: bool, const P: usize>(
    simd: S,
    rows: &Strips<T>,
    (first, count): (usize, usize),
    left: &[[T::Line; P]; GROUP],
    out: &mut [T],
) {
    let width = P * T::HEIGHT / 2;
    for (start, out) in (0..).step_by(COLUMNS).zip(out.chunks_mut(COLUMNS * width)) {
        for strip in 0..count {
            let columns = &rows.strip(first + strip)[start..start + out.len() / width];
            add_back::<S, T, SQUARED, P>(simd, columns, &left[strip], out);
        }
    }
}

/// Adds up half lines of sums, in a fixed order, and writes them to P columns.
fn finish<T: Tiled, const P: usize>(sums: &[T], out: &mut Columns<T>, first: usize) {
    let width = T::HEIGHT / 2;
    for p in 0..P {
        let own = sums[p * width..].chunks(P * width);
        for (to, sums) in out.column_mut(first + p).iter_mut().zip(own) {
            *to = sums[..width].iter().fold(T::ZERO, |total, &sum| total + sum);
        }
    }
}

/// X · right, rows × P; `right` are P vectors with a number per column.
pub(crate) fn product<T: Tiled>(rows: &Strips<T>, right: &[&[T]]) -> Columns<T> {
    flops::count::<T>(rows.rows() * rows.cols(), right.len());
    Arch::new().dispatch(Product { rows, right })
}

struct Product<'a, T: Tiled> {
    rows: &'a Strips<T>,
    right: &'a [&'a [T]],
}

impl<T: Tiled> WithSimd for Product<'_, T> {
    type Output = Columns<T>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Columns<T> {
        let Product { rows, right } = self;
        let mut out = Columns::zeros(rows.rows(), right.len());
        for (first, count) in shares(right.len()) {
            for_some!(count, |P, N| {
                let vectors = interleaved::<T, P>(right, first, rows.cols());
                for group in groups(rows) {
                    put(&group_sums::<S, T, N, P>(simd, rows, group, &vectors), rows, group, first, &mut out);
                }
            });
        }
        out
    }
}

/// Writes the sums of a group's rows to P columns.
#[inline(always)]
fn put<T: Tiled, const P: usize>(
    sums: &[[T::Line; P]; GROUP],
    rows: &Strips<T>,
    (first_strip, count): (usize, usize),
    first: usize,
    out: &mut Columns<T>,
) {
    for strip in 0..count {
        let (start, len) = rows_of(rows, first_strip + strip);
        for p in 0..P {
            out.column_mut(first + p)[start..start + len].copy_from_slice(&sums[strip][p].as_ref()[..len]);
        }
    }
}

/// Xᵀ · left, columns × P, where `left` are P vectors with a number per row; with `SQUARED`, of the squares of X's cells.
pub(crate) fn transposed<T: Tiled, const SQUARED: bool>(rows: &Strips<T>, left: &[&[T]]) -> Columns<T> {
    flops::count::<T>(rows.rows() * rows.cols(), left.len());
    Arch::new().dispatch(Transposed::<T, SQUARED> { rows, left })
}

struct Transposed<'a, T: Tiled, const SQUARED: bool> {
    rows: &'a Strips<T>,
    left: &'a [&'a [T]],
}

impl<T: Tiled, const SQUARED: bool> WithSimd for Transposed<'_, T, SQUARED> {
    type Output = Columns<T>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Columns<T> {
        let Transposed { rows, left } = self;
        let mut out = Columns::zeros(rows.cols(), left.len());
        for (first, count) in shares(left.len()) {
            for_some!(count, |P, _STRIPS| {
                let mut back = vec![T::ZERO; rows.cols() * P * T::HEIGHT / 2];
                for group in groups(rows) {
                    let mut some = [[T::EMPTY; P]; GROUP];
                    for strip in 0..group.1 {
                        let (start, len) = rows_of(rows, group.0 + strip);
                        for p in 0..P {
                            some[strip][p].as_mut()[..len].copy_from_slice(&left[first + p][start..start + len]);
                        }
                    }
                    add_group_back::<S, T, SQUARED, P>(simd, rows, group, &some, &mut back);
                }
                finish::<T, P>(&back, &mut out, first);
            });
        }
        out
    }
}

/// Xᵀ (factors ∘ X · right) and X · right, reading X once: `right` are P vectors with a number per column, `factors` P
/// with a number per row.
pub(crate) fn curved<T: Tiled, F: Real>(
    rows: &Strips<T>,
    right: &[&[T]],
    factors: &[&[F]],
) -> (Columns<T>, Columns<T>) {
    flops::count::<T>(rows.rows() * rows.cols(), 2 * right.len());
    Arch::new().dispatch(Curved { rows, right, factors })
}

struct Curved<'a, T: Tiled, F> {
    rows: &'a Strips<T>,
    right: &'a [&'a [T]],
    factors: &'a [&'a [F]],
}

impl<T: Tiled, F: Real> WithSimd for Curved<'_, T, F> {
    type Output = (Columns<T>, Columns<T>);

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> (Columns<T>, Columns<T>) {
        let Curved { rows, right, factors } = self;
        let mut out = Columns::zeros(rows.cols(), right.len());
        let mut inner = Columns::zeros(rows.rows(), right.len());
        for (first, count) in shares(right.len()) {
            for_some!(count, |P, N| {
                let vectors = interleaved::<T, P>(right, first, rows.cols());
                let mut back = vec![T::ZERO; rows.cols() * P * T::HEIGHT / 2];
                for group in groups(rows) {
                    let mut some = group_sums::<S, T, N, P>(simd, rows, group, &vectors);
                    put(&some, rows, group, first, &mut inner);
                    for strip in 0..group.1 {
                        let (start, len) = rows_of(rows, group.0 + strip);
                        for p in 0..P {
                            let factors = &factors[first + p][start..start + len];
                            let sums = some[strip][p].as_mut().iter_mut();
                            sums.zip(factors).for_each(|(sum, &factor)| *sum *= T::of(factor.wide()));
                        }
                    }
                    add_group_back::<S, T, false, P>(simd, rows, group, &some, &mut back);
                }
                finish::<T, P>(&back, &mut out, first);
            });
        }
        (out, inner)
    }
}
