//! The stacked chain: a label can depend on several others, not on one parent alone.
//!
//! logit P(yᵢ = 1 | x, y_π(i)) = b l̃ᵢ + c + Σⱼ (aᵢⱼ (yⱼ − pⱼ) + eᵢⱼ pⱼ) over the parents j of i, where pⱼ = σ(l̃ⱼ).
//!
//! In a classifier chain every label depends on all labels before it. Its best set then needs a search, and its marginals are
//! sums over all sets. Here a label depends only on those before it that matter most and that form a tree of cliques
//! ([`CliqueTree`]), so every question keeps its exact answer. The chain takes the place of the stacked tree where held-out rows
//! prefer it.

mod file;
mod fit;

use std::sync::Arc;

use super::sample::Fitting;
use super::{FittedPart, Level1Fit, Level1Model, Level1Part, Plan, RowAnswer, RowInput, Series};
use crate::level1::Level1File;
use crate::params::{ChainParams, StackParams};
use arbormix_joint::Result;
use arbormix_joint::joint::{RowCliques, RowExpert};
use arbormix_joint::learner::Size;
use arbormix_joint::tree::{CliqueTables, CliqueTree, MOST_PARENTS};
use arbormix_learn::logistic::Softmax;
use arbormix_learn::logistic::loss::{log_sigmoid_pairs, sigmoid};
use arbormix_learn::store::Stored;

/// Standard errors by which the chain must be ahead of the tree. One is enough: the chain is fitted to the same log-odds and
/// is hardly ever much worse.
const MIN_LEAD: f64 = 1.0;
/// With fewer labels a chain is a tree.
const MIN_LABELS: usize = 3;

/// The part.
pub(crate) struct Chain;

/// A fitted chain.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StackedChain {
    tree: CliqueTree,
    /// (b, c), by places in the tree's order.
    own: Vec<[f64; 2]>,
    /// (a, e) of every parent, by places.
    effects: Vec<Vec<[f64; 2]>>,
}

impl StackedChain {
    /// The chain at a row with these blended log-odds.
    fn row(&self, log_odds: &[f64]) -> RowCliques<'_> {
        let order = self.tree.order();
        let expected: Vec<f64> = order.iter().map(|&label| sigmoid(log_odds[label])).collect();
        let table = |place: usize| {
            let [slope, constant] = self.own[place];
            let (parents, effects) = (&self.tree.parents()[place], &self.effects[place]);
            let standing = parents.iter().zip(effects).map(|(&parent, [a, e])| (e - a) * expected[parent]);
            // First all parents absent; each parent then doubles the number of configurations.
            let mut table = vec![slope * log_odds[order[place]] + constant + standing.sum::<f64>()];
            for [effect, _] in effects {
                table.extend_from_within(..);
                let half = table.len() / 2;
                table[half..].iter_mut().for_each(|odds| *odds += effect);
            }
            let mut pairs = vec![[0.0; 2]; table.len()];
            log_sigmoid_pairs(&table, &mut pairs);
            pairs.into_flattened()
        };
        RowCliques { tree: &self.tree, tables: CliqueTables((0..order.len()).map(table).collect()) }
    }
}

impl ChainParams {
    /// The largest number of parents for so many labels, so that the tables of all labels stay within `cells`.
    pub(crate) fn width_of(&self, labels: usize) -> usize {
        let fits = |width: &usize| labels.max(1) << (width + 1) <= self.cells;
        (1..=self.width.min(MOST_PARENTS)).rev().find(fits).unwrap_or(1)
    }
}

impl Level1Part for Chain {
    fn name(&self) -> &'static str {
        "chain"
    }

    fn instead_of(&self) -> Option<&'static str> {
        Some("tree")
    }

    fn plans(&self, first: &Fitting<'_>, _: &[usize]) -> Result<Vec<Series>> {
        let labels = first.stacking.label_count();
        let is_usable = labels >= MIN_LABELS && first.stacking.params.chain.width_of(labels) > 1;
        let plans: Vec<Arc<dyn Plan>> = if is_usable { vec![Arc::new(Chain)] } else { Vec::new() };
        Ok(vec![Series { plans, min_lead: MIN_LEAD, max_table_weight: f64::INFINITY }])
    }

    fn load(&self, file: &Level1File<'_>) -> Result<FittedPart> {
        let model = StackedChain::from_file(file.stored, file.labels)?;
        Ok(FittedPart { model: Arc::new(model), gate: None })
    }

    /// Not counted: it takes little beside the edges of the stacked tree.
    fn seconds(&self, _: &StackParams, _: &Size) -> f64 {
        0.0
    }

    fn bytes(&self, _: &StackParams, _: &Size) -> usize {
        0
    }
}

impl Plan for Chain {
    fn fit(&self, to: &Fitting<'_>) -> Result<Level1Fit> {
        let (params, progress) = (to.stacking.params, to.stacking.progress);
        let chain = match to.sample.at_most(params.chain.rows, params.seed) {
            None => StackedChain::fit(to.sample, &to.base.log_odds, params, progress)?,
            Some(some) => StackedChain::fit(&some, &to.base.log_odds_of(&some), params, progress)?,
        };
        Ok(Level1Fit::of(Arc::new(chain)))
    }

    fn describe(&self) -> String {
        "the stacked chain".to_string()
    }
}

impl Level1Model for StackedChain {
    fn name(&self) -> &'static str {
        Chain.name()
    }

    fn answer<'a>(&'a self, row: &RowInput<'_>, _: &[f64]) -> RowAnswer<'a> {
        RowAnswer::of(RowExpert::Cliques(self.row(&row.log_odds)))
    }

    fn store(&self, _: Option<&Softmax>, file: &mut Stored) {
        self.put(file);
    }
}
