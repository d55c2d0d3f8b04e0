//! One number that makes a model's probabilities flatter or sharper, fitted on rows it had not seen.
//!
//! P(y | x)^(1/T), normalised, would need a sum over all label sets of a power of a mixture, which nobody can compute. The
//! definition here stays tractable: every node's log-odds and every score of the gate are divided by T. That is the same
//! as dividing all weights and biases by T, so a tempered model is a model like any other: its probabilities sum to one,
//! every question is answered at that temperature, and its file holds the divided weights. For a label on its own
//! both definitions are the same.

use serde::{Deserialize, Serialize};

use super::Model;
use crate::data::Dataset;
use crate::data::splits::Folds;
use crate::error::{Error, Result};
use crate::learner::Predictor;
use crate::out_of_fold::for_each_fold;
use crate::progress::Progress;

/// The temperatures that are tried: 2^(step/16) for steps from −32 to 32, so from ¼ to 4. The likelihood is flat around
/// its maximum: what a finer grid would gain is far below its noise.
const STEPS: std::ops::RangeInclusive<i32> = -32..=32;

/// The temperature of a step; exactly 1 at 0.
fn at(step: i32) -> f64 {
    (f64::from(step) / 16.0).exp2()
}

/// A fitted temperature. Above 1 the model was too sure of itself, below 1 not sure enough.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Temperature {
    /// What log-odds and gate scores were divided by.
    pub value: f64,
    /// Mean log P(y | x) at this temperature, of the rows it was fitted to by models that had not seen them.
    pub log_likelihood: f64,
    /// The same at temperature 1.
    pub log_likelihood_at_one: f64,
}

impl Model {
    /// The temperature that was fitted, if any; the model's probabilities are at this temperature.
    pub fn temperature(&self) -> Option<&Temperature> {
        self.temperature.as_ref()
    }

    /// Fits a temperature to the training rows' labels, each row predicted by a model of the other folds, and brings the
    /// model to it: as many more fits as there are folds. Thresholds that were fitted before are dropped, because they
    /// are for other marginals.
    ///
    /// `data` and `weights` are those the model was fitted with. Refused by methods that are no mixture of trees.
    ///
    /// ```
    /// use arbormix::data::{planted::Planted, splits::Folds};
    /// use arbormix::{fit, progress::Silent, registry};
    ///
    /// let (data, _) = Planted { rows: 200, seed: 1, ..Planted::default() }.sample()?;
    /// let learner = registry::learner("ctbn", registry::Preset::Default, &serde_json::json!({}))?;
    /// let mut model = fit(learner.as_ref(), &data, None, &Silent)?;
    /// model.fit_temperature(&data, None, &Folds::shuffled(200, 3, 0)?, &Silent)?;
    /// let fitted = model.temperature().copied().unwrap();
    /// assert!(fitted.log_likelihood >= fitted.log_likelihood_at_one);
    /// # Ok::<(), arbormix::Error>(())
    /// ```
    pub fn fit_temperature(
        &mut self,
        data: &Dataset,
        weights: Option<&[f64]>,
        folds: &Folds,
        progress: &dyn Progress,
    ) -> Result<()> {
        // Refused before the work starts, not after it.
        self.at_temperature(1.0)?;
        let mut sums = vec![0.0; STEPS.count()];
        let mut total = 0.0;
        for_each_fold(self.learner()?.as_ref(), data, weights, folds, progress, |model, rows, held| {
            let features = model.encode(held)?;
            let weight = |row: &usize| weights.map_or(1.0, |weights| weights[*row]);
            total += rows.iter().map(weight).sum::<f64>();
            for (sum, step) in sums.iter_mut().zip(STEPS) {
                progress.check()?;
                let log = model.log_prob_by(model.at_temperature(at(step))?.as_ref(), &features, held)?;
                *sum += log.iter().zip(rows).map(|(log, row)| weight(row) * log).sum::<f64>();
            }
            Ok(())
        })?;
        let mut best = (0, f64::NEG_INFINITY);
        let mut one = f64::NEG_INFINITY;
        for (sum, step) in sums.iter().zip(STEPS) {
            let mean = sum / total;
            // Equally good temperatures: the one that changes less.
            if mean > best.1 || (mean == best.1 && step.abs() < i32::abs(best.0)) {
                best = (step, mean);
            }
            if step == 0 {
                one = mean;
            }
        }
        let before = self.temperature.map_or(1.0, |fitted| fitted.value);
        self.temper(at(best.0) / before)?;
        self.temperature = Some(Temperature { value: at(best.0), log_likelihood: best.1, log_likelihood_at_one: one });
        self.thresholds.clear();
        Ok(())
    }

