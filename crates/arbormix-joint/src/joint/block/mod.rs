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
//! Closed labels leave the others lower bounds, so the third is repeated while it closes labels; then the experts' own sets,
//! of which the closed labels leave others too, are looked at again. Rows that are not proven when that helps no more are
//! searched one by one, over the labels that are not closed. A lane's answer does not depend on its neighbours: rows that
//! are left over when most of their neighbours are answered move together into one block.

mod open_labels;
mod proofs;
#[cfg(test)]
mod tests;

use super::map::Found;
use crate::prediction::{Certificate, Prediction};
use crate::tree::inference::lanes::{LaneRoom, LaneTable, Lanes, Masks, ROWS, room};
use crate::tree::inference::{Table, log_prob};
use crate::tree::{Branching, Tree};
use arbormix_data::LabelSet;
use arbormix_learn::logistic::loss::log_sum_exp;
use arbormix_matrix::DenseMatrix;
use open_labels::OpenLabels;

/// So few open rows of a block leave it for another one: every step costs the same for one row as for all.
const FEW: usize = ROWS / 2;

/// The most probable sets of rows under trees, from the gate's log-weights (rows × K) and each tree's margins (rows ×
/// regressions); `node_limit` as in [`RowMixture::best_set`](super::RowMixture::best_set).
pub fn most_probable(
    trees: &[&Tree],
    log_gate: &DenseMatrix,
    margins: &[DenseMatrix],
    node_limit: usize,
) -> Vec<Prediction> {
    let branchings: Vec<&Branching> = trees.iter().map(|tree| tree.branching()).collect();
    let mut answers = Answers { found: vec![None; log_gate.rows()], node_limit };
    let (mut block, mut rest) = (Block::new(&branchings), Block::new(&branchings));
    for first in (0..log_gate.rows()).step_by(ROWS) {
        for row in first..log_gate.rows().min(first + ROWS) {
            block.put(row - first, row, log_gate.row(row));
            for (k, (tree, margins)) in trees.iter().zip(margins).enumerate() {
                tree.put_log_odds(margins.row(row), row - first, block.tables_mut(k));
            }
        }
        block.begin(&mut answers);
        block.leave_to(&mut rest, &mut answers);
    }
    rest.go_on_until(0, &mut answers);
    answers.found.into_iter().flatten().collect()
}

/// The answers so far.
struct Answers {
    found: Vec<Option<Prediction>>,
    node_limit: usize,
}

/// The mixtures of some rows, and what is known of their most probable sets. The room serves many rows.
struct Block<'a> {
    trees: &'a [&'a Branching],
    /// Which row is in each lane, if one is whose answer is not known.
    rows: [Option<usize>; ROWS],
    /// log gₖ(x).
    log_gate: Vec<Lanes>,
    /// Those of every expert, `[k · d + i]`, without the values that closed labels cannot have: these are impossible.
    tables: Vec<LaneTable>,
    /// Each expert's own best sets, `[k · d + i]`, and their log-probabilities there.
    own: Vec<Masks>,
    own_values: Vec<Lanes>,
    /// log max over k of Sₖ(yₖ): shares are relative to it, so that none is too small.
    top: Lanes,
    /// The best sets so far, log Sₖ of each expert there, and Σ Sₖ.
    best: Vec<Masks>,
    best_logs: Vec<Lanes>,
    shares: Lanes,
    /// Labels at which no better set differs from the best one.
    closed: Vec<Masks>,
    /// Rows that close no further label before they know their experts' own sets again.
    wanting: [bool; ROWS],
    /// Whether the own sets are known since labels were last closed.
    current: [bool; ROWS],
    /// Whether there is no better set.
    proven: [bool; ROWS],
    /// Whether bounds close no further label: a row that is not proven has to be searched.
    stuck: [bool; ROWS],
    /// For the sweeps over trees and the exponentials of what they find.
    room: LaneRoom,
    logs: Vec<Lanes>,
    terms: Vec<Lanes>,
    sums: Vec<Lanes>,
    /// The experts whose own sets no earlier one has.
    offered: Vec<usize>,
}

