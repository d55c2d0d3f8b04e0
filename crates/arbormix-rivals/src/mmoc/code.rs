//! The code V that a metric Q = VVᵀ stands for, with the variances of its errors.

use super::params::Variances;
use arbormix_learn::store::{ModelFileError, Stored};
use arbormix_matrix::{DenseMatrix, eigen_symmetric, gram};

/// Directions whose share of the largest eigenvalue is below this carry only rounding errors.
const NEGLIGIBLE: f64 = 1e-8;
/// Added to every variance: a code that training rows fit perfectly is not certain for that.
const FLOOR: f64 = 1e-6;

/// A linear code of label sets.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Code {
    /// D × d: the code of y is `directions` · y.
    directions: DenseMatrix,
    /// Variance of each of the D errors.
    variances: Vec<f64>,
}

impl Code {
    /// Vᵀ from the eigenvectors of Q, turned so that the errors of its words are uncorrelated; no word if Q is 0.
    ///
    /// Q = VVᵀ determines V only up to a rotation of the code words. Decoding treats their errors as independent, so the
    /// rotation is not indifferent there: the one that makes them uncorrelated in training is the one that fits.
    /// `errors` (N × d) are the label errors y − ŷ of training rows with weights.
    pub(crate) fn new(metric: &DenseMatrix, errors: &DenseMatrix, weights: &[f64], kind: Variances) -> Code {
        let Some(directions) = turned(&root(metric), errors, weights) else {
            return Code { directions: DenseMatrix::zeros(0, metric.rows()), variances: Vec::new() };
        };
        let total: f64 = weights.iter().sum();
        let spread = gram(&code_errors(&directions, errors, weights));
        let variance = |k: usize| if kind == Variances::Residual { spread.get(k, k) / total + FLOOR } else { 1.0 };
        let variances = (0..directions.rows()).map(variance).collect();
        Code { directions, variances }
    }

    /// Number of code words, D.
    pub(crate) fn len(&self) -> usize {
        self.variances.len()
    }

    /// Vᵀ, D × d.
    pub(crate) fn directions(&self) -> &DenseMatrix {
        &self.directions
    }

    /// A = Σₖ vₖvₖᵀ / sₖ: the code's evidence against y is ½ (y − ŷ)ᵀA(y − ŷ).
    pub(crate) fn precision(&self) -> DenseMatrix {
        let mut scaled = self.directions.clone();
        for (k, variance) in self.variances.iter().enumerate() {
            scaled.row_mut(k).iter_mut().for_each(|cell| *cell /= variance.sqrt());
        }
        gram(&scaled)
    }

    pub(crate) fn put(&self, stored: &mut Stored) {
        stored.put_matrix("code", &self.directions);
        stored.put("variances", &[self.len()], self.variances.clone());
    }

    /// Brings back what [`Code::put`] gave.
    pub(crate) fn load(stored: &Stored, length: usize, labels: usize) -> Result<Code, ModelFileError> {
        let directions = stored.matrix("code", length, labels)?;
        let variances = stored.tensor("variances", &[length])?.to_vec();
        if let Some(bad) = variances.iter().find(|variance| !variance.is_finite() || **variance <= 0.0) {
            let message = format!("a variance of the code is {bad}, but must be positive");
            return Err(ModelFileError::Entry { name: "variances".to_string(), message });
        }
        Ok(Code { directions, variances })
    }
}

/// Vᵀ with Q = VVᵀ, one row per eigenvalue that is not negligible, the largest first.
fn root(metric: &DenseMatrix) -> DenseMatrix {
    let labels = metric.rows();
    let mut cells = Vec::new();
    if let Some((values, vectors)) = eigen_symmetric(metric) {
        let largest = values.last().copied().unwrap_or(0.0);
        for k in (0..labels).rev().filter(|&k| values[k] > NEGLIGIBLE * largest) {
            cells.extend((0..labels).map(|label| values[k].sqrt() * vectors.get(label, k)));
        }
    }
    DenseMatrix::new(cells.len() / labels.max(1), labels, cells)
}

/// UᵀVᵀ with U the eigenvectors of the errors' covariance in the code, the largest variance first. `None` if they cannot
/// be found.
fn turned(directions: &DenseMatrix, errors: &DenseMatrix, weights: &[f64]) -> Option<DenseMatrix> {
    let (_, vectors) = eigen_symmetric(&gram(&code_errors(directions, errors, weights)))?;
    let (length, labels) = (directions.rows(), directions.cols());
    let mut out = DenseMatrix::zeros(length, labels);
    for to in 0..length {
        for from in 0..length {
            let share = vectors.get(from, length - 1 - to);
            out.row_mut(to).iter_mut().zip(directions.row(from)).for_each(|(cell, v)| *cell += share * v);
        }
    }
    Some(out)
}

/// √wₙ Vᵀeₙ of every row, N × D: its Gram matrix is the errors' covariance in the code times Σ w.
fn code_errors(directions: &DenseMatrix, errors: &DenseMatrix, weights: &[f64]) -> DenseMatrix {
    let mut out = DenseMatrix::zeros(errors.rows(), directions.rows());
    for (row, weight) in weights.iter().enumerate() {
        for k in 0..directions.rows() {
            let error: f64 = directions.row(k).iter().zip(errors.row(row)).map(|(v, e)| v * e).sum();
            out.row_mut(row)[k] = weight.sqrt() * error;
        }
    }
    out
}
