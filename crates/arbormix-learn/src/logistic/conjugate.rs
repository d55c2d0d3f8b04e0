//! Preconditioned conjugate gradients for a batch of independent systems.

use pulp::{Arch, NullaryFnOnce};

use super::design::dot;
use arbormix_matrix::{Columns, Real};

/// Most steps within a Newton step: beyond this, the next Newton step gains more than a better solution of this one.
pub(crate) const NEWTON_STEPS: usize = 50;
/// Independent sums: with a single sum every addition would wait for the one before.
const SUMS: usize = 16;

/// Approximate solutions of H_p d_p = b_p, and their images under X.
pub(crate) struct Direction {
    /// d, one column per system.
    pub(crate) solution: Columns,
    /// X d. Every step multiplies by X anyway, so summing these products saves one product.
    pub(crate) along: Columns,
}

/// Solves H_p d_p = b_p approximately for each column p: until ‖H d − b‖ ≤ `accuracy[p]` · ‖b‖ or for `max_steps`.
///
/// `apply(vectors, systems)` gives H v and X v (`rows` numbers each): vector i belongs to system `systems[i]`. `diagonal`
/// approximates the diagonals of H. Systems that are done drop out, so that no product is spent on them. A product may
/// refuse, which ends the work. All is done in the precision T for right sides of length 1, so that their size cannot leave
/// its range.
pub(crate) fn solve<T: Real, E>(
    mut apply: impl FnMut(&[&[T]], &[usize]) -> Result<(Columns<T>, Columns<T>), E>,
    rows: usize,
    diagonal: &Columns<T>,
    right: &Columns,
    accuracy: &[f64],
    max_steps: usize,
) -> Result<Direction, E> {
    let (size, count) = (right.rows(), right.cols());
    let length: Vec<f64> = (0..count).map(|p| dot(right.column(p), right.column(p)).sqrt()).collect();
    let mut along = Columns::<T>::zeros(rows, count);
    let mut solution = Columns::<T>::zeros(size, count);
    let mut residual = Columns::<T>::zeros(size, count);
    let mut direction = Columns::<T>::zeros(size, count);
    let mut energy = vec![0.0; count]; // residual · preconditioned residual
    let mut active: Vec<usize> = (0..count).filter(|&p| length[p] > 0.0).collect();
    for &p in &active {
        let scaled = |b: &f64| T::of(b / length[p]);
        residual.column_mut(p).iter_mut().zip(right.column(p)).for_each(|(r, b)| *r = scaled(b));
        let (d, r, h) = (direction.column_mut(p), residual.column(p), diagonal.column(p));
        energy[p] = Arch::new().dispatch(Turn { keep: T::ZERO, residual: r, diagonal: h, direction: d });
    }
    for _ in 0..max_steps {
        active.retain(|&p| energy[p] > 0.0);
        if active.is_empty() {
            break;
        }
        let vectors: Vec<&[T]> = active.iter().map(|&p| direction.column(p)).collect();
        let (product, inner) = apply(&vectors, &active)?;
        let mut unfinished = Vec::with_capacity(active.len());
        for (slot, &p) in active.iter().enumerate() {
            let image = product.column(slot);
            let curvature = Arch::new().dispatch(Dot(direction.column(p), image));
            // A null direction (of a free bias) gains nothing; NaN means that single precision overflowed.
            if curvature.is_nan() || curvature <= 0.0 {
                continue;
            }
            let step = energy[p] / curvature;
            let squares = Arch::new().dispatch(Move {
                step: T::of(step),
                towards: direction.column(p),
                image,
                solution: solution.column_mut(p),
                residual: residual.column_mut(p),
            });
            Arch::new().dispatch(Add { step: T::of(step), by: inner.column(slot), to: along.column_mut(p) });
            if squares.sqrt() <= accuracy[p] {
                continue;
            }
            let (r, h, before) = (residual.column(p), diagonal.column(p), energy[p]);
            energy[p] = Arch::new().dispatch(Energy { residual: r, diagonal: h });
            let keep = T::of(energy[p] / before);
            Arch::new().dispatch(Turn { keep, residual: r, diagonal: h, direction: direction.column_mut(p) });
            unfinished.push(p);
        }
        active = unfinished;
    }
    Ok(Direction { solution: scaled(&solution, &length), along: scaled(&along, &length) })
}

