//! Intercepts of low rank: labels follow a few hidden numbers of a row, the *factors*.
//!
//! β_kᵢ = cᵢ + vᵢ · z_k. The experts are points z_k of a standard normal distribution in q dimensions, all equally likely, and
//! vᵢ are the loadings of label i. Free intercepts have K numbers per label and need rows of every kind; here a label has
//! q + 1, whatever K is. That pays where labels are many and few label sets occur twice. It is still a mixture of trees, so
//! every question stays exact.

use rayon::prelude::*;
use statrs::distribution::{ContinuousCDF, Normal};

use super::Tied;
use super::em::Em;
use super::label::{LabelFit, Point};
use crate::newton::{descended, solve};
use crate::params::MAX_FACTORS;
use arbormix_base::progress::Progress;
use arbormix_base::random::Stream;
use arbormix_joint::Result;
use arbormix_joint::learner::TraceStep;
use arbormix_learn::logistic::Gate;
use arbormix_learn::logistic::loss::sigmoid;
use arbormix_matrix::Columns;

/// Bases of the Halton sequences, one per factor; their number is the largest number of factors.
const BASES: [u32; MAX_FACTORS] = [2, 3, 5, 7, 11, 13, 17, 19];
/// Rounds of the start's subspace iteration.
const ROUNDS: usize = 15;
/// The first loadings explain at least this share of a label's variance. From 0 they would not move.
const MIN_SHARE: f64 = 0.1;
/// Bounds the residuals of labels that are nearly certain.
const MIN_VARIANCE: f64 = 0.01;

/// The points z_k, K × q.
struct Points {
    values: Vec<f64>,
    factors: usize,
}

impl Points {
    /// Halton points through the normal quantile, shifted and scaled so that every coordinate has mean 0 and variance 1.
    fn new(count: usize, factors: usize) -> Points {
        let mut values = vec![0.0; count * factors];
        for (j, base) in BASES.iter().enumerate().take(factors) {
            let column: Vec<f64> = (1..=count).map(|k| Normal::standard().inverse_cdf(halton(k, *base))).collect();
            let mean = column.iter().sum::<f64>() / count as f64;
            let variance = column.iter().map(|z| (z - mean) * (z - mean)).sum::<f64>() / count as f64;
            (0..count).for_each(|k| values[k * factors + j] = (column[k] - mean) / variance.sqrt());
        }
        Points { values, factors }
    }

    fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks_exact(self.factors)
    }

    /// c + v · z_k of every expert, from (c, v).
    fn intercepts(&self, loadings: &[f64]) -> Vec<f64> {
        let of = |z: &[f64]| loadings[0] + z.iter().zip(&loadings[1..]).map(|(z, v)| z * v).sum::<f64>();
        self.rows().map(of).collect()
    }
}

/// The van der Corput sequence: the digits of `index` after the point, in reverse.
fn halton(mut index: usize, base: u32) -> f64 {
    let (mut value, mut place) = (0.0, 1.0);
    while index > 0 {
        place /= f64::from(base);
        value += place * (index % base as usize) as f64;
        index /= base as usize;
    }
    value
}

/// The regression of one label over all points: two slopes, c and v.
struct FactorFit<'a> {
    /// Its intercepts have no penalty of their own.
    label: LabelFit<'a>,
    points: &'a Points,
    ridge: f64,
}

/// Parameters of one label with the loss there.
struct FactorPoint {
    at: Point,
    /// (c, v).
    loadings: Vec<f64>,
    loss: f64,
}

impl FactorFit<'_> {
    fn at(&self, slopes: [f64; 2], loadings: Vec<f64>) -> FactorPoint {
        let at = self.label.at(slopes, self.points.intercepts(&loadings));
        let loss = at.loss + penalty(&loadings, self.ridge);
        FactorPoint { at, loadings, loss }
    }

    /// The point after a Newton step, halved until the loss decreases enough; `None` if rounding hides any decrease.
    ///
    /// β = A (c, v) with rows (1, z_k) of A, so gradient and Hessian are those by the intercepts, multiplied by Aᵀ and A.
    fn step(&self, from: &FactorPoint) -> Option<FactorPoint> {
        let count = 2 + from.loadings.len();
        let Point { slope_gradient, slope_hessian, gradient, diagonal, cross, .. } = &from.at;
        let mut slopes = vec![0.0; count];
        let mut hessian = vec![vec![0.0; count]; count];
        for i in 0..2 {
            slopes[i] = slope_gradient[i];
            hessian[i][..2].copy_from_slice(&slope_hessian[i]);
        }
        let mut row = vec![1.0; count - 2];
        for (k, z) in self.points.rows().enumerate() {
            row[1..].copy_from_slice(z);
            for (i, a) in row.iter().enumerate() {
                slopes[2 + i] += a * gradient[k];
                (0..2).for_each(|j| hessian[2 + i][j] += a * cross[k][j]);
                row[..=i].iter().enumerate().for_each(|(j, b)| hessian[2 + i][2 + j] += a * b * diagonal[k]);
            }
        }
        for (i, value) in from.loadings.iter().enumerate() {
            slopes[2 + i] += self.ridge * value;
            hessian[2 + i][2 + i] += self.ridge;
            for j in 0..2 + i {
                hessian[j][2 + i] = hessian[2 + i][j];
            }
        }
        let mut step = slopes.clone();
        solve(&mut hessian, &mut step);
        let slope: f64 = step.iter().zip(&slopes).map(|(s, g)| s * g).sum();
        if slope <= 0.0 {
            return None;
        }
        descended(from.loss, slope, |length| {
            let moved = from.loadings.iter().zip(&step[2..]).map(|(value, by)| value - length * by).collect();
            let next = self.at([0, 1].map(|j| from.at.slopes[j] - length * step[j]), moved);
            (next.loss, next)
        })
    }
}

