//! Tests of MLKNN: against the formulas of Zhang & Zhou written down plainly.

use super::*;
use crate::data::planted::Planted;
use crate::learner::{Learner, TrainingSet};
use crate::matrix::Matrix;
use crate::progress::Silent;

#[test]
fn probabilities_equal_the_formulas_of_the_authors() {
    let (data, _) = Planted { rows: 120, features: 3, labels: 4, seed: 6, ..Planted::default() }.sample().unwrap();
    let (train, test) =
        (data.select_rows(&(0..90).collect::<Vec<_>>()), data.select_rows(&(90..120).collect::<Vec<_>>()));
    let params = NeighbourParams { neighbours: 5, smoothing: 0.5, ..NeighbourParams::default() };
    let (features, labels) = (train.features(), train.labels());
    let set = TrainingSet { features, labels, weights: None, label_names: train.label_names() };
    let model = params.learn(&set, &Silent).unwrap().0;
    let ours = model.marginals(test.features()).unwrap();
    let cells = |matrix: &Matrix, row: usize| {
        let mut out = vec![0.0; 3];
        matrix.visit_row(row, |column, value| out[column] = value);
        out
    };
    let (k, s) = (5, 0.5);
    // How many of the k nearest training rows, without row `own`, have the label.
    let count = |x: &[f64], own: Option<usize>, label: usize| {
        let mut near: Vec<(f64, usize)> = (0..90)
            .filter(|&row| Some(row) != own)
            .map(|row| (cells(features, row).iter().zip(x).map(|(a, b)| (a - b).powi(2)).sum(), row))
            .collect();
        near.sort_by(|a: &(f64, usize), b| a.partial_cmp(b).unwrap());
        near[..k].iter().filter(|(_, row)| labels.row(*row).get(label)).count()
    };
    for label in 0..4 {
        let (mut with, mut without) = ([0.0; 6], [0.0; 6]);
        for row in 0..90 {
            let j = count(&cells(features, row), Some(row), label);
            if labels.row(row).get(label) { with[j] += 1.0 } else { without[j] += 1.0 }
        }
        let (n1, n0) = (with.iter().sum::<f64>(), without.iter().sum::<f64>());
        let prior = (s + n1) / (2.0 * s + 90.0);
        for row in 0..30 {
            let j = count(&cells(test.features(), row), None, label);
            let on = prior * (s + with[j]) / (s * 6.0 + n1);
            let off = (1.0 - prior) * (s + without[j]) / (s * 6.0 + n0);
            let expected = on / (on + off);
            assert!((ours.get(row, label) - expected).abs() < 1e-12, "label {label} row {row}");
        }
    }
}

#[test]
fn too_few_rows_are_refused() {
    let (data, _) = Planted { rows: 10, ..Planted::default() }.sample().unwrap();
    let (features, labels) = (data.features(), data.labels());
    let set = TrainingSet { features, labels, weights: None, label_names: data.label_names() };
    assert_eq!(
        NeighbourParams::default().learn(&set, &Silent).err().unwrap().to_string(),
        "rows to learn from: 10 found, at least 11 needed; lower the parameter neighbours, or bring more rows"
    );
}
