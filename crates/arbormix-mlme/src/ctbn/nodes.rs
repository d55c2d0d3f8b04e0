//! The logistic regressions of a tree's nodes.

use std::borrow::Cow;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::params::{NodeKind, NodeParams};
use arbormix_joint::tree::{Branching, NodeWeights, Tree};
use arbormix_learn::logistic::loss::{add_log_probabilities, log_sigmoid};
use arbormix_learn::logistic::{Block, Coefficients, Design, FeatureWeights, LinearFunctions, Solution};

/// Labels whose log-likelihoods are summed by one thread, and how many such shares are in work.
const LABELS_PER_SHARE: usize = 16;
const SHARES_TOGETHER: usize = 8;

/// Which rows a node's regression sees, and whether the parent is a feature of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Condition {
    /// All rows: a root, or a label whose parent is too one-sided to tell apart.
    Always,
    /// Rows on which the parent has this value.
    Parent { parent: usize, value: bool },
    /// All rows, with the parent's value as a further column.
    ParentFeature { parent: usize },
}

impl Condition {
    /// The parent whose value matters.
    pub fn parent(self) -> Option<usize> {
        match self {
            Condition::Always => None,
            Condition::Parent { parent, .. } | Condition::ParentFeature { parent } => Some(parent),
        }
    }

    /// Calls `work` with the block of rows (and columns) of this condition.
    pub fn with_block<T>(self, design: &Design, labels: &[Vec<bool>], work: impl FnOnce(&Block<'_>) -> T) -> T {
        match self {
            Condition::Always => work(&design.block(None, &[])),
            Condition::Parent { parent, value } => {
                let rows: Vec<usize> = (0..design.rows()).filter(|&row| labels[parent][row] == value).collect();
                work(&design.block(Some(&rows), &[]))
            }
            Condition::ParentFeature { parent } => work(&design.block(None, &[&column(&labels[parent])])),
        }
    }

    /// The parent's values and the one of them that this condition asks for, if it does.
    pub(crate) fn rows_within(self, labels: &[Vec<bool>]) -> Option<(&[bool], bool)> {
        match self {
            Condition::Parent { parent, value } => Some((&labels[parent], value)),
            Condition::Always | Condition::ParentFeature { .. } => None,
        }
    }
}

/// 0/1 numbers of a label.
pub(super) fn column(label: &[bool]) -> Vec<f64> {
    label.iter().map(|&on| f64::from(on)).collect()
}

/// The conditions of each label's regressions under a tree: one, or one per value of the parent.
///
/// Rows that `counts(row, parent)` is true of are support of that parent's value.
pub(crate) fn conditions(
    tree: &Branching,
    labels: &[Vec<bool>],
    counts: impl Fn(usize, usize) -> bool,
    params: &NodeParams,
) -> Vec<Vec<Condition>> {
    let conditions_of = |parent: Option<usize>| {
        let Some(parent) = parent else { return vec![Condition::Always] };
        let counts = |row: usize, value: bool| labels[parent][row] == value && counts(row, parent);
        let with = |value: bool| (0..labels[parent].len()).filter(|&row| counts(row, value)).count();
        let (off, on) = (with(false), with(true));
        if on.min(off) < params.min_rows {
            // The paper's code copies the better supported side; pooling the rows is that, and lets EM maximise.
            return vec![Condition::Always];
        }
        match params.kind {
            NodeKind::Switching => [false, true].map(|value| Condition::Parent { parent, value }).to_vec(),
            NodeKind::ParentFeature => vec![Condition::ParentFeature { parent }],
        }
    };
    tree.parents().iter().map(|&parent| conditions_of(parent)).collect()
}

/// One regression to fit.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Job<'a> {
    pub label: usize,
    pub condition: Condition,
    /// Which of the weights of rows that go with the jobs; all 1 if `None`.
    pub weights: Option<usize>,
    pub cost: f64,
    pub start: Option<Cow<'a, Coefficients>>,
}

/// A tree with its regressions, in design coordinates.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// The tree over the labels.
    pub tree: Branching,
    /// For each label its conditions, costs and regressions.
    pub nodes: Vec<Vec<FittedNode>>,
}

/// One regression of a fitted tree.
#[derive(Debug, Clone, PartialEq)]
pub struct FittedNode {
    pub condition: Condition,
    pub cost: f64,
    pub coefficients: Coefficients,
    pub converged: bool,
}

impl FittedNode {
    pub fn new(condition: Condition, cost: f64, solution: Solution) -> FittedNode {
        let Solution { coefficients, converged, .. } = solution;
        FittedNode { condition, cost, coefficients, converged }
    }

    /// The same regression with the rows weighted anew, from where it is.
    pub fn again(&self, label: usize, weights: usize) -> Job<'_> {
        let start = Some(Cow::Borrowed(&self.coefficients));
        Job { label, condition: self.condition, weights: Some(weights), cost: self.cost, start }
    }
}

