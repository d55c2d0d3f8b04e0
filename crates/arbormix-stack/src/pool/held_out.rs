//! Level 1 without a fold, and its answers to the rows of that fold.

use std::sync::Arc;

use rayon::prelude::*;

use crate::level1::label_sets::LabelSetTable;
use crate::level1::sample::{Base, Fitting, Sample, Stacking};
use crate::level1::{Level1Fit, Plan, RowInput, expert_answers};
use arbormix_data::splits::Folds;
use arbormix_joint::Result;
use arbormix_learn::logistic::Design;
use arbormix_matrix::Columns;

/// The rows that level 1 is fitted to, and the held-out rows.
pub(crate) struct Split {
    pub(crate) train: Vec<usize>,
    pub(crate) held: Vec<usize>,
    sample: Sample,
    base: Base,
    /// φ of the held-out rows.
    held_design: Design,
    /// Their blended log-odds.
    held_log_odds: Columns,
}

/// Level 1 without a fold, with its answers to that fold.
pub(crate) struct HeldOutFold {
    pub(crate) fits: Vec<Level1Fit>,
    pub(crate) rows: Vec<HeldOutRow>,
}

/// The answers of all parts to one held-out row.
pub(crate) struct HeldOutRow {
    /// Its place among all rows.
    pub(crate) row: usize,
    pub(crate) weight: f64,
    pub(crate) answers: Vec<HeldOutAnswer>,
}

/// The answer of one part to a held-out row.
pub(crate) enum HeldOutAnswer {
    /// The log-probability of the row's own set, and P(yᵢ = 1 | x).
    Known { log_prob: f64, marginals: Vec<f64> },
    /// Evidence of the label-set table, whose exponents are not known yet, and the place of the row's own set if the table
    /// has it.
    Pooled { evidence: Vec<Vec<f64>>, own: Option<usize> },
}

/// New answers of some places to the held-out rows.
pub(crate) type SomeAnswers = Vec<Vec<Option<HeldOutAnswer>>>;

/// Fits all places. From the last to the first, so that the label-set table knows which parts it pools.
pub(crate) fn fit_all(plans: &[Arc<dyn Plan>], to: &Fitting<'_>) -> Result<Vec<Level1Fit>> {
    let mut fits = Vec::with_capacity(plans.len());
    let mut pooled = 0;
    for plan in plans.iter().rev() {
        let fit = plan.fit(&Fitting { pooled, ..*to })?;
        pooled += usize::from(fit.model.is_pooled());
        fits.push(fit);
    }
    fits.reverse();
    Ok(fits)
}

impl Split {
    /// The training rows, to fit a part to them.
    pub(crate) fn fitting<'a>(&'a self, stacking: &'a Stacking<'a>, is_warm: bool) -> Fitting<'a> {
        let Split { train, sample, base, .. } = self;
        Fitting { stacking, rows: train, sample, base, is_warm, pooled: 0, exponents: None }
    }
}

