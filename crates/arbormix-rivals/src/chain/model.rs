//! A fitted chain.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::order::is_permutation;
use super::row::RowChain;
use arbormix_joint::Result;
use arbormix_learn::logistic::FeatureWeights;
use arbormix_learn::store::{ModelFileError, Stored};
use arbormix_matrix::{Columns, DenseMatrix, Matrix};

/// A fitted chain, in the coordinates of the encoded features.
#[derive(Debug, Clone, PartialEq)]
pub struct Chain {
    /// Label at each place.
    order: Vec<usize>,
    /// m × d, one column per place.
    weights: Columns,
    biases: Vec<f64>,
    /// `links[place][earlier]` is added to the log-odds at `place` when the label at the place `earlier` is present.
    links: DenseMatrix,
}

/// What the file holds beside the tensors.
#[derive(Serialize, Deserialize)]
struct Facts {
    order: Vec<usize>,
    features: usize,
}

impl Chain {
    /// From the regression at each place; weights beyond the features belong to the earlier places.
    pub(crate) fn new(order: Vec<usize>, features: usize, regressions: Vec<FeatureWeights>) -> Chain {
        let mut links = DenseMatrix::zeros(order.len(), order.len());
        for (place, regression) in regressions.iter().enumerate() {
            // A constant label has no weights of earlier labels.
            let earlier = &regression.weights[features..];
            links.row_mut(place)[..earlier.len()].copy_from_slice(earlier);
        }
        let weights = Columns::from_columns(features, regressions.iter().map(|r| &r.weights[..features]));
        Chain { order, weights, biases: regressions.iter().map(|r| r.bias).collect(), links }
    }

    /// Label at each place.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// Number of features, m.
    pub fn feature_count(&self) -> usize {
        self.weights.rows()
    }

    /// What the label at each place adds to the log-odds of the later ones: `links[place][earlier]`.
    pub fn links(&self) -> &DenseMatrix {
        &self.links
    }

    /// Answers `question(row, chain at the row)` for every row, in parallel.
    pub fn ask<T: Send>(&self, features: &Matrix, question: impl Fn(usize, &RowChain<'_>) -> T + Sync) -> Vec<T> {
        let margins = features.product(&self.weights);
        (0..features.rows())
            .into_par_iter()
            .map(|row| {
                let alone = self.biases.iter().enumerate().map(|(place, bias)| margins.get(row, place) + bias);
                question(row, &RowChain::new(self, alone.collect()))
            })
            .collect()
    }

    /// Brings back what [`Chain::stored`] gave.
    pub fn load(stored: &Stored) -> Result<Chain> {
        let facts: Facts = stored.facts_as()?;
        let count = facts.order.len();
        if count == 0 || !is_permutation(&facts.order) {
            let message = format!("the chain's order {:?} does not have every label once", facts.order);
            return Err(ModelFileError::Entry { name: "facts".to_string(), message }.into());
        }
        let mut weights = Columns::zeros(facts.features, count);
        weights.values_mut().copy_from_slice(stored.tensor("weights", &[count, facts.features])?);
        let biases = stored.tensor("biases", &[count])?.to_vec();
        Ok(Chain { weights, biases, links: stored.matrix("links", count, count)?, order: facts.order })
    }

    /// Everything a file must hold.
    pub fn stored(&self) -> Stored {
        let (features, count) = (self.weights.rows(), self.order.len());
        let mut stored = Stored::with_facts(&Facts { order: self.order.clone(), features });
        stored.put("weights", &[count, features], self.weights.values().to_vec());
        stored.put("biases", &[count], self.biases.clone());
        stored.put_matrix("links", &self.links);
        stored
    }
}
