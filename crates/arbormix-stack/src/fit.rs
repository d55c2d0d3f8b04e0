//! Learning the stacked mixture.

use std::borrow::Cow;
use std::sync::Arc;

use rayon::prelude::*;

use super::level0::map_choice::MapChoice;
use super::level0::{Level0Answers, TrainingRows};
use super::level1::FittedPart;
use super::level1::sample::{Base, Fitting, Stacking};
use super::model::Stack;
use super::params::StackParams;
use super::parts::{LEVEL0, LEVEL1};
use super::pool::held_out::fit_all;
use super::pool::mixture::MixtureFit;
use super::pool::select::Selected;
use super::unknown_cells::{rows_without_cells_note, unknown_cells_note};
use arbormix_base::progress::Progress;
use arbormix_data::splits::Folds;
use arbormix_data::{DataError, SeenSets};
use arbormix_joint::Result;
use arbormix_joint::learner::constant_label_notes;
use arbormix_joint::learner::{FitReport, Learner, Predictor, Size, TrainingSet, Workers};
use arbormix_joint::learner_head;
use arbormix_learn::logistic::{Design, Softmax};

/// With at most so many labels all of `held_out_rows` are held out.
const FEW_LABELS: usize = 50;

impl StackParams {
    /// Number of folds that level 1 is held out on, so that they have enough rows. A row of many labels says more about the
    /// few numbers that are fitted to it, and level 1 takes longer with many labels.
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
        let labels: Vec<Vec<bool>> = (0..data.labels.count()).map(|label| data.labels.column(label)).collect();
        let (solver, seed, weights) = (self.logistic.solver, self.seed, data.weights);
        let choice = MapChoice { features: data.features, labels: &labels, weights, solver, seed };
        let (map, mut notes) = choice.fit(&self.map, progress)?;
        let design = Design::new(&map.encode(data.features), self.logistic.bias);
        let seen = SeenSets::new(data.labels, weights);
        let training = TrainingRows {
            features: data.features,
            design: &design,
            labels: &labels,
            seen: &seen,
            weights,
            params: self,
        };
        progress.check()?;
        let folds = Folds::shuffled(rows, self.folds.min(rows), seed)?;
        let mut answers: Vec<Level0Answers> = Vec::with_capacity(LEVEL0.len());
        let (mut level0, mut unconverged) = (Vec::with_capacity(LEVEL0.len()), Vec::new());
        for part in LEVEL0 {
            let fit = part.fit(&training, &folds, progress)?;
            answers.push(fit.answers);
            level0.push(fit.model);
            unconverged.extend(fit.unconverged);
        }
        notes.extend(LEVEL1.iter().filter_map(|part| part.limit_note(self, &seen)));
        let (sets, design) = (data.labels.sets(), &design);
        let stacking =
            Stacking { params: self, labels: sets, weights, seen: &seen, design, answers: &answers, progress };
        let used = self.held_out_folds(rows, labels.len(), folds.count());
        progress.begin("fitting the experts", used + 1);
        let Selected { fold, plans } = stacking.select(&folds, LEVEL1)?;
        progress.advance(1);
        let others = (1..used).into_par_iter().map(|fold| {
            let held = stacking.held_out(&folds, fold, &plans)?;
            progress.advance(1);
            Ok(held)
        });
        let mut held = vec![fold];
        held.extend(others.collect::<Result<Vec<_>>>()?);
        let mixture = MixtureFit::new(&held, self.pool.ridge);
        let held_out = Some(mixture.marginals(&stacking, &held));
        drop(held);
        let all: Vec<usize> = (0..rows).collect();
        let sample = stacking.sample(&all);
        let base = Base::fit(&sample, self, progress)?;
        let exponents = Some(&mixture.exponents[..]);
        let to = Fitting {
            stacking: &stacking,
            rows: &all,
            sample: &sample,
            base: &base,
            is_warm: true,
            pooled: 0,
            exponents,
        };
        let fits = fit_all(&plans, &to)?;
        let converged = unconverged.is_empty();
        notes.append(&mut unconverged);
        let named = level0.iter().filter(|part| part.has_sets()).map(|part| part.name());
        let pooled = fits.iter().filter(|fit| fit.model.is_pooled()).map(|fit| fit.model.name());
        let named: Vec<&str> = named.chain(pooled).chain(["row counts"]).collect();
        notes.push(mixture.note(&plans, &named));
        let (mut parts, mut trace) = (Vec::with_capacity(fits.len()), Vec::new());
        for fit in fits {
            parts.push(FittedPart { model: fit.model, gate: fit.gate.map(|gate| Softmax::new(&gate, design)) });
            trace.extend(fit.trace);
        }
        let (seen, tree) = (seen.sets().to_vec(), Arc::clone(&base.tree));
        let (weights, inference) = (mixture.weights, self.inference);
        let model = Stack { map, seen, level0, blend: base.blend, tree, parts, weights, inference };
        Ok((model.without_zero_weights(), FitReport { converged, notes, trace, held_out }))
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
        // Rows of weight 0 and rows without a known cell are not used at all, not even for the folds and the list of label sets.
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
