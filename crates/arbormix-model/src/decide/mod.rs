//! The same model, the best decision for each loss.
//!
//! A [`Rule`] names a loss; [`Rule::decide`] gives the decision with the best expected value under a row's distribution,
//! and that value. On the command line and in [`str::parse`]:
//!
//! | rule | decision | expected value | exact |
//! |---|---|---|---|
//! | `subset` | the most probable set | P(all labels right) ↑ | yes |
//! | `hamming` | labels with P > ½ | share of wrong labels ↓ | yes |
//! | `f1`, `fbeta=B` | the general F-measure maximiser | F of the row ↑ | yes |
//! | `jaccard` | the best of a pool of candidates | Jaccard index of the row ↑ | its value, not the choice |
//! | `rank` | labels by P, and those with P > ½ | pairs in the wrong order ↓ | yes |
//! | `precision@K` | the K labels with the largest P | share of them that are present ↑ | yes |
//! | `recall@K` | the K labels with the largest E\[\[yᵢ = 1\] / ∣y∣\] | share of the present labels among them ↑ | yes |
//! | `cost=FP:FN`, `cost=FILE` | labels with P · FN > (1 − P) · FP | cost of the row ↓ | yes |
//! | `macro-f1`, `micro-f1` | labels above thresholds that were fitted with the model | F1 on the rows they were fitted to ↑ | no |
//! | `abstain=C` | labels with P > ½; open where min(P, 1 − P) > C | (wrong labels + C · open labels) / d ↓ | yes |
//!
//! Conventions: F and Jaccard of two empty sets are 1, and so is the recall of a row without labels. Ties go to absence,
//! then to the label that comes first.

mod costs;
mod held_out;
mod reading;
mod rule;
mod sets;
#[cfg(test)]
mod tests;
mod thresholds;

pub use costs::Costs;
pub(crate) use held_out::thresholds;
pub use rule::{RULES, Rule, RuleForm};
pub use thresholds::{PooledF1, Thresholds};

use crate::needs::Needs;
use arbormix_base::params::ParamError;
use arbormix_data::LabelSet;
use arbormix_joint::Result;
use arbormix_joint::joint::RowMixture;
use arbormix_joint::joint::map::Found;

/// What a rule decides for one row.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The labels said to be present.
    pub labels: LabelSet,
    /// The labels about which nothing is said; empty unless the rule may abstain.
    pub open: LabelSet,
    /// The order of the labels, first the most relevant, where the rule ranks.
    pub ranking: Option<Vec<usize>>,
    /// The expected value or loss of this decision under the model.
    pub expected: f64,
}

impl Decision {
    fn of(labels: LabelSet, expected: f64) -> Decision {
        Decision { open: LabelSet::empty(labels.len()), labels, ranking: None, expected }
    }
}

/// A decision from P(label present) of every label.
type ByMarginals<'a> = dyn Fn(&[f64]) -> Result<Decision> + 'a;
/// A decision from the joint distribution, with a search for the most probable set.
type ByJoint<'a> = dyn Fn(&RowMixture<'_>, &dyn Fn() -> Found) -> Result<Decision> + 'a;

/// How a rule comes to its decision.
enum Way<'a> {
    /// From P(label present) of every label.
    Marginals(Box<ByMarginals<'a>>),
    /// From the joint distribution, and a search for its most probable set.
    Joint(Box<ByJoint<'a>>),
}

impl Rule {
    /// The best decision for a row; errs if a number of the rule cannot be used, or if it has costs for another number
    /// of labels.
    pub fn decide(&self, mixture: &RowMixture<'_>) -> Result<Decision> {
        self.decide_with(mixture, || mixture.map(0))
    }

    /// The same, with `best` to search for the most probable set where the rule needs it: a search that has a limit.
    pub fn decide_with(&self, mixture: &RowMixture<'_>, best: impl Fn() -> Found) -> Result<Decision> {
        match self.way()? {
            Way::Marginals(decide) => decide(&mixture.marginals()),
            Way::Joint(decide) => decide(mixture, &best),
        }
    }

    /// The best decision from P(label present) of every label, by rules that need no more: so for methods without a joint
    /// distribution too. `None` by the other rules; errs as [`Rule::decide`] does.
    pub fn decide_by_marginals(&self, marginals: &[f64]) -> Result<Option<Decision>> {
        match self.way()? {
            Way::Marginals(decide) => decide(marginals).map(Some),
            Way::Joint(_) => Ok(None),
        }
    }

    /// What it decides from; that of [`Rule::form`].
    pub fn needs(&self) -> Needs {
        self.form().needs
    }

    /// How it decides: the one place that knows. Errs if a number of the rule cannot be used.
    fn way(&self) -> Result<Way<'_>> {
        self.check().map_err(|rule| ParamError::Value {
            name: "rule".to_string(),
            value: self.to_string(),
            rule: rule.to_string(),
        })?;
        Ok(match self {
            Rule::Subset => Way::Joint(Box::new(|_, best| {
                let best = best();
                Ok(Decision::of(best.labels, best.log_probability.exp()))
            })),
            Rule::Hamming => Way::Marginals(Box::new(|marginals| Ok(by_label(marginals, |_| [1.0, 1.0], 1.0)))),
            Rule::FBeta(beta) => Way::Joint(Box::new(|mixture, _| {
                let (labels, expected) = sets::best_f(mixture, *beta);
                Ok(Decision::of(labels, expected))
            })),
            Rule::Jaccard => Way::Joint(Box::new(|mixture, best| {
                let (labels, expected) = sets::best_jaccard(mixture, best().labels);
                Ok(Decision::of(labels, expected))
            })),
            Rule::Rank => Way::Joint(Box::new(|mixture, _| Ok(rank(mixture)))),
            Rule::PrecisionAt(count) => Way::Marginals(Box::new(|marginals| {
                within_labels(*count, marginals.len())?;
                let found = |chosen: &[usize]| chosen.iter().map(|&i| marginals[i]).sum::<f64>() / *count as f64;
                Ok(first(marginals, *count, found))
            })),
            Rule::RecallAt(count) => Way::Joint(Box::new(|mixture, _| recall_at(mixture, *count))),
            Rule::Cost(Costs::Same(costs)) => {
                Way::Marginals(Box::new(|marginals| Ok(by_label(marginals, |_| *costs, marginals.len() as f64))))
            }
            Rule::Cost(Costs::PerLabel(costs)) => Way::Marginals(Box::new(|marginals| {
                let rule = "must have one pair of costs per label of the model";
                ParamError::require(costs.len() == marginals.len(), "cost", costs.len(), rule)?;
                Ok(by_label(marginals, |label| costs[label], marginals.len() as f64))
            })),
            Rule::Pooled(thresholds) => Way::Marginals(Box::new(|marginals| {
                Ok(Decision::of(thresholds.decide(marginals)?, thresholds.reached))
            })),
            Rule::Abstain(cost) => Way::Marginals(Box::new(|marginals| Ok(abstain(marginals, *cost)))),
        })
    }
}

