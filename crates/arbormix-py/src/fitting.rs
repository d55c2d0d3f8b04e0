//! Fits, here or with the help of others.

use std::sync::Arc;

use arbormix::Learner;
use arbormix::registry::{self, Preset};
use arbormix_model::helpers::Helper;
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::dataset::Dataset;
use crate::errors::{parsed, raised};
use crate::model::Model;
use crate::watching::watched;

/// The learner of a preset with overrides in JSON.
pub(crate) fn learner(method: &str, preset: &str, overrides: &str) -> PyResult<Box<dyn Learner>> {
    let preset = match preset {
        "default" => Preset::Default,
        "paper" => Preset::Paper,
        other => return Err(PyValueError::new_err(format!("preset {other:?}; known: default, paper"))),
    };
    registry::learner(method, preset, &parsed(overrides)?).map_err(raised)
}

/// Fits a method of the registry. `overrides` is JSON laid over the preset's parameters; `report(stage, steps, done)` is
/// called about ten times a second. `helpers(stage, units)` gives the answers to units of the fit, all as bytes; it is
/// called where fit was called.
#[pyfunction]
#[pyo3(signature = (method, preset, overrides, data, weights=None, report=None, helpers=None))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments")]
pub(crate) fn fit(
    py: Python<'_>,
    method: &str,
    preset: &str,
    overrides: &str,
    data: &Dataset,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    report: Option<Py<PyAny>>,
    helpers: Option<Py<PyAny>>,
) -> PyResult<Model> {
    let learner = learner(method, preset, overrides)?;
    let weights: Option<Vec<f64>> = weights.map(|weights| weights.as_array().to_vec());
    let (data, helped) = (Arc::clone(&data.0), helpers.is_some());
    let fitted = watched(py, report, helpers, move |watch, away| {
        let (learner, weights) = (learner.as_ref(), weights.as_deref());
        if helped {
            arbormix_model::helpers::fit_with(learner, &data, weights, away, watch)
        } else {
            arbormix_model::fit(learner, &data, weights, watch)
        }
    })?;
    Ok(Model::new(fitted))
}

/// Answers units of a distributed fit with the same method, parameters, data and weights.
#[pyclass(frozen, module = "arbormix._core")]
pub(crate) struct UnitHelper(Box<dyn Helper>);

#[pymethods]
impl UnitHelper {
    #[new]
    #[pyo3(signature = (method, preset, overrides, data, weights=None))]
    fn new(
        py: Python<'_>,
        method: &str,
        preset: &str,
        overrides: &str,
        data: &Dataset,
        weights: Option<PyReadonlyArray1<'_, f64>>,
    ) -> PyResult<UnitHelper> {
        let learner = learner(method, preset, overrides)?;
        let weights: Option<Vec<f64>> = weights.map(|weights| weights.as_array().to_vec());
        py.detach(|| arbormix_model::helpers::helper(learner.as_ref(), &data.0, weights.as_deref()))
            .map(UnitHelper)
            .map_err(raised)
    }

    /// The answers to units of a stage.
    fn answer<'py>(&self, py: Python<'py>, stage: &[u8], units: Vec<Vec<u8>>) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let answers = py.detach(|| self.0.answer(stage, &units)).map_err(raised)?;
        Ok(answers.iter().map(|answer| PyBytes::new(py, answer)).collect())
    }
}