impl Stacking<'_> {
    /// One fold of the rows, held out, and the others.
    pub(crate) fn split(&self, folds: &Folds, fold: usize) -> Result<Split> {
        let (train, held) = (folds.train(fold), folds.test(fold));
        let sample = self.sample(&train);
        let base = Base::fit(&sample, self.params, self.progress)?;
        let held_sample = self.sample(&held);
        let held_log_odds = base.log_odds_of(&held_sample);
        Ok(Split { train, held, sample, base, held_design: held_sample.design, held_log_odds })
    }

    /// Fits level 1 without a fold and answers that fold.
    pub(crate) fn held_out(&self, folds: &Folds, fold: usize, plans: &[Arc<dyn Plan>]) -> Result<HeldOutFold> {
        let split = self.split(folds, fold)?;
        let fits = fit_all(plans, &split.fitting(self, false))?;
        Ok(self.held_out_fold(&split, fits))
    }

    /// The answers of all places to the held-out rows.
    pub(crate) fn held_out_fold(&self, split: &Split, fits: Vec<Level1Fit>) -> HeldOutFold {
        let answers = self.answers(split, &fits, &vec![true; fits.len()]);
        let row = |(&row, answers): (&usize, Vec<Option<HeldOutAnswer>>)| {
            let answers = answers.into_iter().flatten().collect();
            HeldOutRow { row, weight: self.weight(row), answers }
        };
        HeldOutFold { rows: split.held.iter().zip(answers).map(row).collect(), fits }
    }

    /// The answers of the wanted places to the held-out rows.
    pub(crate) fn answers(&self, split: &Split, fits: &[Level1Fit], wanted: &[bool]) -> SomeAnswers {
        let table = fits.iter().zip(wanted).filter(|(_, wanted)| **wanted).find_map(|(fit, _)| fit.model.table());
        let is_needed: Vec<bool> = fits
            .iter()
            .zip(wanted)
            .map(|(fit, wanted)| *wanted || (table.is_some() && fit.model.is_pooled()))
            .collect();
        let block = split.held_design.block(None, &[]);
        let gate = |(fit, needed): (&Level1Fit, &bool)| {
            fit.gate.as_ref().filter(|_| *needed).map(|gate| gate.log_weights(&block))
        };
        let gates: Vec<Option<Columns>> = fits.iter().zip(&is_needed).map(gate).collect();
        let labels = split.held_log_odds.cols();
        let answer = |(place, &row): (usize, &usize)| {
            let cells = |columns: &Columns| (0..columns.cols()).map(|j| columns.get(place, j)).collect::<Vec<f64>>();
            let mut input = RowInput {
                log_odds: cells(&split.held_log_odds),
                shares: self.shares(row),
                table: table.map(|table| &table.sets),
                pooled: Vec::new(),
            };
            let gates: Vec<Vec<f64>> = gates.iter().map(|gate| gate.as_ref().map(cells).unwrap_or_default()).collect();
            let models = fits.iter().zip(&gates).zip(&is_needed);
            let models = models.map(|((fit, gate), needed)| needed.then_some((&*fit.model, gate.as_slice())));
            let answers = expert_answers(models, &mut input);
            let places = fits.iter().zip(answers).zip(wanted);
            let of = |((fit, answer), wanted): ((&Level1Fit, Option<_>), &bool)| match (fit.model.table(), answer) {
                _ if !wanted => None,
                (Some(table), _) => Some(self.pooled(table, &input, row)),
                (None, answer) => answer.map(|answer: crate::level1::RowAnswer<'_>| HeldOutAnswer::Known {
                    log_prob: answer.log_prob(&self.labels[row]),
                    marginals: answer.marginals(labels),
                }),
            };
            places.map(of).collect()
        };
        split.held.par_iter().enumerate().map(answer).collect()
    }

    fn pooled(&self, table: &LabelSetTable, input: &RowInput<'_>, row: usize) -> HeldOutAnswer {
        HeldOutAnswer::Pooled { evidence: table.evidence(input), own: table.place(self.seen.class_of()[row]) }
    }
}

impl HeldOutFold {
    /// The label-set table, if there is one.
    pub(crate) fn table(&self) -> Option<&LabelSetTable> {
        self.fits.iter().find_map(|fit| fit.model.table())
    }

    /// Whether the part at `place` is read by the part at `reader`.
    pub(crate) fn is_read(&self, place: usize, reader: usize) -> bool {
        self.fits[reader].model.table().is_some() && self.fits[place].model.is_pooled()
    }

    /// Exchanges the fit of a place, and the answers that are given.
    pub(crate) fn swap(&mut self, place: usize, fit: &mut Level1Fit, answers: &mut SomeAnswers) {
        std::mem::swap(&mut self.fits[place], fit);
        for (row, answers) in self.rows.iter_mut().zip(answers) {
            for (own, other) in row.answers.iter_mut().zip(answers) {
                if let Some(other) = other {
                    std::mem::swap(own, other);
                }
            }
        }
    }
}
