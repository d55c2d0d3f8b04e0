//! A fitted ML-ME.

use serde::{Deserialize, Serialize};

use super::em::State;
use arbormix_joint::Result;
use arbormix_joint::joint::{Rows, block};
use arbormix_joint::learner::{Inference, Joint, Prediction, Predictor};
use arbormix_joint::tree::{Branching, Tree};
use arbormix_learn::logistic::{Design, LinearFunctions, Softmax};
use arbormix_learn::store::Stored;
use arbormix_matrix::{DenseMatrix, Matrix};

/// A fitted ML-ME, in the coordinates of the encoded features.
#[derive(Debug, Clone, PartialEq)]
pub struct Mixture {
    experts: Vec<Tree>,
    gate: Softmax,
    inference: Inference,
}

/// What the file holds beside the tensors.
#[derive(Serialize, Deserialize)]
struct Facts {
    features: usize,
    inference: Inference,
    experts: Vec<serde_json::Value>,
}

impl Mixture {
    /// Maps a fit back to the features.
    pub(crate) fn from_state(state: &State, design: &Design, inference: Inference) -> Mixture {
        Mixture {
            experts: state.experts.iter().map(|expert| expert.to_tree(design)).collect(),
            gate: Softmax::new(&state.gate, design),
            inference,
        }
    }

    /// The experts.
    pub fn experts(&self) -> &[Tree] {
        &self.experts
    }

    /// θ of the gate: m × K weights and K biases.
    pub fn gate_weights(&self) -> &LinearFunctions {
        self.gate.scores()
    }

    /// The most probable set of every row, proven; gives up after `node_limit` nodes (0: never).
    fn most_probable(&self, features: &Matrix, node_limit: usize) -> Vec<Prediction> {
        let trees: Vec<&Tree> = self.experts.iter().collect();
        features.by_chunks(|rows| {
            let log_gate = self.gate.log_probabilities_of(features, rows.clone());
            let margins: Vec<DenseMatrix> = trees.iter().map(|tree| tree.margins(features, rows.clone())).collect();
            block::most_probable(&trees, &log_gate, &margins, node_limit)
        })
    }

    /// Brings back what [`Predictor::store`] gave.
    pub fn load(stored: &Stored) -> Result<Mixture> {
        let facts: Facts = stored.facts_as()?;
        let count = facts.experts.len();
        let gate = Softmax::load(stored, "gate.", count, facts.features)?;
        let expert = |(k, facts)| Tree::load(&stored.part(&format!("expert.{k}."), facts));
        let experts = facts.experts.into_iter().enumerate().map(expert).collect::<Result<_, _>>()?;
        Ok(Mixture { experts, gate, inference: facts.inference })
    }
}

impl Predictor for Mixture {
    fn method(&self) -> &'static str {
        "mlme"
    }

    fn label_count(&self) -> usize {
        self.experts[0].label_count()
    }

    fn feature_count(&self) -> usize {
        self.gate.feature_count()
    }

    fn joint(&self) -> Joint {
        Joint::Distribution
    }

    fn inference(&self) -> Inference {
        self.inference
    }

    fn predict(&self, features: &Matrix, inference: Inference) -> Result<Vec<Prediction>> {
        match inference {
            Inference::Exact { node_limit } => Ok(self.most_probable(features, node_limit)),
            _ => Ok(Rows::of(self, features)?.predict(inference)),
        }
    }

    fn trees(&self) -> Vec<&Branching> {
        self.experts.iter().map(Tree::branching).collect()
    }

    fn experts(&self) -> Vec<&Tree> {
        self.experts.iter().collect()
    }

    fn log_gate(&self, features: &Matrix) -> Option<DenseMatrix> {
        Some(self.gate.log_probabilities(features))
    }

    fn store(&self) -> Stored {
        let mut tensors = Stored::default();
        let experts = self
            .experts
            .iter()
            .enumerate()
            .map(|(k, expert)| tensors.put_part(&format!("expert.{k}."), expert.store()))
            .collect();
        let facts = Facts { features: self.gate.feature_count(), inference: self.inference, experts };
        let mut stored = Stored::with_facts(&facts);
        stored.tensors = tensors.tensors;
        self.gate.put(&mut stored, "gate.");
        stored
    }
}
