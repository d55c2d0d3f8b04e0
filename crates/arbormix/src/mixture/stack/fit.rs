//! Learning the stacked mixture.

use rayon::prelude::*;

use super::experts::{Ground, Intercepts, Start};
use super::held_out::Stacking;
use super::level::Training;
use super::map::Choice;
use super::params::StackParams;
use super::predict::Stack;
use super::starts::{Clusters, most_frequent};
use crate::data::splits::Folds;
use crate::data::{DataError, SeenSets};
use crate::error::{ParamError, Result};
use crate::learner::{FitReport, Learner, Predictor, TrainingSet, learner_head};
use crate::logistic::{Design, Softmax};
use crate::progress::Progress;
use crate::tree::{constant_label_notes, require_observed};

/// Rows per tied tree at least: fewer say nothing about an expert of their own.
const ROWS_PER_EXPERT: usize = 10;
/// Labels up to which all of `held_out_rows` are held out.
const FEW_LABELS: usize = 50;
/// Points per factor at least: few would not fill its dimensions.
const POINTS_PER_FACTOR: usize = 5;
/// Rows that factors may be fitted to at least.
const LEAST_FACTOR_ROWS: usize = 200;

impl StackParams {
    /// Experts at most: so many that rows × labels × experts stay within bounds, and that each has some rows.
    pub(crate) fn most_experts(&self, rows: usize, labels: usize) -> usize {
        self.tied.experts.min(rows / ROWS_PER_EXPERT).min(self.tied.cells / (rows * labels).max(1)).max(1)
    }

    /// Intercepts that follow factors, if these are to be tried. The experts are points of a distribution and need no rows of their
    /// own, so where rows × labels × experts would be too many, it is the rows that are fewer.
    pub(super) fn factors(&self, labels: usize) -> Option<Intercepts> {
        let (experts, factors) = (self.tied.experts, self.tied.factors.count);
        let rows = self.tied.cells / (experts * labels).max(1);
        let usable = factors > 0 && labels > factors && experts >= POINTS_PER_FACTOR * factors;
        (usable && rows >= LEAST_FACTOR_ROWS).then_some(Intercepts::Factors { experts, rows })
    }

    /// Folds that level 1 is held out on: until they have rows enough. A row of many labels tells more about the six numbers that are fitted
    /// to them, and level 1 takes longer.
    pub(crate) fn held_out_folds(&self, rows: usize, labels: usize, folds: usize) -> usize {
        let most = self.held_out_rows;
        let wanted = (most.saturating_mul(FEW_LABELS) / labels.max(1)).clamp(most.div_ceil(5), most);
        wanted.saturating_mul(folds).div_ceil(rows.max(1)).clamp(1, folds)
    }

