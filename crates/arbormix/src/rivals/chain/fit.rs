//! Learning a chain.

use rayon::prelude::*;

use super::model::Chain;
use super::order::Order;
use crate::error::{ParamError, Result};
use crate::learner::{FitReport, TrainingSet};
use crate::logistic::{Coefficients, Design, LogisticParams, Problem, choose_costs, cost_folds, solve};
use crate::progress::Progress;
use crate::tree::{constant_label_notes, require_observed};

/// What CC and PCC say about the one chain they learn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Recipe<'a> {
    pub(crate) method: &'static str,
    pub(crate) logistic: &'a LogisticParams,
    pub(crate) order: &'a Order,
    pub(crate) seed: u64,
}

impl Recipe<'_> {
    pub(crate) fn validate(&self) -> Result<(), ParamError> {
        self.logistic.validate()?;
        self.order.validate()
    }

    /// Learns the chain on all rows.
    pub(crate) fn learn(&self, data: &TrainingSet<'_>, progress: &dyn Progress) -> Result<(Chain, FitReport)> {
        require_observed(data, self.method)?;
        let order = self.order.of(data.labels.count(), self.seed)?;
        let trainer = ChainTrainer::new(data, self.logistic, self.seed);
        progress.begin("fitting the chain", order.len());
        let (chain, converged) = trainer.fit(&order, Sample { rows: None, weights: data.weights }, progress)?;
        Ok((chain, FitReport { converged, notes: constant_label_notes(data), trace: Vec::new() }))
    }
}

/// Everything needed to learn chains on one training set, in any order and on any of its rows.
pub(crate) struct ChainTrainer<'a> {
    design: Design,
    /// One column of N values per label.
    labels: Vec<Vec<bool>>,
    /// The same as numbers: columns of later regressions.
    columns: Vec<Vec<f64>>,
    fold_of: Vec<usize>,
    logistic: &'a LogisticParams,
}

/// The rows a chain learns from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sample<'a> {
    /// Their indices; `None`: all.
    pub(crate) rows: Option<&'a [usize]>,
    /// Weights of all N rows, or all 1.
    pub(crate) weights: Option<&'a [f64]>,
}

impl<'a> ChainTrainer<'a> {
    pub(crate) fn new(data: &TrainingSet<'_>, logistic: &'a LogisticParams, seed: u64) -> ChainTrainer<'a> {
        let labels: Vec<Vec<bool>> = (0..data.labels.count()).map(|label| data.labels.column(label)).collect();
        ChainTrainer {
            design: Design::new(data.features, logistic.bias),
            columns: labels.iter().map(|label| label.iter().map(|&on| f64::from(on)).collect()).collect(),
            fold_of: cost_folds(data.labels.rows(), logistic.folds, seed),
            labels,
            logistic,
        }
    }

    /// Learns a chain with this order; also says whether all its regressions converged.
    ///
    /// The regressions see the true earlier labels, so they do not wait for each other.
    pub(crate) fn fit(&self, order: &[usize], sample: Sample<'_>, progress: &dyn Progress) -> Result<(Chain, bool)> {
        let solved: Vec<(Coefficients, bool)> = (0..order.len())
            .into_par_iter()
            .map(|place| {
                progress.check()?;
                let extras: Vec<&[f64]> = order[..place].iter().map(|&label| self.columns[label].as_slice()).collect();
                let targets = self.labels[order[place]].as_slice();
                let Sample { rows, weights } = sample;
                let costs =
                    choose_costs(&self.design, rows, &extras, &[targets], weights, &self.fold_of, self.logistic);
                let problem = Problem { targets, weights, cost: costs[0], start: None };
                let solutions = solve(&self.design.block(rows, &extras), &[problem], &self.logistic.solver);
                progress.advance(1);
                let solution = solutions.into_iter().next().expect("one problem has one solution");
                Ok((solution.coefficients, solution.converged))
            })
            .collect::<Result<_>>()?;
        let converged = solved.iter().all(|(_, converged)| *converged);
        let mapped = solved.iter().map(|(coefficients, _)| self.design.to_features(coefficients)).collect();
        Ok((Chain::new(order.to_vec(), self.design.features(), mapped), converged))
    }
}
