//! A fitted MLKNN.

use crate::independent;
use crate::neighbours::Neighbours;
use arbormix_joint::Result;
use arbormix_joint::joint::RowMixture;
use arbormix_joint::learner::{Inference, Joint, Prediction, Predictor};
use arbormix_joint::tree::Branching;
use arbormix_learn::store::Stored;
use arbormix_matrix::{DenseMatrix, Matrix};

/// A fitted MLKNN.
#[derive(Debug, Clone, PartialEq)]
pub struct NeighbourBayes {
    neighbours: Neighbours,
    /// d × (k + 1): log-odds of a label by the number of neighbours that have it.
    log_odds: DenseMatrix,
    /// The labels without edges: they are independent given x.
    alone: Branching,
}

impl NeighbourBayes {
    pub(crate) fn new(neighbours: Neighbours, log_odds: DenseMatrix) -> NeighbourBayes {
        let alone = Branching::isolated(neighbours.label_count());
        NeighbourBayes { neighbours, log_odds, alone }
    }

    /// Log-odds of each label by the number of neighbours that have it, d × (k + 1).
    pub fn table(&self) -> &DenseMatrix {
        &self.log_odds
    }

    /// Log-odds of every label of every row.
    fn odds(&self, features: &Matrix) -> DenseMatrix {
        let mut out = self.neighbours.counts(features);
        for row in 0..out.rows() {
            for (label, cell) in out.row_mut(row).iter_mut().enumerate() {
                *cell = self.log_odds.get(label, *cell as usize);
            }
        }
        out
    }

    /// Brings back what [`Predictor::store`] gave.
    pub fn load(stored: &Stored) -> Result<NeighbourBayes> {
        let neighbours = Neighbours::load(stored)?;
        let log_odds = stored.matrix("log_odds", neighbours.label_count(), neighbours.count() + 1)?;
        Ok(NeighbourBayes::new(neighbours, log_odds))
    }
}

impl Predictor for NeighbourBayes {
    fn method(&self) -> &'static str {
        "mlknn"
    }

    fn label_count(&self) -> usize {
        self.neighbours.label_count()
    }

    fn feature_count(&self) -> usize {
        self.neighbours.feature_count()
    }

    fn joint(&self) -> Joint {
        Joint::Distribution
    }

    /// Each label by itself; a probability of ½ counts as present.
    fn predict(&self, features: &Matrix, _inference: Inference) -> Result<Vec<Prediction>> {
        Ok(independent::predictions(&self.odds(features)))
    }

    fn has_distributions(&self) -> bool {
        true
    }

    fn mixtures(&self, features: &Matrix) -> Vec<RowMixture<'_>> {
        independent::mixtures(&self.odds(features), &self.alone)
    }

    fn store(&self) -> Stored {
        let mut stored = self.neighbours.stored();
        stored.put_matrix("log_odds", &self.log_odds);
        stored
    }
}
