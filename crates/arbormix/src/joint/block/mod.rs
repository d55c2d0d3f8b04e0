//! The most probable sets of neighbouring rows at once, a row per lane of vector registers.
//!
//! Most rows need no search: the best of the experts' own sets is the mixture's, and this is proven by bounds of ever
//! higher price. With shares Sₖ(y) = gₖ P(y | x, Tₖ), y* the best of the own sets yₖ, and every sum over the experts:
//!
//! 1. all yₖ are the same;
//! 2. no set but y* has more than Σ Sₖ(yₖ), where an expert whose own set is y* gives the others at most gₖ − Sₖ(y*);
//! 3. no set that differs from y* at label i has more than Σ max { Sₖ(y) : yᵢ ≠ y*ᵢ }: where that is not more than y*
//!    has, label i is *closed*, and all labels may come to be.
//!
//! Closed labels leave the experts other own sets, so this is repeated while it closes labels. Rows that are not proven
//! then are searched one by one. A lane's answer does not depend on its neighbours.

mod proofs;
#[cfg(test)]
mod tests;

use pulp::Arch;

use super::expert::RowExpert;
use super::map::{Found, RowMixture};
use crate::data::LabelSet;
use crate::learner::{Certificate, Prediction};
use crate::logistic::loss::log_sum_exp;
use crate::matrix::DenseMatrix;
use crate::tree::inference::Allowed;
use crate::tree::inference::lanes::{LaneSets, LaneTables, log_probs};
use crate::tree::{Branching, Tree};
use proofs::Proofs;

/// Rows that are worked on side by side.
const ROWS: usize = 8;

/// The most probable sets of rows under trees, from the gate's log-weights (rows × K) and each tree's margins (rows ×
/// regressions); `node_limit` as in [`RowMixture::best_set`].
pub(crate) fn most_probable(
    trees: &[&Tree],
    log_gate: &DenseMatrix,
    margins: &[DenseMatrix],
    node_limit: usize,
) -> Vec<Prediction> {
    let rows = log_gate.rows();
    let mut out = Vec::with_capacity(rows);
    let mut first = 0;
    while first < rows {
        if first + ROWS <= rows {
            Block::<ROWS>::of_rows(trees, log_gate, margins, first).predict(node_limit, &mut out);
            first += ROWS;
        } else {
            Block::<1>::of_rows(trees, log_gate, margins, first).predict(node_limit, &mut out);
            first += 1;
        }
    }
    out
}

/// The mixtures of W neighbouring rows, and what is known of their most probable sets.
struct Block<'a, const W: usize> {
    trees: Vec<&'a Branching>,
    /// log gₖ(x).
    log_gate: Vec<[f64; W]>,
    /// Without the values that closed labels cannot have: these are impossible.
    tables: Vec<LaneTables<W>>,
    /// Each expert's own best sets and their log-probabilities there.
    own: Vec<(LaneSets<W>, [f64; W])>,
    /// log max over k of Sₖ(yₖ): shares are relative to it, so that none is too small.
    top: [f64; W],
    /// The best sets so far and their shares, Σ Sₖ.
    best: LaneSets<W>,
    shares: [f64; W],
    /// Labels at which no better set differs from the best one.
    closed: LaneSets<W>,
    /// Whether there is no better set.
    proven: [bool; W],
}

impl<'a, const W: usize> Block<'a, W> {
    fn of_rows(trees: &[&'a Tree], log_gate: &DenseMatrix, margins: &[DenseMatrix], first: usize) -> Block<'a, W> {
        let gate = |k: usize| std::array::from_fn(|lane| log_gate.get(first + lane, k));
        let log_odds = |(tree, margins): (&&'a Tree, &DenseMatrix)| tree.lane_log_odds(margins, first);
        Block::new(
            trees.iter().map(|tree| tree.branching()).collect(),
            (0..trees.len()).map(gate).collect(),
            trees.iter().zip(margins).map(log_odds).collect(),
        )
    }

    /// From trees, log gₖ(x), and log-odds where the tables of absent labels will stand.
    fn new(trees: Vec<&'a Branching>, log_gate: Vec<[f64; W]>, log_odds: Vec<LaneTables<W>>) -> Block<'a, W> {
        let nothing = vec![[0; W]; LabelSet::word_count(trees[0].len())];
        Block {
            own: Vec::with_capacity(trees.len()),
            trees,
            log_gate,
            tables: log_odds,
            top: [f64::NEG_INFINITY; W],
            best: nothing.clone(),
            shares: [f64::NEG_INFINITY; W],
            closed: nothing,
            proven: [false; W],
        }
    }

    fn labels(&self) -> usize {
        self.trees[0].len()
    }

    fn predict(mut self, node_limit: usize, out: &mut Vec<Prediction>) {
        Arch::new().dispatch(Proofs(&mut self));
        let experts = self.trees.iter().zip(&self.tables);
        let of_best: Vec<[f64; W]> = experts.map(|(tree, tables)| log_probs(tree, tables, &self.best)).collect();
        for lane in 0..W {
            // As a row's mixture says it: one set has the same bits in every answer.
            let shares = self.log_gate.iter().zip(&of_best).map(|(gate, own)| gate[lane] + own[lane]);
            let log_probability = log_sum_exp(&shares.collect::<Vec<_>>());
            let labels = self.set(&self.best, lane);
            let found = if self.proven[lane] {
                let certificate = Certificate { log_bound: log_probability, certified: true, nodes: 1 };
                Found { labels, log_probability, certificate }
            } else {
                let own = self.own.iter().map(|(sets, values)| (self.set(sets, lane), values[lane])).collect();
                self.row(lane).search_from((labels, log_probability), own, &self.allowed(lane), node_limit)
            };
            out.push(found.into());
        }
    }

    fn set(&self, sets: &[[u64; W]], lane: usize) -> LabelSet {
        LabelSet::from_words(self.labels(), sets.iter().map(|word| word[lane]).collect())
    }

    /// One row's mixture, without what closed labels make impossible.
    fn row(&self, lane: usize) -> RowMixture<'a> {
        let expert = |(&tree, tables): (&&'a Branching, &LaneTables<W>)| {
            let side = |i: usize, u: usize| [tables[0][i][u][lane], tables[1][i][u][lane]];
            RowExpert::Tree(tree, (0..tree.len()).map(|i| [side(i, 0), side(i, 1)]).collect())
        };
        RowMixture {
            log_gate: self.log_gate.iter().map(|gate| gate[lane]).collect(),
            experts: self.trees.iter().zip(&self.tables).map(expert).collect(),
        }
    }

    /// The values that closed labels leave a row.
    fn allowed(&self, lane: usize) -> Allowed {
        let (best, closed) = (self.set(&self.best, lane), self.set(&self.closed, lane));
        let values = |label: usize| [0, 1].map(|value| !closed.get(label) || usize::from(best.get(label)) == value);
        (0..self.labels()).map(values).collect()
    }
}
