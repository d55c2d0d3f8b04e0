//! A fitted softmax over classes or experts, in the coordinates of the features.

use super::design::{Coefficients, Design};
use super::gate::Gate;
use super::loss::log_sum_exp;
use crate::matrix::{Columns, DenseMatrix, Matrix};
use crate::model::{ModelFileError, Stored};

/// log P(k | x) = θ_k · x + b_k − log Σ exp(…): a [`Gate`] mapped back to the features.
#[derive(Debug, Clone, PartialEq)]
pub struct Softmax {
    /// θ, m × K.
    weights: Columns,
    biases: Vec<f64>,
}

impl Softmax {
    /// Maps a fitted gate back to the features.
    pub fn new(gate: &Gate, design: &Design) -> Softmax {
        let theta = &gate.weights;
        let mapped: Vec<_> =
            (0..theta.cols()).map(|k| design.to_features(&Coefficients::Linear(theta.column(k).to_vec()))).collect();
        Softmax {
            weights: Columns::from_columns(design.features(), mapped.iter().map(|m| m.weights.as_slice())),
            biases: mapped.iter().map(|m| m.bias).collect(),
        }
    }

    /// θ: m × K weights and K biases.
    pub fn weights(&self) -> (&Columns, &[f64]) {
        (&self.weights, &self.biases)
    }

    /// Number of features, m.
    pub fn feature_count(&self) -> usize {
        self.weights.rows()
    }

    /// Number of classes, K.
    pub fn class_count(&self) -> usize {
        self.biases.len()
    }

    /// log P(k | x) of every row, N × K.
    pub fn log_probabilities(&self, features: &Matrix) -> DenseMatrix {
        let scores = features.product(&self.weights);
        let mut out = DenseMatrix::zeros(features.rows(), self.biases.len());
        for n in 0..features.rows() {
            let row = out.row_mut(n);
            for (k, log) in row.iter_mut().enumerate() {
                *log = scores.get(n, k) + self.biases[k];
            }
            let total = log_sum_exp(row);
            row.iter_mut().for_each(|log| *log -= total);
        }
        out
    }

    /// The softmax with every score divided by `temperature`.
    pub(crate) fn at_temperature(&self, temperature: f64) -> Softmax {
        let mut out = self.clone();
        out.weights.values_mut().iter_mut().chain(&mut out.biases).for_each(|weight| *weight /= temperature);
        out
    }

    /// Adds the tensors `prefix` + `weights` and `biases`.
    pub fn put(&self, stored: &mut Stored, prefix: &str) {
        let (classes, features) = (self.biases.len(), self.weights.rows());
        stored.put(format!("{prefix}weights"), &[classes, features], self.weights.values().to_vec());
        stored.put(format!("{prefix}biases"), &[classes], self.biases.clone());
    }

    /// Brings back what [`Softmax::put`] gave.
    pub fn load(stored: &Stored, prefix: &str, classes: usize, features: usize) -> Result<Softmax, ModelFileError> {
        let flat = stored.tensor(&format!("{prefix}weights"), &[classes, features])?;
        let mut weights = Columns::zeros(features, classes);
        weights.values_mut().copy_from_slice(flat);
        Ok(Softmax { weights, biases: stored.tensor(&format!("{prefix}biases"), &[classes])?.to_vec() })
    }
}
