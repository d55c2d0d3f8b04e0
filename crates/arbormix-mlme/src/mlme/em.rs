//! EM for the parameters of a mixture with fixed trees (Algorithm 1).

use rayon::prelude::*;

use super::params::{EmParams, Responsibilities};
use crate::ctbn::{Fitted, Purpose, Trainer};
use arbormix_base::progress::Progress;
use arbormix_joint::Result;
use arbormix_joint::learner::TraceStep;
use arbormix_learn::logistic::loss::log_sum_exp;
use arbormix_learn::logistic::{Gate, GateParams, fit_gate};
use arbormix_matrix::Columns;

/// Gate and experts, in design coordinates.
#[derive(Debug, Clone)]
pub(crate) struct State {
    pub(crate) gate: Gate,
    pub(crate) experts: Vec<Fitted>,
}

/// What EM works on: the rows, their weights, and what is held out.
pub(crate) struct Em<'a> {
    pub(crate) trainer: &'a Trainer<'a>,
    pub(crate) gate: GateParams,
    pub(crate) params: &'a EmParams,
    /// Weights of the rows held out, 0 for the others (whose weight in the trainer is not 0), to stop by.
    pub(crate) held_out: Option<&'a [f64]>,
    /// Whether the best iteration on the held-out rows is returned instead of the last.
    pub(crate) early_stopping: bool,
    pub(crate) progress: &'a dyn Progress,
}

/// Outcome of an E-step.
pub(crate) struct Expectation {
    /// hₖ⁽ⁿ⁾ (Eq. 7), N × K.
    pub(crate) responsibilities: Columns,
    /// log P(y⁽ⁿ⁾ | x⁽ⁿ⁾), N.
    pub(crate) log_likelihoods: Vec<f64>,
}

/// How a run of EM ended.
pub(crate) struct Run {
    pub(crate) state: State,
    /// M-steps in the returned state.
    pub(crate) iterations: usize,
    pub(crate) converged: bool,
    /// Held-out log-likelihood of the returned state, 0 without held-out rows.
    pub(crate) validation: f64,
    pub(crate) trace: Vec<TraceStep>,
}

/// Iterations without a better held-out likelihood before EM gives up.
const PATIENCE: usize = 2;

