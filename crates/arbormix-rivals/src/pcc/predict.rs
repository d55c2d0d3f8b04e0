//! A fitted PCC.

use serde::{Deserialize, Serialize};

use super::params::ProbabilisticChainParams;
use crate::chain::{Chain, Search};
use arbormix_base::params::ParamError;
use arbormix_base::random::Stream;
use arbormix_data::LabelSet;
use arbormix_joint::learner::{Inference, Joint, Prediction, Predictor};
use arbormix_joint::{Error, Result};
use arbormix_learn::store::{ModelFileError, Stored};
use arbormix_matrix::{DenseMatrix, Matrix};

/// Marginals of chains with at most this many labels are enumerated, which visits 2^d prefixes per row.
const MAX_ENUMERATED: usize = 12;

/// A fitted PCC.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbabilisticChain {
    chain: Chain,
    settings: Settings,
}

/// What predictions need beside the chain.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Settings {
    inference: Search,
    samples: usize,
    seed: u64,
}

/// What the file holds beside the chain's tensors.
#[derive(Serialize, Deserialize)]
struct Facts {
    settings: Settings,
    chain: serde_json::Value,
}

impl ProbabilisticChain {
    pub(crate) fn new(chain: Chain, params: &ProbabilisticChainParams) -> ProbabilisticChain {
        let settings = Settings { inference: params.inference, samples: params.samples, seed: params.seed };
        ProbabilisticChain { chain, settings }
    }

    /// The chain.
    pub fn chain(&self) -> &Chain {
        &self.chain
    }

    /// The same numbers for every row: a row's answer then depends neither on its place nor on the rows beside it.
    fn stream(&self) -> Stream {
        Stream::new(self.settings.seed, "chain-draws", 0)
    }

    /// Brings back what [`Predictor::store`] gave.
    pub fn load(stored: &Stored) -> Result<ProbabilisticChain> {
        let facts: Facts = stored.facts_as()?;
        let chain = Chain::load(&stored.part("chain.", facts.chain))?;
        let refused =
            |error: ParamError| ModelFileError::Entry { name: "facts".to_string(), message: error.to_string() };
        facts.settings.inference.check_labels(chain.order().len()).map_err(refused)?;
        Ok(ProbabilisticChain { chain, settings: facts.settings })
    }
}

impl Predictor for ProbabilisticChain {
    fn method(&self) -> &'static str {
        "pcc"
    }

    fn label_count(&self) -> usize {
        self.chain.order().len()
    }

    fn feature_count(&self) -> usize {
        self.chain.feature_count()
    }

    fn joint(&self) -> Joint {
        Joint::Distribution
    }

    fn inference(&self) -> Inference {
        match self.settings.inference {
            Search::Exact { node_limit } => Inference::Exact { node_limit },
            _ => Inference::BestExpert,
        }
    }

    fn predict(&self, features: &Matrix, inference: Inference) -> Result<Vec<Prediction>> {
        let search = match inference {
            Inference::Exact { node_limit } => Search::Exact { node_limit },
            Inference::BestExpert => self.settings.inference,
            Inference::Annealing { .. } => {
                let (what, reason) = ("a set by annealing", "it does not anneal; search exactly");
                return Err(Error::Unsupported { method: self.method(), what, reason });
            }
        };
        Ok(self.chain.ask(features, |_, chain| {
            let found = chain.best(search, &mut self.stream());
            Prediction {
                labels: chain.to_set(&found.values),
                log_probability: Some(found.log_probability),
                certificate: found.certificate,
            }
        }))
    }

    /// Exact for up to 12 labels, else the mean over the parameter `samples` of seeded draws.
    fn marginals(&self, features: &Matrix) -> Result<DenseMatrix> {
        let few = self.label_count() <= MAX_ENUMERATED;
        let rows = self.chain.ask(features, |_, chain| {
            if few {
                chain.marginals_by_enumeration()
            } else {
                chain.marginals_by_sampling(self.settings.samples, &mut self.stream())
            }
        });
        Ok(DenseMatrix::new(features.rows(), self.label_count(), rows.concat()))
    }

    fn log_prob(&self, features: &Matrix, labels: &[LabelSet]) -> Result<Vec<f64>> {
        Ok(self.chain.ask(features, |row, chain| chain.log_prob(&labels[row])))
    }

    /// Exact whatever the parameter `inference` says, with the node limit of its `exact` (else the default one). A row
    /// whose search gives up lists only the sets proven by then.
    fn top_sets(&self, features: &Matrix, count: usize) -> Result<Vec<Vec<(LabelSet, f64)>>> {
        let node_limit = self.settings.inference.node_limit();
        Ok(self.chain.ask(features, |_, chain| {
            chain.best_sets(count, node_limit).into_iter().map(|(values, log)| (chain.to_set(&values), log)).collect()
        }))
    }

    fn store(&self) -> Stored {
        let mut part = self.chain.stored();
        let facts = Facts { settings: self.settings, chain: std::mem::take(&mut part.facts) };
        let mut stored = Stored::with_facts(&facts);
        stored.put_part("chain.", part);
        stored
    }
}
