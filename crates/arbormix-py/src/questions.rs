//! Questions to a model about some rows, all of them or given what is known of each.

use std::sync::{Arc, Mutex};

use arbormix::{Inference, Model, Result};
use arbormix_base::progress::Progress;
use arbormix_joint::question::Known;
use arbormix_matrix::{DenseMatrix, Matrix};
use arbormix_model::ask::{About, Answer, Array, Arrays, Asking, Cells, Given, QUESTIONS, Question, Shape};
use arbormix_model::scoring::in_blocks;
use numpy::{IntoPyArray, PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyInt, PyString};
use serde_json::Value;

use crate::arrays::{known, labels, shaped};
use crate::errors::{parsed, raised};

/// A model and encoded rows, with what is known of their labels.
#[pyclass(frozen, module = "arbormix._core")]
pub(crate) struct Questions {
    model: Arc<Model>,
    features: Matrix,
    known: Option<Vec<Known>>,
}

/// Looks between blocks of rows whether Python was interrupted, and keeps what it raised.
#[derive(Default)]
struct Signals(Mutex<Option<PyErr>>);

impl Progress for Signals {
    fn cancelled(&self) -> bool {
        match Python::attach(|py| py.check_signals()) {
            Ok(()) => false,
            Err(error) => {
                if let Ok(mut kept) = self.0.lock() {
                    *kept = Some(error);
                }
                true
            }
        }
    }
}

impl Signals {
    /// Does long work without the interpreter's lock; what Python raised meanwhile comes first.
    fn while_detached<T: Send>(py: Python<'_>, work: impl FnOnce(&Signals) -> Result<T> + Send) -> PyResult<T> {
        let signals = Signals::default();
        let done = py.detach(|| work(&signals));
        match signals.0.into_inner() {
            Ok(Some(error)) => Err(error),
            _ => done.map_err(raised),
        }
    }
}

impl Questions {
    /// About rows whose features are encoded.
    pub(crate) fn new(
        model: Arc<Model>,
        features: Matrix,
        given: Option<PyReadonlyArray2<'_, i8>>,
    ) -> PyResult<Questions> {
        let known = given.map(|given| known(&given));
        if let Some(known) = &known
            && known.len() != features.rows()
        {
            let message = format!("known labels of {} rows for {} rows of features", known.len(), features.rows());
            return Err(PyValueError::new_err(message));
        }
        Ok(Questions { model, features, known })
    }

    /// The answers to a question, as one array or as several with names.
    fn answers(&self, py: Python<'_>, name: &str, given: Vec<(String, Given)>) -> PyResult<Vec<Array>> {
        let question = Question::named(name).map_err(arbormix::Error::from).map_err(raised)?;
        let asked = question.ask(&About::from(self.model.as_ref()), given).map_err(raised)?;
        let asking = Asking { model: &self.model, features: &self.features, known: self.known.as_deref() };
        Signals::while_detached(py, |signals| {
            let mut arrays = Arrays::new(asked.shape(), self.model.schema().label_names.len());
            asking.answer(&asked, signals, &mut |answer| arrays.push(answer))?;
            Ok(arrays.finish())
        })
    }
}

/// An argument: a number, text, or an array of label sets, one per row.
fn argument(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Given> {
    if let Ok(sets) = value.extract::<PyReadonlyArray2<'_, i8>>() {
        let sets = labels(&sets);
        return match sets.unknown() {
            0 => Ok(Given::Sets(sets.sets().to_vec())),
            unknown => Err(PyValueError::new_err(format!("unknown cells in whole label sets: {unknown} against 0"))),
        };
    }
    if value.is_instance_of::<PyString>() {
        return Ok(Given::Json(Value::String(value.extract()?)));
    }
    // Numbers keep their digits as text; numpy's are numbers too.
    if value.is_instance_of::<PyInt>() || value.hasattr("__index__")? {
        return Ok(Given::Json(Value::String(value.call_method0("__index__")?.str()?.to_string())));
    }
    if value.is_instance_of::<PyFloat>() || value.hasattr("__float__")? {
        return Ok(Given::Json(Value::String(value.extract::<f64>()?.to_string())));
    }
    Err(PyTypeError::new_err(format!("{name} = {value}: expected a number, text, or label sets")))
}

