//! The stacked chain: a label may depend on several before it, not on one parent alone.
//!
//! logit P(yᵢ = 1 | x, y_π(i)) = b l̃ᵢ + c + Σⱼ (aᵢⱼ (yⱼ − pⱼ) + eᵢⱼ pⱼ) over the parents j of i, where pⱼ = σ(l̃ⱼ).
//!
//! It takes the stacked tree's place where held-out rows say so. In a chain of classifiers every label depends on all before it;
//! its best set is then a search, and its marginals are sums over all sets. Here a label depends on those before it that
//! matter most and that leave a tree of cliques ([`CliqueTree`]), so every question keeps its exact answer.

mod file;
mod fit;

pub(crate) use self::file::Facts;
#[cfg(test)]
pub(crate) use self::fit::WideRegression;
use super::params::ChainParams;
use arbormix_joint::joint::RowCliques;
use arbormix_joint::tree::{CliqueTables, CliqueTree, MOST_PARENTS};
use arbormix_learn::logistic::loss::{log_sigmoid_pairs, sigmoid};

/// The chain.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StackedChain {
    tree: CliqueTree,
    /// (b, c), by places in the tree's order.
    own: Vec<[f64; 2]>,
    /// (a, e) of every parent, by places.
    effects: Vec<Vec<[f64; 2]>>,
}

impl StackedChain {
    /// The chain at a row with these log-odds l̃.
    pub(crate) fn row(&self, blended: &[f64]) -> RowCliques<'_> {
        let order = self.tree.order();
        let expected: Vec<f64> = order.iter().map(|&label| sigmoid(blended[label])).collect();
        let table = |place: usize| {
            let [slope, constant] = self.own[place];
            let (parents, effects) = (&self.tree.parents()[place], &self.effects[place]);
            let standing = parents.iter().zip(effects).map(|(&parent, [a, e])| (e - a) * expected[parent]);
            // All parents absent; then with each further parent as many configurations again.
            let mut log_odds = vec![slope * blended[order[place]] + constant + standing.sum::<f64>()];
            for [effect, _] in effects {
                log_odds.extend_from_within(..);
                let half = log_odds.len() / 2;
                log_odds[half..].iter_mut().for_each(|odds| *odds += effect);
            }
            let mut pairs = vec![[0.0; 2]; log_odds.len()];
            log_sigmoid_pairs(&log_odds, &mut pairs);
            pairs.into_flattened()
        };
        RowCliques { tree: &self.tree, tables: CliqueTables((0..order.len()).map(table).collect()) }
    }
}

impl ChainParams {
    /// Parents of a label at most where there are so many labels: tables of all labels together stay within bounds.
    pub(crate) fn width_of(&self, labels: usize) -> usize {
        let fits = |width: &usize| labels.max(1) << (width + 1) <= self.cells;
        (1..=self.width.min(MOST_PARENTS)).rev().find(fits).unwrap_or(1)
    }
}
