//! The E-step over unknown cells.

use std::borrow::Cow;

use rayon::prelude::*;

use crate::ctbn::Trainer;
use crate::ctbn::nodes::{Condition, Fitted, FittedNode};
use arbormix_joint::tree::inference::{self, Allowed, Table};
use arbormix_joint::tree::{Branching, NodeWeights};
use arbormix_learn::logistic::{Coefficients, Design};
use arbormix_matrix::Columns;

/// What a tree believes about the cells of the training rows, given those that were observed.
#[derive(Debug)]
pub struct Beliefs {
    /// log P(observed cells | x) of every row: the marginal over the unknown ones.
    pub log_likelihoods: Vec<f64>,
    /// `pairs[row][label][u][v]` = P(parent = u, label = v | observed cells, x); u = 0 without a parent.
    pairs: Vec<Vec<Table>>,
}

impl Beliefs {
    /// P(label = v and what a regression's condition says of its parent | observed cells, x).
    pub(crate) fn pair(&self, row: usize, label: usize, parent: Option<bool>, value: bool) -> f64 {
        let table = &self.pairs[row][label];
        let side = |u: usize| table[u][usize::from(value)];
        parent.map_or_else(|| side(0) + side(1), |u| side(usize::from(u)))
    }
}

impl Trainer<'_> {
    /// The E-step of one tree.
    pub fn beliefs(&self, fitted: &Fitted) -> Beliefs {
        let (nodes, margins) = margins(fitted, &self.design);
        let row_beliefs = |row: usize| {
            let tables: Vec<Table> = nodes.iter().map(|node| node.table(|column| margins.get(row, column))).collect();
            let (log_likelihood, given) = inference::given(&fitted.tree, &tables, &self.allowed(row));
            (log_likelihood, pairs(&fitted.tree, &given))
        };
        let rows: Vec<(f64, Vec<Table>)> = (0..self.design.rows()).into_par_iter().map(row_beliefs).collect();
        let (log_likelihoods, pairs) = rows.into_iter().unzip();
        Beliefs { log_likelihoods, pairs }
    }

    /// log P(observed cells | x, T) of every training row (Eq. 3, summed over unknown cells).
    pub fn log_likelihoods(&self, fitted: &Fitted) -> Vec<f64> {
        match self.observed {
            None => fitted.log_likelihoods(&self.design, &self.labels),
            Some(_) => self.beliefs(fitted).log_likelihoods,
        }
    }

    /// The labels, with the more probable value in cells that are unknown.
    pub fn completed(&self, fitted: &Fitted) -> Cow<'_, [Vec<bool>]> {
        if self.observed.is_none() {
            return Cow::Borrowed(&self.labels);
        }
        let beliefs = self.beliefs(fitted);
        let column = |label: usize| {
            (0..self.design.rows()).map(|row| beliefs.pair(row, label, None, true) > 0.5).collect::<Vec<bool>>()
        };
        Cow::Owned((0..self.labels.len()).map(column).collect())
    }

    fn allowed(&self, row: usize) -> Allowed {
        let values = |(label, column): (usize, &Vec<bool>)| {
            if self.is_observed(row, label) { [!column[row], column[row]] } else { [true; 2] }
        };
        self.labels.iter().enumerate().map(values).collect()
    }
}

/// Log-odds of a tree's regressions at all rows, and how the labels' tables are read off them.
fn margins(fitted: &Fitted, design: &Design) -> (Vec<NodeWeights>, Columns) {
    let mut columns: Vec<Coefficients> = Vec::new();
    let mut nodes = Vec::with_capacity(fitted.nodes.len());
    for label in &fitted.nodes {
        let first = columns.len();
        let mut shift = 0.0;
        for node in label {
            let (coefficients, parent_weight) = without_parent(node);
            columns.push(coefficients);
            shift = parent_weight;
        }
        nodes.push(NodeWeights { columns: [first, columns.len() - 1], shift });
    }
    (nodes, design.block(None, &[]).margins(&columns.iter().collect::<Vec<_>>()))
}

/// A regression without the parent's column, and that column's weight.
fn without_parent(node: &FittedNode) -> (Coefficients, f64) {
    match (&node.coefficients, node.condition) {
        (Coefficients::Linear(weights), Condition::ParentFeature { .. }) => match weights.split_last() {
            Some((last, rest)) => (Coefficients::Linear(rest.to_vec()), *last),
            None => (node.coefficients.clone(), 0.0),
        },
        _ => (node.coefficients.clone(), 0.0),
    }
}

/// P(parent = u, label = v) of every edge of a tree.
fn pairs(tree: &Branching, tables: &[Table]) -> Vec<Table> {
    let on = inference::marginals(tree, tables);
    let pair = |label: usize| {
        let parent = match tree.parents()[label] {
            None => [1.0, 0.0],
            Some(parent) => [1.0 - on[parent], on[parent]],
        };
        [0, 1].map(|u| tables[label][u].map(|log| parent[u] * log.exp()))
    };
    (0..tree.len()).map(pair).collect()
}
