//! A fitted MMOC.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::code::Code;
use super::field::Field;
use super::params::{Decoding, OutputCodeParams};
use crate::br::BinaryRelevance;
use crate::independent;
use arbormix_data::LabelSet;
use arbormix_joint::Result;
use arbormix_joint::learner::{Certificate, Inference, Joint, Prediction, Predictor};
use arbormix_learn::store::{ModelFileError, Stored};
use arbormix_matrix::{Columns, DenseMatrix, Matrix};

/// A fitted MMOC.
#[derive(Debug, Clone, PartialEq)]
pub struct OutputCode {
    /// The labels' own regressions.
    own: BinaryRelevance,
    regression: LinearRegression,
    code: Code,
    /// Made from the code.
    precision: DenseMatrix,
    settings: Settings,
}

/// Linear regressions of all labels, ŷ = P·[x, 1].
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LinearRegression {
    /// m × d.
    pub(crate) weights: Columns,
    pub(crate) biases: Vec<f64>,
}

/// How predictions are made.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Settings {
    decoding: Decoding,
    balance: f64,
}

/// What the file holds beside the tensors.
#[derive(Serialize, Deserialize)]
struct Facts {
    settings: Settings,
    code_length: usize,
    own: serde_json::Value,
}

impl OutputCode {
    pub(crate) fn new(
        own: BinaryRelevance,
        regression: LinearRegression,
        code: Code,
        params: &OutputCodeParams,
    ) -> OutputCode {
        let settings = Settings { decoding: params.decoding, balance: params.balance };
        OutputCode { own, regression, precision: code.precision(), code, settings }
    }

    /// The labels' own regressions.
    pub fn own(&self) -> &BinaryRelevance {
        &self.own
    }

    /// The code: each row is one linear combination of the labels.
    pub fn code(&self) -> &DenseMatrix {
        self.code.directions()
    }

    /// What linear regression predicts for the labels, N × d.
    fn predicted(&self, features: &Matrix) -> Columns {
        let mut out = features.product(&self.regression.weights);
        for (column, &bias) in self.regression.biases.iter().enumerate() {
            out.column_mut(column).iter_mut().for_each(|value| *value += bias);
        }
        out
    }

    /// Answers a question about the evidence of every row, in parallel.
    pub(crate) fn ask<T: Send>(&self, features: &Matrix, question: impl Fn(usize, &Field<'_>) -> T + Sync) -> Vec<T> {
        let (odds, predicted) = (self.own.log_odds(features), self.predicted(features));
        (0..features.rows())
            .into_par_iter()
            .map(|row| {
                let of_row: Vec<f64> = (0..predicted.cols()).map(|label| predicted.get(row, label)).collect();
                let field = Field::new(&self.precision, &of_row, odds.row(row).to_vec(), self.settings.balance);
                question(row, &field)
            })
            .collect()
    }

    /// The mean field's log-odds of every label of every row.
    fn mean_field(&self, features: &Matrix) -> DenseMatrix {
        let rows = self.ask(features, |_, field| field.mean_field());
        DenseMatrix::new(features.rows(), self.label_count(), rows.concat())
    }

    /// Brings back what [`Predictor::store`] gave.
    pub fn load(stored: &Stored) -> Result<OutputCode> {
        let facts: Facts = stored.facts_as()?;
        let own = BinaryRelevance::load(&stored.part("own.", facts.own))?;
        let (labels, features) = (own.label_count(), own.feature_count());
        if !(facts.settings.balance.is_finite() && facts.settings.balance >= 0.0) {
            let message = format!("balance is {}, but must not be negative", facts.settings.balance);
            return Err(ModelFileError::Entry { name: "facts".to_string(), message }.into());
        }
        facts
            .settings
            .decoding
            .check(labels)
            .map_err(|error| ModelFileError::Entry { name: "facts".to_string(), message: error.to_string() })?;
        let mut weights = Columns::zeros(features, labels);
        weights.values_mut().copy_from_slice(stored.tensor("regression", &[labels, features])?);
        let regression = LinearRegression { weights, biases: stored.tensor("biases", &[labels])?.to_vec() };
        let code = Code::load(stored, facts.code_length, labels)?;
        Ok(OutputCode { own, regression, precision: code.precision(), code, settings: facts.settings })
    }
}

impl Predictor for OutputCode {
    fn method(&self) -> &'static str {
        "mmoc"
    }

    fn label_count(&self) -> usize {
        self.own.label_count()
    }

    fn feature_count(&self) -> usize {
        self.own.feature_count()
    }

    fn joint(&self) -> Joint {
        match self.settings.decoding {
            Decoding::MeanField => Joint::MeanField,
            Decoding::Exact => Joint::Distribution,
        }
    }

    fn predict(&self, features: &Matrix, _inference: Inference) -> Result<Vec<Prediction>> {
        Ok(match self.settings.decoding {
            // Best for the mean field, which proves nothing about E.
            Decoding::MeanField => {
                let unproven = |prediction| Prediction { certificate: None, ..prediction };
                independent::predictions(&self.mean_field(features)).into_iter().map(unproven).collect()
            }
            Decoding::Exact => self.ask(features, |_, field| {
                let (labels, score) = field.best();
                let log_bound = score - field.enumerated().log_total;
                let certificate = Certificate { log_bound, certified: true, nodes: 1 << field.labels() };
                Prediction { labels, log_probability: Some(log_bound), certificate: Some(certificate) }
            }),
        })
    }

    fn marginals(&self, features: &Matrix) -> Result<DenseMatrix> {
        Ok(match self.settings.decoding {
            Decoding::MeanField => independent::marginals(self.mean_field(features)),
            Decoding::Exact => {
                let rows = self.ask(features, |_, field| field.enumerated().marginals);
                DenseMatrix::new(features.rows(), self.label_count(), rows.concat())
            }
        })
    }

    /// Of the mean field, or of exp(−E) when decoding is exact.
    fn log_prob(&self, features: &Matrix, labels: &[LabelSet]) -> Result<Vec<f64>> {
        Ok(match self.settings.decoding {
            Decoding::MeanField => independent::log_prob(&self.mean_field(features), labels),
            Decoding::Exact => {
                self.ask(features, |row, field| field.score(&labels[row]) - field.enumerated().log_total)
            }
        })
    }

    fn top_sets(&self, features: &Matrix, count: usize) -> Result<Vec<Vec<(LabelSet, f64)>>> {
        Ok(match self.settings.decoding {
            Decoding::MeanField => independent::top_sets(&self.mean_field(features), count),
            Decoding::Exact => self.ask(features, |_, field| {
                let log_total = field.enumerated().log_total;
                field.best_sets(count).into_iter().map(|(set, score)| (set, score - log_total)).collect()
            }),
        })
    }

    fn store(&self) -> Stored {
        let mut own = self.own.store();
        let facts =
            Facts { settings: self.settings, code_length: self.code.len(), own: std::mem::take(&mut own.facts) };
        let mut stored = Stored::with_facts(&facts);
        stored.put_part("own.", own);
        let (labels, features) = (self.label_count(), self.feature_count());
        stored.put("regression", &[labels, features], self.regression.weights.values().to_vec());
        stored.put("biases", &[labels], self.regression.biases.clone());
        self.code.put(&mut stored);
        stored
    }
}
