//! A fitted softmax over classes or experts, in the coordinates of the features.

use std::ops::Range;

use super::design::{Coefficients, Design};
use super::gate::Gate;
use super::linear::LinearFunctions;
use super::loss::log_sum_exp;
use crate::store::{ModelFileError, Stored};
use arbormix_matrix::{DenseMatrix, Matrix};

/// log P(k | x) = θ_k · x + b_k − log Σ exp(…): a [`Gate`] mapped back to the features.
#[derive(Debug, Clone, PartialEq)]
pub struct Softmax(LinearFunctions);

impl Softmax {
    /// Maps a fitted gate back to the features.
    pub fn new(gate: &Gate, design: &Design) -> Softmax {
        let theta = &gate.weights;
        let mapped: Vec<_> =
            (0..theta.cols()).map(|k| design.to_features(&Coefficients::Linear(theta.column(k).to_vec()))).collect();
        Softmax(LinearFunctions::new(design.features(), &mapped))
    }

    /// θ: m × K weights and K biases.
    pub fn scores(&self) -> &LinearFunctions {
        &self.0
    }

    /// Number of features, m.
    pub fn feature_count(&self) -> usize {
        self.0.feature_count()
    }

    /// Number of classes, K.
    pub fn class_count(&self) -> usize {
        self.0.count()
    }

    /// log P(k | x) of every row, N × K.
    pub fn log_probabilities(&self, features: &Matrix) -> DenseMatrix {
        self.log_probabilities_of(features, 0..features.rows())
    }

    /// The same for some rows.
    pub fn log_probabilities_of(&self, features: &Matrix, rows: Range<usize>) -> DenseMatrix {
        let mut out = self.0.values_of(features, rows);
        for n in 0..out.rows() {
            let row = out.row_mut(n);
            let total = log_sum_exp(row);
            row.iter_mut().for_each(|log| *log -= total);
        }
        out
    }

    /// Adds the tensors `prefix` + `weights` and `biases`.
    pub fn put(&self, stored: &mut Stored, prefix: &str) {
        self.0.put(stored, prefix);
    }

    /// Loads what [`Softmax::put`] gave.
    pub fn load(stored: &Stored, prefix: &str, classes: usize, features: usize) -> Result<Softmax, ModelFileError> {
        LinearFunctions::load(stored, prefix, classes, features).map(Softmax)
    }
}