impl Fitted {
    /// Regressions that reached the solver's limit, and all of them.
    pub fn unconverged(&self) -> (usize, usize) {
        let open = self.nodes.iter().flatten().filter(|node| !node.converged).count();
        (open, self.nodes.iter().map(Vec::len).sum())
    }

    /// Labels on their own: the cost and regression of each.
    pub fn without_edges(labels: impl Iterator<Item = (f64, Solution)>) -> Fitted {
        let node = |(cost, solution): (f64, Solution)| vec![FittedNode::new(Condition::Always, cost, solution)];
        let nodes: Vec<Vec<FittedNode>> = labels.map(node).collect();
        Fitted { tree: Branching::isolated(nodes.len()), nodes }
    }

    /// log P(y⁽ⁿ⁾ | x⁽ⁿ⁾, T) of every training row (Eq. 3).
    pub fn log_likelihoods(&self, design: &Design, labels: &[Vec<bool>]) -> Vec<f64> {
        // Regressions without the parent as a column share products over all rows.
        let has_column = |nodes: &[FittedNode]| matches!(nodes[0].condition, Condition::ParentFeature { .. });
        let plain: Vec<(usize, &[FittedNode])> =
            self.nodes.iter().map(Vec::as_slice).enumerate().filter(|(_, nodes)| !has_column(nodes)).collect();
        let block = design.block(None, &[]);
        let sums = |some: &[(usize, &[FittedNode])]| {
            let mut sums = vec![0.0; design.rows()];
            let nodes: Vec<(usize, &FittedNode, bool)> = some
                .iter()
                .flat_map(|&(label, nodes)| {
                    nodes.iter().enumerate().map(move |(at, node)| (label, node, at + 1 == nodes.len()))
                })
                .collect();
            let coefficients: Vec<&Coefficients> = nodes.iter().map(|(_, node, _)| &node.coefficients).collect();
            // The log-odds of the regression that sees the row: of two, the second takes over where the parent is present.
            let mut own = vec![0.0; design.rows()];
            block.visit_margins(&coefficients, |place, margins| {
                let (label, node, is_last) = nodes[place];
                match node.condition {
                    Condition::Parent { parent, value: true } => {
                        let seen = own.iter_mut().zip(margins).zip(&labels[parent]);
                        seen.for_each(|((own, &z), &on)| *own = if on { z } else { *own });
                    }
                    _ => own.copy_from_slice(margins),
                }
                if is_last {
                    add_log_probabilities(&own, &labels[label], &mut sums);
                }
            });
            sums
        };
        // Shares of a fixed size, added in their order: the same bits on any number of threads. A few at a time, because
        // each holds a number per row.
        let mut total = vec![0.0; design.rows()];
        for some in plain.chunks(SHARES_TOGETHER * LABELS_PER_SHARE) {
            let shares: Vec<Vec<f64>> = some.par_chunks(LABELS_PER_SHARE).map(sums).collect();
            for share in &shares {
                total.iter_mut().zip(share).for_each(|(total, sum)| *total += sum);
            }
        }
        for (label, nodes) in self.nodes.iter().enumerate() {
            for node in nodes {
                if let Condition::ParentFeature { parent } = node.condition {
                    let block_margins = design.block(None, &[&column(&labels[parent])]).margins(&[&node.coefficients]);
                    add_log_probabilities(block_margins.column(0), &labels[label], &mut total);
                }
            }
        }
        total
    }

    /// Σ of the regressions' penalties on the scale of the log-likelihood: ½‖w‖²/C, and for a smoothed constant
    /// −½ log p − ½ log(1 − p).
    pub fn penalty(&self, design: &Design) -> f64 {
        let of = |node: &FittedNode| match &node.coefficients {
            Coefficients::Constant(z) => -0.5 * (log_sigmoid(*z) + log_sigmoid(-z)),
            Coefficients::Linear(weights) => design.penalty(weights) / node.cost,
        };
        self.nodes.iter().flatten().map(of).sum()
    }
}

impl Fitted {
    /// Maps a fit back to the features.
    pub fn to_tree(&self, design: &Design) -> Tree {
        let mut columns: Vec<FeatureWeights> = Vec::new();
        let mut nodes = Vec::with_capacity(self.nodes.len());
        for label in &self.nodes {
            let first = columns.len();
            let mut shift = 0.0;
            for node in label {
                let mut mapped = design.to_features(&node.coefficients);
                if let Condition::ParentFeature { .. } = node.condition
                    && mapped.weights.len() > design.features()
                {
                    shift = mapped.weights.pop().unwrap_or(0.0);
                }
                columns.push(mapped);
            }
            nodes.push(NodeWeights { columns: [first, columns.len() - 1], shift });
        }
        Tree::new(self.tree.clone(), nodes, LinearFunctions::new(design.features(), &columns))
    }
}
