//! Products of rows whose cells are whole numbers of sixteen bits: four times as many per instruction as in double
//! precision, and exact, so that all machines have the same.

use std::ops::Range;

use pulp::NullaryFnOnce;
#[cfg(target_arch = "x86_64")]
use pulp::x86::V3;

/// Rows that lie side by side.
pub(crate) const GROUP: usize = 16;
/// Rows of a group that a register holds: of each it has two neighbouring cells.
const WIDTH: usize = 8;

/// Two neighbouring cells of a group's rows.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(64))]
struct Pairs([[[i16; 2]; WIDTH]; GROUP / WIDTH]);

/// Rows, each with a factor: a cell is the whole number stored times the factor of its row.
///
/// A row's numbers must have no more than 2^15 as the root of their squares' sum, so that sums of products have 32 bits.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WholeRows {
    /// Group after group, column pair after column pair; what lies beyond the last row or column is 0.
    cells: Vec<Pairs>,
    /// Column pairs of a row.
    pairs: usize,
    /// One for each row, those beyond the last one included.
    factors: Vec<[f32; WIDTH]>,
    rows: usize,
}

impl WholeRows {
    /// All zero.
    pub(crate) fn zeros(rows: usize, columns: usize) -> WholeRows {
        let (groups, pairs) = (rows.div_ceil(GROUP), columns.div_ceil(2));
        let cells = vec![Pairs([[[0; 2]; WIDTH]; GROUP / WIDTH]); groups * pairs];
        WholeRows { cells, pairs, factors: vec![[0.0; WIDTH]; groups * (GROUP / WIDTH)], rows }
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Sets a row to `factor` times `cells`.
    #[inline(always)]
    pub(crate) fn set(&mut self, row: usize, cells: &[i16], factor: f32) {
        self.factors[row / WIDTH][row % WIDTH] = factor;
        let (group, register, lane) = (row / GROUP, row % GROUP / WIDTH, row % WIDTH);
        let to = &mut self.cells[group * self.pairs..(group + 1) * self.pairs];
        let (whole, rest) = cells.as_chunks::<2>();
        to.iter_mut().zip(whole).for_each(|(to, &pair)| to.0[register][lane] = pair);
        if let (Some(to), &[last]) = (to.last_mut(), rest) {
            to.0[register][lane] = [last, 0];
        }
    }

    fn group(&self, group: usize) -> &[Pairs] {
        &self.cells[group * self.pairs..(group + 1) * self.pairs]
    }

    fn factor(&self, row: usize) -> f32 {
        self.factors[row / WIDTH][row % WIDTH]
    }

    /// The products of rows `left` with rows `right` of the other, which begin at whole groups; the answer is their stride:
    /// row after row of so many numbers, as the groups of `right` have rows.
    pub(crate) fn products(
        &self,
        left: Range<usize>,
        other: &WholeRows,
        right: Range<usize>,
        out: &mut Vec<f32>,
    ) -> usize {
        let stride = right.len().next_multiple_of(GROUP);
        out.resize(left.len().next_multiple_of(GROUP) * stride, 0.0);
        let (left, right) = ((self, left.start / GROUP), (other, right.start / GROUP));
        Job { left, right, half: false, stride, out }.run();
        stride
    }

    /// The products of some rows with each other, in the same way.
    pub(crate) fn own_products(&self, rows: Range<usize>, out: &mut Vec<f32>) -> usize {
        let stride = rows.len().next_multiple_of(GROUP);
        out.resize(stride * stride, 0.0);
        let own = (self, rows.start / GROUP);
        Job { left: own, right: own, half: true, stride, out }.run();
        for row in 0..stride {
            for column in 0..row / GROUP * GROUP {
                out[row * stride + column] = out[column * stride + row];
            }
        }
        stride
    }
}

/// What multiplies and adds.
trait Unit: Copy {
    /// As many sums as a register holds.
    type Sums: Copy;

    fn zero(self) -> Self::Sums;

    /// Adds, for each row of a register, the products of its two cells with the pair's.
    fn add(self, sums: Self::Sums, cells: &[[i16; 2]; WIDTH], pair: [i16; 2]) -> Self::Sums;

    fn numbers(self, sums: Self::Sums) -> [i32; WIDTH];
}

#[cfg(target_arch = "x86_64")]
impl Unit for V3 {
    type Sums = pulp::i32x8;

    #[inline(always)]
    fn zero(self) -> pulp::i32x8 {
        self.splat_i32x8(0)
    }

    #[inline(always)]
    fn add(self, sums: pulp::i32x8, cells: &[[i16; 2]; WIDTH], pair: [i16; 2]) -> pulp::i32x8 {
        let pairs = pulp::cast(self.splat_i32x8(pulp::cast(pair)));
        self.wrapping_add_i32x8(sums, self.multiply_wrapping_add_adjacent_i16x16(pulp::cast(*cells), pairs))
    }

    #[inline(always)]
    fn numbers(self, sums: pulp::i32x8) -> [i32; WIDTH] {
        pulp::cast(sums)
    }
}

/// Any machine.
#[derive(Debug, Clone, Copy)]
struct Plain;

impl Unit for Plain {
    type Sums = [i32; WIDTH];

    #[inline(always)]
    fn zero(self) -> [i32; WIDTH] {
        [0; WIDTH]
    }

    #[inline(always)]
    fn add(self, mut sums: [i32; WIDTH], cells: &[[i16; 2]; WIDTH], pair: [i16; 2]) -> [i32; WIDTH] {
        for (sum, cells) in sums.iter_mut().zip(cells) {
            // Sums of some of the columns may have more bits; the wrapped sum of all has them right again.
            let products = [0, 1].map(|i| i32::from(cells[i]) * i32::from(pair[i]));
            *sum = sum.wrapping_add(products[0]).wrapping_add(products[1]);
        }
        sums
    }

