//! Learning BR.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::params::BinaryRelevanceParams;
use super::predict::BinaryRelevance;
use arbormix_base::progress::Progress;
use arbormix_joint::Result;
use arbormix_joint::learner::{FitReport, Learner, Predictor, Size, TrainingSet, Workers};
use arbormix_joint::learner_head;
use arbormix_learn::logistic::{Design, Problem, SPARSE_BATCH, Target, choose_costs, cost_folds, solve};
use arbormix_mlme::ctbn::{Fitted, tree_report};

impl BinaryRelevanceParams {
    /// Fits every label on the rows where it is known; labels known on the same rows share their products.
    pub fn fit(&self, data: &TrainingSet<'_>, progress: &dyn Progress) -> Result<(BinaryRelevance, FitReport)> {
        let (rows, count) = (data.labels.rows(), data.labels.count());
        let design = Design::new(data.features, self.logistic.bias);
        let columns: Vec<Vec<bool>> = (0..count).map(|label| data.labels.column(label)).collect();
        let folds = cost_folds(rows, self.logistic.folds, self.seed);
        let mut groups: BTreeMap<Option<Vec<usize>>, Vec<usize>> = BTreeMap::new();
        for label in 0..count {
            let known: Vec<usize> = (0..rows).filter(|&row| data.labels.is_observed(row, label)).collect();
            groups.entry((known.len() < rows).then_some(known)).or_default().push(label);
        }
        let batches: Vec<(Option<&[usize]>, &[usize])> = groups
            .iter()
            .flat_map(|(known, labels)| labels.chunks(SPARSE_BATCH).map(move |chunk| (known.as_deref(), chunk)))
            .collect();
        progress.begin("fitting labels", count);
        let solved: Vec<_> = batches
            .par_iter()
            .map(|&(known, labels)| {
                progress.check()?;
                let targets: Vec<Target<'_>> =
                    labels.iter().map(|&label| Target::new(&columns[label], data.weights)).collect();
                let costs = choose_costs(&design, known, &[], &targets, &folds, &self.logistic, progress)?;
                let problems: Vec<Problem<'_>> =
                    targets.iter().zip(&costs).map(|(target, &cost)| target.problem(cost, None)).collect();
                let solutions = solve(&design.block(known, &[]), &problems, &self.logistic.solver, progress)?;
                progress.advance(labels.len());
                Ok(costs.into_iter().zip(solutions).collect::<Vec<_>>())
            })
            .collect::<Result<_>>()?;
        let mut by_label = vec![None; count];
        for ((_, labels), results) in batches.iter().zip(solved) {
            labels.iter().zip(results).for_each(|(&label, result)| by_label[label] = Some(result));
        }
        let fitted = Fitted::without_edges(by_label.into_iter().flatten());
        let report = tree_report(&fitted, data);
        Ok((BinaryRelevance::new(&fitted, &design), report))
    }
}

impl Learner for BinaryRelevanceParams {
    learner_head!("br");

    fn seconds(&self, size: &Size) -> f64 {
        size.regression_seconds(size.labels)
    }

    fn bytes(&self, size: &Size, workers: Workers) -> usize {
        size.regression_bytes(1, workers)
    }

    fn learn(&self, data: &TrainingSet<'_>, progress: &dyn Progress) -> Result<(Box<dyn Predictor>, FitReport)> {
        let (predictor, report) = self.fit(data, progress)?;
        Ok((Box::new(predictor), report))
    }
}
