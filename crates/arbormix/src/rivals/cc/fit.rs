//! Learning CC.

use super::params::ClassifierChainParams;
use super::predict::ClassifierChain;
use crate::error::{ParamError, Result};
use crate::learner::{FitReport, Learner, Predictor, TrainingSet, learner_head};
use crate::progress::Progress;
use crate::rivals::chain::Recipe;

impl ClassifierChainParams {
    fn recipe(&self) -> Recipe<'_> {
        Recipe { method: self.method(), logistic: &self.logistic, order: &self.order, seed: self.seed }
    }
}

impl Learner for ClassifierChainParams {
    learner_head!("cc");

    fn validate(&self) -> Result<(), ParamError> {
        self.recipe().validate()
    }

    fn learn(&self, data: &TrainingSet<'_>, progress: &dyn Progress) -> Result<(Box<dyn Predictor>, FitReport)> {
        let (chain, report) = self.recipe().learn(data, progress)?;
        Ok((Box::new(ClassifierChain::new(chain, self.scoring)), report))
    }
}
