//! A fitted IBLR.

use serde::{Deserialize, Serialize};

use crate::neighbours::Neighbours;
use crate::stacked::{Derivation, Stacked, append};
use arbormix_joint::Result;
use arbormix_learn::store::Stored;
use arbormix_matrix::{DenseMatrix, Matrix};

/// A fitted IBLR.
pub type NeighbourRegression = Stacked<NeighbourShares>;

/// The shares ω of the nearest training rows that have each label, with or without the features before them.
#[derive(Debug, Clone, PartialEq)]
pub struct NeighbourShares {
    neighbours: Neighbours,
    plus: bool,
    scale: f64,
}

/// What the file holds beside the tensors.
#[derive(Serialize, Deserialize)]
struct Facts {
    plus: bool,
    /// Files from before it could be chosen have none.
    #[serde(default = "unscaled")]
    scale: f64,
    neighbours: serde_json::Value,
}

fn unscaled() -> f64 {
    1.0
}

impl NeighbourShares {
    pub(crate) fn new(neighbours: Neighbours, plus: bool, scale: f64) -> NeighbourShares {
        NeighbourShares { neighbours, plus, scale }
    }

    /// The derived features of the training rows: none is its own neighbour.
    pub(crate) fn training(&self) -> Matrix {
        self.derived_from(self.neighbours.rows(), self.neighbours.training_counts())
    }

    fn derived_from(&self, features: &Matrix, mut counts: DenseMatrix) -> Matrix {
        let (scale, of) = (self.scale, self.neighbours.count() as f64);
        counts.values_mut().iter_mut().for_each(|count| *count = scale * (*count / of));
        if self.plus { append(features, &counts) } else { Matrix::Dense(counts) }
    }
}

impl Derivation for NeighbourShares {
    const METHOD: &'static str = "iblr";

    fn feature_count(&self) -> usize {
        self.neighbours.feature_count()
    }

    fn derived_count(&self) -> usize {
        self.neighbours.label_count() + if self.plus { self.feature_count() } else { 0 }
    }

    fn derive(&self, features: &Matrix) -> Matrix {
        self.derived_from(features, self.neighbours.counts(features))
    }

    fn stored(&self) -> Stored {
        let mut part = self.neighbours.stored();
        let facts = Facts { plus: self.plus, scale: self.scale, neighbours: std::mem::take(&mut part.facts) };
        Stored { tensors: part.tensors, ..Stored::with_facts(&facts) }
    }

    fn load(stored: &Stored) -> Result<NeighbourShares> {
        let facts: Facts = stored.facts_as()?;
        let neighbours = Neighbours::load(&Stored { facts: facts.neighbours, tensors: stored.tensors.clone() })?;
        Ok(NeighbourShares { neighbours, plus: facts.plus, scale: facts.scale })
    }
}
