//! EM of the tied trees.
//!
//! As in [`Mixture`](arbormix_mlme::mlme::Mixture) each part of the M-step decreases its own loss, so the penalised likelihood
//! never falls (up to rows that an expert is hardly responsible for, see `label`).

use pulp::{Arch, NullaryFnOnce};
use rayon::prelude::*;

use super::Tied;
use super::label::{LabelFit, Point, Ridges, Share};
use crate::level1::blend;
use crate::level1::sample::Sample;
use crate::level1::tree::StackedTree;
use crate::params::TiedParams;
use arbormix_base::progress::Progress;
use arbormix_joint::Result;
use arbormix_joint::learner::TraceStep;
use arbormix_learn::logistic::loss::{log_sigmoid, log_sum_exp};
use arbormix_learn::logistic::{Gate, GateParams, fit_gate};
use arbormix_matrix::Columns;

/// The rows that EM is fitted to.
pub(crate) struct Em<'a> {
    pub(super) sample: &'a Sample,
    pub(super) log_odds: &'a Columns,
    /// ±1: + where the row has the label, n × d.
    pub(super) signs: Columns,
    /// y_π − κ p_π, 0 without a parent, n × d.
    above: Columns,
    pub(super) params: &'a TiedParams,
    pub(super) ridges: Ridges,
    gate: GateParams,
}

impl<'a> Em<'a> {
    pub(crate) fn new(
        sample: &'a Sample,
        log_odds: &'a Columns,
        tree: &StackedTree,
        params: &'a TiedParams,
        intercept_ridge: f64,
        gate: GateParams,
    ) -> Em<'a> {
        let mut signs = sample.labels.clone();
        signs.values_mut().iter_mut().for_each(|value| *value = 2.0 * *value - 1.0);
        let expected = blend::expected(log_odds);
        let mut above = Columns::zeros(sample.len(), tree.coefficients.len());
        for (label, (parent, offset)) in tree.branching.parents().iter().zip(tree.offsets()).enumerate() {
            if let Some(parent) = *parent {
                let pairs = sample.labels.column(parent).iter().zip(expected.column(parent));
                above.column_mut(label).iter_mut().zip(pairs).for_each(|(cell, (y, p))| *cell = y - offset * p);
            }
        }
        let ridges = Ridges { slopes: params.slope_ridge, intercepts: intercept_ridge };
        Em { sample, log_odds, signs, above, params, ridges, gate }
    }

    /// From first responsibilities (n × K) and a first gate.
    pub(crate) fn run(
        &self,
        responsibilities: &Columns,
        gate: Gate,
        progress: &dyn Progress,
    ) -> Result<(Tied, Gate, Vec<TraceStep>)> {
        let (labels, experts) = (self.signs.cols(), responsibilities.cols());
        let tied = Tied { slopes: vec![[1.0, 0.0]; labels], intercepts: Columns::zeros(experts, labels) };
        progress.check()?;
        let (mut tied, mut gate) =
            self.maximised(&tied, &gate, responsibilities, self.params.newton_steps, progress)?;
        let mut trace = Vec::with_capacity(self.params.iterations);
        for iteration in 1.. {
            progress.check()?;
            let (responsibilities, log_likelihood) = self.expectation(&tied, &gate);
            let penalised = log_likelihood - self.penalty(&tied, &gate);
            trace.push(TraceStep { experts, iteration, log_likelihood, penalised, validation: None });
            if iteration >= self.params.iterations {
                break;
            }
            (tied, gate) = self.maximised(&tied, &gate, &responsibilities, 1, progress)?;
        }
        Ok((tied, gate, trace))
    }

    /// b l̃ + e (y_π − κ p_π) of one label.
    fn base(&self, label: usize, [slope, effect]: [f64; 2]) -> Vec<f64> {
        let pairs = self.log_odds.column(label).iter().zip(self.above.column(label));
        pairs.map(|(odds, above)| slope * odds + effect * above).collect()
    }

    /// E-step: responsibilities, and the log-likelihood of the rows.
    pub(super) fn expectation(&self, tied: &Tied, gate: &Gate) -> (Columns, f64) {
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
    fn maximised(
        &self,
        tied: &Tied,
        gate: &Gate,
        responsibilities: &Columns,
        steps: usize,
        progress: &dyn Progress,
    ) -> Result<(Tied, Gate)> {
        let weights = &self.sample.weights;
        let block = self.sample.design.block(None, &[]);
        let gate = fit_gate(&block, responsibilities, Some(weights), gate, &self.gate, progress)?.gate;
        let shares = self.shares(responsibilities);
        let fit = |label: usize| {
            let problem = self.label_fit(label, &shares);
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
        Ok((Tied { slopes: points.iter().map(|point| point.slopes).collect(), intercepts }, gate))
    }

    /// The rows of every expert.
    pub(super) fn shares(&self, responsibilities: &Columns) -> Vec<Share> {
        let of = |k: usize| Share::new(responsibilities.column(k), &self.sample.weights);
        (0..responsibilities.cols()).map(of).collect()
    }

    pub(super) fn label_fit<'s>(&'s self, label: usize, shares: &'s [Share]) -> LabelFit<'s> {
        LabelFit {
            log_odds: self.log_odds.column(label),
            above: self.above.column(label),
            signs: self.signs.column(label),
            shares,
            ridges: self.ridges,
        }
    }

    fn penalty(&self, tied: &Tied, gate: &Gate) -> f64 {
        let labels = tied.slopes.iter().enumerate();
        let own =
            labels.map(|(label, slopes)| self.ridges.penalty(*slopes, tied.intercepts.column(label))).sum::<f64>();
        own + gate.penalty(&self.sample.design.block(None, &[]), self.gate.penalty)
    }
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
