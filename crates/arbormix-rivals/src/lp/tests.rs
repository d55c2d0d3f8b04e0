//! Tests of LP: its formula written down plainly, stationarity of the softmax, and questions against enumeration.

use serde_json::json;

use super::*;
use arbormix_base::params::Preset;
use arbormix_base::progress::Silent;
use arbormix_data::planted::Planted;
use arbormix_data::{Dataset, LabelSet, SeenSets};
use arbormix_joint::learner::{Learner, Predictor, TrainingSet};
use arbormix_joint::question::Known;
use arbormix_joint::testing::all_sets;
use arbormix_learn::forest::ForestParams;
use arbormix_model::fit;
use arbormix_model::model::Model;

fn planted() -> Dataset {
    Planted { rows: 80, labels: 4, seed: 6, ..Planted::default() }.sample().unwrap().0
}

fn learned(params: &LabelPowersetParams, data: &Dataset, weights: Option<&[f64]>) -> LabelPowerset {
    let (features, labels) = (data.features(), data.labels());
    let set = TrainingSet { features, labels, weights, label_names: data.label_names() };
    LabelPowerset::load(&params.learn(&set, &Silent).unwrap().0.store()).unwrap()
}

#[test]
fn probabilities_are_the_forest_s_and_a_share_of_independent_labels() {
    let data = planted();
    let weights: Vec<f64> = (0..80).map(|row| f64::from(u8::from(row >= 10))).collect();
    let params = LabelPowersetParams::default().seed(4);
    let model = learned(&params, &data, Some(&weights));
    let sets = data.labels().sets();
    let alike = |row: usize| (10..80).filter(|&other| sets[other] == sets[row]).count();
    let singletons = (10..80).filter(|&row| alike(row) == 1).count();
    assert!(singletons > 0);
    let unseen = (singletons as f64 + 0.5) / 71.0;
    assert!((model.unseen() - unseen).abs() < 1e-15);
    let rate = |label: usize| ((10..80).filter(|&row| sets[row].get(label)).count() as f64 + 0.5) / 71.0;
    let seen = SeenSets::new(data.labels(), None);
    let forest = ForestParams::default();
    let forest = forest.grow(data.features(), seen.class_of(), seen.sets().len(), Some(&weights), 4, &Silent).unwrap();
    let shares = forest.shares(data.features());
    for set in all_sets(4) {
        let ours = model.log_prob(data.features(), &vec![set.clone(); 80]).unwrap();
        let independent: f64 = (0..4).map(|i| if set.get(i) { rate(i) } else { 1.0 - rate(i) }).product();
        for (row, log) in ours.iter().enumerate() {
            let own = |share: &&(u32, f64)| seen.sets()[share.0 as usize] == set;
            let share = shares[row].iter().find(own).map_or(0.0, |(_, share)| *share);
            let expected = (1.0 - unseen) * share + unseen * independent;
            assert!((log.exp() - expected).abs() < 1e-12, "{set:?} row {row}");
        }
    }
}

#[test]
fn without_a_share_for_unseen_sets_they_are_impossible() {
    let data = planted();
    let model = learned(&LabelPowersetParams::default().unseen(Some(0.0)), &data, None);
    let missing = all_sets(4).into_iter().find(|set| !model.sets().contains(set)).unwrap();
    let logs = model.log_prob(data.features(), &vec![missing; 80]).unwrap();
    assert!(logs.iter().all(|log| *log == f64::NEG_INFINITY));
    // Fully grown trees know their own rows.
    let predictions = model.predict(data.features(), model.inference()).unwrap();
    assert!(predictions.iter().zip(data.labels().sets()).all(|(found, truth)| found.labels == *truth));
}

#[test]
fn the_softmax_is_stationary() {
    let data = planted();
    let overrides =
        json!({"base": "logistic", "unseen": 0.0, "gate": {"penalty": 0.5, "solver": {"tolerance": 1e-12}}});
    let params: LabelPowersetParams =
        serde_json::from_value(METHOD.with(Preset::Default, &overrides).unwrap().params()).unwrap();
    let model = learned(&params, &data, None);
    // ∂/∂b_k of the loss plus λ/2 ‖θ‖² is Σₙ (P(k | xₙ) − [yₙ = k]) + λ b_k.
    let biases = model.store().tensors["softmax.biases"].values.clone();
    for (set, bias) in model.sets().iter().zip(biases) {
        let logs = model.log_prob(data.features(), &vec![set.clone(); 80]).unwrap();
        let surplus: f64 = logs.iter().zip(data.labels().sets()).map(|(l, own)| l.exp() - f64::from(own == set)).sum();
        assert!((surplus + 0.5 * bias).abs() < 1e-4, "{set:?}: {surplus} {bias}");
    }
}

#[test]
fn questions_are_answered_and_files_keep_every_bit() {
    let data = planted();
    for base in ["forest", "logistic"] {
        let learner = METHOD.with(Preset::Default, &json!({"base": base})).unwrap();
        let model = fit(learner.as_ref(), &data, None, &Silent).unwrap();
        let rows = model.rows(&data).unwrap();
        for row in [0, 7, 33] {
            let mixture = rows.row(row);
            let given = mixture.given(&Known::nothing(4).with(2, true)).unwrap();
            let mass = |holds: &dyn Fn(&LabelSet) -> bool| -> f64 {
                all_sets(4).iter().filter(|set| holds(set)).map(|set| mixture.log_prob(set).exp()).sum()
            };
            assert!((given.log_probability.exp() - mass(&|set| set.get(2))).abs() < 1e-12);
            let both = mass(&|set| set.get(0) && set.get(2)) / mass(&|set| set.get(2));
            assert!((given.mixture.marginals()[0] - both).abs() < 1e-12);
            let best = mixture.map(0);
            assert!(best.certificate.certified);
            assert!(all_sets(4).iter().all(|set| mixture.log_prob(set) <= best.log_probability + 1e-12));
        }
        let back = Model::from_bytes(&model.to_bytes().unwrap(), &[METHOD]).unwrap();
        assert_eq!(back.marginals(&data).unwrap(), model.marginals(&data).unwrap(), "{base}");
    }
}

#[test]
fn damaged_label_sets_and_wrong_parameters_are_refused() {
    let stored = learned(&LabelPowersetParams::default(), &planted(), None).store();
    let damaged = |place: &str, value: serde_json::Value| {
        let mut stored = stored.clone();
        stored.facts[place] = value;
        LabelPowerset::load(&stored).unwrap_err().to_string()
    };
    assert!(damaged("sets", json!([[9]])).contains("do not exist"));
    assert!(damaged("sets", json!([[0], [0]])).contains("do not ascend"));
    assert!(damaged("features", json!(3)).contains("3"));
    let refused = |overrides| METHOD.with(Preset::Default, &overrides).err().unwrap().to_string();
    assert!(refused(json!({"unseen": 2.0})).contains("unseen"));
    assert!(refused(json!({"forest": {"trees": 0}})).contains("forest.trees"));
    assert!(refused(json!({"base": "svm"})).contains("base"));
}
