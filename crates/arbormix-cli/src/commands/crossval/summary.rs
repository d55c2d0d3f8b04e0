//! Means and standard errors over folds.

use arbormix_data::Dataset;
use arbormix_experiment::mean_and_error;
use serde_json::{Map, Value, json};

use super::misses::Misses;
use crate::output::{fixed, table};

/// What one fold gave.
pub(super) struct Fold {
    /// Names and values, the same names in every fold.
    pub(super) measures: Vec<(String, f64)>,
    /// Test rows without unknown label cells: those that measures of whole sets use.
    pub(super) full_rows: usize,
    /// Known label cells of the test rows: those that all other measures use.
    pub(super) cells: usize,
    pub(super) misses: Option<Misses>,
}

/// What all folds of one method gave.
pub(super) struct Results {
    pub(super) method: &'static str,
    pub(super) folds: Vec<Fold>,
}

impl Results {
    /// The measure's value in each fold.
    fn values(&self, name: &str) -> Vec<f64> {
        let of = |fold: &Fold| fold.measures.iter().find(|(other, _)| other == name).map(|&(_, value)| value);
        self.folds.iter().filter_map(of).collect()
    }

    fn full_rows(&self) -> usize {
        self.folds.iter().map(|fold| fold.full_rows).sum()
    }

    fn cells(&self) -> usize {
        self.folds.iter().map(|fold| fold.cells).sum()
    }

    fn misses(&self) -> Option<Misses> {
        self.folds.iter().map(|fold| fold.misses).collect::<Option<Vec<_>>>().map(|all| all.into_iter().sum())
    }
}

/// Every measure that any method has, in the order of their first appearance.
fn names(all: &[Results]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in all.iter().flat_map(|results| &results.folds).flat_map(|fold| &fold.measures) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    names
}

pub(super) fn to_json(all: &[Results]) -> Value {
    let method = |results: &Results| {
        let mut measures = Map::new();
        for name in names(std::slice::from_ref(results)) {
            let values = results.values(name);
            let (mean, error) = mean_and_error(&values);
            measures.insert(name.to_string(), json!({"mean": mean, "standard_error": error, "folds": values}));
        }
        let mut object = json!({
            "method": results.method,
            "folds": results.folds.len(),
            "full_rows": results.full_rows(),
            "cells": results.cells(),
            "measures": measures,
        });
        if let Some(misses) = results.misses() {
            object["misses"] = misses.to_json();
        }
        object
    };
    json!({"methods": all.iter().map(method).collect::<Vec<_>>()})
}

pub(super) fn to_text(all: &[Results], data: &Dataset) -> String {
    let rows = data.rows();
    let folds = all.first().map_or(0, |results| results.folds.len());
    let mut header = vec!["measure"];
    header.extend(all.iter().map(|results| results.method));
    let line = |name: &str| {
        let cell = |results: &Results| match results.values(name) {
            values if values.is_empty() => String::new(),
            values => {
                let (mean, error) = mean_and_error(&values);
                let some = values.len() < results.folds.len();
                let of = if some { format!(" ({} folds)", values.len()) } else { String::new() };
                format!("{} ± {}{of}", fixed(mean), fixed(error))
            }
        };
        std::iter::once(name.to_string()).chain(all.iter().map(cell)).collect()
    };
    let table = table(&header, 1, names(all).into_iter().map(line).collect::<Vec<_>>());
    let mut out = format!("{rows} rows, {folds} folds; mean ± standard error\n{table}");
    if let Some(results) = all.first()
        && data.labels().unknown() > 0
    {
        let (cells, full) = (results.cells(), results.full_rows());
        let all = rows * data.labels().count();
        out.push_str(&format!("{cells} of {all} label cells are known and measured"));
        out.push_str(&format!("; {full} rows without unknown label cells, for measures of whole sets\n"));
    }
    for results in all {
        if let Some(misses) = results.misses() {
            out.push_str(&format!(
                "{}: of {} rows, {} are certified; best-expert misses {}, annealing misses {}\n",
                results.method, misses.rows, misses.certified, misses.best_expert, misses.annealing
            ));
        }
    }
    out
}
