//! A fitted tree as a method of its own.

use super::{Certificate, Inference, Joint, Prediction, Predictor};
use crate::error::Result;
use crate::tree::{Branching, Tree, inference};
use arbormix_data::LabelSet;
use arbormix_learn::store::Stored;
use arbormix_matrix::{DenseMatrix, Matrix};

/// A tree's best set needs no search.
fn proven((labels, log_bound): (LabelSet, f64)) -> Prediction {
    let certificate = Certificate { log_bound, certified: true, nodes: 1 };
    Prediction { labels, log_probability: Some(log_bound), certificate: Some(certificate) }
}

impl Predictor for Tree {
    fn method(&self) -> &'static str {
        "ctbn"
    }

    fn label_count(&self) -> usize {
        self.labels()
    }

    fn feature_count(&self) -> usize {
        self.features()
    }

    fn joint(&self) -> Joint {
        Joint::Distribution
    }

    fn predict(&self, features: &Matrix, _inference: Inference) -> Result<Vec<Prediction>> {
        let allowed = inference::unrestricted(self.labels());
        Ok(self.ask(features, |_, tables| proven(inference::best_set(self.branching(), tables, &allowed))))
    }

    fn marginals(&self, features: &Matrix) -> Result<DenseMatrix> {
        let rows = self.ask(features, |_, tables| inference::marginals(self.branching(), tables));
        Ok(DenseMatrix::new(features.rows(), self.labels(), rows.concat()))
    }

    fn log_prob(&self, features: &Matrix, labels: &[LabelSet]) -> Result<Vec<f64>> {
        Ok(self.ask(features, |row, tables| inference::log_prob(self.branching(), tables, &labels[row])))
    }

    fn top_sets(&self, features: &Matrix, count: usize) -> Result<Vec<Vec<(LabelSet, f64)>>> {
        Ok(self.ask(features, |_, tables| {
            let best = |allowed: &[[bool; 2]]| inference::best_set(self.branching(), tables, allowed);
            let bounds = |allowed: &[[bool; 2]]| inference::max_marginals(self.branching(), tables, allowed);
            inference::BestSets::new(self.labels(), best, bounds).take(count).collect()
        }))
    }

    fn top_predictions(&self, features: &Matrix, count: usize) -> Result<Vec<Vec<Prediction>>> {
        let rows = self.top_sets(features, count)?.into_iter();
        Ok(rows.map(|sets| sets.into_iter().map(proven).collect()).collect())
    }

    fn trees(&self) -> Vec<&Branching> {
        vec![self.branching()]
    }

    fn experts(&self) -> Vec<&Tree> {
        vec![self]
    }

    fn store(&self) -> Stored {
        self.stored()
    }
}
