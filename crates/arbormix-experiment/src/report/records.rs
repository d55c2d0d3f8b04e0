//! Everything about the cells, for programs.

use serde_json::{Map, Value, json};

use super::super::cell::{Cell, CellOutcome, VERSION};
use super::super::comparison::{Comparison, PairedTest};
use super::super::results::Results;

/// One line per cell: names, seed, version, what kind of probability the CLL-loss is of, then every measure.
///
/// Numbers are written so that they are read back to the same bits. With `timings` the seconds of fitting and testing
/// follow; they differ from run to run.
pub fn csv(results: &Results, timings: bool) -> String {
    let measures = results.measures();
    let mut header = vec![
        "data",
        "method",
        "registry_name",
        "fold",
        "seed",
        "version",
        "test_rows",
        "joint",
        "converged",
        "failure",
    ];
    header.extend(measures.iter().map(|(name, _)| name.as_str()));
    if timings {
        header.extend(["fit_seconds", "test_seconds"]);
    }
    let mut writer = csv::Writer::from_writer(Vec::new());
    // Writing to memory cannot fail.
    let mut write = |record: Vec<String>| writer.write_record(&record).expect("memory takes every record");
    write(header.iter().map(ToString::to_string).collect());
    for_each_cell(results, |method, cell| {
        let mut record = vec![cell.data.clone(), method.to_string(), cell.method.clone(), cell.fold.to_string()];
        record.push(cell.seed.map_or(String::new(), |seed| seed.to_string()));
        record.push(cell.version.clone());
        match &cell.outcome {
            CellOutcome::Finished(finished) => {
                record.push(finished.test_rows.to_string());
                record.push(json!(finished.joint).as_str().unwrap_or_default().to_string());
                record.push(finished.converged.to_string());
                record.push(String::new());
            }
            CellOutcome::Failed(reason) => {
                record.extend([String::new(), String::new(), String::new(), reason.clone()]);
            }
        }
        let text = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:?}"));
        record.extend(measures.iter().map(|(name, _)| text(cell.measure(name))));
        if timings {
            record.extend(seconds(cell).map(text));
        }
        write(record);
    });
    String::from_utf8(writer.into_inner().expect("memory takes every record")).expect("the parts are text")
}

/// Everything: data sets, methods with all parameters, comparisons of all measures, cells with their notes.
///
/// An infinite statistic (differences without variance) is `null`.
pub fn json(results: &Results, reference: usize, test: PairedTest, timings: bool) -> Value {
    let mut measures = Map::new();
    for (name, better) in results.measures() {
        measures.insert(name.clone(), json!(Comparison::new(results, &name, better, reference, test)));
    }
    let mut cells = Vec::new();
    for_each_cell(results, |method, cell| {
        let mut object = json!({"data": cell.data, "method": method, "fold": cell.fold, "seed": cell.seed});
        match &cell.outcome {
            CellOutcome::Failed(reason) => object["failure"] = json!(reason),
            CellOutcome::Finished(finished) => {
                object["joint"] = json!(finished.joint);
                object["test_rows"] = json!(finished.test_rows);
                object["converged"] = json!(finished.converged);
                object["notes"] = json!(finished.notes);
                object["absent"] = json!(finished.absent);
            }
        }
        if timings {
            let [fit, test] = seconds(cell);
            object["fit_seconds"] = json!(fit);
            object["test_seconds"] = json!(test);
        }
        cells.push(object);
    });
    json!({
        "version": VERSION,
        "reference": results.methods()[reference].name,
        "test": test,
        "data": results.data(),
        "methods": results.methods(),
        "measures": measures,
        "cells": cells,
    })
}

fn for_each_cell(results: &Results, mut visit: impl FnMut(&str, &Cell)) {
    for data in 0..results.data().len() {
        for (method, info) in results.methods().iter().enumerate() {
            results.cells(data, method).iter().for_each(|cell| visit(&info.name, cell));
        }
    }
}

/// Seconds of fitting and of testing.
fn seconds(cell: &Cell) -> [Option<f64>; 2] {
    match &cell.outcome {
        CellOutcome::Finished(finished) => [Some(finished.fit_seconds), Some(finished.test_seconds)],
        CellOutcome::Failed(_) => [None, None],
    }
}
