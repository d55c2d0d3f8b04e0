//! Level 1: the parts of the mixture, fitted to the out-of-fold answers of level 0.
//!
//! - [`blend`]: one log-odds per label out of those of all parts of level 0; `regression`: the small regressions for it
//! - [`tree`]: the stacked tree; [`chain`]: its alternative, in which a label can depend on several others
//! - [`tied`]: many trees with shared slopes, under a softmax gate
//! - [`label_sets`]: a table over the label sets seen; it pools the distributions of other parts
//! - [`sample`]: the rows that level 1 is fitted to

pub(crate) mod blend;
pub(crate) mod chain;
pub(crate) mod exponents;
pub(crate) mod label_sets;
pub(crate) mod regression;
pub(crate) mod sample;
pub(crate) mod tied;
pub(crate) mod tree;
pub(crate) mod tree_search;
pub(crate) mod work;

use self::tree::StackedTree;
use crate::level0::feature_map::PhiMap;
use std::fmt::Debug;
use std::sync::Arc;

use self::label_sets::LabelSetTable;
use self::sample::Fitting;
use self::tied::set_codes::TableSets;
use crate::params::StackParams;
use arbormix_data::{LabelSet, SeenSets};
use arbormix_joint::Result;
use arbormix_joint::joint::{Expert, RowExpert};
use arbormix_joint::learner::{Size, TraceStep};
use arbormix_learn::forest::Shares;
use arbormix_learn::logistic::loss::log_sum_exp;
use arbormix_learn::logistic::{Gate, Softmax};
use arbormix_learn::store::Stored;

/// Experts with a log-weight below this add nothing that counts to a probability.
pub(crate) const NEGLIGIBLE: f64 = -30.0;

/// What the parts of level 1 need to load themselves.
pub(crate) struct Level1File<'a> {
    pub(crate) stored: &'a Stored,
    pub(crate) labels: usize,
    pub(crate) map: &'a PhiMap,
    pub(crate) tree: &'a Arc<StackedTree>,
    /// The label sets seen, by class.
    pub(crate) seen: &'a [LabelSet],
    /// Number of distributions over label sets by the parts loaded so far.
    pub(crate) distributions: usize,
}

/// A part of level 1: the ways to fit it, how it is loaded, and what it costs.
pub(crate) trait Level1Part: Sync {
    /// Its name in files.
    fn name(&self) -> &'static str;

