//! Tests of MLKNN: against scikit-multilearn, and the formulas of Zhang & Zhou written down plainly.

use super::*;
use arbormix_base::params::Preset;
use arbormix_base::progress::Silent;
use arbormix_data::planted::Planted;
use arbormix_data::{Column, Dataset, LabelSet, Labels};
use arbormix_joint::learner::{Learner, TrainingSet};
use arbormix_matrix::{DenseMatrix, Matrix};
use arbormix_model::fit;

#[test]
fn probabilities_equal_the_formulas_of_the_authors() {
    let (data, _) = Planted { rows: 120, features: 3, labels: 4, seed: 6, ..Planted::default() }.sample().unwrap();
    let (train, test) =
        (data.select_rows(&(0..90).collect::<Vec<_>>()), data.select_rows(&(90..120).collect::<Vec<_>>()));
    let params = NeighbourParams::default().neighbours(5).smoothing(0.5);
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
fn posteriors_are_those_of_scikit_multilearn_with_raw_and_with_scaled_distances() {
    #[derive(serde::Deserialize)]
    struct Case {
        x: Vec<Vec<f64>>,
        y: Vec<Vec<u8>>,
        neighbours: usize,
        smoothing: f64,
        test: Vec<Vec<f64>>,
        raw: Vec<Vec<f64>>,
        minmax: Vec<Vec<f64>>,
    }
    #[derive(serde::Deserialize)]
    struct Reference {
        cases: Vec<Case>,
    }
    let reference: Reference =
        serde_json::from_str(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/reference/mlknn.json"))).unwrap();
    let dataset = |x: &[Vec<f64>], sets: Vec<LabelSet>| {
        let features = Matrix::Dense(DenseMatrix::new(x.len(), x[0].len(), x.concat()));
        let columns = (0..x[0].len()).map(|column| Column::numeric(format!("x{column}"))).collect();
        let labels = sets[0].len();
        let names = (0..labels).map(|label| format!("y{label}")).collect();
        Dataset::new("reference", features, columns, Labels::new(labels, sets), names).unwrap()
    };
    for (number, case) in reference.cases.iter().enumerate() {
        let set = |row: &Vec<u8>| LabelSet::from_bools(&row.iter().map(|&on| on == 1).collect::<Vec<_>>());
        let train = dataset(&case.x, case.y.iter().map(set).collect());
        let test = dataset(&case.test, vec![LabelSet::empty(case.y[0].len()); case.test.len()]);
        for (scaling, expected) in [("none", &case.raw), ("minmax", &case.minmax), ("auto", &case.minmax)] {
            let (neighbours, smoothing) = (case.neighbours, case.smoothing);
            let params = serde_json::json!({
                "features": {"scaling": scaling}, "neighbours": neighbours, "smoothing": smoothing,
            });
            let learner = METHOD.with(Preset::Default, &params).unwrap();
            let ours = fit(learner.as_ref(), &train, None, &Silent).unwrap().marginals(&test).unwrap();
            let close = |(a, b): (&f64, f64)| (a - b).abs() < 1e-12;
            assert!(ours.values().iter().zip(expected.concat()).all(close), "case {number}, scaling {scaling}");
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
