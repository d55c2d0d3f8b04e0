//! Everything else the joint distribution of one row can answer, exactly.

#[cfg(test)]
pub mod tests;

use std::time::{Duration, Instant};

use super::expert::{Expert, RowExpert};
use super::map::{Found, RowMixture};
use crate::error::Result;
use crate::question::{Event, Known, QuestionError};
use crate::tree::inference::{Counts, unrestricted};
use arbormix_base::random::Stream;
use arbormix_data::{DataError, LabelSet};
use arbormix_learn::logistic::loss::log_sum_exp;
use arbormix_matrix::DenseMatrix;

/// A distribution with some labels known.
#[derive(Debug, Clone)]
pub struct Given<'a> {
    /// log P(known | x).
    pub log_probability: f64,
    /// P(y | known, x), of which everything can be asked again.
    pub mixture: RowMixture<'a>,
}

/// All pairs of labels.
#[derive(Debug, Clone, PartialEq)]
pub struct Pairs {
    /// P(yᵢ = 1 and yⱼ = 1 | x), d × d.
    pub both: DenseMatrix,
    /// `conditional[j][i]` = P(yᵢ = 1 | yⱼ = 1, x); `None` if yⱼ = 1 is impossible.
    pub conditional: Vec<Option<Vec<f64>>>,
}

/// The most probable sets that together reach a probability.
#[derive(Debug, Clone, PartialEq)]
pub struct CredibleSets {
    /// The sets with their log-probabilities, best first.
    pub sets: Vec<(LabelSet, f64)>,
    /// What they cover.
    pub mass: f64,
    /// Whether that is as much as was asked for; if not, the limit on their number or on the time was met first.
    pub reached: bool,
}

