//! How many labels of a group are present, alone and together with each label.
//!
//! Weigh every present label of the group by a complex w: one pair of sweeps gives E[w^s] and E[[yᵢ = 1] w^s], where s
//! is the number of labels present. At w = the roots of unity these are Fourier transforms of what we want. All
//! magnitudes are at most 1, so the absolute error stays near rounding.

use std::f64::consts::TAU;

use super::Table;
use super::passes::{Semiring, by_value};
use crate::tree::Branching;
use arbormix_data::LabelSet;

/// The distribution of the number of labels of a group that are present.
#[derive(Debug, Clone, PartialEq)]
pub struct Counts {
    /// P(s of them are present), for s from 0 to the size of the group.
    pub sizes: Vec<f64>,
    /// `with[i][s]` = P(yᵢ = 1 and s of them are present), for every label i, in the group or not.
    pub with: Vec<Vec<f64>>,
}

impl Counts {
    /// Of no probability at all, to add others to.
    pub fn none(labels: usize, group: &LabelSet) -> Counts {
        let points = group.count() + 1;
        Counts { sizes: vec![0.0; points], with: vec![vec![0.0; points]; labels] }
    }

    /// Adds others, times their weight.
    pub fn add(&mut self, weight: f64, other: Counts) {
        let add = |sums: &mut Vec<f64>, parts: Vec<f64>| {
            sums.iter_mut().zip(parts).for_each(|(sum, part)| *sum += weight * part);
        };
        add(&mut self.sizes, other.sizes);
        self.with.iter_mut().zip(other.with).for_each(|(sums, parts)| add(sums, parts));
    }
}

/// A complex number.
#[derive(Clone, Copy)]
pub struct Complex {
    re: f64,
    im: f64,
}

impl From<f64> for Complex {
    fn from(re: f64) -> Complex {
        Complex { re, im: 0.0 }
    }
}

impl Semiring for Complex {
    const ZERO: Self = Complex { re: 0.0, im: 0.0 };
    const ONE: Self = Complex { re: 1.0, im: 0.0 };

    fn plus(self, other: Self) -> Self {
        Complex { re: self.re + other.re, im: self.im + other.im }
    }

    fn times(self, other: Self) -> Self {
        Complex { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

/// The distribution of |y ∩ group| in one tree, O(d) per size and label.
pub fn counts(tree: &Branching, tables: &[Table], group: &LabelSet) -> Counts {
    let probability: Vec<Table> = tables.iter().map(|table| table.map(|side| side.map(f64::exp))).collect();
    counts_by(tree.len(), group, |root| {
        by_value(tree, |i, u, v| {
            let plain = Complex::from(probability[i][u][v]);
            if v == 1 && group.get(i) { plain.times(root) } else { plain }
        })
    })
}

/// The same of anything that can weigh the present labels of the group by a complex number: `sweep` gives all sets, and all
/// sets with yᵢ = v.
pub fn counts_by(labels: usize, group: &LabelSet, sweep: impl Fn(Complex) -> (Complex, Vec<[Complex; 2]>)) -> Counts {
    let points = group.count() + 1;
    let root = |step: usize| {
        let angle = TAU * step as f64 / points as f64;
        Complex { re: angle.cos(), im: angle.sin() }
    };
    let roots: Vec<Complex> = (0..points).map(root).collect();
    let mut out = Counts::none(labels, group);
    // The transforms at a root and at its conjugate are conjugates: half of the roots are enough.
    for step in 0..=points / 2 {
        let (total, values) = sweep(roots[step]);
        let twins = if step == 0 || 2 * step == points { 1.0 } else { 2.0 };
        for s in 0..points {
            let back = roots[(points - step * s % points) % points];
            let share = |z: Complex| twins * z.times(back).re / points as f64;
            out.sizes[s] += share(total);
            out.with.iter_mut().zip(&values).for_each(|(with, value)| with[s] += share(value[1]));
        }
    }
    // Rounding can leave values just below zero.
    let clip = |values: &mut Vec<f64>| values.iter_mut().for_each(|p| *p = p.clamp(0.0, 1.0));
    clip(&mut out.sizes);
    out.with.iter_mut().for_each(clip);
    out
}
