//! Experiments: single cells, and what all of them say.

use std::sync::Arc;

use arbormix_data::splits::Folds;
use arbormix_experiment::report::{Grid, json};
use arbormix_experiment::{Cell, Comparison, Contestant, Experiment, PairedTest, Task, gather, method_named, run_cell};
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::dataset::Dataset;
use crate::errors::raised;
use crate::fitting::learner;
use crate::watching::watched;

/// A method: its name in the experiment, its name in the registry, its parameters in JSON.
type Method = (String, String, String);

fn contestant((name, method, overrides): Method) -> PyResult<Contestant> {
    Ok(Contestant { name, learner: learner(&method, "default", &overrides)? })
}

fn task(data: &Dataset, folds: &PyReadonlyArray1<'_, i64>) -> PyResult<Task> {
    let id = |&id: &i64| {
        usize::try_from(id).map_err(|_| PyValueError::new_err(format!("fold {id} of a row; folds count from 0")))
    };
    let ids = folds.as_array().iter().map(id).collect::<PyResult<_>>()?;
    let folds = Folds::from_ids(ids).map_err(raised)?;
    Ok(Task { data: Arc::unwrap_or_clone(Arc::clone(&data.0)), folds })
}

/// One method on one fold of one data set: the cell as JSON.
#[pyfunction]
pub(crate) fn cell(
    py: Python<'_>,
    data: &Dataset,
    folds: PyReadonlyArray1<'_, i64>,
    method: Method,
    fold: usize,
) -> PyResult<String> {
    let (task, contestant) = (task(data, &folds)?, contestant(method)?);
    let cell = watched(py, None, None, move |watch, _| run_cell(&task, &contestant, fold, watch))?;
    Ok(json!(cell).to_string())
}

/// Everything that cells say, as JSON: the library's report with the table of each measure under `tables`.
#[pyfunction]
pub(crate) fn compared(
    py: Python<'_>,
    tasks: Vec<(PyRef<'_, Dataset>, PyReadonlyArray1<'_, i64>)>,
    methods: Vec<Method>,
    cells: Vec<String>,
    reference: &str,
    test: &str,
) -> PyResult<String> {
    let tasks = tasks.iter().map(|(data, folds)| task(data, folds)).collect::<PyResult<_>>()?;
    let methods = methods.into_iter().map(contestant).collect::<PyResult<_>>()?;
    let test: PairedTest = serde_json::from_value(json!(test))
        .map_err(|_| PyValueError::new_err(format!("test {test:?}; known: paired, corrected")))?;
    let cells: Vec<Cell> = cells
        .iter()
        .map(|cell| serde_json::from_str(cell).map_err(|error| PyValueError::new_err(format!("not a cell: {error}"))))
        .collect::<PyResult<_>>()?;
    py.detach(|| {
        let results = gather(&Experiment::new(tasks, methods)?, &cells)?;
        let reference = method_named(&results, reference)?;
        let mut report = json(&results, reference, test, true);
        let table = |(name, better): (String, _)| {
            let grid = Grid::new(&results, &Comparison::new(&results, &name, better, reference, test));
            (name, json!({"title": grid.title, "header": grid.header, "rows": grid.rows, "notes": grid.notes}))
        };
        report["tables"] = Value::Object(results.measures().into_iter().map(table).collect());
        Ok(report.to_string())
    })
    .map_err(|error: arbormix_experiment::Error| raised(error))
}
