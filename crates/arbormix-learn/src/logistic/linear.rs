//! Linear functions of the features: what regressions and softmaxes are once they are fitted.

use std::ops::Range;

use super::design::FeatureWeights;
use crate::store::{ModelFileError, Stored};
use arbormix_matrix::{Columns, DenseMatrix, Matrix, PackedColumns};

/// w·x + b for several w and b.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearFunctions {
    /// One column of m weights per function.
    weights: PackedColumns,
    biases: Vec<f64>,
}

impl LinearFunctions {
    /// Functions of `features` features.
    ///
    /// # Panics
    /// If a function has another number of weights.
    pub fn new(features: usize, functions: &[FeatureWeights]) -> LinearFunctions {
        let columns = Columns::from_columns(features, functions.iter().map(|function| function.weights.as_slice()));
        let biases = functions.iter().map(|function| function.bias).collect();
        LinearFunctions { weights: PackedColumns::new(&columns), biases }
    }

    /// The weights, features × functions.
    pub fn weights(&self) -> &PackedColumns {
        &self.weights
    }

    /// The biases.
    pub fn biases(&self) -> &[f64] {
        &self.biases
    }

    /// Number of features, m.
    pub fn feature_count(&self) -> usize {
        self.weights.rows()
    }

    /// Number of functions.
    pub fn count(&self) -> usize {
        self.biases.len()
    }

    /// Values of all functions at all rows, N × functions.
    pub fn values(&self, features: &Matrix) -> DenseMatrix {
        self.values_of(features, 0..features.rows())
    }

    /// Values of all functions at some rows.
    pub fn values_of(&self, features: &Matrix, rows: Range<usize>) -> DenseMatrix {
        let mut values = features.packed_product_of(rows, &self.weights);
        for row in 0..values.rows() {
            values.row_mut(row).iter_mut().zip(&self.biases).for_each(|(value, bias)| *value += bias);
        }
        values
    }

    /// The functions divided by a number.
    pub fn divided_by(&self, divisor: f64) -> LinearFunctions {
        let mut columns = self.weights.to_columns();
        columns.values_mut().iter_mut().for_each(|weight| *weight /= divisor);
        let biases = self.biases.iter().map(|bias| bias / divisor).collect();
        LinearFunctions { weights: PackedColumns::new(&columns), biases }
    }

    /// Adds the tensors `prefix` + `weights` and `biases`.
    pub fn put(&self, stored: &mut Stored, prefix: &str) {
        let shape = [self.count(), self.feature_count()];
        stored.put(format!("{prefix}weights"), &shape, self.weights.to_columns().values().to_vec());
        stored.put(format!("{prefix}biases"), &shape[..1], self.biases.clone());
    }

    /// Loads what [`LinearFunctions::put`] gave.
    pub fn load(
        stored: &Stored,
        prefix: &str,
        count: usize,
        features: usize,
    ) -> Result<LinearFunctions, ModelFileError> {
        let weights = stored.tensor(&format!("{prefix}weights"), &[count, features])?;
        let mut columns = Columns::zeros(features, count);
        columns.values_mut().copy_from_slice(weights);
        let biases = stored.tensor(&format!("{prefix}biases"), &[count])?.to_vec();
        Ok(LinearFunctions { weights: PackedColumns::new(&columns), biases })
    }
}
