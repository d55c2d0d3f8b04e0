//! Learning ML-ME: the internal split, the number of experts, the refit on all rows.

use super::boosting;
use super::clusters;
use super::em::{Em, Run, State};
use super::params::{Experts, MixtureParams, Start};
use super::predict::Mixture;
use super::regions;
use crate::ctbn::{Fitted, Trainer, expert_seconds};
use arbormix_base::progress::Progress;
use arbormix_base::random::Stream;
use arbormix_joint::Result;
use arbormix_joint::learner::{Divisible, Helper};
use arbormix_joint::learner::{FitReport, Learner, Predictor, Size, TraceStep, TrainingSet, Workers};
use arbormix_joint::learner::{constant_label_notes, unknown_cells_note};
use arbormix_joint::learner_head;
use arbormix_learn::logistic::Gate;
use arbormix_matrix::Columns;

/// EM iterations before the starts are compared.
const SHORT_RUN: usize = 10;

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

/// Training on one set of rows: with the internal split, then on all rows.
struct Phase<'a> {
    params: &'a MixtureParams,
    trainer: &'a Trainer<'a>,
    held_out: Option<&'a [f64]>,
    progress: &'a dyn Progress,
    /// The CTBN of all rows, where every expert begins unless they are grown.
    base: Option<Fitted>,
}

