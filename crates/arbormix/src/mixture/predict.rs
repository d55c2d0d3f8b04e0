//! A fitted ML-ME.

use serde::{Deserialize, Serialize};

use super::annealing;
use super::em::State;
use super::map::RowMixture;
use super::rows::Rows;
use crate::data::LabelSet;
use crate::error::Result;
use crate::learner::{DEFAULT_NODE_LIMIT, Inference, Joint, Prediction, Predictor};
use crate::logistic::loss::log_sum_exp;
use crate::logistic::{Coefficients, Design};
use crate::matrix::{Columns, DenseMatrix, Matrix};
use crate::model::Stored;
use crate::random::Stream;
use crate::tree::inference::unrestricted;
use crate::tree::{Branching, Tree};

/// A fitted ML-ME, in the coordinates of the encoded features.
#[derive(Debug, Clone, PartialEq)]
pub struct Mixture {
    experts: Vec<Tree>,
    /// θ without its biases, m × K.
    gate: Columns,
    gate_biases: Vec<f64>,
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
    pub(super) fn from_state(state: &State, design: &Design, inference: Inference) -> Mixture {
        let theta = &state.gate.weights;
        let mapped: Vec<_> =
            (0..theta.cols()).map(|k| design.to_features(&Coefficients::Linear(theta.column(k).to_vec()))).collect();
        Mixture {
            experts: state.experts.iter().map(|expert| Tree::from_fitted(expert, design)).collect(),
            gate: Columns::from_columns(design.features(), mapped.iter().map(|m| m.weights.as_slice())),
            gate_biases: mapped.iter().map(|m| m.bias).collect(),
            inference,
        }
    }

    /// The experts.
    pub fn experts(&self) -> &[Tree] {
        &self.experts
    }

    /// θ of the gate: m × K weights and K biases.
    pub fn gate_weights(&self) -> (&Columns, &[f64]) {
        (&self.gate, &self.gate_biases)
    }

    /// log g(x) of every row, N × K.
    fn log_gates(&self, features: &Matrix) -> DenseMatrix {
        let scores = features.product(&self.gate);
        let mut out = DenseMatrix::zeros(features.rows(), self.experts.len());
        for n in 0..features.rows() {
            let row = out.row_mut(n);
            for (k, log) in row.iter_mut().enumerate() {
                *log = scores.get(n, k) + self.gate_biases[k];
            }
            let total = log_sum_exp(row);
            row.iter_mut().for_each(|log| *log -= total);
        }
        out
    }

    /// Nodes after which a search for the best sets gives up.
    fn node_limit(&self) -> usize {
        match self.inference {
            Inference::Exact { node_limit } => node_limit,
            _ => DEFAULT_NODE_LIMIT,
        }
    }

    /// Answers `question(row, mixture at the row)` for every row, in parallel.
    fn ask<T: Send>(&self, features: &Matrix, question: impl Fn(usize, &RowMixture<'_>) -> T + Sync) -> Result<Vec<T>> {
        Ok(Rows::of(self, features)?.ask(question))
    }

    /// Brings back what [`Predictor::store`] gave.
    pub fn load(stored: &Stored) -> Result<Mixture> {
        let facts: Facts = stored.facts_as()?;
        let count = facts.experts.len();
        let weights = stored.tensor("gate.weights", &[count, facts.features])?;
        let mut gate = Columns::zeros(facts.features, count);
        gate.values_mut().copy_from_slice(weights);
        let gate_biases = stored.tensor("gate.biases", &[count])?.to_vec();
        let expert = |(k, facts)| Tree::load(&stored.part(&format!("expert.{k}."), facts));
        let experts = facts.experts.into_iter().enumerate().map(expert).collect::<Result<_>>()?;
        Ok(Mixture { experts, gate, gate_biases, inference: facts.inference })
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
        self.gate.rows()
    }

    fn joint(&self) -> Joint {
        Joint::Distribution
    }

    fn inference(&self) -> Inference {
        self.inference
    }

    fn predict(&self, features: &Matrix, inference: Inference) -> Result<Vec<Prediction>> {
        let all = unrestricted(self.label_count());
        let without_proof =
            |(labels, value): (LabelSet, f64)| Prediction { labels, log_probability: Some(value), certificate: None };
        self.ask(features, |row, mixture| match inference {
            Inference::Exact { node_limit } => mixture.best_set(&all, node_limit).into(),
            Inference::BestExpert => without_proof(mixture.best_expert(&all)),
            Inference::Annealing { iterations, seed } => {
                let mut stream = Stream::new(seed, "annealing", row as u64);
                without_proof(annealing::search(mixture, iterations, &mut stream))
            }
        })
    }

    fn marginals(&self, features: &Matrix) -> Result<DenseMatrix> {
        let rows = self.ask(features, |_, mixture| mixture.marginals())?;
        Ok(DenseMatrix::new(features.rows(), self.label_count(), rows.concat()))
    }

    fn log_prob(&self, features: &Matrix, labels: &[LabelSet]) -> Result<Vec<f64>> {
        self.ask(features, |row, mixture| mixture.log_prob(&labels[row]))
    }

    fn top_sets(&self, features: &Matrix, count: usize) -> Result<Vec<Vec<(LabelSet, f64)>>> {
        self.ask(features, |_, mixture| mixture.best_sets(count, self.node_limit()))
    }

    fn top_predictions(&self, features: &Matrix, count: usize) -> Result<Vec<Vec<Prediction>>> {
        self.ask(features, |_, mixture| {
            mixture.ranked_sets(count, self.node_limit()).into_iter().map(Prediction::from).collect()
        })
    }

    fn trees(&self) -> Vec<&Branching> {
        self.experts.iter().map(Tree::branching).collect()
    }

    fn experts(&self) -> Vec<&Tree> {
        self.experts.iter().collect()
    }

    fn log_gate(&self, features: &Matrix) -> Option<DenseMatrix> {
        Some(self.log_gates(features))
    }

    fn store(&self) -> Stored {
        let mut tensors = Stored::default();
        let experts = self
            .experts
            .iter()
            .enumerate()
            .map(|(k, expert)| tensors.put_part(&format!("expert.{k}."), expert.store()))
            .collect();
        let facts = Facts { features: self.gate.rows(), inference: self.inference, experts };
        let mut stored = Stored::with_facts(&facts);
        stored.tensors = tensors.tensors;
        stored.put("gate.weights", &[self.experts.len(), self.gate.rows()], self.gate.values().to_vec());
        stored.put("gate.biases", &[self.experts.len()], self.gate_biases.clone());
        stored
    }
}