impl<'a> Block<'a> {
    /// Without rows.
    fn new(trees: &'a [&'a Branching]) -> Block<'a> {
        let (experts, labels) = (trees.len(), trees[0].len());
        Block {
            trees,
            rows: [None; ROWS],
            log_gate: vec![[0.0; ROWS]; experts],
            tables: vec![[[[0.0; ROWS]; 2]; 2]; experts * labels],
            own: vec![[0; ROWS]; experts * labels],
            own_values: vec![[0.0; ROWS]; experts],
            top: [0.0; ROWS],
            best: vec![[0; ROWS]; labels],
            best_logs: vec![[0.0; ROWS]; experts],
            shares: [0.0; ROWS],
            closed: vec![[0; ROWS]; labels],
            wanting: [false; ROWS],
            current: [false; ROWS],
            proven: [false; ROWS],
            stuck: [false; ROWS],
            room: room(),
            logs: vec![[0.0; ROWS]; experts * experts],
            terms: vec![[0.0; ROWS]; labels.max(experts * experts.max(2))],
            sums: vec![[0.0; ROWS]; labels],
            offered: Vec::with_capacity(experts),
        }
    }

    fn labels(&self) -> usize {
        self.trees[0].len()
    }

    /// Where the log-odds of an expert's labels go before the block begins, see [`Tree::put_log_odds`].
    fn tables_mut(&mut self, k: usize) -> &mut [LaneTable] {
        let labels = self.labels();
        &mut self.tables[k * labels..(k + 1) * labels]
    }

    /// Puts a row with its log gₖ(x) into a lane.
    fn put(&mut self, lane: usize, row: usize, log_gate: &[f64]) {
        self.rows[lane] = Some(row);
        self.log_gate.iter_mut().zip(log_gate).for_each(|(lanes, gate)| lanes[lane] = *gate);
        self.closed.iter_mut().for_each(|closed| closed[lane] = 0);
        (self.top[lane], self.shares[lane]) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        (self.current[lane], self.proven[lane], self.stuck[lane]) = (false, false, false);
    }

    /// Number of rows whose answers are not known.
    fn open(&self) -> usize {
        self.rows.iter().flatten().count()
    }

    /// Moves the open rows to another block when few are left; where that has no lane for them, it goes on first.
    fn leave_to(&mut self, other: &mut Block<'a>, answers: &mut Answers) {
        self.go_on_until(FEW, answers);
        for lane in 0..ROWS {
            if let Some(row) = self.rows[lane].take() {
                if other.open() == ROWS {
                    other.go_on_until(FEW, answers);
                }
                if let Some(free) = other.rows.iter().position(Option::is_none) {
                    other.copy(free, self, lane);
                    other.rows[free] = Some(row);
                }
            }
        }
    }

    /// Takes over everything that is known of a row in another block.
    fn copy(&mut self, to: usize, other: &Block<'a>, from: usize) {
        fn lane<T: Copy>(to: usize, into: &mut [[T; ROWS]], from: usize, other: &[[T; ROWS]]) {
            into.iter_mut().zip(other).for_each(|(into, other)| into[to] = other[from]);
        }
        lane(to, &mut self.log_gate, from, &other.log_gate);
        lane(to, self.tables.as_flattened_mut().as_flattened_mut(), from, other.tables.as_flattened().as_flattened());
        lane(to, &mut self.own, from, &other.own);
        lane(to, &mut self.own_values, from, &other.own_values);
        lane(to, &mut self.best, from, &other.best);
        lane(to, &mut self.best_logs, from, &other.best_logs);
        lane(to, &mut self.closed, from, &other.closed);
        (self.top[to], self.shares[to]) = (other.top[from], other.shares[from]);
        self.current[to] = other.current[from];
        (self.proven[to], self.stuck[to]) = (other.proven[from], other.stuck[from]);
    }

    /// Answers the rows that are proven, and those that have to be searched.
    fn answer(&mut self, answers: &mut Answers) {
        for lane in 0..ROWS {
            if (self.proven[lane] || self.stuck[lane])
                && let Some(row) = self.rows[lane].take()
            {
                answers.found[row] = Some(self.found(lane, answers.node_limit).into());
            }
        }
    }

    fn found(&mut self, lane: usize, node_limit: usize) -> Found {
        let labels = set(&self.best, lane);
        // As a row's mixture says it: one set has the same bits in every answer.
        let logs = self.terms.as_flattened_mut();
        logs.iter_mut().zip(&self.best_logs).for_each(|(log, best)| *log = best[lane]);
        let log_probability = log_sum_exp(&logs[..self.best_logs.len()]);
        if self.proven[lane] {
            let certificate = Certificate { log_bound: log_probability, certified: true, nodes: 1 };
            return Found { labels, log_probability, certificate };
        }
        let own = self.own.chunks_exact(self.labels()).zip(self.own_values.iter().zip(&self.log_gate));
        let own: Vec<_> = own.map(|(sets, (value, gate))| (set(sets, lane), gate[lane] + value[lane])).collect();
        let RowParts { tables, log_gate } = self.row(lane);
        let open: Vec<bool> = self.closed.iter().map(|closed| closed[lane] == 0).collect();
        let rest = OpenLabels::new(self.trees, &tables, &log_gate, &open, &labels);
        let (labels, certificate) = rest.search((labels, log_probability), &own, node_limit);
        // Again as the whole mixture says it.
        let logs = self.trees.iter().zip(&tables).zip(&log_gate);
        let logs = logs.map(|((tree, tables), gate)| gate + log_prob(tree, tables, &labels));
        let log_probability = log_sum_exp(&logs.collect::<Vec<_>>());
        let log_bound = match certificate.certified {
            true => log_probability,
            false => certificate.log_bound.max(log_probability),
        };
        Found { labels, log_probability, certificate: Certificate { log_bound, ..certificate } }
    }

    /// One row's tables, without what closed labels make impossible, and gate.
    fn row(&self, lane: usize) -> RowParts {
        let table = |lanes: &LaneTable| [0, 1].map(|u| [lanes[0][u][lane], lanes[1][u][lane]]);
        let tables = self.tables.chunks_exact(self.labels());
        RowParts {
            tables: tables.map(|tables| tables.iter().map(table).collect()).collect(),
            log_gate: self.log_gate.iter().map(|gate| gate[lane]).collect(),
        }
    }
}

/// The tables of one row's experts and log gₖ(x).
struct RowParts {
    tables: Vec<Vec<Table>>,
    log_gate: Vec<f64>,
}

/// One row's set.
fn set(sets: &[Masks], lane: usize) -> LabelSet {
    let mut out = LabelSet::empty(sets.len());
    for (label, _) in sets.iter().enumerate().filter(|(_, of_rows)| of_rows[lane] != 0) {
        out.set(label, true);
    }
    out
}
