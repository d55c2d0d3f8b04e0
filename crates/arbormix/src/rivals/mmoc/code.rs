//! The code V that a metric Q = VVᵀ stands for, with the variances of its errors.

use super::params::Variances;
use crate::matrix::{DenseMatrix, eigen_symmetric, gram};
use crate::model::{ModelFileError, Stored};

/// Directions whose share of the largest eigenvalue is below this carry only rounding errors.
const NEGLIGIBLE: f64 = 1e-8;
/// Added to every variance: a code that training rows fit perfectly is not certain for that.
const FLOOR: f64 = 1e-6;

/// A linear code of label sets.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Code {
    /// D × d: the code of y is `directions` · y.
    directions: DenseMatrix,
    /// Variance of each of the D errors.
    variances: Vec<f64>,
}

impl Code {
    /// Vᵀ from the eigenvectors of Q, the largest eigenvalue first; no direction if Q is 0.
    ///
    /// `errors` (N × d) are the label errors y − ŷ of training rows with weights.
    pub(super) fn new(metric: &DenseMatrix, errors: &DenseMatrix, weights: &[f64], kind: Variances) -> Code {
        let labels = metric.rows();
        let mut directions = Vec::new();
        if let Some((values, vectors)) = eigen_symmetric(metric) {
            let largest = values.last().copied().unwrap_or(0.0);
            for k in (0..labels).rev().filter(|&k| values[k] > NEGLIGIBLE * largest) {
                directions.extend((0..labels).map(|label| values[k].sqrt() * vectors.get(label, k)));
            }
        }
        let directions = DenseMatrix::new(directions.len() / labels.max(1), labels, directions);
        let mut code = Code { variances: vec![1.0; directions.rows()], directions };
        let covariance = code.error_covariance(errors, weights);
        match kind {
            Variances::Unit => {}
            Variances::Residual => {
                code.variances.iter_mut().enumerate().for_each(|(k, variance)| *variance = covariance.get(k, k));
            }
            Variances::Covariance => {
                if let Some((values, vectors)) = eigen_symmetric(&covariance) {
                    code.turn(&vectors);
                    code.variances = values;
                }
            }
        }
        code
    }

    /// Covariance of the code's errors about 0, with the floor on its diagonal, D × D.
    fn error_covariance(&self, errors: &DenseMatrix, weights: &[f64]) -> DenseMatrix {
        let total: f64 = weights.iter().sum();
        let of_row = |(row, weight): (usize, &f64)| {
            let root = (weight / total).sqrt();
            let gap = move |k: usize| dot(self.directions.row(k), errors.row(row)) * root;
            (0..self.len()).map(gap).collect::<Vec<_>>()
        };
        let gaps: Vec<f64> = weights.iter().enumerate().flat_map(of_row).collect();
        let mut covariance = gram(&DenseMatrix::new(weights.len(), self.len(), gaps));
        (0..self.len()).for_each(|k| covariance.row_mut(k)[k] += FLOOR);
        covariance
    }

    /// The same code in other axes, the columns of `axes`: uncorrelated ones have variances that say everything.
    fn turn(&mut self, axes: &DenseMatrix) {
        let mut turned = DenseMatrix::zeros(self.len(), self.directions.cols());
        for (k, l) in (0..self.len()).flat_map(|k| (0..self.len()).map(move |l| (k, l))) {
            let share = axes.get(l, k);
            turned.row_mut(k).iter_mut().zip(self.directions.row(l)).for_each(|(to, from)| *to += share * from);
        }
        self.directions = turned;
    }

    /// Number of code words, D.
    pub(super) fn len(&self) -> usize {
        self.variances.len()
    }

    /// Vᵀ, D × d.
    pub(super) fn directions(&self) -> &DenseMatrix {
        &self.directions
    }

    /// A = Σₖ vₖvₖᵀ / sₖ: the code's evidence against y is ½ (y − ŷ)ᵀA(y − ŷ).
    pub(super) fn precision(&self) -> DenseMatrix {
        let mut scaled = self.directions.clone();
        for (k, variance) in self.variances.iter().enumerate() {
            scaled.row_mut(k).iter_mut().for_each(|cell| *cell /= variance.sqrt());
        }
        gram(&scaled)
    }

    pub(super) fn put(&self, stored: &mut Stored) {
        stored.put_matrix("code", &self.directions);
        stored.put("variances", &[self.len()], self.variances.clone());
    }

    /// Brings back what [`Code::put`] gave.
    pub(super) fn load(stored: &Stored, length: usize, labels: usize) -> Result<Code, ModelFileError> {
        let directions = stored.matrix("code", length, labels)?;
        let variances = stored.tensor("variances", &[length])?.to_vec();
        if let Some(bad) = variances.iter().find(|variance| !variance.is_finite() || **variance <= 0.0) {
            let message = format!("a variance of the code is {bad}, but must be positive");
            return Err(ModelFileError::Entry { name: "variances".to_string(), message });
        }
        Ok(Code { directions, variances })
    }
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(a, b)| a * b).sum()
}