impl<'a> RowMixture<'a> {
    /// The distribution given what is known: each expert conditioned, the gate weighed by gₖ Pₖ(known).
    ///
    /// Errs if what is known is impossible, or is about another number of labels.
    pub fn given(&self, known: &Known) -> Result<Given<'a>> {
        let (left, right) = (known.allowed().len(), self.labels());
        if left != right {
            return Err(DataError::Sizes { what: "labels of what is known and of the model", left, right }.into());
        }
        Ok(self.restricted(known.allowed()).ok_or(QuestionError::Impossible)?)
    }

    fn restricted(&self, allowed: &[[bool; 2]]) -> Option<Given<'a>> {
        let (masses, experts): (Vec<f64>, Vec<_>) = self.experts.iter().map(|expert| expert.given(allowed)).unzip();
        let weighed: Vec<f64> = self.log_gate.iter().zip(&masses).map(|(gate, mass)| gate + mass).collect();
        let log_probability = log_sum_exp(&weighed);
        if log_probability == f64::NEG_INFINITY {
            return None;
        }
        let log_gate = weighed.iter().map(|weight| weight - log_probability).collect();
        Some(Given { log_probability, mixture: RowMixture { log_gate, experts } })
    }

    /// P(expert k | y, x): who is responsible for a label set. The gate itself if the set is impossible.
    pub fn responsibilities(&self, set: &LabelSet) -> Vec<f64> {
        let weighed: Vec<f64> =
            self.experts.iter().zip(&self.log_gate).map(|(expert, gate)| gate + expert.log_prob(set)).collect();
        let total = log_sum_exp(&weighed);
        if total == f64::NEG_INFINITY {
            return self.log_gate.iter().map(|gate| gate.exp()).collect();
        }
        weighed.iter().map(|weight| (weight - total).exp()).collect()
    }

    /// All pairwise and conditional probabilities, O(K d²).
    pub fn pairs(&self) -> Pairs {
        let labels = self.labels();
        let mut both = DenseMatrix::zeros(labels, labels);
        let mut conditional = Vec::with_capacity(labels);
        for j in 0..labels {
            let given = self.restricted(Known::nothing(labels).with(j, true).allowed());
            conditional.push(given.map(|given| {
                let rest = given.mixture.marginals();
                let mass = given.log_probability.exp();
                both.row_mut(j).iter_mut().zip(&rest).for_each(|(cell, p)| *cell = mass * p);
                rest
            }));
        }
        Pairs { both, conditional }
    }

    /// How many labels of a group are present, alone and together with each label.
    pub fn counts(&self, group: &LabelSet) -> Counts {
        let mut out = Counts::none(self.labels(), group);
        for (expert, gate) in self.experts.iter().zip(&self.log_gate) {
            out.add(gate.exp(), expert.counts(group));
        }
        out
    }

    /// How many labels are present: [`RowMixture::counts`] of all labels.
    pub fn label_counts(&self) -> Counts {
        self.counts(&LabelSet::from_bools(&vec![true; self.labels()]))
    }

    /// log P(every label has an allowed value): that of a partly observed label set, for one.
    pub fn log_mass(&self, allowed: &[[bool; 2]]) -> f64 {
        let of = |(expert, gate): (&RowExpert<'_>, &f64)| gate + expert.log_mass(allowed);
        log_sum_exp(&self.experts.iter().zip(&self.log_gate).map(of).collect::<Vec<_>>())
    }

    /// The probability of an event, by cases over the labels it mentions, as few as decide it.
    pub fn event(&self, event: &Event) -> f64 {
        let (mut values, mut allowed) = (vec![None; self.labels()], unrestricted(self.labels()));
        self.event_mass(event, event.labels(), &mut values, &mut allowed).min(1.0)
    }

    fn event_mass(&self, event: &Event, open: &[usize], values: &mut [Option<bool>], allowed: &mut [[bool; 2]]) -> f64 {
        match (event.truth(values), open) {
            (Some(true), _) => self.log_mass(allowed).exp(),
            (None, [label, rest @ ..]) if *label < values.len() => {
                let mut total = 0.0;
                for present in [false, true] {
                    values[*label] = Some(present);
                    allowed[*label] = [!present, present];
                    total += self.event_mass(event, rest, values, allowed);
                }
                values[*label] = None;
                allowed[*label] = [true; 2];
                total
            }
            _ => 0.0,
        }
    }

    /// Draws a label set from P(y | x).
    pub fn sample(&self, stream: &mut Stream) -> LabelSet {
        let gate: Vec<f64> = self.log_gate.iter().map(|gate| gate.exp()).collect();
        self.experts[stream.weighted(&gate)].sample(stream)
    }

    /// For every label, the most probable set in which it has the other value than in `set`.
    ///
    /// How much less probable that one is says how sure the label is.
    pub fn alternatives(&self, set: &LabelSet, node_limit: usize) -> Vec<Found> {
        let other = |label: usize| {
            let known = Known::nothing(self.labels()).with(label, !set.get(label));
            self.best_set(known.allowed(), node_limit)
        };
        (0..self.labels()).map(other).collect()
    }

    /// The most probable sets until they cover `mass`, at most `limit` of them.
    pub fn credible_sets(&self, mass: f64, limit: usize, node_limit: usize) -> CredibleSets {
        CredibleSets::until(mass, self.sets_in_order(node_limit).take(limit))
    }

    /// The same, as far as sets are found in this time (one at least). See [`RowMixture::map_within`].
    pub fn credible_sets_within(&self, mass: f64, limit: usize, time: Duration) -> CredibleSets {
        let start = Instant::now();
        let in_time = |(place, _): &(usize, _)| *place == 0 || start.elapsed() < time;
        let sets = self.sets_in_order_by(|_| start.elapsed() >= time).take(limit).enumerate().take_while(in_time);
        CredibleSets::until(mass, sets.map(|(_, set)| set))
    }
}

impl CredibleSets {
    /// Sets with their log-probabilities until they cover `mass`.
    fn until(mass: f64, sets: impl Iterator<Item = (LabelSet, f64)>) -> CredibleSets {
        let mut out = CredibleSets { sets: Vec::new(), mass: 0.0, reached: mass <= 0.0 };
        let mut sets = sets;
        while !out.reached
            && let Some((set, log_probability)) = sets.next()
        {
            out.sets.push((set, log_probability));
            out.mass += log_probability.exp();
            // All sets together may miss 1 by rounding.
            out.reached = out.mass >= mass - 1e-12;
        }
        out
    }
}