impl Em<'_> {
    /// Alternates E-step and M-step until the penalised likelihood settles.
    pub(crate) fn run(&self, mut state: State, limit: usize) -> Result<Run> {
        let mut trace: Vec<TraceStep> = Vec::new();
        let (mut best, mut best_validation) = (None, f64::NEG_INFINITY);
        self.progress.begin("EM", limit);
        for iteration in 0.. {
            self.progress.check()?;
            let expectation = self.expectation(&state);
            let step = self.trace_step(&state, &expectation, iteration);
            let gain = trace.last().map_or(f64::INFINITY, |last| step.penalised - last.penalised);
            let validation = step.validation.unwrap_or(0.0);
            trace.push(step);
            if self.early_stopping && validation > best_validation {
                (best, best_validation) = (Some((state.clone(), iteration)), validation);
            }
            let converged = gain < self.params.tolerance * self.total_weight();
            let worse = best.as_ref().is_some_and(|(_, at)| iteration >= at + PATIENCE);
            if converged || worse || iteration == limit {
                let (state, iterations) = best.unwrap_or((state, iteration));
                let validation = if self.early_stopping { best_validation } else { validation };
                return Ok(Run { state, iterations, converged: converged || worse, validation, trace });
            }
            state = self.maximisation(&state, &expectation.responsibilities)?;
            self.progress.advance(1);
        }
        unreachable!("the loop returns at the iteration limit")
    }

    /// E-step: hₖ⁽ⁿ⁾ ∝ gₖ(x⁽ⁿ⁾) P(y⁽ⁿ⁾ | x⁽ⁿ⁾, Tₖ) (Eq. 7).
    pub(crate) fn expectation(&self, state: &State) -> Expectation {
        let trainer = self.trainer;
        let mut joint = state.gate.log_weights(&trainer.design.block(None, &[]));
        let experts: Vec<Vec<f64>> = state.experts.par_iter().map(|expert| trainer.log_likelihoods(expert)).collect();
        for (k, likelihoods) in experts.iter().enumerate() {
            joint.column_mut(k).iter_mut().zip(likelihoods).for_each(|(log, l)| *log += l);
        }
        let (rows, count) = (joint.rows(), joint.cols());
        let mut log_likelihoods = Vec::with_capacity(rows);
        let mut row = vec![0.0; count];
        for n in 0..rows {
            (0..count).for_each(|k| row[k] = joint.get(n, k));
            let total = log_sum_exp(&row);
            (0..count).for_each(|k| joint.column_mut(k)[n] = (row[k] - total).exp());
            log_likelihoods.push(total);
        }
        Expectation { responsibilities: joint, log_likelihoods }
    }

    /// M-step: the gate maximises f₁ − R, every expert its weighted likelihood f₂ (Section 5.2), from where they are.
    pub(crate) fn maximisation(&self, state: &State, responsibilities: &Columns) -> Result<State> {
        let all = self.trainer.design.block(None, &[]);
        let weights = self.trainer.row_weights.as_deref();
        let gate = || fit_gate(&all, responsibilities, weights, &state.gate, &self.gate, self.progress);
        let (gate, experts) = rayon::join(gate, || self.maximised_experts(&state.experts, responsibilities));
        Ok(State { gate: gate?.gate, experts: experts? })
    }

    fn maximised_experts(&self, experts: &[Fitted], responsibilities: &Columns) -> Result<Vec<Fitted>> {
        let trainer = self.trainer;
        let weights: Vec<Vec<f64>> =
            (0..experts.len()).map(|k| self.expert_weights(responsibilities.column(k))).collect();
        if trainer.observed.is_some() {
            let maximised = |(expert, weights): (&Fitted, &Vec<f64>)| {
                trainer.maximised(expert, &trainer.beliefs(expert), weights, &self.params.solver, self.progress)
            };
            return experts.iter().zip(&weights).map(maximised).collect();
        }
        let mut jobs = Vec::new();
        for (k, expert) in experts.iter().enumerate() {
            for (label, nodes) in expert.nodes.iter().enumerate() {
                jobs.extend(nodes.iter().map(|node| node.again(label, k)));
            }
        }
        let weights: Vec<&[f64]> = weights.iter().map(Vec::as_slice).collect();
        let solutions = trainer.fit_nodes(&weights, jobs, &self.params.solver, Purpose::Step, self.progress)?;
        let mut experts = experts.to_vec();
        let nodes = experts.iter_mut().flat_map(|expert| expert.nodes.iter_mut().flatten());
        nodes.zip(solutions).for_each(|(node, solution)| node.coefficients = solution.coefficients);
        Ok(experts)
    }

    /// Seeks every expert's tree anew on the rows it answers for; its gate stays.
    pub(crate) fn refined(&self, state: &State, round: usize) -> Result<State> {
        let responsibilities = self.expectation(state).responsibilities;
        let count = state.experts.len();
        let expert = |k: usize| {
            let weights = self.expert_weights(responsibilities.column(k));
            // Divisions of the rows that no earlier tree has seen.
            let number = (round + 1) * count + k;
            let tree = self.trainer.structure(Some(&weights), number as u64, self.progress)?;
            self.trainer.fit_tree(tree, Some(&weights), self.progress)
        };
        Ok(State { gate: state.gate.clone(), experts: (0..count).map(expert).collect::<Result<_>>()? })
    }

    /// Weights of the rows for one expert: sₙ hₖ⁽ⁿ⁾, rescaled to Σ sₙ if responsibilities are normalised.
    pub(crate) fn expert_weights(&self, responsibilities: &[f64]) -> Vec<f64> {
        let mut weights: Vec<f64> =
            responsibilities.iter().enumerate().map(|(n, h)| h * self.trainer.row_weight(n)).collect();
        if self.params.responsibilities == Responsibilities::Normalised {
            let total: f64 = weights.iter().sum();
            if total > 0.0 {
                let factor = self.total_weight() / total;
                weights.iter_mut().for_each(|w| *w *= factor);
            }
        }
        weights
    }

    fn trace_step(&self, state: &State, expectation: &Expectation, iteration: usize) -> TraceStep {
        let trainer = self.trainer;
        let likelihoods = expectation.log_likelihoods.iter().enumerate();
        let log_likelihood: f64 = likelihoods.clone().map(|(n, l)| trainer.row_weight(n) * l).sum();
        let all = trainer.design.block(None, &[]);
        let experts: f64 = state.experts.iter().map(|expert| expert.penalty(&trainer.design)).sum();
        let penalised = log_likelihood - state.gate.penalty(&all, self.gate.penalty) - experts;
        let validation =
            self.held_out.map(|held| likelihoods.map(|(n, l)| if held[n] > 0.0 { held[n] * l } else { 0.0 }).sum());
        TraceStep { experts: state.experts.len(), iteration, log_likelihood, penalised, validation }
    }

    fn total_weight(&self) -> f64 {
        (0..self.trainer.design.rows()).map(|n| self.trainer.row_weight(n)).sum()
    }
}
