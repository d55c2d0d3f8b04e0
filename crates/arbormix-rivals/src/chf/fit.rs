//! Learning CHF.

use super::params::TwoLayerParams;
use super::predict::{FirstLayer, TwoLayers};
use crate::br::BinaryRelevanceParams;
use crate::stacked::append;
use arbormix_base::progress::Progress;
use arbormix_base::random::Stream;
use arbormix_joint::Result;
use arbormix_joint::learner::{FitReport, Learner, Predictor, Size, TrainingSet, Workers};
use arbormix_joint::learner_head;
use arbormix_matrix::DenseMatrix;

impl TwoLayerParams {
    fn layer(&self) -> BinaryRelevanceParams {
        let (features, logistic) = (self.features.clone(), self.logistic.clone());
        BinaryRelevanceParams { features, logistic, seed: self.seed }
    }

    /// A first layer on some of the rows.
    fn first_layer(&self, data: &TrainingSet<'_>, rows: &[usize], progress: &dyn Progress) -> Result<FirstLayer> {
        let (features, labels) = (data.features.select_rows(rows), data.labels.select_rows(rows));
        let weights: Option<Vec<f64>> = data.weights.map(|weights| rows.iter().map(|&row| weights[row]).collect());
        let set = TrainingSet {
            features: &features,
            labels: &labels,
            weights: weights.as_deref(),
            label_names: data.label_names,
        };
        Ok(FirstLayer::new(self.layer().fit(&set, progress)?.0, self.hard))
    }

    /// What first layers say about the training rows they have not seen.
    pub(crate) fn unseen_outputs(&self, data: &TrainingSet<'_>, progress: &dyn Progress) -> Result<DenseMatrix> {
        let (count, folds) = (data.labels.rows(), self.folds.min(data.labels.rows()));
        let mut fold_of = vec![0; count];
        for (place, row) in Stream::new(self.seed, "layer-folds", 0).permutation(count).into_iter().enumerate() {
            fold_of[row] = place % folds;
        }
        let mut out = DenseMatrix::zeros(count, data.labels.count());
        for fold in 0..folds {
            let (held, seen): (Vec<usize>, Vec<usize>) = (0..count).partition(|&row| fold_of[row] == fold);
            let outputs = self.first_layer(data, &seen, progress)?.outputs(&data.features.select_rows(&held));
            for (place, &row) in held.iter().enumerate() {
                out.row_mut(row).copy_from_slice(outputs.row(place));
            }
        }
        Ok(out)
    }
}

impl Learner for TwoLayerParams {
    learner_head!("chf");

    fn seconds(&self, size: &Size) -> f64 {
        // Two layers, the first of which is fitted for every fold too.
        size.regression_seconds((self.folds + 2) * size.labels)
    }

    fn bytes(&self, size: &Size, workers: Workers) -> usize {
        size.regression_bytes(2, workers)
    }

    /// Unknown label cells are left out of both layers, as in BR.
    fn learn(&self, data: &TrainingSet<'_>, progress: &dyn Progress) -> Result<(Box<dyn Predictor>, FitReport)> {
        let (first, first_report) = self.layer().fit(data, progress)?;
        let first = FirstLayer::new(first, self.hard);
        // One row cannot be divided.
        let in_sample = self.in_sample || data.labels.rows() < 2;
        let outputs = if in_sample { first.outputs(data.features) } else { self.unseen_outputs(data, progress)? };
        let derived = append(data.features, &outputs);
        let (second, mut report) = self.layer().fit(&TrainingSet { features: &derived, ..*data }, progress)?;
        report.converged &= first_report.converged;
        if in_sample && !self.in_sample {
            report.notes.push("a single row cannot be divided into folds: the layers learn in-sample".to_string());
        }
        Ok((Box::new(TwoLayers::new(first, second)), report))
    }
}
