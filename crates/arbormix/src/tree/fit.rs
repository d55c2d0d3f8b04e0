//! Learning one CTBN: edge scores, maximum branching, the choice of C, the nodes' regressions.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use super::branching::Branching;
use super::nodes::{Condition, Fitted, FittedNode, Job, conditions, fit_nodes};
use super::params::{NodeParams, StructureParams, TreeParams};
use super::predict::Tree;
use super::scores::Task;
use crate::data::DataError;
use crate::error::{ParamError, Result};
use crate::features::FeatureParams;
use crate::learner::{FitReport, Learner, Predictor, TrainingSet};
use crate::logistic::{Design, LogisticParams, Target, choose_costs, cost_folds};
use crate::progress::Progress;
use crate::random::Stream;

/// Everything needed to learn trees on one training set, again and again with other weights.
pub(crate) struct Trainer<'a> {
    pub(crate) design: Design,
    /// One column of N values per label.
    pub(crate) labels: Vec<Vec<bool>>,
    /// Weights of the rows, given by the user.
    pub(crate) row_weights: Option<Vec<f64>>,
    pub(crate) logistic: &'a LogisticParams,
    structure: &'a StructureParams,
    nodes: &'a NodeParams,
    seed: u64,
    /// Fold of each row in the choice of C, the same for all regressions.
    fold_of: Vec<usize>,
    /// C of every regression seen so far; it does not depend on the weights of a tree.
    costs: Mutex<BTreeMap<(usize, Condition), f64>>,
}

impl<'a> Trainer<'a> {
    /// Prepares the rows.
    pub(crate) fn new(
        data: &TrainingSet<'_>,
        logistic: &'a LogisticParams,
        structure: &'a StructureParams,
        nodes: &'a NodeParams,
        seed: u64,
    ) -> Trainer<'a> {
        Trainer {
            design: Design::new(data.features, logistic.bias),
            labels: (0..data.labels.count()).map(|label| data.labels.column(label)).collect(),
            row_weights: data.weights.map(<[f64]>::to_vec),
            logistic,
            structure,
            nodes,
            seed,
            fold_of: cost_folds(data.labels.rows(), logistic.folds, seed),
            costs: Mutex::default(),
        }
    }

    /// Weight of a row.
    pub(crate) fn row_weight(&self, row: usize) -> f64 {
        self.row_weights.as_ref().map_or(1.0, |weights| weights[row])
    }

    /// The costs chosen so far; a thread that panicked left them whole, since they only grow.
    fn costs(&self) -> MutexGuard<'_, BTreeMap<(usize, Condition), f64>> {
        self.costs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets the costs chosen so far, after the weights of the rows have changed.
    pub(crate) fn forget_costs(&mut self) {
        self.costs().clear();
    }

    /// The best tree for weighted rows (Section 5.3.1); every `number` divides the rows anew.
    pub(crate) fn structure(&self, weights: Option<&[f64]>, number: u64, progress: &dyn Progress) -> Result<Branching> {
        let task = Task {
            design: &self.design,
            labels: &self.labels,
            weights,
            params: self.structure,
            kind: self.nodes.kind,
            solver: &self.logistic.solver,
        };
        let scores = task.scores(&mut Stream::new(self.seed, "edge-folds", number), progress)?;
        Ok(Branching::best(&scores, self.structure.min_gain))
    }

    /// Chooses C where it is not known yet and fits the regressions of a tree on weighted rows.
    pub(crate) fn fit_tree(&self, tree: Branching, weights: Option<&[f64]>, progress: &dyn Progress) -> Result<Fitted> {
        let conditions = conditions(&tree, &self.labels, self.row_weights.as_deref(), self.nodes);
        self.choose_costs(&conditions, progress)?;
        let costs = self.costs().clone();
        let slots: Vec<(usize, Condition)> =
            conditions.iter().enumerate().flat_map(|(label, list)| list.iter().map(move |&c| (label, c))).collect();
        let jobs: Vec<Job<'_>> = slots
            .iter()
            .map(|&(label, condition)| Job { label, condition, weights, cost: costs[&(label, condition)], start: None })
            .collect();
        let solutions = fit_nodes(&self.design, &self.labels, &jobs, &self.logistic.solver, progress)?;
        let mut nodes: Vec<Vec<FittedNode>> = vec![Vec::new(); self.labels.len()];
        for (&(label, condition), solution) in slots.iter().zip(solutions) {
            let cost = costs[&(label, condition)];
            nodes[label].push(FittedNode::new(condition, cost, solution));
        }
        Ok(Fitted { tree, nodes })
    }

    /// C of every regression under these conditions, by cross-validation without the tree's weights.
    fn choose_costs(&self, conditions: &[Vec<Condition>], progress: &dyn Progress) -> Result<()> {
        let known = self.costs().clone();
        let mut missing: BTreeMap<Condition, Vec<usize>> = BTreeMap::new();
        for (label, list) in conditions.iter().enumerate() {
            for &condition in list.iter().filter(|&&c| !known.contains_key(&(label, c))) {
                missing.entry(condition).or_default().push(label);
            }
        }
        progress.begin("choosing costs", missing.values().map(Vec::len).sum());
        let groups: Vec<(Condition, Vec<usize>)> = missing.into_iter().collect();
        let chosen: Vec<Vec<f64>> = groups
            .par_iter()
            .map(|(condition, labels)| {
                progress.check()?;
                let targets: Vec<Target<'_>> =
                    labels.iter().map(|&label| self.labels[label].as_slice().into()).collect();
                let costs = self.costs_under(*condition, &targets);
                progress.advance(labels.len());
                Ok(costs)
            })
            .collect::<Result<_>>()?;
        for ((condition, labels), costs) in groups.into_iter().zip(chosen) {
            self.costs().extend(labels.into_iter().map(|label| (label, condition)).zip(costs));
        }
        Ok(())
    }

    fn costs_under(&self, condition: Condition, targets: &[Target<'_>]) -> Vec<f64> {
        let choose = |rows: Option<&[usize]>, extras: &[&[f64]]| {
            choose_costs(&self.design, rows, extras, targets, self.row_weights.as_deref(), &self.fold_of, self.logistic)
        };
        match condition {
            Condition::Always => choose(None, &[]),
            Condition::Parent { parent, value } => {
                let rows: Vec<usize> =
                    (0..self.design.rows()).filter(|&row| self.labels[parent][row] == value).collect();
                choose(Some(&rows), &[])
            }
            Condition::ParentFeature { parent } => choose(None, &[&super::nodes::column(&self.labels[parent])]),
        }
    }
}

