//! Preconditioned conjugate gradients for a batch of independent systems.

use super::design::{dot, dot_over};
use crate::matrix::Columns;

/// Steps at most within a Newton step: past this a fresh one gains more than a better solution of the old one.
pub(super) const NEWTON_STEPS: usize = 50;

/// Rough solutions of H_p d_p = b_p, and their images under X.
pub(super) struct Direction {
    /// d, one column per system.
    pub(super) solution: Columns,
    /// X d: every step multiplies by X anyway, so the sum of the parts saves a product.
    pub(super) along: Columns,
}

/// Solves H_p d_p = b_p for each column p, roughly: until ‖H d − b‖ ≤ `accuracy[p]` · ‖b‖ or after `max_steps`.
///
/// `apply(v, systems)` gives H v and X v (`along` rows): column i of `v` belongs to system `systems[i]`. `diagonal`
/// approximates the diagonals of H. Systems that are done drop out, so that no product is spent on them. A product may
/// refuse, which ends the work.
pub(super) fn solve<E>(
    mut apply: impl FnMut(&Columns, &[usize]) -> Result<(Columns, Columns), E>,
    along: Columns,
    diagonal: &Columns,
    right: &Columns,
    accuracy: &[f64],
    max_steps: usize,
) -> Result<Direction, E> {
    let (size, count) = (right.rows(), right.cols());
    let mut along = along;
    let mut solution = Columns::zeros(size, count);
    let mut residual = right.clone();
    let goal: Vec<f64> = (0..count).map(|p| accuracy[p] * dot(right.column(p), right.column(p)).sqrt()).collect();
    let mut active: Vec<usize> = (0..count).collect();
    let mut direction = Columns::zeros(size, count);
    let mut energy = vec![0.0; count]; // residual · preconditioned residual
    for &p in &active {
        let (d, r, h) = (direction.column_mut(p), residual.column(p), diagonal.column(p));
        for j in 0..size {
            d[j] = r[j] / h[j];
        }
        energy[p] = dot(r, d);
    }
    for _ in 0..max_steps {
        active.retain(|&p| energy[p] > 0.0);
        if active.is_empty() {
            break;
        }
        let packed = Columns::from_columns(size, active.iter().map(|&p| direction.column(p)));
        let (product, inner) = apply(&packed, &active)?;
        let mut unfinished = Vec::with_capacity(active.len());
        for (slot, &p) in active.iter().enumerate() {
            let image = product.column(slot);
            let curvature = dot(packed.column(slot), image);
            if curvature <= 0.0 {
                continue; // a null direction (of a free bias): nothing to gain along it
            }
            let step = energy[p] / curvature;
            let towards = packed.column(slot);
            solution.column_mut(p).iter_mut().zip(towards).for_each(|(s, d)| *s += step * d);
            along.column_mut(p).iter_mut().zip(inner.column(slot)).for_each(|(s, d)| *s += step * d);
            residual.column_mut(p).iter_mut().zip(image).for_each(|(r, i)| *r -= step * i);
            let r = residual.column(p);
            if dot(r, r).sqrt() <= goal[p] {
                continue;
            }
            let h = diagonal.column(p);
            let next = dot_over(r, r, h);
            let keep = next / energy[p];
            energy[p] = next;
            let d = direction.column_mut(p);
            for j in 0..size {
                d[j] = r[j] / h[j] + keep * d[j];
            }
            unfinished.push(p);
        }
        active = unfinished;
    }
    Ok(Direction { solution, along })
}
