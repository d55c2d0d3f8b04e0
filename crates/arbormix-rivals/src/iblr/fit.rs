//! Learning IBLR.

use super::params::NeighbourRegressionParams;
use super::predict::{NeighbourRegression, NeighbourShares};
use crate::br::BinaryRelevanceParams;
use crate::neighbours::Neighbours;
use arbormix_base::progress::Progress;
use arbormix_joint::Result;
use arbormix_joint::learner::require_observed;
use arbormix_joint::learner::{FitReport, Learner, Predictor, Size, TrainingSet, Workers};
use arbormix_joint::learner_head;

impl Learner for NeighbourRegressionParams {
    learner_head!("iblr");

    fn seconds(&self, size: &Size) -> f64 {
        size.neighbour_seconds() + size.regression_seconds(size.labels)
    }

    fn bytes(&self, size: &Size, workers: Workers) -> usize {
        size.regression_bytes(1, workers) + size.encoded_bytes()
    }

    fn learn(&self, data: &TrainingSet<'_>, progress: &dyn Progress) -> Result<(Box<dyn Predictor>, FitReport)> {
        require_observed(data, self.method())?;
        let shares = NeighbourShares::new(Neighbours::new(data, self.neighbours)?, self.plus, self.share_scale);
        progress.begin("finding neighbours", 1);
        progress.check()?;
        let derived = shares.training();
        progress.advance(1);
        let regressions =
            BinaryRelevanceParams { features: self.features.clone(), logistic: self.logistic.clone(), seed: self.seed };
        let (second, report) = regressions.fit(&TrainingSet { features: &derived, ..*data }, progress)?;
        Ok((Box::new(NeighbourRegression::new(shares, second)), report))
    }
}
