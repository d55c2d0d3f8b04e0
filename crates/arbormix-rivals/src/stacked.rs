//! Methods that end in BR on features derived by a first step: CHF and IBLR.

use serde::{Deserialize, Serialize};

use super::br::BinaryRelevance;
use arbormix_data::LabelSet;
use arbormix_joint::Result;
use arbormix_joint::joint::RowMixture;
use arbormix_joint::learner::{Inference, Joint, Prediction, Predictor};
use arbormix_learn::store::{ModelFileError, Stored};
use arbormix_matrix::{DenseMatrix, Matrix, SparseBuilder};

/// The first step: derives features from features.
pub trait Derivation: Send + Sync + Sized {
    /// Name of the whole method in the registry.
    const METHOD: &'static str;
    /// Number of features it takes.
    fn feature_count(&self) -> usize;
    /// Number of features it gives.
    fn derived_count(&self) -> usize;
    /// The derived features.
    fn derive(&self, features: &Matrix) -> Matrix;
    /// Everything a file must hold.
    fn stored(&self) -> Stored;
    /// Brings back what [`Derivation::stored`] gave.
    fn load(stored: &Stored) -> Result<Self>;
}

/// A derivation and BR on what it derives. Labels are independent given x, since the derived features depend on x only.
#[derive(Debug, Clone, PartialEq)]
pub struct Stacked<D> {
    first: D,
    second: BinaryRelevance,
}

/// What the file holds beside the tensors.
#[derive(Serialize, Deserialize)]
struct Facts {
    first: serde_json::Value,
    second: serde_json::Value,
}

impl<D: Derivation> Stacked<D> {
    pub(crate) fn new(first: D, second: BinaryRelevance) -> Stacked<D> {
        Stacked { first, second }
    }

    /// The derivation.
    pub fn first(&self) -> &D {
        &self.first
    }

    /// BR on the derived features.
    pub fn second(&self) -> &BinaryRelevance {
        &self.second
    }

    /// Brings back what [`Predictor::store`] gave.
    pub fn load(stored: &Stored) -> Result<Stacked<D>> {
        let facts: Facts = stored.facts_as()?;
        let first = D::load(&stored.part("first.", facts.first))?;
        let second = BinaryRelevance::load(&stored.part("second.", facts.second))?;
        if first.derived_count() != second.feature_count() {
            let (left, right) = (first.derived_count(), second.feature_count());
            let message = format!("the first layer gives {left} features, but the second takes {right}");
            return Err(ModelFileError::Entry { name: "facts".to_string(), message }.into());
        }
        Ok(Stacked { first, second })
    }
}

impl<D: Derivation> Predictor for Stacked<D> {
    fn method(&self) -> &'static str {
        D::METHOD
    }

    fn label_count(&self) -> usize {
        self.second.label_count()
    }

    fn feature_count(&self) -> usize {
        self.first.feature_count()
    }

    fn joint(&self) -> Joint {
        self.second.joint()
    }

    fn predict(&self, features: &Matrix, inference: Inference) -> Result<Vec<Prediction>> {
        self.second.predict(&self.first.derive(features), inference)
    }

    fn marginals(&self, features: &Matrix) -> Result<DenseMatrix> {
        self.second.marginals(&self.first.derive(features))
    }

    fn log_prob(&self, features: &Matrix, labels: &[LabelSet]) -> Result<Vec<f64>> {
        self.second.log_prob(&self.first.derive(features), labels)
    }

    fn top_sets(&self, features: &Matrix, count: usize) -> Result<Vec<Vec<(LabelSet, f64)>>> {
        self.second.top_sets(&self.first.derive(features), count)
    }

    fn has_distributions(&self) -> bool {
        true
    }

    fn mixtures(&self, features: &Matrix) -> Vec<RowMixture<'_>> {
        self.second.mixtures(&self.first.derive(features))
    }

    fn store(&self) -> Stored {
        let mut tensors = Stored::default();
        let first = tensors.put_part("first.", self.first.stored());
        let second = tensors.put_part("second.", self.second.store());
        Stored { tensors: tensors.tensors, ..Stored::with_facts(&Facts { first, second }) }
    }
}

/// The features with further columns after them; sparse features stay sparse.
pub(crate) fn append(features: &Matrix, further: &DenseMatrix) -> Matrix {
    let cols = features.cols() + further.cols();
    match features {
        Matrix::Dense(dense) => {
            let rows = (0..dense.rows()).flat_map(|row| dense.row(row).iter().chain(further.row(row)).copied());
            Matrix::Dense(DenseMatrix::new(dense.rows(), cols, rows.collect()))
        }
        Matrix::Sparse(_) => {
            let mut builder = SparseBuilder::default();
            for row in 0..features.rows() {
                features.visit_row(row, |column, value| builder.push(column, value));
                let places = further.row(row).iter().enumerate();
                places.for_each(|(place, &value)| builder.push(features.cols() + place, value));
                builder.end_row();
            }
            Matrix::Sparse(builder.finish(cols))
        }
    }
}
