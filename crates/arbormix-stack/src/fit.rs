//! Learning the stacked mixture.

use std::borrow::Cow;

use rayon::prelude::*;

use super::experts::{Ground, Intercepts, Start};
use super::held_out::Stacking;
use super::level::Training;
use super::map::Choice;
use super::params::StackParams;
use super::predict::Stack;
use super::starts::{Clusters, most_frequent};
use super::unknown::{rows_without_cells_note, unknown_cells_note};
use arbormix_base::progress::Progress;
use arbormix_data::splits::Folds;
use arbormix_data::{DataError, SeenSets};
use arbormix_joint::Result;
use arbormix_joint::learner::constant_label_notes;
use arbormix_joint::learner::{FitReport, Learner, Predictor, Size, TrainingSet, Workers};
use arbormix_joint::learner_head;
use arbormix_learn::logistic::{Design, Softmax};

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
    pub fn most_experts(&self, rows: usize, labels: usize) -> usize {
        self.tied.experts.min(rows / ROWS_PER_EXPERT).min(self.tied.cells / (rows * labels).max(1)).max(1)
    }

    /// Intercepts that follow factors, if these are to be tried. The experts are points of a distribution and need no rows of their
    /// own, so where rows × labels × experts would be too many, it is the rows that are fewer.
    pub(crate) fn factors(&self, labels: usize) -> Option<Intercepts> {
        let (experts, factors) = (self.tied.experts, self.tied.factors.count);
        let rows = self.tied.cells / (experts * labels).max(1);
        let usable = factors > 0 && labels > factors && experts >= POINTS_PER_FACTOR * factors;
        (usable && rows >= LEAST_FACTOR_ROWS).then_some(Intercepts::Factors { experts, rows })
    }

    /// Folds that level 1 is held out on: until they have rows enough. A row of many labels tells more about the six numbers that are fitted
    /// to them, and level 1 takes longer.
    pub fn held_out_folds(&self, rows: usize, labels: usize, folds: usize) -> usize {
        let most = self.held_out_rows;
        let wanted = (most.saturating_mul(FEW_LABELS) / labels.max(1)).clamp(most.div_ceil(5), most);
        wanted.saturating_mul(folds).div_ceil(rows.max(1)).clamp(1, folds)
    }

    fn fit(&self, data: &TrainingSet<'_>, progress: &dyn Progress) -> Result<(Stack, FitReport)> {
        let rows = data.labels.rows();
        if rows < 2 {
            let remedy = "; each must be answered by a model of others";
            return Err(DataError::TooFew {
                what: "rows of positive weight with a known label",
                found: rows,
                needed: 2,
                remedy,
            }
            .into());
        }
        let mut notes = Vec::new();
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

    fn seconds(&self, size: &Size) -> f64 {
        self.seconds_of(size)
    }

    fn bytes(&self, size: &Size, workers: Workers) -> usize {
        self.bytes_of(size, workers)
    }

    fn learn(&self, data: &TrainingSet<'_>, progress: &dyn Progress) -> Result<(Box<dyn Predictor>, FitReport)> {
        // Rows of weight 0 and rows without a known cell take no part in anything, the folds and the list of label sets included.
        let counts = |row: usize| data.weights.is_none_or(|weights| weights[row] > 0.0);
        let is_known = |row: usize| data.labels.mask().is_none_or(|masks| masks[row].count() > 0);
        let rows: Vec<usize> = (0..data.labels.rows()).filter(|&row| counts(row) && is_known(row)).collect();
        let (mut features, mut labels) = (Cow::Borrowed(data.features), Cow::Borrowed(data.labels));
        if rows.len() < data.labels.rows() {
            (features, labels) = (Cow::Owned(features.select_rows(&rows)), Cow::Owned(labels.select_rows(&rows)));
        }
        let weights: Option<Vec<f64>> = data.weights.map(|weights| rows.iter().map(|&row| weights[row]).collect());
        let part = TrainingSet { features: &features, labels: &labels, weights: weights.as_deref(), ..*data };
        let mut notes = constant_label_notes(&part);
        let (model, mut report) = if part.labels.mask().is_some() {
            let completed = self.completed(&part, progress)?;
            let (labels, weights) = (&completed.labels, Some(completed.weights.as_slice()));
            self.fit(&TrainingSet { labels, weights, ..part }, progress)?
        } else {
            self.fit(&part, progress)?
        };
        notes.extend(rows_without_cells_note(data.labels));
        notes.extend(unknown_cells_note(part.labels));
        notes.append(&mut report.notes);
        report.notes = notes;
        if let Some(held_out) = &mut report.held_out {
            held_out.rows.iter_mut().for_each(|row| *row = rows[*row]);
        }
        Ok((Box::new(model), report))
    }
}
