//! Logistic regressions of the labels on φ.

use std::sync::Arc;

use super::Level0File;
use super::{Level0Answers, Level0Fit, Level0Model, Level0Part, NewRows, TrainingRows};
use crate::params::StackParams;
use crate::stored::columns;
use arbormix_base::progress::Progress;
use arbormix_data::splits::Folds;
use arbormix_joint::Result;
use arbormix_joint::learner::{REGRESSION_SECONDS, Size, Workers};
use arbormix_learn::logistic::{Coefficients, Target, choose_costs, cost_folds, solve};
use arbormix_learn::store::Stored;
use arbormix_matrix::Columns;

/// Regressions that are solved per label: for the choice of C, for each fold, for all rows.
const FITS_PER_LABEL: f64 = 25.0;

/// The part.
pub(crate) struct Regressions;

/// A fitted regression per label.
#[derive(Debug)]
struct FittedRegressions {
    /// Features of φ × labels.
    weights: Columns,
    biases: Vec<f64>,
}

impl Level0Part for Regressions {
    fn name(&self) -> &'static str {
        "regressions"
    }

    fn fit(&self, rows: &TrainingRows<'_>, folds: &Folds, progress: &dyn Progress) -> Result<Level0Fit> {
        let costs = rows.costs(progress)?;
        let log_odds = rows.out_of_fold_log_odds(folds, &costs, progress)?;
        let (coefficients, converged) = rows.regressions(None, &costs, progress)?;
        let mapped: Vec<_> = coefficients.iter().map(|own| rows.design.to_features(own)).collect();
        let weights = Columns::from_columns(rows.design.features(), mapped.iter().map(|own| own.weights.as_slice()));
        let model = FittedRegressions { weights, biases: mapped.iter().map(|own| own.bias).collect() };
        let message = "A logistic regression reached its iteration limit (logistic.solver.max_iterations).";
        let unconverged = (!converged).then(|| message.to_string());
        Ok(Level0Fit { answers: Level0Answers { log_odds, sets: None }, model: Arc::new(model), unconverged })
    }

    fn load(&self, file: &Level0File<'_>) -> Result<Arc<dyn Level0Model>> {
        let weights = columns(file.stored, "regressions.weights", file.map.feature_count(), file.labels)?;
        let biases = file.stored.tensor("regressions.biases", &[file.labels])?.to_vec();
        Ok(Arc::new(FittedRegressions { weights, biases }))
    }

    fn seconds(&self, params: &StackParams, size: &Size) -> f64 {
        REGRESSION_SECONDS * FITS_PER_LABEL * size.labels as f64 * params.regression_work(size)
    }

    fn bytes(&self, params: &StackParams, size: &Size, workers: Workers) -> usize {
        let mapped = size.with_features(params.map.components.min(size.rows).max(size.features));
        let answers = size.rows * size.labels * size_of::<f64>();
        mapped.regression_bytes(1, workers) + answers
    }
}

impl StackParams {
    /// Work of one regression on φ. The map is not known before the fit. For sparse features the larger of the two outcomes
    /// counts, for dense ones the geometric mean, so that neither outcome is far off.
    pub(crate) fn regression_work(&self, size: &Size) -> f64 {
        let (plain, mapped) = (size.work(), size.with_features(self.map.components.min(size.rows)).work());
        if size.sparse { plain.max(mapped) } else { (plain * mapped).sqrt() }
    }
}

impl TrainingRows<'_> {
    fn targets(&self) -> Vec<Target<'_>> {
        self.labels.iter().map(|values| Target::new(values, self.weights)).collect()
    }

    /// The cost C of every label's regression, by cross-validation.
    fn costs(&self, progress: &dyn Progress) -> Result<Vec<f64>> {
        let logistic = &self.params.logistic;
        let folds = cost_folds(self.design.rows(), logistic.folds, self.params.seed);
        Ok(choose_costs(self.design, None, &[], &self.targets(), &folds, logistic, progress)?)
    }

    /// The regressions on some rows (`None`: all), and whether all of them converged.
    fn regressions(
        &self,
        rows: Option<&[usize]>,
        costs: &[f64],
        progress: &dyn Progress,
    ) -> Result<(Vec<Coefficients>, bool)> {
        let targets = self.targets();
        let problems: Vec<_> = targets.iter().zip(costs).map(|(target, cost)| target.problem(*cost, None)).collect();
        let solutions = solve(&self.design.block(rows, &[]), &problems, &self.params.logistic.solver, progress)?;
        let converged = solutions.iter().all(|solution| solution.converged);
        Ok((solutions.into_iter().map(|solution| solution.coefficients).collect(), converged))
    }

    /// Log-odds of every row by regressions that were fitted to the other folds.
    pub(crate) fn out_of_fold_log_odds(
        &self,
        folds: &Folds,
        costs: &[f64],
        progress: &dyn Progress,
    ) -> Result<Columns> {
        let labels = self.labels.len();
        let mut log_odds = Columns::zeros(self.design.rows(), labels);
        for fold in 0..folds.count() {
            progress.check()?;
            let (train, held) = (folds.train(fold), folds.test(fold));
            let (coefficients, _) = self.regressions(Some(&train), costs, progress)?;
            let margins = self.design.block(Some(&held), &[]).margins(&coefficients.iter().collect::<Vec<_>>());
            for label in 0..labels {
                let column = log_odds.column_mut(label);
                held.iter().zip(margins.column(label)).for_each(|(&row, margin)| column[row] = *margin);
            }
        }
        Ok(log_odds)
    }
}

impl Level0Model for FittedRegressions {
    fn name(&self) -> &'static str {
        Regressions.name()
    }

    fn answers(&self, rows: &NewRows<'_>) -> Level0Answers {
        let mut log_odds = rows.mapped.product(&self.weights);
        for (label, bias) in self.biases.iter().enumerate() {
            log_odds.column_mut(label).iter_mut().for_each(|odds| *odds += bias);
        }
        Level0Answers { log_odds, sets: None }
    }

    fn store(&self, file: &mut Stored) {
        let labels = self.biases.len();
        file.put("regressions.weights", &[labels, self.weights.rows()], self.weights.values().to_vec());
        file.put("regressions.biases", &[labels], self.biases.clone());
    }
}