/// Errs if the first K labels are asked for and there are fewer.
fn within_labels(count: usize, labels: usize) -> Result<(), ParamError> {
    ParamError::require(count <= labels, "K", count, "must not be more than the labels of the model")
}

/// Labels from the largest score to the smallest.
fn ranked(scores: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    order
}

fn set_of(labels: usize, members: &[usize]) -> LabelSet {
    let mut set = LabelSet::empty(labels);
    members.iter().for_each(|&label| set.set(label, true));
    set
}

/// Each label for itself, with its costs of a false positive and a false negative; the mean loss times `scale`.
fn by_label(marginals: &[f64], costs: impl Fn(usize) -> [f64; 2], scale: f64) -> Decision {
    let mut labels = LabelSet::empty(marginals.len());
    let mut total = 0.0;
    for (label, &p) in marginals.iter().enumerate() {
        let [false_positive, false_negative] = costs(label);
        let (present, absent) = ((1.0 - p) * false_positive, p * false_negative);
        labels.set(label, present < absent);
        total += present.min(absent);
    }
    Decision::of(labels, scale * total / marginals.len().max(1) as f64)
}

fn abstain(marginals: &[f64], cost: f64) -> Decision {
    let decided = by_label(marginals, |_| [1.0, 1.0], 1.0).labels;
    let risk = |p: f64| p.min(1.0 - p);
    let open: Vec<bool> = marginals.iter().map(|&p| risk(p) > cost).collect();
    let labels = LabelSet::from_bools(&(0..open.len()).map(|i| decided.get(i) && !open[i]).collect::<Vec<_>>());
    let total: f64 = marginals.iter().map(|&p| risk(p).min(cost)).sum();
    let expected = total / marginals.len().max(1) as f64;
    Decision { open: LabelSet::from_bools(&open), ..Decision::of(labels, expected) }
}

/// The `count` labels with the largest scores.
fn first(scores: &[f64], count: usize, expected: impl Fn(&[usize]) -> f64) -> Decision {
    let order = ranked(scores);
    let chosen = &order[..count.min(order.len())];
    let decision = Decision::of(set_of(scores.len(), chosen), expected(chosen));
    Decision { ranking: Some(order), ..decision }
}

/// The K labels with the largest E[[yᵢ = 1] / ∣y∣].
fn recall_at(mixture: &RowMixture<'_>, count: usize) -> Result<Decision> {
    within_labels(count, mixture.labels())?;
    let counts = mixture.label_counts();
    let share = |with: &Vec<f64>| (1..with.len()).map(|s| with[s] / s as f64).sum();
    let shares: Vec<f64> = counts.with.iter().map(share).collect();
    let found = |chosen: &[usize]| counts.sizes[0] + chosen.iter().map(|&i| shares[i]).sum::<f64>();
    // Rounding must not find more than all.
    Ok(first(&shares, count, |chosen| found(chosen).min(1.0)))
}

/// By marginals: that order minimises the expected number of pairs (i before j) with yᵢ = 0 and yⱼ = 1.
fn rank(mixture: &RowMixture<'_>) -> Decision {
    let (marginals, pairs) = (mixture.marginals(), mixture.pairs());
    let order = ranked(&marginals);
    let mut wrong = 0.0;
    for (place, &i) in order.iter().enumerate() {
        wrong += order[place + 1..].iter().map(|&j| (marginals[j] - pairs.both.get(j, i)).max(0.0)).sum::<f64>();
    }
    let decision = by_label(&marginals, |_| [1.0, 1.0], 1.0);
    Decision { ranking: Some(order), expected: wrong, ..decision }
}
