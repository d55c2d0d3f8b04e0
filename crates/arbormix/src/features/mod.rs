//! From raw columns to features: imputation, one-hot coding, scaling; fitted, stored in the model, applied at
//! prediction.

use serde::{Deserialize, Serialize};

use crate::data::Dataset;
use crate::error::Result;
use crate::matrix::Matrix;

/// How feature values are scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scaling {
    /// `Minmax` for dense features, `None` for sparse ones.
    #[default]
    Auto,
    /// To [0, 1] by the smallest and largest training value; dense only.
    Minmax,
    /// To mean 0 and variance 1; dense only.
    Standardize,
    /// Divided by the largest absolute training value; keeps zeros zero.
    Maxabs,
    /// As it is.
    None,
}

/// How raw columns become features.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeatureParams {
    /// How values are scaled.
    pub scaling: Scaling,
}

/// A fitted map from raw columns to features.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FeatureMap {
    notes: Vec<String>,
}

impl FeatureMap {
    /// Learns the map from training rows.
    pub fn fit(_data: &Dataset, _params: &FeatureParams) -> Result<FeatureMap> {
        todo!()
    }

    /// Encodes raw rows; columns are matched by name.
    pub fn encode(&self, _data: &Dataset) -> Result<Matrix> {
        todo!()
    }

    /// What a person should know: imputed cells, constant columns, columns that look like ids.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}