    /// The part whose place it can take; none if it has a place of its own.
    fn instead_of(&self) -> Option<&'static str> {
        None
    }

    /// The ways to fit it, given the training rows of the first held-out fold (`held`). They are tried in this order. The
    /// first plan of a part with a place of its own needs no lead.
    fn plans(&self, first: &Fitting<'_>, held: &[usize]) -> Result<Vec<Series>>;

    /// A note if the data exceed a limit of the part.
    fn limit_note(&self, _params: &StackParams, _seen: &SeenSets) -> Option<String> {
        None
    }

    /// Loads what [`Level1Model::store`] wrote.
    fn load(&self, file: &Level1File<'_>) -> Result<FittedPart>;

    /// Nominal seconds of its fits.
    fn seconds(&self, params: &StackParams, size: &Size) -> f64;

    /// Bytes of its fits.
    fn bytes(&self, params: &StackParams, size: &Size) -> usize;
}

/// Plans of one part that are tried one after the other, until one of them is not ahead.
pub(crate) struct Series {
    pub(crate) plans: Vec<Arc<dyn Plan>>,
    /// Standard errors by which a plan must be ahead of the best so far.
    pub(crate) min_lead: f64,
    /// The plans are tried only where the label-set table has less weight than this.
    pub(crate) max_table_weight: f64,
}

/// One way to fit a part, with all settings fixed.
pub(crate) trait Plan: Send + Sync {
    /// Fits the part.
    fn fit(&self, to: &Fitting<'_>) -> Result<Level1Fit>;

    /// The part and its settings, for notes.
    fn describe(&self) -> String;
}

/// What a fit gives.
#[derive(Clone)]
pub(crate) struct Level1Fit {
    pub(crate) model: Arc<dyn Level1Model>,
    /// The weights of its experts, in the coordinates of the design; none if it has one expert.
    pub(crate) gate: Option<Gate>,
    /// The course of EM, if it has one.
    pub(crate) trace: Vec<TraceStep>,
}

impl Level1Fit {
    /// A model of one expert.
    pub(crate) fn of(model: Arc<dyn Level1Model>) -> Level1Fit {
        Level1Fit { model, gate: None, trace: Vec::new() }
    }
}

/// A fitted part in a model.
#[derive(Debug, Clone)]
pub(crate) struct FittedPart {
    pub(crate) model: Arc<dyn Level1Model>,
    /// The weights of its experts; none if it has one expert.
    pub(crate) gate: Option<Softmax>,
}

/// A fitted part of level 1 without its gate.
pub(crate) trait Level1Model: Debug + Send + Sync {
    /// Its name in files.
    fn name(&self) -> &'static str;

    /// Its answer to one row. `log_gate` holds the log-weights of its experts, and is empty if it has one expert.
    fn answer<'a>(&'a self, row: &RowInput<'_>, log_gate: &[f64]) -> RowAnswer<'a>;

    /// Whether its answers have [`RowAnswer::set_probabilities`], so that the label-set table reads them.
    fn is_pooled(&self) -> bool {
        false
    }

    /// The label-set table, if it is that.
    fn table(&self) -> Option<&LabelSetTable> {
        None
    }

    /// Writes its facts and tensors.
    fn store(&self, gate: Option<&Softmax>, file: &mut Stored);
}

/// What level 1 is given about one row.
pub(crate) struct RowInput<'r> {
    /// The blended log-odds of every label.
    pub(crate) log_odds: Vec<f64>,
    /// P(s | x) by each part of level 0 that has such a distribution.
    pub(crate) shares: Vec<&'r Shares>,
    /// The label sets that pooled parts are asked about; none without a label-set table.
    pub(crate) table: Option<&'r TableSets>,
    /// P(s | x) of these sets by each pooled part of level 1, once these have answered.
    pub(crate) pooled: Vec<Vec<f64>>,
}

/// The answer of a part to one row: a mixture of tractable experts.
pub(crate) struct RowAnswer<'a> {
    /// Log-weights of the experts within the part.
    pub(crate) log_gate: Vec<f64>,
    pub(crate) experts: Vec<RowExpert<'a>>,
    /// P(s | x) of the label sets in the table, from a pooled part.
    pub(crate) set_probabilities: Option<Vec<f64>>,
}

impl<'a> RowAnswer<'a> {
    /// The answer of a single expert.
    pub(crate) fn of(expert: RowExpert<'a>) -> RowAnswer<'a> {
        RowAnswer { log_gate: vec![0.0], experts: vec![expert], set_probabilities: None }
    }

    /// log P(set | x).
    pub(crate) fn log_prob(&self, set: &LabelSet) -> f64 {
        let of = |(expert, gate): (&RowExpert<'_>, &f64)| gate + expert.log_prob(set);
        log_sum_exp(&self.experts.iter().zip(&self.log_gate).map(of).collect::<Vec<_>>())
    }

    /// P(yᵢ = 1 | x) of every label, without experts of negligible weight.
    pub(crate) fn marginals(&self, labels: usize) -> Vec<f64> {
        let mut out = vec![0.0; labels];
        for (expert, gate) in self.experts.iter().zip(&self.log_gate).filter(|(_, gate)| **gate > NEGLIGIBLE) {
            out.iter_mut().zip(expert.marginals()).for_each(|(sum, p)| *sum += gate.exp() * p);
        }
        out
    }
}

/// Answers of these models (and gates) to one row, tables aside. Leaves in `row` what the table reads.
pub(crate) fn expert_answers<'a, 'g>(
    models: impl Iterator<Item = Option<(&'a dyn Level1Model, &'g [f64])>>,
    row: &mut RowInput<'_>,
) -> Vec<Option<RowAnswer<'a>>> {
    let answer = |(model, gate): (&'a dyn Level1Model, &[f64])| model.answer(row, gate);
    let is_expert = |(model, _): &(&dyn Level1Model, &[f64])| model.table().is_none();
    let mut answers: Vec<Option<RowAnswer<'a>>> = models.map(|own| own.filter(is_expert).map(answer)).collect();
    row.pooled = answers.iter_mut().flatten().filter_map(|answer| answer.set_probabilities.take()).collect();
    answers
}
