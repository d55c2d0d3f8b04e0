//! A fitted CTBN.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::branching::Branching;
use super::inference::Table;
use super::inference::lanes::LaneTable;
use arbormix_learn::logistic::LinearFunctions;
use arbormix_learn::logistic::loss::{log_sigmoid_pair, log_sigmoid_pairs};
use arbormix_learn::store::{ModelFileError, Stored};
use arbormix_matrix::{DenseMatrix, Matrix};

/// How a label's log-odds are read off the tree's regressions: for a parent value u,
/// z = the margin of regression `columns[u]`, plus `shift` if the parent is present.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NodeWeights {
    /// Regression for each value of the parent; the same one for a label without a parent.
    pub columns: [usize; 2],
    /// Added when the parent is present.
    pub shift: f64,
}

impl NodeWeights {
    /// The label's log-odds for each value of the parent, from the margins of the tree's regressions at one row.
    fn log_odds(&self, margin: impl Fn(usize) -> f64) -> [f64; 2] {
        let [off, on] = self.columns.map(margin);
        [off, on + self.shift]
    }

    /// The label's table, from the same.
    pub fn table(&self, margin: impl Fn(usize) -> f64) -> Table {
        self.log_odds(margin).map(log_sigmoid_pair)
    }
}

/// A fitted CTBN, in the coordinates of the encoded features.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    branching: Branching,
    nodes: Vec<NodeWeights>,
    regressions: LinearFunctions,
}

/// What the file holds beside the tensors.
#[derive(Serialize, Deserialize)]
struct Facts {
    parents: Branching,
    columns: Vec<[usize; 2]>,
    features: usize,
    regressions: usize,
}

impl Tree {
    /// From its parts, in the coordinates of the encoded features.
    pub fn new(branching: Branching, nodes: Vec<NodeWeights>, regressions: LinearFunctions) -> Tree {
        Tree { branching, nodes, regressions }
    }

    /// The tree over the labels.
    pub fn branching(&self) -> &Branching {
        &self.branching
    }

    /// Number of labels.
    pub fn labels(&self) -> usize {
        self.nodes.len()
    }

    /// Number of encoded features.
    pub fn features(&self) -> usize {
        self.regressions.feature_count()
    }

    /// Number of logistic regressions.
    pub fn regressions(&self) -> usize {
        self.regressions.count()
    }

    /// The labels' tables of all rows, those of a row side by side.
    pub fn tables(&self, features: &Matrix) -> Vec<Table> {
        let margins = self.regressions.values(features);
        let mut log_odds = Vec::with_capacity(2 * self.nodes.len() * features.rows());
        for row in 0..features.rows() {
            let margins = margins.row(row);
            log_odds.extend(self.nodes.iter().flat_map(|node| node.log_odds(|column| margins[column])));
        }
        let mut tables = vec![Table::default(); self.nodes.len() * features.rows()];
        log_sigmoid_pairs(&log_odds, tables.as_flattened_mut());
        tables
    }

    /// The margins of the tree's regressions at some rows, rows × regressions.
    pub fn margins(&self, features: &Matrix, rows: Range<usize>) -> DenseMatrix {
        self.regressions.values_of(features, rows)
    }

    /// The log-odds of one row, from its margins, into its lane: where the log-probabilities of being absent will stand,
    /// so that these can be worked out in place.
    pub fn put_log_odds(&self, margins: &[f64], lane: usize, tables: &mut [LaneTable]) {
        for ([absent, _], node) in tables.iter_mut().zip(&self.nodes) {
            [absent[0][lane], absent[1][lane]] = node.log_odds(|column| margins[column]);
        }
    }

    /// One row's share of [`Tree::tables`].
    pub fn of_row<'t>(&self, tables: &'t [Table], row: usize) -> &'t [Table] {
        &tables[row * self.nodes.len()..(row + 1) * self.nodes.len()]
    }

    /// What each feature of a row adds to a label's log-odds when its parent has a value, the largest first; features
    /// that add nothing are left out.
    ///
    /// # Panics
    /// If there is no such label or row.
    pub fn contributions(&self, label: usize, parent: bool, features: &Matrix, row: usize) -> Vec<(usize, f64)> {
        let (weights, regression) = (self.regressions.weights(), self.nodes[label].columns[usize::from(parent)]);
        let mut out = Vec::new();
        features.visit_row(row, |column, value| out.push((column, weights.get(column, regression) * value)));
        out.retain(|&(_, added)| added != 0.0);
        out.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
        out
    }

    /// Answers `question(row, tables)` for every row, in parallel.
    pub(crate) fn ask<T: Send>(&self, features: &Matrix, question: impl Fn(usize, &[Table]) -> T + Sync) -> Vec<T> {
        features.in_chunks(|first, some| {
            let tables = self.tables(some);
            (0..some.rows()).map(|row| question(first + row, self.of_row(&tables, row))).collect()
        })
    }

    /// Brings back what [`Tree::stored`] gave.
    pub fn load(stored: &Stored) -> Result<Tree, ModelFileError> {
        let facts: Facts = stored.facts_as()?;
        let shifts = stored.tensor("shifts", &[facts.parents.len()])?;
        let regressions = LinearFunctions::load(stored, "", facts.regressions, facts.features)?;
        let known = |columns: &[usize; 2]| columns.iter().all(|&c| c < facts.regressions);
        if facts.columns.len() != shifts.len() || !facts.columns.iter().all(known) {
            let message = "the nodes of a tree do not fit its regressions".to_string();
            return Err(ModelFileError::Entry { name: "facts".to_string(), message });
        }
        let nodes = facts.columns.iter().zip(shifts).map(|(&columns, &shift)| NodeWeights { columns, shift }).collect();
        Ok(Tree { branching: facts.parents, nodes, regressions })
    }

    /// Everything a file must hold of it.
    pub fn stored(&self) -> Stored {
        let facts = Facts {
            parents: self.branching.clone(),
            columns: self.nodes.iter().map(|node| node.columns).collect(),
            features: self.regressions.feature_count(),
            regressions: self.regressions.count(),
        };
        let mut stored = Stored::with_facts(&facts);
        stored.put("shifts", &[self.nodes.len()], self.nodes.iter().map(|node| node.shift).collect());
        self.regressions.put(&mut stored, "");
        stored
    }
}
