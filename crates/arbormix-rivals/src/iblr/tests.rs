//! Tests of IBLR: against BR on shares counted by plain loops.

use super::*;
use crate::br::BinaryRelevanceParams;
use arbormix_base::progress::Silent;
use arbormix_data::planted::Planted;
use arbormix_joint::learner::{Learner, TrainingSet};
use arbormix_matrix::{DenseMatrix, Matrix};

#[test]
fn it_is_br_on_the_neighbours_shares() {
    let (data, _) = Planted { rows: 100, features: 4, labels: 3, seed: 6, ..Planted::default() }.sample().unwrap();
    let (train, test) =
        (data.select_rows(&(0..80).collect::<Vec<_>>()), data.select_rows(&(80..100).collect::<Vec<_>>()));
    let cells = |matrix: &Matrix, row: usize| {
        let mut out = vec![0.0; 4];
        matrix.visit_row(row, |column, value| out[column] = value);
        out
    };
    let shares = |matrix: &Matrix, own: bool, plus: bool, scale: f64| {
        let mut out = Vec::new();
        for query in 0..matrix.rows() {
            let x = cells(matrix, query);
            let distance =
                |row| -> f64 { cells(train.features(), row).iter().zip(&x).map(|(a, b)| (a - b).powi(2)).sum() };
            let mut near: Vec<usize> = (0..80).filter(|&row| !(own && row == query)).collect();
            near.sort_by(|&a, &b| distance(a).total_cmp(&distance(b)));
            if plus {
                out.extend(x);
            }
            let share = |label| {
                near[..6].iter().filter(|&&row| train.labels().row(row).get(label)).count() as f64 * scale / 6.0
            };
            out.extend((0..3).map(share));
        }
        Matrix::Dense(DenseMatrix::new(matrix.rows(), if plus { 7 } else { 3 }, out))
    };
    for (plus, share_scale) in [(false, 1.0), (true, 1.0), (true, 6.0)] {
        let set = TrainingSet {
            features: train.features(),
            labels: train.labels(),
            weights: None,
            label_names: train.label_names(),
        };
        let iblr = NeighbourRegressionParams::default()
            .neighbours(6)
            .plus(plus)
            .share_scale(share_scale)
            .learn(&set, &Silent)
            .unwrap()
            .0;
        let derived = shares(train.features(), true, plus, share_scale);
        let br = BinaryRelevanceParams::default().learn(&TrainingSet { features: &derived, ..set }, &Silent).unwrap().0;
        let expected = br.marginals(&shares(test.features(), false, plus, share_scale)).unwrap();
        let ours = iblr.marginals(test.features()).unwrap();
        assert!(ours.values().iter().zip(expected.values()).all(|(a, b)| (a - b).abs() < 1e-9), "plus = {plus}");
    }
}