/// Errs if a label cell is unknown, which this method cannot learn from yet.
pub(crate) fn require_observed(data: &TrainingSet<'_>, method: &'static str) -> Result<()> {
    let cells = data.labels.unknown();
    if cells == 0 {
        return Ok(());
    }
    let remedy = "remove these rows, fill in the cells, or use the method br, which leaves unknown cells out";
    Err(DataError::UnknownLabels { cells, method, remedy }.into())
}

/// Notes on labels that are constant.
pub(crate) fn constant_label_notes(data: &TrainingSet<'_>) -> Vec<String> {
    let rows = data.labels.rows();
    (0..data.labels.count())
        .filter_map(|label| {
            let on = (0..rows).filter(|&row| data.labels.row(row).get(label)).count();
            let name = &data.label_names[label];
            match on {
                0 => Some(format!("label {name:?} is absent from every row: predicted by a smoothed constant")),
                _ if on == rows => {
                    Some(format!("label {name:?} is present in every row: predicted by a smoothed constant"))
                }
                _ => None,
            }
        })
        .collect()
}

/// The report of a method without EM: whether its regressions converged, and which labels are constant.
pub(crate) fn tree_report(fitted: &Fitted, data: &TrainingSet<'_>) -> FitReport {
    let mut notes = constant_label_notes(data);
    let (open, all) = fitted.unconverged();
    if open > 0 {
        notes.push(format!("{open} of {all} regressions reached the solver's limit of steps before its tolerance"));
    }
    FitReport { converged: open == 0, notes, trace: Vec::new() }
}

impl Learner for TreeParams {
    fn method(&self) -> &'static str {
        "ctbn"
    }

    fn params(&self) -> serde_json::Value {
        serde_json::to_value(self).expect("parameters are plain data")
    }

    fn validate(&self) -> Result<(), ParamError> {
        self.logistic.validate()?;
        self.structure.validate()
    }

    fn features(&self) -> &FeatureParams {
        &self.features
    }

    fn learn(&self, data: &TrainingSet<'_>, progress: &dyn Progress) -> Result<(Box<dyn Predictor>, FitReport)> {
        require_observed(data, self.method())?;
        let trainer = Trainer::new(data, &self.logistic, &self.structure, &self.nodes, self.seed);
        let tree = trainer.structure(data.weights, 0, progress)?;
        let fitted = trainer.fit_tree(tree, data.weights, progress)?;
        let report = tree_report(&fitted, data);
        Ok((Box::new(Tree::from_fitted(&fitted, &trainer.design)), report))
    }
}
