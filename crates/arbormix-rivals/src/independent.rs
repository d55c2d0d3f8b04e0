//! Answers of methods whose labels are independent given x: everything follows from each label's log-odds.
//!
//! `odds` is N × d throughout: the log-odds of every label of every row.

use arbormix_data::LabelSet;
use arbormix_joint::joint::{RowExpert, RowMixture};
use arbormix_joint::learner::{Certificate, Prediction};
use arbormix_joint::tree::Branching;
use arbormix_joint::tree::inference::{BestSets, Table, best_set, max_marginals};
use arbormix_learn::logistic::loss::{log_probability, log_sigmoid, sigmoid};
use arbormix_matrix::DenseMatrix;

/// Each label by itself; a probability of ½ counts as present.
pub(crate) fn predictions(odds: &DenseMatrix) -> Vec<Prediction> {
    let prediction = |row: usize| {
        let labels = LabelSet::from_bools(&odds.row(row).iter().map(|z| *z >= 0.0).collect::<Vec<_>>());
        let log_bound = odds.row(row).iter().map(|z| log_probability(*z, *z >= 0.0)).sum();
        let certificate = Certificate { log_bound, certified: true, nodes: 1 };
        Prediction { labels, log_probability: Some(log_bound), certificate: Some(certificate) }
    };
    (0..odds.rows()).map(prediction).collect()
}

/// P(yᵢ = 1 | x).
pub(crate) fn marginals(mut odds: DenseMatrix) -> DenseMatrix {
    odds.values_mut().iter_mut().for_each(|z| *z = sigmoid(*z));
    odds
}

/// log P(y | x) of one label set per row.
pub(crate) fn log_prob(odds: &DenseMatrix, labels: &[LabelSet]) -> Vec<f64> {
    let of = |(row, set): (usize, &LabelSet)| {
        odds.row(row).iter().enumerate().map(|(label, z)| log_probability(*z, set.get(label))).sum()
    };
    labels.iter().enumerate().map(of).collect()
}

/// The rows' distributions; `alone` is a tree without edges.
pub(crate) fn mixtures<'a>(odds: &DenseMatrix, alone: &'a Branching) -> Vec<RowMixture<'a>> {
    let mixture =
        |row| RowMixture { log_gate: vec![0.0], experts: vec![RowExpert::tree(alone, tables(odds.row(row)))] };
    (0..odds.rows()).map(mixture).collect()
}

fn tables(odds: &[f64]) -> Vec<Table> {
    odds.iter().map(|z| [[log_sigmoid(-z), log_sigmoid(*z)]; 2]).collect()
}

/// The `count` most probable sets of each row.
pub(crate) fn top_sets(odds: &DenseMatrix, count: usize) -> Vec<Vec<(LabelSet, f64)>> {
    let alone = Branching::isolated(odds.cols());
    let of = |row: usize| {
        let tables = tables(odds.row(row));
        let best = |allowed: &[[bool; 2]]| best_set(&alone, &tables, allowed);
        let bounds = |allowed: &[[bool; 2]]| max_marginals(&alone, &tables, allowed);
        BestSets::new(tables.len(), best, bounds).take(count).collect()
    };
    (0..odds.rows()).map(of).collect()
}