impl<'a> Phase<'a> {
    fn new(
        params: &'a MixtureParams,
        trainer: &'a Trainer<'a>,
        held_out: Option<&'a [f64]>,
        progress: &'a dyn Progress,
    ) -> Result<Phase<'a>> {
        let base = match params.start {
            Start::Boosting => None,
            Start::LabelClusters | Start::Regions => {
                let weights = trainer.row_weights.as_deref();
                Some(trainer.fit_tree(trainer.structure(weights, 0, progress)?, weights, progress)?)
            }
        };
        Ok(Phase { params, trainer, held_out, progress, base })
    }

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
        let run = match &self.base {
            Some(base) => em.run(self.best_start(&em, base, count, limit)?, limit)?,
            None => {
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

    /// Experts that begin as copies of `base` with different responsibilities.
    fn best_start(&self, em: &Em<'_>, base: &Fitted, count: usize, limit: usize) -> Result<State> {
        let labels = self.trainer.completed(base);
        let start = |restart: usize| {
            let (seed, restart) = (self.params.seed, restart as u64);
            let responsibilities: Columns = match self.params.start {
                Start::Regions => regions::responsibilities(self.trainer, count, seed, restart),
                _ => clusters::responsibilities(self.trainer, &labels, count, seed, restart),
            };
            let count = responsibilities.cols();
            let gate = Gate::uniform(&self.trainer.design.block(None, &[]), count);
            em.maximisation(&State { gate, experts: vec![base.clone(); count] }, &responsibilities)
        };
        if self.params.restarts == 1 {
            return start(0);
        }
        let mut best: Option<(State, f64)> = None;
        for restart in 0..self.params.restarts {
            let run = em.run(start(restart)?, limit.min(SHORT_RUN))?;
            let reached = run.trace.last().map_or(f64::NEG_INFINITY, |step| step.penalised);
            let value = if self.held_out.is_some() { run.validation } else { reached };
            if best.as_ref().is_none_or(|(_, top)| value > *top) {
                best = Some((run.state, value));
            }
        }
        best.map_or_else(|| start(0), |(state, _)| Ok(state))
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
    /// by clusters or regions.
    fn train_auto(&self, penalty: f64) -> Result<(Run, usize)> {
        let (least, most) = (self.params.min_experts, self.params.max_experts);
        let em = self.em(penalty);
        let limit = self.params.em.max_iterations;
        let grown = self.base.is_none();
        let mut count = if grown { 1 } else { least };
        let mut best = self.train(penalty, count, &mut Vec::new())?;
        while count < most {
            let next_count = if grown { count + 1 } else { (2 * count).min(most) };
            let next = match grown {
                true => boosting::grow(&em, Some(best.state.clone()), limit)?,
                false => self.train(penalty, next_count, &mut Vec::new())?,
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
        let start = match &self.base {
            // The kept trees stay (Section 5.3.2), and so do their parameters as a start.
            None => plan.state.clone(),
            Some(base) => self.best_start(&em, base, plan.experts, limit)?,
        };
        let run = em.run(start, limit)?;
        trace.extend(run.trace.iter().cloned());
        let run = self.refine(&em, run, limit, trace)?;
        // A run that ends where the internal split said has done its work, unless the split wanted more than allowed.
        let planned = early && plan.iterations < self.params.em.max_iterations;
        Ok(Run { converged: run.converged || planned, ..run })
    }
}

impl MixtureParams {
    fn needs_split(&self) -> bool {
        self.experts == Experts::Auto || self.validation.early_stopping || self.gate.penalties.len() > 1
    }

    /// What the internal split decided, and nothing else.
    fn choice_note(&self, plan: &Plan, rows: usize) -> String {
        let mut chosen = Vec::new();
        if self.experts == Experts::Auto {
            chosen.push(format!("number of experts {}", plan.state.experts.len()));
        }
        if self.gate.penalties.len() > 1 {
            chosen.push(format!("gate penalty {}", plan.penalty));
        }
        if self.validation.early_stopping {
            chosen.push(format!("number of EM iterations {}", plan.iterations));
        }
        format!("chosen on {rows} held-out rows: {}", chosen.join(", "))
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
    learner_head!("mlme", check);

    fn learn(&self, data: &TrainingSet<'_>, progress: &dyn Progress) -> Result<(Box<dyn Predictor>, FitReport)> {
        self.learn_with(data, None, progress)
    }

    fn seconds(&self, size: &Size) -> f64 {
        // Boosting seeks a tree for every expert.
        let searches = if self.start == Start::Boosting { 2.0 } else { 1.0 };
        let kernel = self.features.nystrom.as_ref();
        let size = kernel.map_or(*size, |nystrom| size.with_features(nystrom.components.min(size.rows)));
        let map = kernel.map_or(0.0, |nystrom| nystrom.seconds(size.rows));
        searches * expert_seconds(&size, self.most_experts(), self.structure.candidates) + map
    }

    fn bytes(&self, size: &Size, workers: Workers) -> usize {
        size.regression_bytes(self.most_experts(), workers)
    }

    fn divisible(&self) -> Option<&dyn Divisible> {
        Some(self)
    }
}

impl MixtureParams {
    /// Experts at most.
    fn most_experts(&self) -> usize {
        match self.experts {
            Experts::Count(count) => count,
            Experts::Auto => self.max_experts,
        }
    }

    fn trainer(&self, data: &TrainingSet<'_>) -> Trainer<'_> {
        Trainer::new(data, &self.logistic, &self.structure, &self.nodes, self.seed)
    }
}

impl Divisible for MixtureParams {
    fn helper(&self, data: &TrainingSet<'_>) -> Box<dyn Helper> {
        Box::new(self.trainer(data).into_owned())
    }

    fn learn_with(
        &self,
        data: &TrainingSet<'_>,
        helper: Option<&dyn Helper>,
        progress: &dyn Progress,
    ) -> Result<(Box<dyn Predictor>, FitReport)> {
        let (mixture, report) = self.fit(data, helper, progress)?;
        Ok((Box::new(mixture), report))
    }
}

impl MixtureParams {
    /// Learns from encoded features; a helper may do units of the work.
    pub(crate) fn fit(
        &self,
        data: &TrainingSet<'_>,
        helper: Option<&dyn Helper>,
        progress: &dyn Progress,
    ) -> Result<(Mixture, FitReport)> {
        let mut notes = constant_label_notes(data);
        let mut trainer = self.trainer(data).helped_by(helper);
        if trainer.observed.is_some() {
            notes.push(unknown_cells_note(data));
        }
        notes.extend(trainer.search_notes());
        let mut trace = Vec::new();
        let held = self.held_out(data.labels.rows());
        // Too few rows to hold any out: then nothing is chosen, and the first of everything is taken.
        let run = if self.needs_split() && held.contains(&true) && held.contains(&false) {
            let weights = trainer.row_weights.take();
            let weight = |n: usize| weights.as_ref().map_or(1.0, |w| w[n]);
            let share = |of_held: bool| -> Vec<f64> {
                held.iter().enumerate().map(|(n, &h)| if h == of_held { weight(n) } else { 0.0 }).collect()
            };
            let held_weights = share(true);
            trainer.row_weights = Some(share(false));
            let plan = Phase::new(self, &trainer, Some(&held_weights), progress)?.plan()?;
            notes.push(self.choice_note(&plan, held_weights.iter().filter(|&&w| w > 0.0).count()));
            trainer.row_weights = weights;
            trainer.forget_costs();
            Phase::new(self, &trainer, None, progress)?.refit(&plan, &mut trace)?
        } else {
            let count = match self.experts {
                Experts::Count(count) => count,
                Experts::Auto => self.min_experts,
            };
            let phase = Phase::new(self, &trainer, None, progress)?;
            phase.train(self.gate.penalties[0], count, &mut trace)?
        };
        if let Experts::Count(wanted) = self.experts
            && run.state.experts.len() < wanted
        {
            let count = run.state.experts.len();
            notes.push(format!("{count} experts instead of {wanted}: the rows have no more distinct label sets"));
        }
        if !run.converged {
            notes.push(format!("EM reached its limit of {} iterations", self.em.max_iterations));
        }
        let mixture = Mixture::from_state(&run.state, &trainer.design, self.inference);
        Ok((mixture, FitReport { converged: run.converged, notes, trace, ..FitReport::default() }))
    }
}
