//! The mixture of tied trees: one tree, slopes shared by all experts, intercepts of their own.
//!
//! logit P(yᵢ = 1 | x, y_π(i), k) = bᵢ l̃ᵢ + eᵢ y_π(i) + β_kᵢ, under a softmax gate on φ(x). With so few parameters per expert
//! there can be many of them. EM as in [`Mixture`](crate::mixture::Mixture): each part of the M-step decreases its own
//! loss, so the penalised likelihood never falls.

use pulp::{Arch, NullaryFnOnce};
use rayon::prelude::*;

use super::experts::{Sample, table};
use super::params::TiedParams;
use crate::error::Result;
use crate::learner::TraceStep;
use crate::logistic::loss::{evaluate, log_sigmoid, log_sum_exp};
use crate::logistic::{Gate, GateParams, fit_gate};
use crate::matrix::Columns;
use crate::progress::Progress;
use crate::tree::Branching;
use crate::tree::inference::Table;

/// Rows for which an expert is less responsible than this count nothing in its regressions: most rows of most experts.
const LEAST_RESPONSIBLE: f64 = 1e-6;
/// Halvings of a Newton step at most.
const MAX_HALVINGS: usize = 30;

/// Slopes and intercepts.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tied {
    /// (bᵢ, eᵢ) of every label.
    pub(super) slopes: Vec<[f64; 2]>,
    /// β, K × d.
    pub(super) intercepts: Columns,
}

impl Tied {
    /// The tables of expert k at a row with these log-odds l̃.
    pub(super) fn tables(&self, k: usize, blended: &[f64]) -> Vec<Table> {
        let of = |(label, [slope, effect]): (usize, &[f64; 2])| {
            let alone = slope * blended[label] + self.intercepts.get(k, label);
            table(alone, alone + effect)
        };
        self.slopes.iter().enumerate().map(of).collect()
    }
}

/// What EM works on.
pub(super) struct Em<'a> {
    sample: &'a Sample,
    blended: &'a Columns,
    /// ±1: + where the row has the label, n × d.
    signs: Columns,
    /// The parent's value, 0 without one, n × d.
    above: Columns,
    params: &'a TiedParams,
    gate: GateParams,
}

