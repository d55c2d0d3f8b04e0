//! A fitted CHF.

use serde::{Deserialize, Serialize};

use crate::br::BinaryRelevance;
use crate::stacked::{Derivation, Stacked, append};
use arbormix_joint::Result;
use arbormix_joint::learner::Predictor;
use arbormix_learn::store::Stored;
use arbormix_matrix::{DenseMatrix, Matrix};

/// A fitted CHF.
pub type TwoLayers = Stacked<FirstLayer>;

/// The first layer: derives the features followed by its outputs for all labels.
#[derive(Debug, Clone, PartialEq)]
pub struct FirstLayer {
    labels: BinaryRelevance,
    hard: bool,
}

/// What the file holds beside the tensors.
#[derive(Serialize, Deserialize)]
struct Facts {
    hard: bool,
    labels: serde_json::Value,
}

impl FirstLayer {
    pub(crate) fn new(labels: BinaryRelevance, hard: bool) -> FirstLayer {
        FirstLayer { labels, hard }
    }

    /// Probabilities or decisions, rows × d.
    pub(crate) fn outputs(&self, features: &Matrix) -> DenseMatrix {
        let mut out = self.labels.marginals(features).expect("binary relevance has marginals");
        if self.hard {
            out.values_mut().iter_mut().for_each(|p| *p = f64::from(*p >= 0.5));
        }
        out
    }
}

impl Derivation for FirstLayer {
    const METHOD: &'static str = "chf";

    fn feature_count(&self) -> usize {
        self.labels.feature_count()
    }

    fn derived_count(&self) -> usize {
        self.labels.feature_count() + self.labels.label_count()
    }

    fn derive(&self, features: &Matrix) -> Matrix {
        append(features, &self.outputs(features))
    }

    fn stored(&self) -> Stored {
        let mut part = self.labels.store();
        let facts = Facts { hard: self.hard, labels: std::mem::take(&mut part.facts) };
        Stored { tensors: part.tensors, ..Stored::with_facts(&facts) }
    }

    fn load(stored: &Stored) -> Result<FirstLayer> {
        let facts: Facts = stored.facts_as()?;
        let labels = BinaryRelevance::load(&Stored { facts: facts.labels, tensors: stored.tensors.clone() })?;
        Ok(FirstLayer { labels, hard: facts.hard })
    }
}
