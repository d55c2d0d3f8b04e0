//! Tests of CHF: against BR put on top of BR by hand.

use super::*;
use crate::br::BinaryRelevanceParams;
use arbormix_base::progress::Silent;
use arbormix_data::planted::Planted;
use arbormix_data::{Dataset, LabelSet, Labels};
use arbormix_joint::learner::{Learner, Predictor, TrainingSet};
use arbormix_matrix::{DenseMatrix, Matrix};

fn learn(learner: &dyn Learner, features: &Matrix, data: &Dataset) -> Box<dyn Predictor> {
    let set = TrainingSet { features, labels: data.labels(), weights: None, label_names: data.label_names() };
    learner.learn(&set, &Silent).unwrap().0
}

fn beside(features: &Matrix, further: &DenseMatrix) -> Matrix {
    let Matrix::Dense(dense) = features else { panic!("planted densely") };
    let rows: Vec<f64> = (0..dense.rows()).flat_map(|row| [dense.row(row), further.row(row)].concat()).collect();
    Matrix::Dense(DenseMatrix::new(dense.rows(), dense.cols() + further.cols(), rows))
}

fn planted() -> Dataset {
    Planted { rows: 90, labels: 3, seed: 12, ..Planted::default() }.sample().unwrap().0
}

#[test]
fn in_sample_layers_are_br_on_br() {
    let data = planted();
    for hard in [false, true] {
        let chf = learn(&TwoLayerParams::default().in_sample(true).hard(hard), data.features(), &data);
        let br = BinaryRelevanceParams::default();
        let mut outputs = learn(&br, data.features(), &data).marginals(data.features()).unwrap();
        if hard {
            outputs.values_mut().iter_mut().for_each(|p| *p = if *p < 0.5 { 0.0 } else { 1.0 });
        }
        let derived = beside(data.features(), &outputs);
        let expected = learn(&br, &derived, &data).marginals(&derived).unwrap();
        assert_eq!(chf.marginals(data.features()).unwrap(), expected, "hard = {hard}");
    }
}

#[test]
fn out_of_fold_outputs_do_not_know_their_row() {
    let data = planted();
    let outputs = |sets: Vec<LabelSet>| {
        let labels = Labels::new(3, sets);
        let (features, label_names) = (data.features(), data.label_names());
        let set = TrainingSet { features, labels: &labels, weights: None, label_names };
        TwoLayerParams::default().unseen_outputs(&set, &Silent).unwrap()
    };
    let sets = data.labels().sets().to_vec();
    let before = outputs(sets.clone());
    for row in [0, 41, 89] {
        let mut changed = sets.clone();
        changed[row] = LabelSet::from_bools(&sets[row].to_bools().iter().map(|on| !on).collect::<Vec<_>>());
        let after = outputs(changed);
        assert_eq!(after.row(row), before.row(row), "row {row}");
        // The rows of the other four folds have a first layer that saw the change.
        let moved = (0..90).filter(|&other| after.row(other) != before.row(other)).count();
        assert_eq!(moved, 72, "row {row}");
    }
}
