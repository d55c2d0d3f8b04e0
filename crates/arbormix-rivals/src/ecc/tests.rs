//! Tests of ECC: against CC, and against means taken by hand over its chains.

use super::*;
use crate::cc::ClassifierChainParams;
use crate::chain::Order;
use arbormix_base::progress::Silent;
use arbormix_data::Dataset;
use arbormix_data::planted::Planted;
use arbormix_joint::learner::{Inference, Learner, Predictor, TrainingSet};

fn learn(learner: &dyn Learner, data: &Dataset) -> Box<dyn Predictor> {
    let (features, labels) = (data.features(), data.labels());
    let set = TrainingSet { features, labels, weights: None, label_names: data.label_names() };
    learner.learn(&set, &Silent).unwrap().0
}

fn ensemble(params: &ChainEnsembleParams, data: &Dataset) -> ChainEnsemble {
    ChainEnsemble::load(&learn(params, data).store()).unwrap()
}

fn planted() -> Dataset {
    Planted { rows: 150, labels: 5, seed: 9, ..Planted::default() }.sample().unwrap().0
}

#[test]
fn one_chain_on_all_rows_is_cc() {
    let data = planted();
    let params = ChainEnsembleParams::default().chains(1).sampling(Sampling::Subset(1.0));
    let ecc = ensemble(&params, &data);
    let order = Order::Listed(ecc.chains()[0].order().to_vec());
    let cc = learn(&ClassifierChainParams::default().order(order), &data);
    let answers = |p: &dyn Predictor| p.predict(data.features(), Inference::default()).unwrap();
    assert_eq!(answers(&ecc), answers(cc.as_ref()));
    let sets = data.labels().sets();
    assert_eq!(ecc.log_prob(data.features(), sets).unwrap(), cc.log_prob(data.features(), sets).unwrap());
}

#[test]
fn scores_and_probabilities_are_means_over_the_chains() {
    let data = planted();
    for combination in [Combination::Votes, Combination::Probabilities] {
        let ecc = ensemble(&ChainEnsembleParams::default().chains(3).combination(combination), &data);
        let scores = ecc.marginals(data.features()).unwrap();
        let logs = ecc.log_prob(data.features(), data.labels().sets()).unwrap();
        for row in [0, 17, 149] {
            let (mut expected, mut probability) = (vec![0.0; 5], 0.0);
            for chain in ecc.chains() {
                let one = data.features().select_rows(&[row]);
                chain
                    .ask(&one, |_, chain| (chain.greedy_marginals(), chain.log_prob(data.labels().row(row)).exp()))
                    .into_iter()
                    .for_each(|(marginals, p)| {
                        let said = |m: f64| if combination == Combination::Votes { f64::from(m >= 0.5) } else { m };
                        expected.iter_mut().zip(marginals).for_each(|(sum, m)| *sum += said(m) / 3.0);
                        probability += p / 3.0;
                    });
            }
            assert!(scores.row(row).iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12), "{combination:?}");
            assert!((logs[row].exp() - probability).abs() < 1e-12);
        }
    }
}

#[test]
fn samples_differ_between_chains_and_sizes_are_kept() {
    let data = planted();
    for sampling in [Sampling::Subset(0.5), Sampling::Bootstrap] {
        let ecc = ensemble(&ChainEnsembleParams::default().chains(4).sampling(sampling), &data);
        assert_eq!(ecc.chains().len(), 4);
        for (first, second) in ecc.chains().iter().zip(&ecc.chains()[1..]) {
            assert_ne!(first.links(), second.links(), "{sampling:?}");
        }
    }
}

#[test]
fn fitted_thresholds_give_the_training_rows_as_many_labels_as_they_have() {
    let data = planted();
    // With all rows in every sample the thresholds are fitted on the very scores that are compared with them.
    let params = |threshold| {
        ChainEnsembleParams::default()
            .chains(3)
            .sampling(Sampling::Subset(1.0))
            .combination(Combination::Probabilities)
            .threshold(threshold)
    };
    let counts = |threshold| -> Vec<usize> {
        let ecc = ensemble(&params(threshold), &data);
        let predictions = ecc.predict(data.features(), Inference::default()).unwrap();
        (0..5).map(|label| predictions.iter().filter(|p| p.labels.get(label)).count()).collect()
    };
    let truth: Vec<usize> =
        (0..5).map(|label| data.labels().column(label).into_iter().filter(|on| *on).count()).collect();
    assert_eq!(counts(Threshold::PcutPerLabel), truth);
    assert_eq!(counts(Threshold::Pcut).iter().sum::<usize>(), truth.iter().sum::<usize>());
    assert_eq!(ensemble(&params(Threshold::Half), &data).thresholds(), [0.5; 5]);
}
