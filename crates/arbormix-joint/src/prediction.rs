//! A predicted label set, and how it is searched for.

use arbormix_base::choices;
use arbormix_data::LabelSet;

choices! {
    /// How the most probable label set is searched for.
    pub enum Inference: Copy {
        /// Branch and bound with a certificate; gives up after this many nodes (0: never).
        Exact {
            /// Nodes to look at before giving up.
            node_limit: usize,
        } = "exact",
        /// Without a proof. A mixture: the paper's heuristic alone, the best of the experts' own most probable sets. PCC:
        /// what its parameter `inference` says.
        BestExpert = "best-expert",
        /// The paper's search: simulated annealing from the heuristic's answer.
        Annealing {
            /// Steps.
            iterations: usize,
            /// Seed of the walk; each row has its own stream.
            seed: u64,
        } = "annealing",
    }
}

/// Search nodes after which an exact search gives up unless told otherwise; real rows need a handful.
pub const DEFAULT_NODE_LIMIT: usize = 100_000;

impl Default for Inference {
    fn default() -> Self {
        Inference::Exact { node_limit: DEFAULT_NODE_LIMIT }
    }
}

/// What is known about how good a predicted label set is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Certificate {
    /// No label set has a log-probability above this.
    pub log_bound: f64,
    /// Whether the prediction is proven to be the most probable set.
    pub certified: bool,
    /// Search nodes that were looked at.
    pub nodes: usize,
}

impl Certificate {
    /// How much more probable than a set of this log-probability a better one could be: bound / probability − 1, 0 if the
    /// set is proven.
    pub fn gap(&self, log_probability: f64) -> f64 {
        if self.certified { 0.0 } else { (self.log_bound - log_probability).exp_m1() }
    }
}

/// A predicted label set.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// The set.
    pub labels: LabelSet,
    /// Its log-probability, if the method has joint probabilities.
    pub log_probability: Option<f64>,
    /// What is proven about it, if the method searches.
    pub certificate: Option<Certificate>,
}