    #[inline(always)]
    fn numbers(self, sums: [i32; WIDTH]) -> [i32; WIDTH] {
        sums
    }
}

struct Job<'a> {
    /// Rows and the first group that counts.
    left: (&'a WholeRows, usize),
    right: (&'a WholeRows, usize),
    /// Whether a group of the left leaves out those on the right that come before it.
    half: bool,
    stride: usize,
    out: &'a mut [f32],
}

impl Job<'_> {
    fn run(self) {
        #[cfg(target_arch = "x86_64")]
        if let Some(simd) = V3::try_new() {
            return simd.vectorize(Within(simd, self));
        }
        Within(Plain, self).call();
    }
}

struct Within<'a, U>(U, Job<'a>);

impl<U: Unit> NullaryFnOnce for Within<'_, U> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Within(unit, Job { left, right, half, stride, out }) = self;
        // A group of the left stays in the nearest cache while those of the right pass by.
        for (group, out) in out.chunks_exact_mut(GROUP * stride).enumerate() {
            for place in if half { group } else { 0 }..stride / GROUP {
                let meeting = Meeting { left: (left.0, left.1 + group), right: (right.0, right.1 + place) };
                let out = &mut out[place * GROUP..];
                // Six rows with two registers have twelve sums; what is multiplied needs the other four registers.
                meeting.write::<U, 0, 6>(unit, out, stride);
                meeting.write::<U, 6, 6>(unit, out, stride);
                meeting.write::<U, 12, 4>(unit, out, stride);
            }
        }
    }
}

/// Two groups, each with the rows it is of.
struct Meeting<'a> {
    left: (&'a WholeRows, usize),
    right: (&'a WholeRows, usize),
}

impl Meeting<'_> {
    /// Writes the products of R rows of the left, the first of them `FIRST`, with all of the right.
    #[inline(always)]
    fn write<U: Unit, const FIRST: usize, const R: usize>(&self, unit: U, out: &mut [f32], stride: usize) {
        let (left, right) = (self.left.0.group(self.left.1), self.right.0.group(self.right.1));
        let mut sums = [[unit.zero(); GROUP / WIDTH]; R];
        for (from, cells) in left.iter().zip(right) {
            for row in 0..R {
                let pair = from.0[(FIRST + row) / WIDTH][(FIRST + row) % WIDTH];
                for half in 0..GROUP / WIDTH {
                    sums[row][half] = unit.add(sums[row][half], &cells.0[half], pair);
                }
            }
        }
        let factors = &self.right.0.factors[self.right.1 * (GROUP / WIDTH)..][..GROUP / WIDTH];
        for (row, sums) in (FIRST..).zip(sums) {
            let own = self.left.0.factor(self.left.1 * GROUP + row);
            let to = &mut out[row * stride..][..GROUP];
            for ((to, sums), factors) in to.chunks_exact_mut(WIDTH).zip(sums).zip(factors) {
                let numbers = unit.numbers(sums);
                for lane in 0..WIDTH {
                    to[lane] = own * (factors[lane] * numbers[lane] as f32);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arbormix_base::random::Stream;

    /// Rows of any length, the largest cells that are allowed included.
    fn rows(count: usize, columns: usize, seed: u64) -> (WholeRows, Vec<Vec<i16>>) {
        let mut stream = Stream::new(seed, "test", 0);
        let largest = (32767.0 / (columns as f64).sqrt()) as usize;
        let mut cell = || stream.below(2 * largest + 1) as i16 - largest as i16;
        let cells: Vec<Vec<i16>> = (0..count).map(|_| (0..columns).map(|_| cell()).collect()).collect();
        let mut packed = WholeRows::zeros(count, columns);
        cells.iter().enumerate().for_each(|(row, cells)| packed.set(row, cells, 0.5 + row as f32));
        (packed, cells)
    }

    #[test]
    fn products_are_those_of_plain_loops_on_every_machine() {
        for columns in [1, 2, 7, 64] {
            let ((left, left_cells), (right, right_cells)) = (rows(37, columns, 1), rows(50, columns, 2));
            let (mut out, mut plain) = (Vec::new(), vec![0.0; 32 * 48]);
            let stride = left.products(16..37, &right, 16..50, &mut out);
            assert_eq!(stride, 48);
            let job = Job { left: (&left, 1), right: (&right, 1), half: false, stride, out: &mut plain };
            Within(Plain, job).call();
            assert_eq!(out, plain);
            for a in 16..37 {
                for b in 16..50 {
                    let pairs = left_cells[a].iter().zip(&right_cells[b]);
                    let exact: i64 = pairs.map(|(&x, &y)| i64::from(x) * i64::from(y)).sum();
                    let expected = (0.5 + a as f64) * (0.5 + b as f64) * exact as f64;
                    let found = f64::from(out[(a - 16) * stride + b - 16]);
                    assert!((found - expected).abs() <= 1e-6 * expected.abs(), "{found} {expected}");
                }
            }
        }
    }
    #[test]
    fn products_with_each_other_are_products() {
        let (rows, _) = rows(70, 9, 3);
        let (mut all, mut own) = (Vec::new(), Vec::new());
        let stride = rows.products(16..70, &rows, 16..70, &mut all);
        assert_eq!(rows.own_products(16..70, &mut own), stride);
        // Factors are multiplied in another order below the diagonal.
        assert!(own.iter().zip(&all).all(|(a, b)| (a - b).abs() <= 1e-6 * b.abs()));
    }
}
