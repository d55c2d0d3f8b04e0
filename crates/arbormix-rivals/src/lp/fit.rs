//! Learning LP.

use super::params::{LabelPowersetParams, PowersetBase};
use super::predict::{Base, LabelPowerset};
use arbormix_base::progress::Progress;
use arbormix_data::SeenSets;
use arbormix_joint::Result;
use arbormix_joint::learner::{FitReport, Learner, Predictor, Size, TrainingSet, Workers};
use arbormix_joint::learner::{constant_label_notes, require_observed};
use arbormix_joint::learner_head;
use arbormix_learn::forest::{grow_seconds, grown_bytes};
use arbormix_learn::logistic::loss::smoothed_log_odds;
use arbormix_learn::logistic::{Bias, Design, Gate, Softmax, fit_gate};
use arbormix_matrix::Columns;

impl LabelPowersetParams {
    /// The base, and whether its solver converged.
    fn fitted_base(&self, data: &TrainingSet<'_>, seen: &SeenSets, progress: &dyn Progress) -> Result<(Base, bool)> {
        let (classes, count) = (seen.class_of(), seen.sets().len());
        match self.base {
            PowersetBase::Forest => {
                let forest = self.forest.grow(data.features, classes, count, data.weights, self.seed, progress)?;
                Ok((Base::Forest(forest), true))
            }
            PowersetBase::Logistic => {
                progress.begin("fitting the softmax over label sets", 1);
                progress.check()?;
                let design = Design::new(data.features, Bias::Penalised);
                let block = design.block(None, &[]);
                let mut targets = Columns::zeros(classes.len(), count);
                classes.iter().enumerate().for_each(|(row, &class)| targets.column_mut(class)[row] = 1.0);
                let start = Gate::uniform(&block, count);
                let fit = fit_gate(&block, &targets, data.weights, &start, &self.gate, progress)?;
                progress.advance(1);
                Ok((Base::Softmax(Softmax::new(&fit.gate, &design)), fit.converged))
            }
        }
    }
}

/// How often a further row would have an unseen set, (singletons + ½) / (N + 1), over rows of positive weight.
fn unseen_share(data: &TrainingSet<'_>, seen: &SeenSets) -> f64 {
    let mut rows_with = vec![0_usize; seen.sets().len()];
    let counts = |row: usize| data.weights.is_none_or(|weights| weights[row] > 0.0);
    seen.class_of().iter().enumerate().filter(|(row, _)| counts(*row)).for_each(|(_, &class)| rows_with[class] += 1);
    let singletons = rows_with.iter().filter(|&&rows| rows == 1).count();
    (singletons as f64 + 0.5) / (rows_with.iter().sum::<usize>() as f64 + 1.0)
}

/// Log-odds of every label's smoothed share of the rows.
fn log_odds(seen: &SeenSets, labels: usize) -> Vec<f64> {
    let total = seen.masses().iter().sum();
    let with = |label: usize| seen.sets().iter().zip(seen.masses()).filter(move |(set, _)| set.get(label));
    (0..labels).map(|label| smoothed_log_odds(with(label).map(|(_, mass)| mass).sum(), total)).collect()
}

impl Learner for LabelPowersetParams {
    learner_head!("lp");

    fn seconds(&self, size: &Size) -> f64 {
        match self.base {
            PowersetBase::Forest => grow_seconds(self.forest.trees, size.rows, size.columns, size.sparse),
            PowersetBase::Logistic => size.regression_seconds(size.sets),
        }
    }

    fn bytes(&self, size: &Size, workers: Workers) -> usize {
        match self.base {
            PowersetBase::Forest => size.bytes + 2 * size.encoded_bytes() + grown_bytes(self.forest.trees, size.rows),
            PowersetBase::Logistic => {
                let answers = size.sets * (3 * size.rows + 4 * size.features) * size_of::<f64>();
                size.regression_bytes(1, workers) + answers
            }
        }
    }

    fn learn(&self, data: &TrainingSet<'_>, progress: &dyn Progress) -> Result<(Box<dyn Predictor>, FitReport)> {
        require_observed(data, self.method())?;
        let seen = SeenSets::new(data.labels, data.weights);
        let (base, converged) = self.fitted_base(data, &seen, progress)?;
        let unseen = self.unseen.unwrap_or_else(|| unseen_share(data, &seen));
        let mut notes = constant_label_notes(data);
        if !converged {
            notes.push("the softmax over label sets reached its iteration limit (gate.solver.max_iterations)".into());
        }
        let log_odds = log_odds(&seen, data.labels.count());
        let model = LabelPowerset::new(seen.into_sets(), base, unseen, log_odds);
        Ok((Box::new(model), FitReport { converged, notes, ..FitReport::default() }))
    }
}