/// ½ ρ (c² + ‖v‖²).
fn penalty(loadings: &[f64], ridge: f64) -> f64 {
    0.5 * ridge * loadings.iter().map(|value| value * value).sum::<f64>()
}

impl Em<'_> {
    /// EM with intercepts of low rank. It starts from the principal axes of the residuals.
    pub(crate) fn run_factors(
        &self,
        experts: usize,
        seed: u64,
        progress: &dyn Progress,
    ) -> Result<(Tied, Gate, Vec<TraceStep>)> {
        let params = &self.params.factors;
        let points = Points::new(experts, params.count);
        let gate = Gate::uniform(&self.sample.design.block(None, &[]), experts);
        let mut loadings = self.first_loadings(params.count, seed);
        let mut slopes = vec![[1.0, 0.0]; loadings.len()];
        let mut trace = Vec::with_capacity(params.iterations + 1);
        loop {
            progress.check()?;
            let columns: Vec<Vec<f64>> = loadings.iter().map(|own| points.intercepts(own)).collect();
            let intercepts = Columns::from_columns(experts, columns.iter().map(Vec::as_slice));
            let tied = Tied { slopes, intercepts };
            let (responsibilities, log_likelihood) = self.expectation(&tied, &gate);
            let of_slopes: f64 = tied.slopes.iter().map(|own| self.ridges.penalty(*own, &[])).sum();
            let of_loadings: f64 = loadings.iter().map(|own| penalty(own, params.ridge)).sum();
            let (iteration, penalised) = (trace.len(), log_likelihood - of_slopes - of_loadings);
            trace.push(TraceStep { experts, iteration, log_likelihood, penalised, validation: None });
            if iteration == params.iterations {
                return Ok((tied, gate, trace));
            }
            let shares = self.shares(&responsibilities);
            let fit = |label: usize| {
                let label_fit = self.label_fit(label, &shares);
                let problem = FactorFit { label: label_fit, points: &points, ridge: params.ridge };
                let from = problem.at(tied.slopes[label], loadings[label].clone());
                problem.step(&from).unwrap_or(from)
            };
            let found: Vec<FactorPoint> = (0..loadings.len()).into_par_iter().map(fit).collect();
            slopes = found.iter().map(|point| point.at.slopes).collect();
            loadings = found.into_iter().map(|point| point.loadings).collect();
        }
    }

    /// The first (c, v): c = 0, and v are the leading principal axes of the standardised residuals (y − p)/√(p(1 − p)), by
    /// subspace iteration. The squared length of an axis is its variance beyond the mean of the axes left out.
    fn first_loadings(&self, factors: usize, seed: u64) -> Vec<Vec<f64>> {
        let (rows, labels) = (self.sample.len(), self.signs.cols());
        let mut residuals = Columns::zeros(rows, labels);
        let total: f64 = self.sample.weights.iter().sum();
        let mut spread = 0.0;
        for label in 0..labels {
            let pairs = self.log_odds.column(label).iter().zip(self.sample.labels.column(label));
            for ((cell, (odds, on)), weight) in
                residuals.column_mut(label).iter_mut().zip(pairs).zip(&self.sample.weights)
            {
                let p = sigmoid(*odds);
                *cell = (on - p) * (weight / total / (p * (1.0 - p) + MIN_VARIANCE)).sqrt();
                spread += *cell * *cell;
            }
        }
        let mut draws = Stream::new(seed, "factors", 0);
        let axes = factors.min(labels);
        let mut basis: Vec<Vec<f64>> = (0..axes).map(|_| (0..labels).map(|_| draws.normal()).collect()).collect();
        let mut variances = vec![0.0; axes];
        for _ in 0..ROUNDS {
            for axis in 0..axes {
                let mut along = vec![0.0; rows];
                for (label, v) in basis[axis].iter().enumerate() {
                    along.iter_mut().zip(residuals.column(label)).for_each(|(sum, r)| *sum += v * r);
                }
                let of = |label: usize| residuals.column(label).iter().zip(&along).map(|(r, a)| r * a).sum::<f64>();
                let mut next: Vec<f64> = (0..labels).map(of).collect();
                for done in &basis[..axis] {
                    let share: f64 = done.iter().zip(&next).map(|(a, b)| a * b).sum();
                    next.iter_mut().zip(done).for_each(|(cell, other)| *cell -= share * other);
                }
                let length = next.iter().map(|v| v * v).sum::<f64>().sqrt();
                if length > 0.0 {
                    next.iter_mut().for_each(|v| *v /= length);
                }
                (variances[axis], basis[axis]) = (length, next);
            }
        }
        let rest = (spread - variances.iter().sum::<f64>()).max(0.0) / (labels - axes).max(1) as f64;
        let lengths: Vec<f64> = variances.iter().map(|own| (own - rest).max(MIN_SHARE).sqrt()).collect();
        let of = |label: usize| {
            let own = (0..factors).map(|axis| if axis < axes { lengths[axis] * basis[axis][label] } else { 0.0 });
            std::iter::once(0.0).chain(own).collect()
        };
        (0..labels).map(of).collect()
    }
}
