//! A fitted ECC.

use serde::{Deserialize, Serialize};

use super::params::Combination;
use crate::chain::{Chain, RowChain};
use arbormix_data::LabelSet;
use arbormix_joint::learner::{Inference, Joint, Prediction, Predictor};
use arbormix_joint::{Error, Result};
use arbormix_learn::logistic::loss::log_sum_exp;
use arbormix_learn::store::{ModelFileError, Stored};
use arbormix_matrix::{DenseMatrix, Matrix};

/// A fitted ECC.
#[derive(Debug, Clone, PartialEq)]
pub struct ChainEnsemble {
    chains: Vec<Chain>,
    combination: Combination,
    /// One per label.
    thresholds: Vec<f64>,
}

/// What the file holds beside the tensors.
#[derive(Serialize, Deserialize)]
struct Facts {
    combination: Combination,
    labels: usize,
    chains: Vec<serde_json::Value>,
}

impl Combination {
    /// What one chain says about one row, by label.
    pub(crate) fn scores(self, chain: &RowChain<'_>) -> Vec<f64> {
        match self {
            Combination::Votes => chain.to_set(&chain.greedy().0).to_bools().into_iter().map(f64::from).collect(),
            Combination::Probabilities => chain.greedy_marginals(),
        }
    }
}

impl ChainEnsemble {
    pub(crate) fn new(chains: Vec<Chain>, combination: Combination, thresholds: Vec<f64>) -> ChainEnsemble {
        ChainEnsemble { chains, combination, thresholds }
    }

    /// The chains.
    pub fn chains(&self) -> &[Chain] {
        &self.chains
    }

    /// The score from which each label is predicted.
    pub fn thresholds(&self) -> &[f64] {
        &self.thresholds
    }

    /// Brings back what [`Predictor::store`] gave.
    pub fn load(stored: &Stored) -> Result<ChainEnsemble> {
        let facts: Facts = stored.facts_as()?;
        let thresholds = stored.tensor("thresholds", &[facts.labels])?.to_vec();
        let chain = |(number, facts)| Chain::load(&stored.part(&format!("chain.{number}."), facts));
        let chains: Vec<Chain> = facts.chains.into_iter().enumerate().map(chain).collect::<Result<_>>()?;
        let sizes = |chain: &Chain| (chain.order().len(), chain.feature_count());
        let fits = |chain: &Chain| sizes(chain) == (facts.labels, chains[0].feature_count());
        if chains.is_empty() || !chains.iter().all(fits) {
            let message = "the chains of an ensemble do not have the same labels and features".to_string();
            return Err(ModelFileError::Entry { name: "facts".to_string(), message }.into());
        }
        Ok(ChainEnsemble { chains, combination: facts.combination, thresholds })
    }
}

impl Predictor for ChainEnsemble {
    fn method(&self) -> &'static str {
        "ecc"
    }

    fn label_count(&self) -> usize {
        self.thresholds.len()
    }

    fn feature_count(&self) -> usize {
        self.chains[0].feature_count()
    }

    /// The mixture of the chains with equal weights.
    fn joint(&self) -> Joint {
        Joint::TeacherForced
    }

    fn predict(&self, features: &Matrix, _inference: Inference) -> Result<Vec<Prediction>> {
        let scores = self.marginals(features)?;
        let decide = |row: usize| {
            let reached = scores.row(row).iter().zip(&self.thresholds).map(|(score, threshold)| score >= threshold);
            LabelSet::from_bools(&reached.collect::<Vec<_>>())
        };
        let sets: Vec<LabelSet> = (0..features.rows()).map(decide).collect();
        let logs = self.log_prob(features, &sets)?;
        let prediction = |(labels, log)| Prediction { labels, log_probability: Some(log), certificate: None };
        Ok(sets.into_iter().zip(logs).map(prediction).collect())
    }

    /// The scores that decide: mean votes, or mean probabilities along the greedy paths.
    fn marginals(&self, features: &Matrix) -> Result<DenseMatrix> {
        let mut out = DenseMatrix::zeros(features.rows(), self.label_count());
        for chain in &self.chains {
            let scores = chain.ask(features, |_, chain| self.combination.scores(chain)).concat();
            out.values_mut().iter_mut().zip(scores).for_each(|(sum, score)| *sum += score);
        }
        // Divided at the end: ten votes of ten are exactly 1, five are exactly ½.
        out.values_mut().iter_mut().for_each(|sum| *sum /= self.chains.len() as f64);
        Ok(out)
    }

    /// log (1/m) Σ P(y | x, chain), each chain teacher-forced.
    fn log_prob(&self, features: &Matrix, labels: &[LabelSet]) -> Result<Vec<f64>> {
        let of = |chain: &Chain| chain.ask(features, |row, chain| chain.log_prob(&labels[row]));
        let logs: Vec<Vec<f64>> = self.chains.iter().map(of).collect();
        let mean = |row: usize| {
            log_sum_exp(&logs.iter().map(|of| of[row]).collect::<Vec<_>>()) - (self.chains.len() as f64).ln()
        };
        Ok((0..features.rows()).map(mean).collect())
    }

    fn top_sets(&self, _features: &Matrix, _count: usize) -> Result<Vec<Vec<(LabelSet, f64)>>> {
        let reason = "its chains vote on single labels; the method pcc searches one chain exactly";
        Err(Error::Unsupported { method: self.method(), what: "the k best label sets", reason })
    }

    fn store(&self) -> Stored {
        let mut tensors = Stored::default();
        let put = |(number, chain): (usize, &Chain)| tensors.put_part(&format!("chain.{number}."), chain.stored());
        let chains = self.chains.iter().enumerate().map(put).collect();
        let mut stored =
            Stored::with_facts(&Facts { combination: self.combination, labels: self.thresholds.len(), chains });
        stored.tensors = tensors.tensors;
        stored.put("thresholds", &[self.thresholds.len()], self.thresholds.clone());
        stored
    }
}