    /// Divides every log-odds and gate score by a number more.
    pub(crate) fn temper(&mut self, temperature: f64) -> Result<()> {
        self.predictor = self.at_temperature(temperature)?;
        Ok(())
    }

    fn at_temperature(&self, temperature: f64) -> Result<Box<dyn Predictor>> {
        let (method, what) = (self.method(), "probabilities at a temperature");
        let reason = "it is no mixture of trees; use mlme, ctbn or br";
        self.predictor.tempered(temperature).ok_or(Error::Unsupported { method, what, reason })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::data::planted::Planted;
    use crate::data::{LabelSet, Labels};
    use crate::decide::{PooledF1, Thresholds};
    use crate::joint::{RowExpert, RowMixture, RowTree, Rows};
    use crate::learner::{Learner, fit};
    use crate::matrix::DenseMatrix;
    use crate::progress::Silent;
    use crate::registry::{self, Preset};
    use crate::tree::partial_tests::hide;
    use crate::tree::tests::all_sets;

    fn planted(rows: usize, seed: u64) -> Dataset {
        Planted { rows, labels: 4, features: 12, seed, ..Planted::default() }.sample().unwrap().0
    }

    fn learner(method: &str, params: &Value) -> Box<dyn Learner> {
        registry::learner(method, Preset::Default, params).unwrap()
    }

    /// Costs that fit the training rows far too well.
    fn overconfident(method: &str) -> Box<dyn Learner> {
        learner(method, &json!({"logistic": {"costs": [1e4]}}))
    }

    fn sum(logs: &[f64]) -> f64 {
        logs.iter().sum()
    }

    /// P(y | x) at a temperature as the module's head defines it, from a mixture at temperature 1.
    fn by_definition(mixture: &RowMixture<'_>, set: &LabelSet, temperature: f64) -> f64 {
        let scores: Vec<f64> = mixture.log_gate.iter().map(|log| (log / temperature).exp()).collect();
        let total: f64 = scores.iter().sum();
        let expert = |(score, expert): (&f64, &RowExpert<'_>)| {
            let RowExpert::Tree(RowTree { tree, tables }) = expert else { panic!("an expert that is no tree") };
            let label = |label: usize| {
                let parent = tree.parents()[label].is_some_and(|parent| set.get(parent));
                let [off, on] = tables[label][usize::from(parent)];
                let present = 1.0 / (1.0 + ((off - on) / temperature).exp());
                if set.get(label) { present } else { 1.0 - present }
            };
            score / total * (0..set.len()).map(label).product::<f64>()
        };
        scores.iter().zip(&mixture.experts).map(expert).sum()
    }

    #[test]
    fn tempered_probabilities_are_the_definition_and_sum_to_one() {
        let data = planted(150, 3);
        let feature = json!({"nodes": {"kind": "parent-feature"}});
        for (method, params) in [("br", json!({})), ("ctbn", json!({})), ("ctbn", feature.clone()), ("mlme", feature)] {
            let model = fit(learner(method, &params).as_ref(), &data, None, &Silent).unwrap();
            let features = model.encode(&data).unwrap();
            let before = Rows::of(model.predictor(), &features).unwrap();
            for temperature in [0.5, 1.0, 1.7] {
                let tempered = model.at_temperature(temperature).unwrap();
                let mut totals = vec![0.0; data.rows()];
                for set in all_sets(4) {
                    let logs = tempered.log_prob(&features, &vec![set.clone(); data.rows()]).unwrap();
                    for (row, log) in logs.into_iter().enumerate() {
                        let expected = by_definition(&before.row(row), &set, temperature);
                        assert!((log.exp() - expected).abs() < 1e-9, "{method} at {temperature}: {expected}");
                        totals[row] += log.exp();
                    }
                }
                assert!(totals.iter().all(|total| (total - 1.0).abs() < 1e-9), "{method} at {temperature}: {totals:?}");
            }
        }
    }

    #[test]
    fn an_overconfident_model_is_cooled_and_likelier_on_new_rows() {
        let data = planted(560, 5);
        let rows: Vec<usize> = (0..560).collect();
        let (train, new) = (data.select_rows(&rows[..60]), data.select_rows(&rows[60..]));
        let folds = Folds::shuffled(60, 4, 0).unwrap();
        for method in ["br", "ctbn", "mlme"] {
            let learner = overconfident(method);
            let mut model = fit(learner.as_ref(), &train, None, &Silent).unwrap();
            let before = sum(&model.log_prob(&new).unwrap());
            model.fit_temperature(&train, None, &folds, &Silent).unwrap();
            let fitted = *model.temperature().unwrap();
            assert!(fitted.value > 1.0 && fitted.log_likelihood > fitted.log_likelihood_at_one, "{method}: {fitted:?}");
            let after = sum(&model.log_prob(&new).unwrap());
            assert!(after > before, "{method}: {before} before, {after} after");
            // What the file holds is at that temperature, and says so.
            let back = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
            assert_eq!(back.temperature(), Some(&fitted));
            assert_eq!(back.log_prob(&new).unwrap(), model.log_prob(&new).unwrap());
            // Fitted again it stays where it is.
            model.fit_temperature(&train, None, &folds, &Silent).unwrap();
            assert_eq!(*model.temperature().unwrap(), fitted);
            assert!((sum(&model.log_prob(&new).unwrap()) - after).abs() < 1e-9 * after.abs(), "{method}");
        }
    }

    #[test]
    fn rows_without_weight_do_not_count_and_unknown_cells_are_summed_over() {
        let data = planted(120, 7);
        let folds = Folds::shuffled(120, 3, 0).unwrap();
        let fitted = |data: &Dataset, weights: Option<&[f64]>| {
            let learner = overconfident("br");
            let mut model = fit(learner.as_ref(), data, weights, &Silent).unwrap();
            model.fit_temperature(data, weights, &folds, &Silent).unwrap();
            *model.temperature().unwrap()
        };
        let with = |labels: Labels| {
            let (columns, names) = (data.columns().to_vec(), data.label_names().to_vec());
            Dataset::new("changed", data.features().clone(), columns, labels, names).unwrap()
        };
        let all = fitted(&data, None);
        assert_eq!(fitted(&data, Some(&[1.0; 120])), all);
        let weights: Vec<f64> = (0..120).map(|row| if row % 4 == 0 { 0.0 } else { 2.0 }).collect();
        let other = |row: usize| if row.is_multiple_of(4) { 3 * row % 120 } else { row };
        let sets = (0..120).map(|row| data.labels().row(other(row)).clone()).collect();
        assert_eq!(fitted(&with(Labels::new(4, sets)), Some(&weights)), fitted(&data, Some(&weights)));
        let partly = fitted(&with(hide(data.labels(), 0.3, 1)), None);
        assert!(partly.log_likelihood > all.log_likelihood, "fewer cells are easier to foretell: {partly:?} {all:?}");
    }

    #[test]
    fn thresholds_are_for_the_marginals_at_the_temperature() {
        let data = planted(80, 9);
        let (folds, learner) = (Folds::shuffled(80, 4, 0).unwrap(), overconfident("ctbn"));
        let mut model = fit(learner.as_ref(), &data, None, &Silent).unwrap();
        model.fit_thresholds(&data, None, &folds, &Silent).unwrap();
        let plain = model.thresholds().to_vec();
        model.fit_temperature(&data, None, &folds, &Silent).unwrap();
        assert!(model.thresholds().is_empty(), "thresholds of other marginals are dropped");
        model.fit_thresholds(&data, None, &folds, &Silent).unwrap();
        assert_ne!(model.thresholds(), plain);
        let mut marginals = DenseMatrix::zeros(80, 4);
        for fold in 0..4 {
            let part = fit(learner.as_ref(), &data.select_rows(&folds.train(fold)), None, &Silent).unwrap();
            let held = data.select_rows(&folds.test(fold));
            let held = part.encode(&held).unwrap();
            let predictor = part.at_temperature(model.temperature().unwrap().value).unwrap();
            let found = predictor.marginals(&held).unwrap();
            for (place, &row) in folds.test(fold).iter().enumerate() {
                marginals.row_mut(row).copy_from_slice(found.row(place));
            }
        }
        let expected = PooledF1::ALL.map(|measure| Thresholds::fit(measure, &marginals, data.labels(), None));
        assert_eq!(model.thresholds(), expected);
    }

    #[test]
    fn methods_that_are_no_mixture_of_trees_refuse() {
        let data = planted(40, 1);
        for method in ["lp", "mlknn", "cc"] {
            let learner = learner(method, &json!({}));
            let mut model = fit(learner.as_ref(), &data, None, &Silent).unwrap();
            let folds = Folds::shuffled(40, 2, 0).unwrap();
            let error = model.fit_temperature(&data, None, &folds, &Silent).unwrap_err();
            let expected =
                "cannot give probabilities at a temperature: it is no mixture of trees; use mlme, ctbn or br";
            assert_eq!(error.to_string(), format!("{method} {expected}"));
            assert!(model.temperature().is_none());
        }
    }
}
