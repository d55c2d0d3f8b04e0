//! The M-step over unknown cells, and EM for one tree.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::beliefs::Beliefs;
use crate::ctbn::nodes::{Condition, Fitted, FittedNode, column};
use crate::ctbn::{CompletionParams, Trainer};
use arbormix_base::progress::Progress;
use arbormix_joint::Result;
use arbormix_joint::learner::TraceStep;
use arbormix_learn::logistic::loss::smoothed_log_odds;
use arbormix_learn::logistic::{Coefficients, Problem, SolverParams, solve};

/// How EM over unknown cells ended.
pub struct Completed {
    pub fitted: Fitted,
    pub converged: bool,
    pub trace: Vec<TraceStep>,
}

/// A training row under one value of what is unknown in it. A row whose cells are all observed has one copy.
struct RowCopy {
    row: usize,
    /// The parent's value, where the regression depends on it.
    parent: Option<bool>,
    /// The value of every label that is unknown in this row.
    value: bool,
}

/// Place of a regression in a tree.
#[derive(Debug, Clone, Copy)]
struct Place {
    label: usize,
    node: usize,
}

impl Trainer<'_> {
    /// EM over the unknown cells of one tree; returns the tree as it is if there are none.
    pub fn complete(
        &self,
        mut fitted: Fitted,
        params: &CompletionParams,
        progress: &dyn Progress,
    ) -> Result<Completed> {
        if self.observed.is_none() {
            return Ok(Completed { fitted, converged: true, trace: Vec::new() });
        }
        let weights: Vec<f64> = (0..self.design.rows()).map(|row| self.row_weight(row)).collect();
        let enough = params.tolerance * weights.iter().sum::<f64>();
        let mut trace: Vec<TraceStep> = Vec::new();
        progress.begin("EM over unknown label cells", params.max_iterations);
        loop {
            progress.check()?;
            let beliefs = self.beliefs(&fitted);
            let log_likelihood = beliefs.log_likelihoods.iter().zip(&weights).map(|(l, w)| l * w).sum();
            let penalised = log_likelihood - fitted.penalty(&self.design);
            let converged = trace.last().is_some_and(|last| penalised - last.penalised < enough);
            let iteration = trace.len();
            trace.push(TraceStep { experts: 1, iteration, log_likelihood, penalised, validation: None });
            if converged || iteration == params.max_iterations {
                return Ok(Completed { fitted, converged, trace });
            }
            fitted = self.maximised(&fitted, &beliefs, &weights, &self.logistic.solver, progress)?;
            progress.advance(1);
        }
    }

    /// The M-step: every regression refitted, from where it is, on rows that count as often as they are believed.
    ///
    /// A smoothed constant stays one: its own penalty is part of what EM increases.
    pub fn maximised(
        &self,
        fitted: &Fitted,
        beliefs: &Beliefs,
        weights: &[f64],
        solver: &SolverParams,
        progress: &dyn Progress,
    ) -> Result<Fitted> {
        let mut groups: BTreeMap<Condition, Vec<Place>> = BTreeMap::new();
        for (label, nodes) in fitted.nodes.iter().enumerate() {
            for (node, FittedNode { condition, .. }) in nodes.iter().enumerate() {
                groups.entry(*condition).or_default().push(Place { label, node });
            }
        }
        let groups: Vec<(Condition, Vec<Place>)> = groups.into_iter().collect();
        let solved: Vec<Vec<(Coefficients, bool)>> = groups
            .par_iter()
            .map(|group| self.maximised_group(fitted, group, beliefs, weights, solver, progress))
            .collect::<Result<_>>()?;
        let mut out = fitted.clone();
        for ((_, places), solutions) in groups.iter().zip(solved) {
            for (place, (coefficients, converged)) in places.iter().zip(solutions) {
                let node = &mut out.nodes[place.label][place.node];
                (node.coefficients, node.converged) = (coefficients, converged);
            }
        }
        Ok(out)
    }

    /// The regressions that share a condition, on the same copies of rows.
    fn maximised_group(
        &self,
        fitted: &Fitted,
        (condition, places): &(Condition, Vec<Place>),
        beliefs: &Beliefs,
        weights: &[f64],
        solver: &SolverParams,
        progress: &dyn Progress,
    ) -> Result<Vec<(Coefficients, bool)>> {
        progress.check()?;
        let copies = self.copies(*condition, places, weights);
        let node = |place: &Place| &fitted.nodes[place.label][place.node];
        let cells = |place: &Place| {
            let cell = |copy: &RowCopy| self.believed(place.label, copy, beliefs, weights);
            copies.iter().map(cell).unzip()
        };
        let believed: Vec<(Vec<bool>, Vec<f64>)> = places.iter().map(cells).collect();
        let linear = |place: &Place| matches!(node(place).coefficients, Coefficients::Linear(_));
        let (open, _): (Vec<usize>, Vec<usize>) = (0..places.len()).partition(|&at| linear(&places[at]));
        let problem = |&at: &usize| {
            let (FittedNode { cost, coefficients, .. }, (targets, weights)) = (node(&places[at]), &believed[at]);
            Problem {
                targets,
                weights: Some(weights),
                only: None,
                cost: *cost,
                start: Some(coefficients),
                coordinates: None,
            }
        };
        let problems: Vec<Problem<'_>> = open.iter().map(problem).collect();
        let rows: Vec<usize> = copies.iter().map(|copy| copy.row).collect();
        let design = self.design.with_rows(&rows);
        let extra = match condition {
            Condition::ParentFeature { .. } => {
                Some(column(&copies.iter().map(|copy| copy.parent == Some(true)).collect::<Vec<_>>()))
            }
            _ => None,
        };
        let extras: Vec<&[f64]> = extra.iter().map(Vec::as_slice).collect();
        let solutions = solve(&design.block(None, &extras), &problems, solver, progress)?;
        let mut out: Vec<(Coefficients, bool)> = believed.iter().map(|cells| (constant(cells), true)).collect();
        for (at, solution) in open.into_iter().zip(solutions) {
            out[at] = (solution.coefficients, solution.converged);
        }
        Ok(out)
    }

    /// The rows under a condition, once for each value that the parent and the labels may have in them.
    fn copies(&self, condition: Condition, places: &[Place], weights: &[f64]) -> Vec<RowCopy> {
        let possible = |row: usize, parent: usize, value: bool| {
            !self.is_observed(row, parent) || self.labels[parent][row] == value
        };
        let mut out = Vec::new();
        for row in (0..self.design.rows()).filter(|&row| weights[row] > 0.0) {
            let parents: Vec<Option<bool>> = match condition {
                Condition::Always => vec![None],
                Condition::Parent { parent, value } => {
                    possible(row, parent, value).then_some(Some(value)).into_iter().collect()
                }
                Condition::ParentFeature { parent } => {
                    [false, true].into_iter().filter(|&value| possible(row, parent, value)).map(Some).collect()
                }
            };
            let open = places.iter().any(|place| !self.is_observed(row, place.label));
            let values: &[bool] = if open { &[false, true] } else { &[false] };
            for &parent in &parents {
                out.extend(values.iter().map(|&value| RowCopy { row, parent, value }));
            }
        }
        out
    }

    /// A label's value in a copy of a row, and how much it counts. An observed label counts in one copy only.
    fn believed(&self, label: usize, copy: &RowCopy, beliefs: &Beliefs, weights: &[f64]) -> (bool, f64) {
        let row = copy.row;
        let observed = self.is_observed(row, label);
        let value = if observed { self.labels[label][row] } else { copy.value };
        let repeated = observed && copy.value;
        let share = if repeated { 0.0 } else { beliefs.pair(row, label, copy.parent, value) };
        (value, weights[row] * share)
    }
}

fn constant((targets, weights): &(Vec<bool>, Vec<f64>)) -> Coefficients {
    let positive = targets.iter().zip(weights).filter(|(target, _)| **target).map(|(_, weight)| weight).sum();
    Coefficients::Constant(smoothed_log_odds(positive, weights.iter().sum()))
}
