//! Tests of fitted trees: against the planted truth.

use super::fit::Trainer;
use super::nodes::{Condition, Job};
use super::*;
use arbormix_base::progress::Silent;
use arbormix_data::LabelSet;
use arbormix_data::planted::Planted;
use arbormix_joint::learner::{Inference, Learner, TrainingSet};
use arbormix_learn::logistic::{Coefficients, LogisticParams, Problem, SolverParams, solve};

/// Edges of a forest, without their direction.
pub(crate) fn edges(parents: &[Option<usize>]) -> Vec<(usize, usize)> {
    let edge = |(child, parent): (usize, &Option<usize>)| parent.map(|p| (p.min(child), p.max(child)));
    parents.iter().enumerate().filter_map(edge).collect()
}

#[test]
fn the_planted_tree_and_its_probabilities_are_recovered() {
    let planted = Planted { rows: 6000, labels: 8, experts: 1, seed: 5, ..Planted::default() };
    let (data, truth) = planted.sample().unwrap();
    let train: Vec<usize> = (0..4000).collect();
    let test: Vec<usize> = (4000..6000).collect();
    let (train, test) = (data.select_rows(&train), data.select_rows(&test));
    for (kind, scoring) in [
        (NodeKind::Switching, Scoring::Folds(3)),
        (NodeKind::Switching, Scoring::Holdout(0.3)),
        (NodeKind::ParentFeature, Scoring::Folds(3)),
    ] {
        let params = TreeParams::default()
            .nodes(NodeParams::default().kind(kind))
            .structure(StructureParams::default().scoring(scoring));
        let set = TrainingSet {
            features: train.features(),
            labels: train.labels(),
            weights: None,
            label_names: train.label_names(),
        };
        let (tree, _) = params.learn(&set, &Silent).unwrap();
        let learned = edges(tree.trees()[0].parents());
        let planted = edges(&truth.experts[0].parents);
        let found = planted.iter().filter(|edge| learned.contains(edge)).count();
        assert!(found * 10 >= planted.len() * 9, "{kind:?}: {found} of {} edges", planted.len());
        let ours: f64 = tree.log_prob(test.features(), test.labels().sets()).unwrap().iter().sum();
        let row = |n: usize| match test.features() {
            arbormix_matrix::Matrix::Dense(dense) => truth.log_prob(dense.row(n), test.labels().row(n)),
            arbormix_matrix::Matrix::Sparse(_) => unreachable!("planted densely"),
        };
        let theirs: f64 = (0..test.rows()).map(row).sum();
        // One regression with the parent as a feature cannot express two sides with weights of their own.
        let slack = if kind == NodeKind::Switching { 1.02 } else { 1.25 };
        assert!(ours >= slack * theirs, "{kind:?}: {ours} against the true model's {theirs}");
    }
}

#[test]
fn regressions_on_part_of_the_rows_are_the_same_among_those_on_all() {
    let (data, _) = Planted { rows: 200, labels: 3, seed: 4, ..Planted::default() }.sample().unwrap();
    let set = TrainingSet {
        features: data.features(),
        labels: data.labels(),
        weights: None,
        label_names: data.label_names(),
    };
    let (logistic, structure) = (LogisticParams::default(), StructureParams::default());
    let nodes = NodeParams::default();
    let trainer = Trainer::new(&set, &logistic, &structure, &nodes, 1);
    let solver = SolverParams::default().tolerance(1e-13);
    let weights: Vec<f64> = (0..200).map(|row| 0.5 + (row % 3) as f64).collect();
    let rows: Vec<usize> = (0..200).filter(|&row| trainer.labels[0][row]).collect();
    // Few enough that a tile of their own costs more than a lane among the others.
    assert!(rows.len() > 200 / 8 && rows.len() < 200);
    for weights in [None, Some(weights.as_slice())] {
        let job = |(label, condition)| Job { label, condition, weights: weights.map(|_| 0), cost: 2.0, start: None };
        let part = Condition::Parent { parent: 0, value: true };
        let jobs = [(1, part), (0, Condition::Always), (2, part)].map(job).into();
        let given: Vec<&[f64]> = weights.into_iter().collect();
        let joined = trainer.fit_nodes(&given, jobs, &solver, Purpose::Keep, &Silent).unwrap();
        let alone = |label: usize| {
            let targets = trainer.labels[label].as_slice();
            let problem = Problem { targets, weights, only: None, cost: 2.0, start: None, coordinates: None };
            solve(&trainer.design.block(Some(&rows), &[]), &[problem], &solver, &Silent).unwrap().remove(0)
        };
        for (joined, alone) in [(&joined[0], alone(1)), (&joined[2], alone(2))] {
            let (Coefficients::Linear(a), Coefficients::Linear(b)) = (&joined.coefficients, &alone.coefficients) else {
                panic!("neither label is constant")
            };
            assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5), "{a:?} against {b:?}");
            assert!((joined.objective - alone.objective).abs() < 1e-9 * alone.objective);
        }
    }
}

#[test]
fn predictions_agree_with_probabilities() {
    let (data, _) = Planted { rows: 300, seed: 2, ..Planted::default() }.sample().unwrap();
    let set = TrainingSet {
        features: data.features(),
        labels: data.labels(),
        weights: None,
        label_names: data.label_names(),
    };
    let (tree, _) = TreeParams::default().learn(&set, &Silent).unwrap();
    let predictions = tree.predict(data.features(), Inference::default()).unwrap();
    let sets: Vec<LabelSet> = predictions.iter().map(|p| p.labels.clone()).collect();
    let values = tree.log_prob(data.features(), &sets).unwrap();
    for (prediction, value) in predictions.iter().zip(values) {
        assert!((prediction.log_probability.unwrap() - value).abs() < 1e-9);
    }
    let top = tree.top_sets(data.features(), 3).unwrap();
    assert!(top.iter().zip(&predictions).all(|(top, p)| top[0].0 == p.labels && top.len() == 3));
}
