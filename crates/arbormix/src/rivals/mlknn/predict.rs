//! A fitted MLKNN.

use crate::data::LabelSet;
use crate::error::Result;
use crate::learner::{Certificate, Inference, Joint, Prediction, Predictor};
use crate::logistic::loss::{log_probability, log_sigmoid, sigmoid};
use crate::matrix::{DenseMatrix, Matrix};
use crate::model::Stored;
use crate::rivals::neighbours::Neighbours;
use crate::tree::Branching;
use crate::tree::inference::{BestSets, best_set};

/// A fitted MLKNN.
#[derive(Debug, Clone, PartialEq)]
pub struct NeighbourBayes {
    neighbours: Neighbours,
    /// d × (k + 1): log-odds of a label by the number of neighbours that have it.
    log_odds: DenseMatrix,
}

impl NeighbourBayes {
    pub(super) fn new(neighbours: Neighbours, log_odds: DenseMatrix) -> NeighbourBayes {
        NeighbourBayes { neighbours, log_odds }
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
        Ok(NeighbourBayes { neighbours, log_odds })
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
        let odds = self.odds(features);
        let prediction = |row: usize| {
            let labels = LabelSet::from_bools(&odds.row(row).iter().map(|z| *z >= 0.0).collect::<Vec<_>>());
            let log_bound = odds.row(row).iter().map(|z| log_probability(*z, *z >= 0.0)).sum();
            let certificate = Certificate { log_bound, certified: true, nodes: 1 };
            Prediction { labels, log_probability: Some(log_bound), certificate: Some(certificate) }
        };
        Ok((0..odds.rows()).map(prediction).collect())
    }

    fn marginals(&self, features: &Matrix) -> Result<DenseMatrix> {
        let mut odds = self.odds(features);
        odds.values_mut().iter_mut().for_each(|z| *z = sigmoid(*z));
        Ok(odds)
    }

    fn log_prob(&self, features: &Matrix, labels: &[LabelSet]) -> Result<Vec<f64>> {
        let odds = self.odds(features);
        let of = |(row, set): (usize, &LabelSet)| {
            odds.row(row).iter().enumerate().map(|(label, z)| log_probability(*z, set.get(label))).sum()
        };
        Ok(labels.iter().enumerate().map(of).collect())
    }

    fn top_sets(&self, features: &Matrix, count: usize) -> Result<Vec<Vec<(LabelSet, f64)>>> {
        let odds = self.odds(features);
        let alone = Branching::isolated(self.label_count());
        let of = |row: usize| {
            let table = |z: &f64| [[log_sigmoid(-z), log_sigmoid(*z)]; 2];
            let tables: Vec<_> = odds.row(row).iter().map(table).collect();
            BestSets::new(tables.len(), |allowed: &[[bool; 2]]| best_set(&alone, &tables, allowed))
                .take(count)
                .collect()
        };
        Ok((0..odds.rows()).map(of).collect())
    }

    fn store(&self) -> Stored {
        let mut stored = self.neighbours.stored();
        stored.put_matrix("log_odds", &self.log_odds);
        stored
    }
}
