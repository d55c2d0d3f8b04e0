//! The order of the labels in a chain.

use serde::{Deserialize, Serialize};

use arbormix_base::params::ParamError;
use arbormix_base::random::Stream;

/// The order of the labels in a chain.
///
/// ```
/// use arbormix_joint::learner::Learner;
/// use arbormix_rivals::cc::ClassifierChainParams;
/// use arbormix_rivals::{Order, OrderRule};
///
/// let valid = |order| ClassifierChainParams { order, ..ClassifierChainParams::default() }.validate().is_ok();
/// assert!(valid(Order::Rule(OrderRule::Random)));
/// assert!(valid(Order::Listed(vec![2, 0, 1])));
/// assert!(!valid(Order::Listed(vec![2, 2, 1])));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected given, random, or every label's position once, such as [2, 0, 1]")]
pub enum Order {
    /// By a rule.
    Rule(OrderRule),
    /// Positions of the labels in the data, from 0, first in the chain first.
    Listed(Vec<usize>),
}

/// A rule that orders any number of labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OrderRule {
    /// As in the data.
    Given,
    /// Drawn from the seed.
    Random,
}

impl Default for Order {
    fn default() -> Self {
        Order::Rule(OrderRule::Given)
    }
}

impl Order {
    /// Checks that a list has every position once.
    pub fn validate(&self) -> Result<(), ParamError> {
        let Order::Listed(order) = self else { return Ok(()) };
        let rule = "must list every label's position once, from 0";
        ParamError::require(!order.is_empty() && is_permutation(order), "order", order, rule)
    }

    /// The order of `labels` labels.
    pub(crate) fn of(&self, labels: usize, seed: u64) -> Result<Vec<usize>, ParamError> {
        match self {
            Order::Rule(OrderRule::Given) => Ok((0..labels).collect()),
            Order::Rule(OrderRule::Random) => Ok(Stream::new(seed, "chain-order", 0).permutation(labels)),
            Order::Listed(order) if order.len() == labels => Ok(order.clone()),
            Order::Listed(order) => Err(ParamError::Form {
                name: "order".to_string(),
                message: format!("lists {} labels, but the data has {labels}; list every label once", order.len()),
            }),
        }
    }
}

/// Whether every number below the length occurs once.
pub(crate) fn is_permutation(order: &[usize]) -> bool {
    let mut seen = vec![false; order.len()];
    order.iter().all(|&place| place < seen.len() && !std::mem::replace(&mut seen[place], true))
}
