//! A fitted CTBN.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::branching::Branching;
use super::inference::{self, Table};
use super::nodes::{Condition, Fitted};
use crate::data::LabelSet;
use crate::error::Result;
use crate::learner::{Certificate, Inference, Joint, Prediction, Predictor};
use crate::logistic::Design;
use crate::logistic::loss::log_sigmoid;
use crate::matrix::{Columns, DenseMatrix, Matrix};
use crate::model::{ModelFileError, Stored};

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
    /// The label's table at one row of the regressions' margins.
    pub(super) fn table(&self, margins: &Columns, row: usize) -> Table {
        let side = |u: usize| {
            let z = margins.get(row, self.columns[u]) + if u == 1 { self.shift } else { 0.0 };
            [log_sigmoid(-z), log_sigmoid(z)]
        };
        [side(0), side(1)]
    }
}

/// A fitted CTBN, in the coordinates of the encoded features.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    branching: Branching,
    nodes: Vec<NodeWeights>,
    /// One column of m weights per regression.
    weights: Columns,
    biases: Vec<f64>,
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
    /// Maps a fit back to the features.
    pub(crate) fn from_fitted(fitted: &Fitted, design: &Design) -> Tree {
        let mut columns: Vec<Vec<f64>> = Vec::new();
        let mut biases = Vec::new();
        let mut nodes = Vec::with_capacity(fitted.nodes.len());
        for label in &fitted.nodes {
            let first = columns.len();
            let mut shift = 0.0;
            for node in label {
                let mut mapped = design.to_features(&node.coefficients);
                if let Condition::ParentFeature { .. } = node.condition
                    && mapped.weights.len() > design.features()
                {
                    shift = mapped.weights.pop().unwrap_or(0.0);
                }
                columns.push(mapped.weights);
                biases.push(mapped.bias);
            }
            nodes.push(NodeWeights { columns: [first, columns.len() - 1], shift });
        }
        let weights = Columns::from_columns(design.features(), columns.iter().map(Vec::as_slice));
        Tree { branching: fitted.tree.clone(), nodes, weights, biases }
    }

    /// The tree over the labels.
    pub fn branching(&self) -> &Branching {
        &self.branching
    }

    /// Number of logistic regressions.
    pub fn regressions(&self) -> usize {
        self.biases.len()
    }

    /// Log-odds of every regression, N × regressions.
    pub(crate) fn margins(&self, features: &Matrix) -> Columns {
        let mut margins = features.product(&self.weights);
        for (column, &bias) in self.biases.iter().enumerate() {
            margins.column_mut(column).iter_mut().for_each(|z| *z += bias);
        }
        margins
    }

    /// The labels' tables of one row.
    pub(crate) fn tables(&self, margins: &Columns, row: usize) -> Vec<Table> {
        self.nodes.iter().map(|node| node.table(margins, row)).collect()
    }

    /// What each feature of a row adds to a label's log-odds when its parent has a value, the largest first; features
    /// that add nothing are left out.
    ///
    /// # Panics
    /// If there is no such label or row.
    pub fn contributions(&self, label: usize, parent: bool, features: &Matrix, row: usize) -> Vec<(usize, f64)> {
        let weights = self.weights.column(self.nodes[label].columns[usize::from(parent)]);
        let mut out = Vec::new();
        features.visit_row(row, |column, value| out.push((column, weights[column] * value)));
        out.retain(|&(_, added)| added != 0.0);
        out.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
        out
    }

    /// The tree with every log-odds divided by `temperature`.
    pub(crate) fn at_temperature(&self, temperature: f64) -> Tree {
        let mut out = self.clone();
        out.weights.values_mut().iter_mut().chain(&mut out.biases).for_each(|weight| *weight /= temperature);
        out.nodes.iter_mut().for_each(|node| node.shift /= temperature);
        out
    }

    /// Answers `question(row, tables)` for every row, in parallel.
    fn ask<T: Send>(&self, features: &Matrix, question: impl Fn(usize, &[Table]) -> T + Sync) -> Vec<T> {
        let margins = self.margins(features);
        (0..features.rows()).into_par_iter().map(|row| question(row, &self.tables(&margins, row))).collect()
    }

    /// Brings back what [`Predictor::store`] gave.
    pub fn load(stored: &Stored) -> Result<Tree> {
        let facts: Facts = stored.facts_as()?;
        let shifts = stored.tensor("shifts", &[facts.parents.len()])?;
        let flat = stored.tensor("weights", &[facts.regressions, facts.features])?;
        let biases = stored.tensor("biases", &[facts.regressions])?.to_vec();
        let mut weights = Columns::zeros(facts.features, facts.regressions);
        weights.values_mut().copy_from_slice(flat);
        let known = |columns: &[usize; 2]| columns.iter().all(|&c| c < facts.regressions);
        if facts.columns.len() != shifts.len() || !facts.columns.iter().all(known) {
            let message = "the nodes of a tree do not fit its regressions".to_string();
            return Err(ModelFileError::Entry { name: "facts".to_string(), message }.into());
        }
        let nodes = facts.columns.iter().zip(shifts).map(|(&columns, &shift)| NodeWeights { columns, shift }).collect();
        Ok(Tree { branching: facts.parents, nodes, weights, biases })
    }

    pub(crate) fn stored(&self) -> Stored {
        let facts = Facts {
            parents: self.branching.clone(),
            columns: self.nodes.iter().map(|node| node.columns).collect(),
            features: self.weights.rows(),
            regressions: self.biases.len(),
        };
        let mut stored = Stored::with_facts(&facts);
        stored.put("shifts", &[self.nodes.len()], self.nodes.iter().map(|node| node.shift).collect());
        stored.put("weights", &[self.biases.len(), self.weights.rows()], self.weights.values().to_vec());
        stored.put("biases", &[self.biases.len()], self.biases.clone());
        stored
    }
}

