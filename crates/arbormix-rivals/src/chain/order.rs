//! The order of the labels in a chain.

use arbormix_base::choices;
use arbormix_base::params::{Given, Kind, ParamError, Value};
use arbormix_base::random::Stream;
use serde_json::Value as Json;

/// The order of the labels in a chain.
///
/// ```
/// use arbormix_joint::learner::Learner;
/// use arbormix_rivals::cc::ClassifierChainParams;
/// use arbormix_rivals::{Order, OrderRule};
///
/// assert!(ClassifierChainParams::default().order(OrderRule::Random).validate().is_ok());
/// assert!(ClassifierChainParams::default().order(vec![2, 0, 1]).validate().is_ok());
/// assert!(ClassifierChainParams::default().order(vec![2, 2, 1]).validate().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// By a rule.
    Rule(OrderRule),
    /// Positions of the labels in the data, from 0, first in the chain first.
    Listed(Vec<usize>),
}

choices! {
    /// A rule that orders any number of labels.
    pub enum OrderRule: Copy, Eq {
        /// As in the data.
        Given = "given",
        /// Drawn from the seed.
        Random = "random",
    }
}

impl Value for Order {
    const KIND: Kind = Kind::Either(&[OrderRule::KIND, Kind::List(&Kind::Count)]);

    fn write(&self) -> Json {
        match self {
            Order::Rule(rule) => rule.write(),
            Order::Listed(places) => places.write(),
        }
    }

    fn set(&mut self, given: &Json, path: &str) -> Result<(), ParamError> {
        let refused = || {
            let message = "expected given, random, or every label's position once, such as [2, 0, 1]".to_string();
            ParamError::Form { name: path.to_string(), message }
        };
        *self = match given {
            Json::Array(_) => {
                let mut places = Vec::new();
                places.set(given, path).map_err(|_| refused())?;
                Order::Listed(places)
            }
            _ => {
                let mut rule = OrderRule::Given;
                rule.set(given, path).map_err(|_| refused())?;
                Order::Rule(rule)
            }
        };
        Ok(())
    }
}

impl Given<Order> for OrderRule {
    fn given(self) -> Order {
        Order::Rule(self)
    }
}

impl Given<Order> for Vec<usize> {
    fn given(self) -> Order {
        Order::Listed(self)
    }
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
