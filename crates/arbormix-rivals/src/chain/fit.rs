//! Learning a chain.

use super::model::Chain;
use super::order::Order;
use arbormix_base::progress::Progress;
use arbormix_joint::Result;
use arbormix_joint::learner::{FitReport, TrainingSet};
use arbormix_joint::learner::{constant_label_notes, require_observed};
use arbormix_learn::logistic::{Design, LogisticParams, Problem, Solution, Target, choose_costs, cost_folds, solve};

/// What CC and PCC say about the one chain they learn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Recipe<'a> {
    pub method: &'static str,
    pub logistic: &'a LogisticParams,
    pub order: &'a Order,
    pub seed: u64,
}

impl Recipe<'_> {
    /// Learns the chain on all rows.
    pub(crate) fn learn(&self, data: &TrainingSet<'_>, progress: &dyn Progress) -> Result<(Chain, FitReport)> {
        require_observed(data, self.method)?;
        let order = self.order.of(data.labels.count(), self.seed)?;
        let trainer = ChainTrainer::new(data, self.logistic, self.seed);
        progress.begin("fitting the chain", order.len());
        let (chain, converged) = trainer.fit(&order, Sample { rows: None, weights: data.weights }, progress)?;
        Ok((chain, FitReport { converged, notes: constant_label_notes(data), ..FitReport::default() }))
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
    pub rows: Option<&'a [usize]>,
    /// Weights of all N rows, or all 1.
    pub weights: Option<&'a [f64]>,
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
    /// The regressions see the true earlier labels, so they do not wait for each other: all labels (but the last) are
    /// columns of one batch, and each regression sees the leading ones.
    pub(crate) fn fit(&self, order: &[usize], sample: Sample<'_>, progress: &dyn Progress) -> Result<(Chain, bool)> {
        progress.check()?;
        let Sample { rows, weights } = sample;
        let earlier = &order[..order.len().saturating_sub(1)];
        let extras: Vec<&[f64]> = earlier.iter().map(|&label| self.columns[label].as_slice()).collect();
        let coordinates = |place: usize| Some(self.design.coordinates() + place);
        let targets: Vec<Target<'_>> = order
            .iter()
            .enumerate()
            .map(|(place, &label)| Target { values: &self.labels[label], weights, coordinates: coordinates(place) })
            .collect();
        let costs = choose_costs(&self.design, rows, &extras, &targets, &self.fold_of, self.logistic, progress)?;
        progress.check()?;
        let problems: Vec<Problem<'_>> =
            targets.iter().zip(costs).map(|(target, cost)| target.problem(cost, None)).collect();
        let solutions = solve(&self.design.block(rows, &extras), &problems, &self.logistic.solver, progress)?;
        progress.advance(order.len());
        let converged = solutions.iter().all(|solution| solution.converged);
        let own = |(place, solution): (usize, &Solution)| {
            let mut weights = self.design.to_features(&solution.coefficients);
            weights.weights.truncate(self.design.features() + place);
            weights
        };
        let mapped = solutions.iter().enumerate().map(own).collect();
        Ok((Chain::new(order.to_vec(), self.design.features(), mapped), converged))
    }
}
