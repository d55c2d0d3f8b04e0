//! Exponents and weights together: the mixture that makes held-out rows most likely.

use rayon::prelude::*;

use super::held_out::{HeldOutAnswer, HeldOutFold, HeldOutRow};
use super::weights;
use crate::level1::Plan;
use crate::level1::exponents;
use crate::level1::sample::Stacking;
use arbormix_base::paired;
use arbormix_joint::learner::HeldOutMarginals;
use arbormix_matrix::DenseMatrix;
use std::sync::Arc;

/// What is fitted to held-out rows.
pub(crate) struct MixtureFit {
    /// Of the label-set table; empty without one.
    pub(crate) exponents: Vec<f64>,
    /// Of the parts.
    pub(crate) weights: Vec<f64>,
    /// Weight of the label-set table.
    pub(crate) table_weight: f64,
    /// Log-likelihoods and weights of the held-out rows.
    log_likelihoods: Vec<f64>,
    row_weights: Vec<f64>,
}

/// log g(s | x) of the table of a fold.
fn table_logs(fold: &HeldOutFold, exponents: &[f64], evidence: &[Vec<f64>]) -> Vec<f64> {
    let log_counts = fold.table().map_or(&[][..], |table| &table.log_counts);
    exponents::log_probabilities(exponents, evidence, log_counts)
}

impl MixtureFit {
    /// Fits the exponents, then the weights.
    pub(crate) fn new(folds: &[HeldOutFold], ridge: f64) -> MixtureFit {
        let exponents = fit_exponents(folds, ridge);
        let log_prob = |fold: &HeldOutFold, answer: &HeldOutAnswer| match answer {
            HeldOutAnswer::Known { log_prob, .. } => *log_prob,
            HeldOutAnswer::Pooled { evidence, own } => {
                own.map_or(f64::NEG_INFINITY, |own| table_logs(fold, &exponents, evidence)[own])
            }
        };
        let logs = |fold: &HeldOutFold, row: &HeldOutRow| {
            (row.answers.iter().map(|answer| log_prob(fold, answer)).collect(), row.weight)
        };
        let rows: Vec<weights::Row> =
            folds.iter().flat_map(|fold| fold.rows.iter().map(move |row| logs(fold, row))).collect();
        let parts = folds.first().map_or(0, |fold| fold.fits.len());
        let weights = weights::fit(&rows, parts);
        let log_likelihoods = weights::log_likelihoods(&rows, &weights);
        let fits = folds.first().into_iter().flat_map(|fold| &fold.fits);
        let tables = fits.zip(&weights).filter(|(fit, _)| fit.model.table().is_some());
        let table_weight = tables.map(|(_, weight)| *weight).sum();
        let row_weights = rows.iter().map(|(_, weight)| *weight).collect();
        MixtureFit { exponents, weights, table_weight, log_likelihoods, row_weights }
    }

    /// By how many standard errors this mixture is ahead of another on the same rows.
    pub(crate) fn lead(&self, other: &MixtureFit) -> f64 {
        let pairs = self.log_likelihoods.iter().zip(&other.log_likelihoods);
        let gains: Vec<f64> = pairs.map(|(own, other)| own - other).collect();
        paired::lead(&gains, |row| self.row_weights[row])
    }

    fn mean_log_likelihood(&self) -> f64 {
        let rows = self.log_likelihoods.iter().zip(&self.row_weights);
        rows.map(|(log, weight)| log * weight).sum::<f64>() / self.row_weights.iter().sum::<f64>()
    }

    /// The note for people: the held-out log-likelihood, and the weight of every part.
    pub(crate) fn note(&self, plans: &[Arc<dyn Plan>], distributions: &[&str]) -> String {
        let exponents = self.exponents.iter().zip(distributions).map(|(own, name)| format!("{name} {own:.2}"));
        let exponents = exponents.collect::<Vec<_>>().join(", ");
        let weights =
            self.weights.iter().zip(plans).map(|(weight, plan)| format!("{weight:.3} for {}", plan.describe()));
        format!(
            "Held-out log-likelihood: {:.4} per row. Weights of the parts: {}. Exponents of the label-set table: {exponents}.",
            self.mean_log_likelihood(),
            weights.collect::<Vec<_>>().join(", ")
        )
    }

    /// P(yᵢ = 1 | x) of the held-out rows: the sum over the parts of weight times marginal.
    pub(crate) fn marginals(&self, stacking: &Stacking<'_>, folds: &[HeldOutFold]) -> HeldOutMarginals {
        let labels = stacking.label_count();
        let of_row = |fold: &HeldOutFold, row: &HeldOutRow| -> Vec<f64> {
            let mut out = vec![0.0; labels];
            for (answer, weight) in row.answers.iter().zip(&self.weights) {
                if let HeldOutAnswer::Known { marginals, .. } = answer {
                    out.iter_mut().zip(marginals).for_each(|(sum, p)| *sum += weight * p);
                }
            }
            for (answer, weight) in row.answers.iter().zip(&self.weights) {
                let (HeldOutAnswer::Pooled { evidence, .. }, Some(table)) = (answer, fold.table()) else { continue };
                let logs = table_logs(fold, &self.exponents, evidence);
                for (set, log) in table.sets.sets.iter().zip(logs) {
                    let share = weight * log.exp();
                    set.members().for_each(|label| out[label] += share);
                }
            }
            out
        };
        let rows: Vec<(&HeldOutFold, &HeldOutRow)> =
            folds.iter().flat_map(|fold| fold.rows.iter().map(move |row| (fold, row))).collect();
        let cells: Vec<Vec<f64>> = rows.par_iter().map(|(fold, row)| of_row(fold, row)).collect();
        HeldOutMarginals {
            rows: rows.iter().map(|(_, row)| row.row).collect(),
            marginals: DenseMatrix::new(rows.len(), labels, cells.concat()),
        }
    }
}

/// The exponents of the label-set table; empty without one.
fn fit_exponents(folds: &[HeldOutFold], ridge: f64) -> Vec<f64> {
    let Some(distributions) = folds.iter().find_map(|fold| fold.table()).map(|table| table.floors.len()) else {
        return Vec::new();
    };
    let mut cases = Vec::new();
    for fold in folds {
        let Some(table) = fold.table() else { continue };
        for row in &fold.rows {
            for answer in &row.answers {
                // A row whose set is not in the table says nothing about the exponents.
                if let HeldOutAnswer::Pooled { evidence, own: Some(own) } = answer {
                    let (log_counts, weight) = (&table.log_counts[..], row.weight);
                    cases.push(exponents::Case { evidence, log_counts, own: *own, weight });
                }
            }
        }
    }
    exponents::fit(&cases, distributions, ridge)
}
