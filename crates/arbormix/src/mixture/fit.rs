//! Learning ML-ME: the internal split, the number of experts, the refit on all rows.

use super::boosting;
use super::clusters;
use super::em::{Em, Run, State};
use super::params::{Experts, MixtureParams, Start};
use super::predict::Mixture;
use crate::error::{ParamError, Result};
use crate::features::FeatureParams;
use crate::learner::{FitReport, Learner, Predictor, TraceStep, TrainingSet};
use crate::progress::Progress;
use crate::random::Stream;
use crate::tree::{Trainer, constant_label_notes, require_observed};

/// What the internal split decided.
struct Plan {
    penalty: f64,
    experts: usize,
    /// EM iterations of the last run.
    iterations: usize,
    validation: f64,
    /// The mixture on the internal training rows.
    state: State,
}

/// One way of training: on which rows, with which penalty of the gate.
struct Phase<'a> {
    params: &'a MixtureParams,
    trainer: &'a Trainer<'a>,
    held_out: Option<&'a [bool]>,
    progress: &'a dyn Progress,
}

impl<'a> Phase<'a> {
    fn em(&self, penalty: f64) -> Em<'a> {
        Em {
            trainer: self.trainer,
            gate: self.params.gate.with(penalty),
            params: &self.params.em,
            held_out: self.held_out,
            early_stopping: self.held_out.is_some() && self.params.validation.early_stopping,
            progress: self.progress,
        }
    }

    /// A mixture of `count` experts from scratch; boosting passes through all smaller ones.
    fn train(&self, penalty: f64, count: usize, trace: &mut Vec<TraceStep>) -> Result<Run> {
        let em = self.em(penalty);
        let limit = self.params.em.max_iterations;
        let run = match self.params.start {
            Start::LabelClusters => em.run(clusters::start(&em, count, self.params.seed)?, limit)?,
            Start::Boosting => {
                let mut run = boosting::grow(&em, None, limit)?;
                for _ in 1..count {
                    trace.append(&mut run.trace);
                    run = boosting::grow(&em, Some(run.state), limit)?;
                }
                run
            }
        };
        trace.extend(run.trace.iter().cloned());
        self.refine(&em, run, limit, trace)
    }

    /// Rounds of new trees for the experts as they are, each followed by EM.
    fn refine(&self, em: &Em<'_>, mut run: Run, limit: usize, trace: &mut Vec<TraceStep>) -> Result<Run> {
        for round in 0..self.params.refinements {
            run = em.run(em.refined(&run.state, round)?, limit)?;
            trace.extend(run.trace.iter().cloned());
        }
        Ok(run)
    }

    /// Adds experts while the held-out likelihood improves (Section 5.3.2): one at a time by boosting, twice as many
    /// by clusters.
    fn train_auto(&self, penalty: f64) -> Result<(Run, usize)> {
        let (least, most) = (self.params.min_experts, self.params.max_experts);
        let em = self.em(penalty);
        let limit = self.params.em.max_iterations;
        let mut count = match self.params.start {
            Start::Boosting => 1,
            Start::LabelClusters => least,
        };
        let mut best = self.train(penalty, count, &mut Vec::new())?;
        while count < most {
            let next_count = match self.params.start {
                Start::Boosting => count + 1,
                Start::LabelClusters => (2 * count).min(most),
            };
            let next = match self.params.start {
                Start::Boosting => boosting::grow(&em, Some(best.state.clone()), limit)?,
                Start::LabelClusters => self.train(penalty, next_count, &mut Vec::new())?,
            };
            if next.validation <= best.validation && count >= least {
                break;
            }
            (best, count) = (next, next_count);
        }
        Ok((best, count))
    }

    /// The best penalty and number of experts on the held-out rows.
    fn plan(&self) -> Result<Plan> {
        let mut best: Option<Plan> = None;
        for &penalty in &self.params.gate.penalties {
            let (run, experts) = match self.params.experts {
                Experts::Count(count) => (self.train(penalty, count, &mut Vec::new())?, count),
                Experts::Auto => self.train_auto(penalty)?,
            };
            let Run { state, iterations, validation, .. } = run;
            if best.as_ref().is_none_or(|plan| validation > plan.validation) {
                best = Some(Plan { penalty, experts, iterations, validation, state });
            }
        }
        Ok(best.expect("there is at least one penalty, checked before fitting"))
    }

    /// The plan carried out on all rows.
    fn refit(&self, plan: &Plan, trace: &mut Vec<TraceStep>) -> Result<Run> {
        let em = self.em(plan.penalty);
        let early = self.params.validation.early_stopping;
        let limit = if early { plan.iterations } else { self.params.em.max_iterations };
        let start = match self.params.start {
            // The kept trees stay (Section 5.3.2), and so do their parameters as a start.
            Start::Boosting => plan.state.clone(),
            Start::LabelClusters => clusters::start(&em, plan.experts, self.params.seed)?,
        };
        let run = em.run(start, limit)?;
        trace.extend(run.trace.iter().cloned());
        let run = self.refine(&em, run, limit, trace)?;
        Ok(Run { converged: run.converged || early, ..run })
    }
}