impl<'a> Em<'a> {
    pub(super) fn new(
        sample: &'a Sample,
        blended: &'a Columns,
        tree: &Branching,
        params: &'a TiedParams,
        gate: GateParams,
    ) -> Em<'a> {
        let mut signs = sample.labels.clone();
        signs.values_mut().iter_mut().for_each(|value| *value = 2.0 * *value - 1.0);
        let mut above = Columns::zeros(sample.len(), tree.len());
        for (label, parent) in tree.parents().iter().enumerate() {
            if let Some(parent) = parent {
                above.column_mut(label).copy_from_slice(sample.labels.column(*parent));
            }
        }
        Em { sample, blended, signs, above, params, gate }
    }

    /// From first responsibilities (n × K) and a first gate.
    pub(super) fn run(
        &self,
        responsibilities: &Columns,
        gate: Gate,
        progress: &dyn Progress,
    ) -> Result<(Tied, Gate, Vec<TraceStep>)> {
        let (labels, experts) = (self.signs.cols(), responsibilities.cols());
        let tied = Tied { slopes: vec![[1.0, 0.0]; labels], intercepts: Columns::zeros(experts, labels) };
        progress.check()?;
        let (mut tied, mut gate) = self.maximised(&tied, &gate, responsibilities, self.params.newton_steps);
        let mut trace = Vec::with_capacity(self.params.iterations);
        for iteration in 1.. {
            progress.check()?;
            let (responsibilities, log_likelihood) = self.expectation(&tied, &gate);
            let penalised = log_likelihood - self.penalty(&tied, &gate);
            trace.push(TraceStep { experts, iteration, log_likelihood, penalised, validation: None });
            if iteration >= self.params.iterations {
                break;
            }
            (tied, gate) = self.maximised(&tied, &gate, &responsibilities, 1);
        }
        Ok((tied, gate, trace))
    }

    /// b l̃ + e y_π of one label.
    fn base(&self, label: usize, [slope, effect]: [f64; 2]) -> Vec<f64> {
        let pairs = self.blended.column(label).iter().zip(self.above.column(label));
        pairs.map(|(blended, above)| slope * blended + effect * above).collect()
    }

    /// E-step: responsibilities, and the log-likelihood of the rows.
    fn expectation(&self, tied: &Tied, gate: &Gate) -> (Columns, f64) {
        let mut joint = gate.log_weights(&self.sample.design.block(None, &[]));
        let bases: Vec<Vec<f64>> = tied.slopes.iter().enumerate().map(|(label, s)| self.base(label, *s)).collect();
        let expert = |k: usize| {
            let mut logs = joint.column(k).to_vec();
            for (label, base) in bases.iter().enumerate() {
                let (signs, shift) = (self.signs.column(label), tied.intercepts.get(k, label));
                Arch::new().dispatch(AddLogProbabilities { logs: &mut logs, signs, base, shift });
            }
            logs
        };
        let logs: Vec<Vec<f64>> = (0..joint.cols()).into_par_iter().map(expert).collect();
        let mut total = 0.0;
        let mut row = vec![0.0; logs.len()];
        for (n, weight) in self.sample.weights.iter().enumerate() {
            row.iter_mut().zip(&logs).for_each(|(cell, logs)| *cell = logs[n]);
            let own = log_sum_exp(&row);
            total += weight * own;
            row.iter().enumerate().for_each(|(k, log)| joint.column_mut(k)[n] = (log - own).exp());
        }
        (joint, total)
    }

    /// M-step, from where gate and experts are.
    fn maximised(&self, tied: &Tied, gate: &Gate, responsibilities: &Columns, steps: usize) -> (Tied, Gate) {
        let weights = &self.sample.weights;
        let block = self.sample.design.block(None, &[]);
        let gate = fit_gate(&block, responsibilities, Some(weights), gate, &self.gate).gate;
        let shares: Vec<Share> =
            (0..responsibilities.cols()).map(|k| Share::new(responsibilities.column(k), weights)).collect();
        let fit = |label: usize| {
            let problem = LabelFit {
                blended: self.blended.column(label),
                above: self.above.column(label),
                signs: self.signs.column(label),
                shares: &shares,
                params: self.params,
            };
            let mut point = problem.at(tied.slopes[label], tied.intercepts.column(label).to_vec());
            for _ in 0..steps {
                match problem.step(&point) {
                    Some(next) => point = next,
                    None => break,
                }
            }
            point
        };
        let points: Vec<Point> = (0..self.signs.cols()).into_par_iter().map(fit).collect();
        let intercepts = Columns::from_columns(shares.len(), points.iter().map(|point| point.intercepts.as_slice()));
        (Tied { slopes: points.iter().map(|point| point.slopes).collect(), intercepts }, gate)
    }

    fn penalty(&self, tied: &Tied, gate: &Gate) -> f64 {
        let labels = tied.slopes.iter().enumerate();
        let own =
            labels.map(|(label, slopes)| penalty(*slopes, tied.intercepts.column(label), self.params)).sum::<f64>();
        own + gate.penalty(&self.sample.design.block(None, &[]), self.gate.penalty)
    }
}

/// ½ ρ ((b − 1)² + e²) + ½ ρ' Σ_k β_k².
fn penalty([slope, effect]: [f64; 2], intercepts: &[f64], params: &TiedParams) -> f64 {
    let squares: f64 = intercepts.iter().map(|beta| beta * beta).sum();
    let leaving = (slope - 1.0) * (slope - 1.0) + effect * effect;
    0.5 * params.slope_ridge * leaving + 0.5 * params.intercept_ridge * squares
}

/// Adds log σ(sign · (base + shift)) of every row.
struct AddLogProbabilities<'a> {
    logs: &'a mut [f64],
    signs: &'a [f64],
    base: &'a [f64],
    shift: f64,
}

impl NullaryFnOnce for AddLogProbabilities<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for ((log, sign), base) in self.logs.iter_mut().zip(self.signs).zip(self.base) {
            *log += log_sigmoid(sign * (base + self.shift));
        }
    }
}

/// The rows that an expert is responsible for.
struct Share {
    rows: Vec<u32>,
    /// sₙ hₙₖ of these.
    weights: Vec<f64>,
}

impl Share {
    fn new(responsibilities: &[f64], weights: &[f64]) -> Share {
        let cells = (0_u32..).zip(responsibilities.iter().zip(weights));
        let counting = cells.filter(|(_, (share, _))| **share >= LEAST_RESPONSIBLE);
        let (rows, weights) = counting.map(|(row, (share, weight))| (row, share * weight)).unzip();
        Share { rows, weights }
    }
}

/// The regression of one label over all experts, each row counting for every expert with its responsibility.
struct LabelFit<'a> {
    blended: &'a [f64],
    above: &'a [f64],
    signs: &'a [f64],
    shares: &'a [Share],
    params: &'a TiedParams,
}

/// Parameters of one label with the loss there and its derivatives. The Hessian is an arrow: intercepts of different
/// experts do not meet, only each with the slopes.
struct Point {
    slopes: [f64; 2],
    intercepts: Vec<f64>,
    loss: f64,
    slope_gradient: [f64; 2],
    slope_hessian: [[f64; 2]; 2],
    gradient: Vec<f64>,
    diagonal: Vec<f64>,
    cross: Vec<[f64; 2]>,
}