/// An array of Python.
fn array<'py>(py: Python<'py>, array: Array) -> PyResult<Bound<'py, PyAny>> {
    let Array { shape, cells, .. } = array;
    Ok(match cells {
        Cells::Floats(cells) => cells.into_pyarray(py).reshape(shape)?.into_any(),
        Cells::Bits(cells) => cells.into_pyarray(py).reshape(shape)?.into_any(),
        Cells::Places(cells) => cells.into_pyarray(py).reshape(shape)?.into_any(),
        Cells::Flags(cells) => cells.into_pyarray(py).reshape(shape)?.into_any(),
    })
}

/// Arrays of Python under their names; one without a name alone.
fn arrays<'py>(py: Python<'py>, found: Vec<Array>) -> PyResult<Bound<'py, PyAny>> {
    let named = PyDict::new(py);
    for part in found {
        if part.name.is_empty() {
            return array(py, part);
        }
        named.set_item(part.name, array(py, part)?)?;
    }
    Ok(named.into_any())
}

fn dense<'py>(py: Python<'py>, matrix: DenseMatrix) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let shape = [matrix.rows(), matrix.cols()];
    shaped(py, matrix.into_values(), shape)
}

#[pymethods]
impl Questions {
    /// The answers to a declared question: an array, or a dictionary of arrays; the first axis is the row.
    #[pyo3(signature = (question, **arguments))]
    fn ask<'py>(
        &self,
        py: Python<'py>,
        question: &str,
        arguments: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut given = Vec::new();
        for (name, value) in arguments.into_iter().flatten() {
            let name: String = name.extract()?;
            // An argument without a value is not given.
            if !value.is_none() {
                given.push((name.clone(), argument(&name, &value)?));
            }
        }
        arrays(py, self.answers(py, question, given)?)
    }

    /// The method's own predictions, or the most probable sets given what is known.
    #[pyo3(signature = (inference=None))]
    fn predict<'py>(&self, py: Python<'py>, inference: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
        let predictor = self.model.predictor();
        let inference = match inference {
            Some(text) => serde_json::from_value(parsed(text)?)
                .map_err(|error| PyValueError::new_err(format!("inference: {error}")))?,
            None => predictor.inference(),
        };
        if self.known.is_some() {
            let limit = if let Inference::Exact { node_limit } = inference { node_limit } else { 0 };
            let given = vec![("node_limit".to_string(), Given::Json(limit.into()))];
            return arrays(py, self.answers(py, "map", given)?);
        }
        let found = Signals::while_detached(py, |signals| {
            let work = |_, some: &Matrix| predictor.predict(some, inference);
            let found = in_blocks(&self.features, inference, "predicting", signals, work)?;
            let mut arrays = Arrays::new(&Shape::Best(""), self.model.schema().label_names.len());
            found.into_iter().for_each(|prediction| arrays.push(Answer::Best(prediction)));
            Ok(arrays.finish())
        })?;
        arrays(py, found)
    }

    /// P(label | x, known), rows × labels. As `ask` answers, without a copy: this is what large data ask most.
    fn marginals<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if self.known.is_some() {
            return arrays(py, self.answers(py, "marginals", Vec::new())?);
        }
        let marginals = py.detach(|| self.model.predictor().marginals(&self.features)).map_err(raised)?;
        Ok(dense(py, marginals)?.into_any())
    }

    /// Gate weights of the experts, rows × experts; nothing for methods without a gate.
    fn gate<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        py.detach(|| self.model.predictor().gate(&self.features)).map(|gate| dense(py, gate)).transpose()
    }
}

/// The declared questions, as JSON.
#[pyfunction]
pub(crate) fn questions() -> String {
    QUESTIONS.iter().map(|question| question.describe()).collect::<Value>().to_string()
}
