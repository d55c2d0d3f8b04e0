//! Learning CC.

use super::params::ClassifierChainParams;
use super::predict::ClassifierChain;
use crate::error::{ParamError, Result};
use crate::features::FeatureParams;
use crate::learner::{FitReport, Learner, Predictor, TrainingSet};
use crate::progress::Progress;
use crate::rivals::chain::Recipe;

impl ClassifierChainParams {
    fn recipe(&self) -> Recipe<'_> {
        Recipe { method: self.method(), logistic: &self.logistic, order: &self.order, seed: self.seed }
    }
}

impl Learner for ClassifierChainParams {
    fn method(&self) -> &'static str {
        "cc"
    }

    fn params(&self) -> serde_json::Value {
        serde_json::to_value(self).expect("parameters are plain data")
    }

    fn validate(&self) -> Result<(), ParamError> {
        self.recipe().validate()
    }

    fn features(&self) -> &FeatureParams {
        &self.features
    }

    fn learn(&self, data: &TrainingSet<'_>, progress: &dyn Progress) -> Result<(Box<dyn Predictor>, FitReport)> {
        let (chain, report) = self.recipe().learn(data, progress)?;
        Ok((Box::new(ClassifierChain::new(chain, self.scoring)), report))
    }
}