impl LabelFit<'_> {
    fn at(&self, slopes: [f64; 2], intercepts: Vec<f64>) -> Point {
        let (rows, ridge) = (self.signs.len(), self.params.slope_ridge);
        let [slope, effect] = slopes;
        let [mut signed, mut margins, mut residual, mut curvature] = [0; 4].map(|_| vec![0.0; rows]);
        let mut point = Point {
            slopes,
            loss: penalty(slopes, &intercepts, self.params),
            slope_gradient: [ridge * (slope - 1.0), ridge * effect],
            slope_hessian: [[ridge, 0.0], [0.0, ridge]],
            gradient: Vec::with_capacity(intercepts.len()),
            diagonal: Vec::with_capacity(intercepts.len()),
            cross: Vec::with_capacity(intercepts.len()),
            intercepts: Vec::new(),
        };
        for (beta, share) in intercepts.iter().zip(self.shares) {
            let count = share.rows.len();
            for (at, (&row, weight)) in share.rows.iter().zip(&share.weights).enumerate() {
                let n = row as usize;
                signed[at] = weight * self.signs[n];
                margins[at] = slope * self.blended[n] + effect * self.above[n] + beta;
            }
            let (residual, curvature) = (&mut residual[..count], &mut curvature[..count]);
            point.loss += evaluate(&signed[..count], &margins[..count], residual, curvature);
            let (mut pull, mut pulls, mut bend, mut bends) = (0.0, [0.0; 2], 0.0, [0.0; 2]);
            let mut squares = [0.0; 3];
            for (at, &row) in share.rows.iter().enumerate() {
                let (r, c, l, u) = (residual[at], curvature[at], self.blended[row as usize], self.above[row as usize]);
                pull += r;
                pulls[0] += r * l;
                pulls[1] += r * u;
                bend += c;
                bends[0] += c * l;
                bends[1] += c * u;
                squares[0] += c * l * l;
                squares[1] += c * l * u;
                squares[2] += c * u * u;
            }
            point.slope_gradient[0] -= pulls[0];
            point.slope_gradient[1] -= pulls[1];
            point.slope_hessian[0][0] += squares[0];
            point.slope_hessian[0][1] += squares[1];
            point.slope_hessian[1][1] += squares[2];
            point.gradient.push(self.params.intercept_ridge * beta - pull);
            point.diagonal.push(self.params.intercept_ridge + bend);
            point.cross.push(bends);
        }
        point.slope_hessian[1][0] = point.slope_hessian[0][1];
        Point { intercepts, ..point }
    }

    /// The point after a Newton step, halved until the loss decreases enough; `None` if rounding hides any decrease.
    fn step(&self, from: &Point) -> Option<Point> {
        let (slopes, intercepts) = from.direction();
        let along = |gradient: &[f64], step: &[f64]| gradient.iter().zip(step).map(|(g, s)| g * s).sum::<f64>();
        let slope = along(&from.slope_gradient, &slopes) + along(&from.gradient, &intercepts);
        if slope >= 0.0 {
            return None;
        }
        let mut length = 1.0;
        (0..MAX_HALVINGS).find_map(|_| {
            let moved = from.intercepts.iter().zip(&intercepts).map(|(beta, step)| beta + length * step).collect();
            let next = self.at([0, 1].map(|j| from.slopes[j] + length * slopes[j]), moved);
            let enough = next.loss <= from.loss + 1e-4 * length * slope;
            length *= 0.5;
            enough.then_some(next)
        })
    }
}

impl Point {
    /// −H⁻¹ ∇ by elimination of the intercepts.
    fn direction(&self) -> ([f64; 2], Vec<f64>) {
        let [[mut a, mut b], [_, mut d]] = self.slope_hessian;
        let mut right = self.slope_gradient.map(|g| -g);
        for ((g, h), [first, second]) in self.gradient.iter().zip(&self.diagonal).zip(&self.cross) {
            a -= first * first / h;
            b -= first * second / h;
            d -= second * second / h;
            right[0] += first * g / h;
            right[1] += second * g / h;
        }
        let determinant = a * d - b * b;
        let slopes = [(d * right[0] - b * right[1]) / determinant, (a * right[1] - b * right[0]) / determinant];
        let intercept =
            |((g, h), [first, second]): ((&f64, &f64), &[f64; 2])| -(g + first * slopes[0] + second * slopes[1]) / h;
        let intercepts = self.gradient.iter().zip(&self.diagonal).zip(&self.cross).map(intercept).collect();
        (slopes, intercepts)
    }
}
