//! Stub.

use serde::{Deserialize, Serialize};

use crate::data::LabelSet;
use crate::error::{ParamError, Result};
use crate::features::FeatureParams;
use crate::learner::{FitReport, Inference, Joint, Learner, Prediction, Predictor, TrainingSet};
use crate::matrix::{DenseMatrix, Matrix};
use crate::model::Stored;
use crate::progress::Progress;
use crate::registry::Presets;

/// A forest over the labels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Branching {
    parents: Vec<Option<usize>>,
}

impl Branching {
    /// Parent of each label.
    pub fn parents(&self) -> &[Option<usize>] {
        &self.parents
    }
}

/// Parameters.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TreeParams {
    /// Features.
    pub features: FeatureParams,
    /// Experts.
    pub experts: usize,
    /// Seed.
    pub seed: u64,
}

impl Presets for TreeParams {
    fn paper() -> Self {
        Self::default()
    }
}

impl Learner for TreeParams {
    fn method(&self) -> &'static str {
        "ctbn"
    }
    fn params(&self) -> serde_json::Value {
        serde_json::to_value(self).expect("parameters are plain data")
    }
    fn validate(&self) -> Result<(), ParamError> {
        Ok(())
    }
    fn features(&self) -> &FeatureParams {
        &self.features
    }
    fn learn(&self, _data: &TrainingSet<'_>, _progress: &dyn Progress) -> Result<(Box<dyn Predictor>, FitReport)> {
        todo!()
    }
}

/// Predictor.
#[derive(Debug)]
pub struct Tree;

impl Tree {
    /// Loads.
    pub fn load(_stored: &Stored) -> Result<Self> {
        todo!()
    }
}

impl Predictor for Tree {
    fn method(&self) -> &'static str {
        "ctbn"
    }
    fn label_count(&self) -> usize {
        todo!()
    }
    fn feature_count(&self) -> usize {
        todo!()
    }
    fn joint(&self) -> Joint {
        Joint::Distribution
    }
    fn predict(&self, _features: &Matrix, _inference: Inference) -> Result<Vec<Prediction>> {
        todo!()
    }
    fn marginals(&self, _features: &Matrix) -> Result<DenseMatrix> {
        todo!()
    }
    fn log_prob(&self, _features: &Matrix, _labels: &[LabelSet]) -> Result<Vec<f64>> {
        todo!()
    }
    fn store(&self) -> Stored {
        todo!()
    }
}
