//! What a method has learned.

use std::borrow::Cow;

use arbormix_data::LabelSet;
use arbormix_learn::store::Stored;
use arbormix_matrix::{DenseMatrix, Matrix};
use serde::{Deserialize, Serialize};

use super::{Inference, Prediction};
use crate::error::{Error, Result};
use crate::joint::{RowMixture, Rows};
use crate::tree::{Branching, Tree};

/// What kind of joint probability a method gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Joint {
    /// A distribution over all label sets that sums to one; predictions look for its most probable set.
    Distribution,
    /// The joint distribution of a chain, each label given the *true* earlier ones, or a mean of such. It sums to one,
    /// but predictions are made in another way (greedily, by votes) and need not be its most probable set.
    TeacherForced,
    /// Each label given the *predicted* earlier ones: the labels are independent along the greedy path. This is how the
    /// paper scores CC.
    GreedyPath,
    /// A product of independent labels that stands in for a distribution whose sums are out of reach (MMOC).
    MeanField,
    /// None: only decisions or scores.
    None,
}

impl Joint {
    /// Whether [`Predictor::log_prob`] answers.
    pub fn has_probabilities(self) -> bool {
        self != Joint::None
    }

    /// What the probability is, for people.
    pub fn describe(self) -> &'static str {
        match self {
            Joint::Distribution => "a distribution over label sets",
            Joint::TeacherForced => "each label given the true earlier ones",
            Joint::GreedyPath => "each label given the predicted earlier ones",
            Joint::MeanField => "independent labels in place of the distribution",
            Joint::None => "no probabilities of label sets",
        }
    }
}

impl<'a> Rows<'a> {
    /// The distributions of a predictor's rows; refused by methods that are made neither of trees nor of tables.
    pub fn of(predictor: &'a dyn Predictor, features: &'a Matrix) -> Result<Rows<'a>> {
        predictor.distributions(Cow::Borrowed(features)).ok_or_else(|| Rows::unsupported(predictor.method()))
    }
}

/// What a method has learned; works on encoded rows. A method with [distributions](Predictor::distributions) needs
/// to say nothing about predictions, marginals and probabilities.
pub trait Predictor: Send + Sync {
    /// Name in the registry.
    fn method(&self) -> &'static str;
    /// Number of labels, d.
    fn label_count(&self) -> usize;
    /// Number of features, m.
    fn feature_count(&self) -> usize;
    /// Whether [`Predictor::log_prob`] answers, and with what.
    fn joint(&self) -> Joint;
    /// How [`Predictor::predict`] searches unless told otherwise.
    fn inference(&self) -> Inference {
        Inference::default()
    }
    /// The best label set of each row; methods with one way of predicting ignore `inference`.
    fn predict(&self, features: &Matrix, inference: Inference) -> Result<Vec<Prediction>> {
        let rows = self.distributions(Cow::Borrowed(features)).ok_or_else(|| Rows::unsupported(self.method()))?;
        Ok(rows.predict(inference))
    }
    /// The most probable set of every row with P(yᵢ = 1 | x) of every label. Methods whose distributions are dear make them
    /// once for both.
    fn predict_with_marginals(&self, features: &Matrix, inference: Inference) -> Result<Vec<(Prediction, Vec<f64>)>> {
        let (predictions, marginals) = (self.predict(features, inference)?, self.marginals(features)?);
        let with_own = |(row, prediction)| (prediction, marginals.row(row).to_vec());
        Ok(predictions.into_iter().enumerate().map(with_own).collect())
    }
    /// P(yᵢ = 1 | x), N × d.
    fn marginals(&self, features: &Matrix) -> Result<DenseMatrix> {
        let rows = self.distributions(Cow::Borrowed(features)).ok_or_else(|| Rows::unsupported(self.method()))?;
        Ok(rows.marginals(self.label_count()))
    }
    /// log P(y | x) of one label set per row.
    fn log_prob(&self, features: &Matrix, labels: &[LabelSet]) -> Result<Vec<f64>> {
        let (method, what, reason) = (self.method(), "joint probabilities", "it only scores labels");
        let rows = self.distributions(Cow::Borrowed(features)).ok_or(Error::Unsupported { method, what, reason })?;
        Ok(rows.log_prob(labels))
    }
    /// The `count` most probable label sets of each row with their log-probabilities, best first. A row may have fewer:
    /// there are no more sets, or (PCC) a search reached its node limit before it had proven more.
    fn top_sets(&self, features: &Matrix, count: usize) -> Result<Vec<Vec<(LabelSet, f64)>>> {
        let (method, what, reason) = (self.method(), "the k best label sets", "it has no joint distribution");
        let rows = self.distributions(Cow::Borrowed(features)).ok_or(Error::Unsupported { method, what, reason })?;
        Ok(rows.top_sets(count, self.inference()))
    }
    /// The sets of [`Predictor::top_sets`] with what is proven about each: that no set which is not listed before it has
    /// more than its bound. Without certificates by methods that list only what is certain.
    fn top_predictions(&self, features: &Matrix, count: usize) -> Result<Vec<Vec<Prediction>>> {
        if let Some(rows) = self.distributions(Cow::Borrowed(features)) {
            return Ok(rows.top_predictions(count, self.inference()));
        }
        let certain = |(labels, log)| Prediction { labels, log_probability: Some(log), certificate: None };
        let rows = self.top_sets(features, count)?.into_iter();
        Ok(rows.map(|sets| sets.into_iter().map(certain).collect()).collect())
    }
    /// The label trees, one per expert.
    fn trees(&self) -> Vec<&Branching> {
        Vec::new()
    }
    /// The experts of a mixture of trees, or the one tree of a method that has no more.
    fn experts(&self) -> Vec<&Tree> {
        Vec::new()
    }
    /// Whether [`Predictor::distributions`] answers.
    fn has_distributions(&self) -> bool {
        !self.experts().is_empty()
    }
    /// P(y | x) of the rows, of which anything can be asked; `None` for methods whose joint distribution is made neither
    /// of trees nor of tables of label sets.
    fn distributions<'a>(&'a self, features: Cow<'a, Matrix>) -> Option<Rows<'a>> {
        self.has_distributions().then(|| Rows::new(features, |some| self.mixtures(some)))
    }
    /// P(y | x) of each row, if [`Predictor::has_distributions`]. [`Rows`] asks for it chunk by chunk.
    fn mixtures(&self, features: &Matrix) -> Vec<RowMixture<'_>> {
        RowMixture::of_trees(&self.experts(), self.log_gate(features), features)
    }
    /// log g(x) of the experts, N × K, for mixtures.
    fn log_gate(&self, _features: &Matrix) -> Option<DenseMatrix> {
        None
    }
    /// Gate weights g(x) of the experts, N × K, for mixtures.
    fn gate(&self, features: &Matrix) -> Option<DenseMatrix> {
        let mut gates = self.log_gate(features)?;
        gates.values_mut().iter_mut().for_each(|log| *log = log.exp());
        Some(gates)
    }
    /// Everything a file must hold to bring this predictor back bit by bit.
    fn store(&self) -> Stored;
}
