//! A fitted CC.

use serde::{Deserialize, Serialize};

use super::params::ChainScoring;
use crate::chain::Chain;
use arbormix_data::LabelSet;
use arbormix_joint::learner::{Inference, Joint, Prediction, Predictor};
use arbormix_joint::{Error, Result};
use arbormix_learn::store::Stored;
use arbormix_matrix::{DenseMatrix, Matrix};

/// A fitted CC.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassifierChain {
    chain: Chain,
    scoring: ChainScoring,
}

/// What the file holds beside the chain's tensors.
#[derive(Serialize, Deserialize)]
struct Facts {
    scoring: ChainScoring,
    chain: serde_json::Value,
}

impl ClassifierChain {
    pub(crate) fn new(chain: Chain, scoring: ChainScoring) -> ClassifierChain {
        ClassifierChain { chain, scoring }
    }

    /// The chain.
    pub fn chain(&self) -> &Chain {
        &self.chain
    }

    /// Brings back what [`Predictor::store`] gave.
    pub fn load(stored: &Stored) -> Result<ClassifierChain> {
        let facts: Facts = stored.facts_as()?;
        Ok(ClassifierChain { chain: Chain::load(&stored.part("chain.", facts.chain))?, scoring: facts.scoring })
    }
}

impl Predictor for ClassifierChain {
    fn method(&self) -> &'static str {
        "cc"
    }

    fn label_count(&self) -> usize {
        self.chain.order().len()
    }

    fn feature_count(&self) -> usize {
        self.chain.feature_count()
    }

    fn joint(&self) -> Joint {
        match self.scoring {
            ChainScoring::TeacherForced => Joint::TeacherForced,
            ChainScoring::GreedyPath => Joint::GreedyPath,
        }
    }

    /// The greedy path; its probability is the same under both scorings.
    fn predict(&self, features: &Matrix, _inference: Inference) -> Result<Vec<Prediction>> {
        Ok(self.chain.ask(features, |_, chain| {
            let (values, log_probability) = chain.greedy();
            Prediction { labels: chain.to_set(&values), log_probability: Some(log_probability), certificate: None }
        }))
    }

    /// P(yᵢ = 1 | x, greedy predictions of the earlier labels): what the decisions are made by, not the marginals of
    /// the chain's joint distribution, which PCC gives.
    fn marginals(&self, features: &Matrix) -> Result<DenseMatrix> {
        let rows = self.chain.ask(features, |_, chain| chain.greedy_marginals());
        Ok(DenseMatrix::new(features.rows(), self.label_count(), rows.concat()))
    }

    fn log_prob(&self, features: &Matrix, labels: &[LabelSet]) -> Result<Vec<f64>> {
        Ok(self.chain.ask(features, |row, chain| match self.scoring {
            ChainScoring::TeacherForced => chain.log_prob(&labels[row]),
            ChainScoring::GreedyPath => chain.greedy_log_prob(&labels[row]),
        }))
    }

    fn top_sets(&self, _features: &Matrix, _count: usize) -> Result<Vec<Vec<(LabelSet, f64)>>> {
        let reason = "it decides greedily; the method pcc is the same chain with an exact search";
        Err(Error::Unsupported { method: self.method(), what: "the k best label sets", reason })
    }

    fn store(&self) -> Stored {
        let mut part = self.chain.stored();
        let facts = Facts { scoring: self.scoring, chain: std::mem::take(&mut part.facts) };
        let mut stored = Stored::with_facts(&facts);
        stored.put_part("chain.", part);
        stored
    }
}
