//! Questions to one chain about one row.
//!
//! Values are in chain order here: `values[place]`. [`RowChain::to_set`] and [`RowChain::values`] translate.

use super::model::Chain;
use arbormix_base::random::Stream;
use arbormix_data::LabelSet;
use arbormix_learn::logistic::loss::{log_probability, sigmoid};

/// A chain at one row.
#[derive(Debug, Clone)]
pub struct RowChain<'a> {
    chain: &'a Chain,
    /// Log-odds at each place when all earlier labels are absent.
    alone: Vec<f64>,
}

impl<'a> RowChain<'a> {
    pub(crate) fn new(chain: &'a Chain, alone: Vec<f64>) -> RowChain<'a> {
        RowChain { chain, alone }
    }

    /// Number of labels.
    pub fn labels(&self) -> usize {
        self.alone.len()
    }

    /// Log-odds of the next label after these earlier ones.
    pub fn log_odds(&self, earlier: &[bool]) -> f64 {
        let place = earlier.len();
        let present = self.chain.links().row(place).iter().zip(earlier).filter(|(_, on)| **on);
        self.alone[place] + present.map(|(link, _)| link).sum::<f64>()
    }

    /// The label set with these values in chain order.
    pub fn to_set(&self, values: &[bool]) -> LabelSet {
        let mut set = LabelSet::empty(values.len());
        self.chain.order().iter().zip(values).for_each(|(&label, &on)| set.set(label, on));
        set
    }

    /// Values of a label set in chain order.
    pub fn values(&self, set: &LabelSet) -> Vec<bool> {
        self.chain.order().iter().map(|&label| set.get(label)).collect()
    }

    /// Completes a prefix by the likelier value at each place (½ counts as present); adds up its log-probability.
    pub fn complete(&self, mut prefix: Vec<bool>, mut log_probability_so_far: f64) -> (Vec<bool>, f64) {
        while prefix.len() < self.labels() {
            let z = self.log_odds(&prefix);
            prefix.push(z >= 0.0);
            log_probability_so_far += log_probability(z, z >= 0.0);
        }
        (prefix, log_probability_so_far)
    }

    /// The greedy path and its log-probability.
    pub fn greedy(&self) -> (Vec<bool>, f64) {
        self.complete(Vec::with_capacity(self.labels()), 0.0)
    }

    /// P(yᵢ = 1 | x, greedy predictions of the earlier labels), by label.
    pub fn greedy_marginals(&self) -> Vec<f64> {
        let (path, _) = self.greedy();
        let mut out = vec![0.0; path.len()];
        for (place, &label) in self.chain.order().iter().enumerate() {
            out[label] = sigmoid(self.log_odds(&path[..place]));
        }
        out
    }

    /// Σᵢ log P(yᵢ | x, `path` of the earlier labels): with y itself as the path, the chain's log P(y | x).
    fn log_prob_along(&self, values: &[bool], path: &[bool]) -> f64 {
        (0..values.len()).map(|place| log_probability(self.log_odds(&path[..place]), values[place])).sum()
    }

    /// log P(y | x): each label given the true earlier ones (`teacher-forced`).
    pub fn log_prob(&self, set: &LabelSet) -> f64 {
        let values = self.values(set);
        self.log_prob_along(&values, &values)
    }

    /// Σᵢ log P(yᵢ | x, ŷ) with the greedy predictions ŷ of the earlier labels (`greedy-path`).
    pub fn greedy_log_prob(&self, set: &LabelSet) -> f64 {
        self.log_prob_along(&self.values(set), &self.greedy().0)
    }

    /// Draws values from the chain; also gives their log-probability.
    pub fn sample(&self, stream: &mut Stream) -> (Vec<bool>, f64) {
        let (mut values, mut total) = (Vec::with_capacity(self.labels()), 0.0);
        while values.len() < self.labels() {
            let z = self.log_odds(&values);
            let on = stream.uniform() < sigmoid(z);
            total += log_probability(z, on);
            values.push(on);
        }
        (values, total)
    }

    /// P(yᵢ = 1 | x) of every label by going through all 2^d prefixes.
    pub fn marginals_by_enumeration(&self) -> Vec<f64> {
        let mut out = vec![0.0; self.labels()];
        let mut open = vec![(Vec::new(), 1.0)];
        while let Some((prefix, mass)) = open.pop() {
            let on = mass * sigmoid(self.log_odds(&prefix));
            out[self.chain.order()[prefix.len()]] += on;
            if prefix.len() + 1 < self.labels() {
                for (value, mass) in [(false, mass - on), (true, on)] {
                    let mut longer = prefix.clone();
                    longer.push(value);
                    open.push((longer, mass));
                }
            }
        }
        out
    }

    /// P(yᵢ = 1 | x) of every label by `samples` draws.
    ///
    /// Averages the conditional probabilities along the drawn paths: unbiased, with less variance than counting.
    pub fn marginals_by_sampling(&self, samples: usize, stream: &mut Stream) -> Vec<f64> {
        let mut out = vec![0.0; self.labels()];
        for _ in 0..samples {
            let (path, _) = self.sample(stream);
            for (place, &label) in self.chain.order().iter().enumerate() {
                out[label] += sigmoid(self.log_odds(&path[..place]));
            }
        }
        out.iter_mut().for_each(|sum| *sum /= samples as f64);
        out
    }
}
