//! Learning PCC.

use super::params::ProbabilisticChainParams;
use super::predict::ProbabilisticChain;
use crate::chain::Recipe;
use arbormix_base::progress::Progress;
use arbormix_joint::Result;
use arbormix_joint::learner::{FitReport, Learner, Predictor, Size, TrainingSet, Workers};
use arbormix_joint::learner_head;

impl ProbabilisticChainParams {
    fn recipe(&self) -> Recipe<'_> {
        Recipe { method: self.method(), logistic: &self.logistic, order: &self.order, seed: self.seed }
    }
}

impl Learner for ProbabilisticChainParams {
    learner_head!("pcc", check);

    fn seconds(&self, size: &Size) -> f64 {
        size.regression_seconds(size.labels)
    }

    fn bytes(&self, size: &Size, workers: Workers) -> usize {
        size.regression_bytes(1, workers)
    }

    fn learn(&self, data: &TrainingSet<'_>, progress: &dyn Progress) -> Result<(Box<dyn Predictor>, FitReport)> {
        self.inference.check_labels(data.labels.count())?;
        let (chain, report) = self.recipe().learn(data, progress)?;
        Ok((Box::new(ProbabilisticChain::new(chain, self)), report))
    }
}