    fn fit(&self, data: &TrainingSet<'_>, progress: &dyn Progress) -> Result<(Stack, FitReport)> {
        let rows = data.labels.rows();
        if rows < 2 {
            let remedy = "; each must be answered by a model of others";
            return Err(DataError::TooFew { what: "rows of positive weight", found: rows, needed: 2, remedy }.into());
        }
        let mut notes = constant_label_notes(data);
        let labels: Vec<Vec<bool>> = (0..data.labels.count()).map(|label| data.labels.column(label)).collect();
        let (solver, seed) = (self.logistic.solver, self.seed);
        let choice = Choice { features: data.features, labels: &labels, weights: data.weights, solver, seed };
        let (map, reasons) = choice.map(&self.map, progress)?;
        notes.extend(reasons);
        let design = Design::new(&map.encode(data.features), self.logistic.bias);
        let seen = SeenSets::new(data.labels, data.weights);
        let level = Training {
            features: data.features,
            design: &design,
            labels: &labels,
            seen: &seen,
            weights: data.weights,
            params: self,
        };
        progress.check()?;
        let costs = level.costs(progress)?;
        let folds = Folds::shuffled(rows, self.folds.min(rows), seed)?;
        let (answers, forests) = level.out_of_fold(&folds, &costs, progress)?;
        let most = self.most_experts(rows, labels.len());
        let table = most_frequent(&seen, self.pool.sets);
        notes.extend(self.limits(&seen, rows, most, table.len()));
        let clusters = Clusters::new(&seen, most, self);
        let stacking = Stacking {
            params: self,
            labels: data.labels.sets(),
            weights: data.weights,
            seen: &seen,
            table: &table,
            clusters: &clusters,
            design: &design,
            answers: &answers,
            progress,
        };
        let used = self.held_out_folds(rows, labels.len(), folds.count());
        progress.begin("fitting the experts", used + 1);
        let (first, chosen, gate) = stacking.first_held_out(&folds)?;
        progress.advance(1);
        let others = (1..used).into_par_iter().map(|fold| {
            let held = stacking.held_out(&folds, fold, chosen)?;
            progress.advance(1);
            Ok(held)
        });
        let mut held = vec![first];
        held.extend(others.collect::<Result<Vec<_>>>()?);
        let joined = stacking.joined(&held);
        let held_out = Some(stacking.marginals(&held, &joined));
        drop(held);
        let all: Vec<usize> = (0..rows).collect();
        let responsibilities = clusters.responsibilities(seen.class_of(), self.tied.own_share);
        let start = Start { responsibilities: &responsibilities, gate, chosen };
        let sample = stacking.sample(&all);
        let fitted = Ground::fit(&sample, self, progress)?.experts(&sample, start, self, progress)?;
        let gate = Softmax::new(&fitted.gate, &design);
        let (level, converged) = level.fit(map, &costs, forests, progress)?;
        if !converged {
            notes.push("a logistic regression reached its iteration limit (logistic.solver.max_iterations)".into());
        }
        notes.push(joined.reason(chosen, fitted.experts.tied.count()));
        let model = Stack::new(self, level, &seen, table, fitted.experts, gate, joined.pool, joined.weights);
        Ok((model, FitReport { converged, notes, trace: fitted.trace, held_out }))
    }

    /// Says which limits the data meets.
    fn limits(&self, seen: &SeenSets, rows: usize, most: usize, table: usize) -> Vec<String> {
        let sets = seen.sets().len();
        let mut notes = Vec::new();
        if most < self.tied.experts.min(rows / ROWS_PER_EXPERT).min(sets) {
            notes.push(format!(
                "{most} tied trees instead of {}: more would be over {} cells (tied.cells)",
                self.tied.experts.min(rows / ROWS_PER_EXPERT).min(sets),
                self.tied.cells
            ));
        }
        if table < sets {
            notes.push(format!(
                "the {table} most frequent of {sets} label sets are in the label-set expert's table (pool.sets); \
                 the others are left to the trees"
            ));
        }
        notes
    }
}

impl Learner for StackParams {
    learner_head!("stack");

    fn validate(&self) -> Result<(), ParamError> {
        self.check()
    }

    fn learn(&self, data: &TrainingSet<'_>, progress: &dyn Progress) -> Result<(Box<dyn Predictor>, FitReport)> {
        require_observed(data, self.method())?;
        // Rows of weight 0 take no part in anything, the folds and the list of label sets included.
        let kept = |weights: &[f64]| (0..weights.len()).filter(|&row| weights[row] > 0.0).collect::<Vec<_>>();
        let (model, report) = match data.weights {
            Some(weights) if weights.contains(&0.0) => {
                let rows = kept(weights);
                let weights: Vec<f64> = rows.iter().map(|&row| weights[row]).collect();
                let (features, labels) = (data.features.select_rows(&rows), data.labels.select_rows(&rows));
                let rest = TrainingSet { features: &features, labels: &labels, weights: Some(&weights), ..*data };
                let (model, mut report) = self.fit(&rest, progress)?;
                if let Some(held_out) = &mut report.held_out {
                    held_out.rows.iter_mut().for_each(|row| *row = rows[*row]);
                }
                (model, report)
            }
            _ => self.fit(data, progress)?,
        };
        Ok((Box::new(model), report))
    }
}
