//! Splits and measures.

use arbormix_data::splits::{self, Folds};
use arbormix_matrix::{DenseMatrix, Matrix};
use arbormix_model::measure::{self, MeasureOptions, Outcome};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::json;

use crate::arrays::{Features, labels, matrix};
use crate::errors::{parsed, raised};

fn ids<'py>(py: Python<'py>, folds: &Folds) -> Bound<'py, PyArray1<i64>> {
    places(py, folds.ids())
}

fn places<'py>(py: Python<'py>, rows: &[usize]) -> Bound<'py, PyArray1<i64>> {
    rows.iter().map(|&row| row as i64).collect::<Vec<_>>().into_pyarray(py)
}

/// The fold of each row, every label spread evenly.
#[pyfunction]
pub(crate) fn stratified_folds<'py>(
    py: Python<'py>,
    truth: PyReadonlyArray2<'_, i8>,
    folds: usize,
    seed: u64,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    Ok(ids(py, &Folds::stratified(&labels(&truth), folds, seed).map_err(raised)?))
}

/// The fold of each row, shuffled.
#[pyfunction]
pub(crate) fn shuffled_folds(
    py: Python<'_>,
    rows: usize,
    folds: usize,
    seed: u64,
) -> PyResult<Bound<'_, PyArray1<i64>>> {
    Ok(ids(py, &Folds::shuffled(rows, folds, seed).map_err(raised)?))
}

/// Rows to train on and rows to test on.
#[pyfunction]
pub(crate) fn stratified_holdout<'py>(
    py: Python<'py>,
    truth: PyReadonlyArray2<'_, i8>,
    fraction: f64,
    seed: u64,
) -> (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>) {
    let (train, test) = splits::stratified_holdout(&labels(&truth), fraction, seed);
    (places(py, &train), places(py, &test))
}

/// All measures that are defined for the outcome, as JSON; `options` is JSON laid over the library's.
#[pyfunction]
#[pyo3(signature = (truth, predicted, marginals=None, log_probs=None, options="{}"))]
pub(crate) fn evaluate(
    py: Python<'_>,
    truth: PyReadonlyArray2<'_, i8>,
    predicted: PyReadonlyArray2<'_, i8>,
    marginals: Option<PyReadonlyArray2<'_, f64>>,
    log_probs: Option<PyReadonlyArray1<'_, f64>>,
    options: &str,
) -> PyResult<String> {
    let wrong = |error: serde_json::Error| PyValueError::new_err(error.to_string());
    let mut chosen = json!(MeasureOptions::default());
    if let (Some(fields), Some(changes)) = (chosen.as_object_mut(), parsed(options)?.as_object()) {
        fields.extend(changes.clone());
    }
    let options: MeasureOptions = serde_json::from_value(chosen).map_err(wrong)?;
    let (truth, predicted) = (labels(&truth), labels(&predicted));
    if predicted.unknown() > 0 {
        return Err(PyValueError::new_err(format!("{} predicted cells are unknown", predicted.unknown())));
    }
    let marginals: Option<DenseMatrix> = match marginals.map(|array| matrix(&Features::Dense(array))).transpose()? {
        Some(Matrix::Dense(dense)) => Some(dense),
        _ => None,
    };
    let log_probs: Option<Vec<f64>> = log_probs.map(|logs| logs.as_array().to_vec());
    let outcome = Outcome {
        truth: &truth,
        predicted: predicted.sets(),
        marginals: marginals.as_ref(),
        log_probs: log_probs.as_deref(),
    };
    let measures = py.detach(|| measure::evaluate(&outcome, &options)).map_err(raised)?;
    Ok(json!(measures).to_string())
}