/// A tree's best set needs no search.
fn proven((labels, log_bound): (LabelSet, f64)) -> Prediction {
    let certificate = Certificate { log_bound, certified: true, nodes: 1 };
    Prediction { labels, log_probability: Some(log_bound), certificate: Some(certificate) }
}

impl Predictor for Tree {
    fn method(&self) -> &'static str {
        "ctbn"
    }

    fn label_count(&self) -> usize {
        self.nodes.len()
    }

    fn feature_count(&self) -> usize {
        self.weights.rows()
    }

    fn joint(&self) -> Joint {
        Joint::Distribution
    }

    fn predict(&self, features: &Matrix, _inference: Inference) -> Result<Vec<Prediction>> {
        let allowed = inference::unrestricted(self.nodes.len());
        Ok(self.ask(features, |_, tables| proven(inference::best_set(&self.branching, tables, &allowed))))
    }

    fn marginals(&self, features: &Matrix) -> Result<DenseMatrix> {
        let rows = self.ask(features, |_, tables| inference::marginals(&self.branching, tables));
        Ok(DenseMatrix::new(features.rows(), self.nodes.len(), rows.concat()))
    }

    fn log_prob(&self, features: &Matrix, labels: &[LabelSet]) -> Result<Vec<f64>> {
        Ok(self.ask(features, |row, tables| inference::log_prob(&self.branching, tables, &labels[row])))
    }

    fn top_sets(&self, features: &Matrix, count: usize) -> Result<Vec<Vec<(LabelSet, f64)>>> {
        Ok(self.ask(features, |_, tables| {
            let best = |allowed: &[[bool; 2]]| inference::best_set(&self.branching, tables, allowed);
            inference::BestSets::new(self.nodes.len(), best).take(count).collect()
        }))
    }

    fn top_predictions(&self, features: &Matrix, count: usize) -> Result<Vec<Vec<Prediction>>> {
        let rows = self.top_sets(features, count)?.into_iter();
        Ok(rows.map(|sets| sets.into_iter().map(proven).collect()).collect())
    }

    fn trees(&self) -> Vec<&Branching> {
        vec![&self.branching]
    }

    fn experts(&self) -> Vec<&Tree> {
        vec![self]
    }

    fn tempered(&self, temperature: f64) -> Option<Box<dyn Predictor>> {
        Some(Box::new(self.at_temperature(temperature)))
    }

    fn store(&self) -> Stored {
        self.stored()
    }
}