/// Each column times its factor.
fn scaled<T: Real>(columns: &Columns<T>, factors: &[f64]) -> Columns {
    let mut out = Columns::zeros(columns.rows(), columns.cols());
    for (p, &factor) in factors.iter().enumerate() {
        out.column_mut(p).iter_mut().zip(columns.column(p)).for_each(|(to, from)| *to = factor * from.wide());
    }
    out
}

/// to += step · by.
struct Add<'a, T> {
    step: T,
    by: &'a [T],
    to: &'a mut [T],
}

impl<T: Real> NullaryFnOnce for Add<'_, T> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for (to, &by) in self.to.iter_mut().zip(self.by) {
            *to += self.step * by;
        }
    }
}

/// Σ terms with several independent sums, in a fixed order.
macro_rules! sum_of {
    ($count:expr, |$j:ident| $term:expr) => {{
        let count = $count;
        let mut sums = [T::ZERO; SUMS];
        let whole = count - count % SUMS;
        let mut start = 0;
        while start < whole {
            for lane in 0..SUMS {
                let $j = start + lane;
                sums[lane] += $term;
            }
            start += SUMS;
        }
        let mut total = 0.0;
        for lane in 0..SUMS {
            total += sums[lane].wide();
        }
        for $j in whole..count {
            total += $term.wide();
        }
        total
    }};
}

/// The sum of all numbers.
pub(crate) fn total<T: Real>(numbers: &[T]) -> f64 {
    Arch::new().dispatch(Total(numbers))
}

struct Total<'a, T>(&'a [T]);

impl<T: Real> NullaryFnOnce for Total<'_, T> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        sum_of!(self.0.len(), |j| self.0[j])
    }
}

/// a · b.
struct Dot<'a, T>(&'a [T], &'a [T]);

impl<T: Real> NullaryFnOnce for Dot<'_, T> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        let (a, b) = (self.0, &self.1[..self.0.len()]);
        sum_of!(a.len(), |j| a[j] * b[j])
    }
}

/// Moves the solution by `step` and the residual with it; the new residual's square.
struct Move<'a, T> {
    step: T,
    towards: &'a [T],
    image: &'a [T],
    solution: &'a mut [T],
    residual: &'a mut [T],
}

impl<T: Real> NullaryFnOnce for Move<'_, T> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        let count = self.solution.len();
        let (solution, residual) = (&mut self.solution[..count], &mut self.residual[..count]);
        let (towards, image, step) = (&self.towards[..count], &self.image[..count], self.step);
        sum_of!(count, |j| {
            solution[j] += step * towards[j];
            residual[j] -= step * image[j];
            residual[j] * residual[j]
        })
    }
}

/// r · r / h.
struct Energy<'a, T> {
    residual: &'a [T],
    diagonal: &'a [T],
}

impl<T: Real> NullaryFnOnce for Energy<'_, T> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        let (r, h) = (self.residual, &self.diagonal[..self.residual.len()]);
        sum_of!(r.len(), |j| r[j] * r[j] / h[j])
    }
}

/// d = r / h + keep · d; r · d for `keep` = 0.
struct Turn<'a, T> {
    keep: T,
    residual: &'a [T],
    diagonal: &'a [T],
    direction: &'a mut [T],
}

impl<T: Real> NullaryFnOnce for Turn<'_, T> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        let count = self.direction.len();
        let (r, h, d) = (&self.residual[..count], &self.diagonal[..count], &mut self.direction[..count]);
        let keep = self.keep;
        sum_of!(count, |j| {
            d[j] = r[j] / h[j] + keep * d[j];
            r[j] * d[j]
        })
    }
}