impl MixtureParams {
    fn needs_split(&self) -> bool {
        self.experts == Experts::Auto || self.validation.early_stopping || self.gate.penalties.len() > 1
    }

    /// The held-out rows of the internal split.
    fn held_out(&self, rows: usize) -> Vec<bool> {
        let count = (self.validation.share * rows as f64).round() as usize;
        let mut held = vec![false; rows];
        let order = Stream::new(self.seed, "validation", 0).permutation(rows);
        order.into_iter().take(count).for_each(|row| held[row] = true);
        held
    }
}

impl Learner for MixtureParams {
    fn method(&self) -> &'static str {
        "mlme"
    }

    fn params(&self) -> serde_json::Value {
        serde_json::to_value(self).expect("parameters are plain data")
    }

    fn validate(&self) -> Result<(), ParamError> {
        self.check()
    }

    fn features(&self) -> &FeatureParams {
        &self.features
    }

    fn learn(&self, data: &TrainingSet<'_>, progress: &dyn Progress) -> Result<(Box<dyn Predictor>, FitReport)> {
        require_observed(data, self.method())?;
        let mut notes = constant_label_notes(data);
        let mut trainer = Trainer::new(data, &self.logistic, &self.structure, &self.nodes, self.seed);
        let mut trace = Vec::new();
        let held = self.held_out(data.labels.rows());
        // Too few rows to hold any out: then nothing is chosen, and the first of everything is taken.
        let run = if self.needs_split() && held.contains(&true) && held.contains(&false) {
            let weights = trainer.row_weights.take();
            let masked = |(n, &held): (usize, &bool)| if held { 0.0 } else { weights.as_ref().map_or(1.0, |w| w[n]) };
            trainer.row_weights = Some(held.iter().enumerate().map(masked).collect());
            let plan = Phase { params: self, trainer: &trainer, held_out: Some(&held), progress }.plan()?;
            notes.push(format!(
                "chosen on {} held-out rows: {} experts, gate penalty {}, {} EM iterations",
                held.iter().filter(|&&h| h).count(),
                plan.state.experts.len(),
                plan.penalty,
                plan.iterations
            ));
            trainer.row_weights = weights;
            trainer.forget_costs();
            Phase { params: self, trainer: &trainer, held_out: None, progress }.refit(&plan, &mut trace)?
        } else {
            let count = match self.experts {
                Experts::Count(count) => count,
                Experts::Auto => self.min_experts,
            };
            let phase = Phase { params: self, trainer: &trainer, held_out: None, progress };
            phase.train(self.gate.penalties[0], count, &mut trace)?
        };
        if !run.converged {
            notes.push(format!("EM reached its limit of {} iterations", self.em.max_iterations));
        }
        let mixture = Mixture::from_state(&run.state, &trainer.design, self.inference);
        Ok((Box::new(mixture), FitReport { converged: run.converged, notes, trace }))
    }
}
