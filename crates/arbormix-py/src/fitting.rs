//! Fits that show how far they are and stop when Python is interrupted.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use arbormix::Learner;
use arbormix::distribution::Helper;
use arbormix::progress::Progress;
use arbormix::registry::{self, Preset};
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::dataset::Dataset;
use crate::errors::{parsed, raised};
use crate::model::Model;

/// How often Python is asked whether it was interrupted, and told how far the work is.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// What the work says, kept for the thread that may speak to Python.
#[derive(Default)]
struct Watch {
    stage: Mutex<(String, usize)>,
    done: AtomicUsize,
    stopped: AtomicBool,
}

impl Progress for Watch {
    fn begin(&self, stage: &str, steps: usize) {
        if let Ok(mut current) = self.stage.lock() {
            *current = (stage.to_string(), steps);
            self.done.store(0, Ordering::Relaxed);
        }
    }

    fn advance(&self, steps: usize) {
        self.done.fetch_add(steps, Ordering::Relaxed);
    }

    fn cancelled(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

impl Watch {
    /// Lets Python handle its signals, then calls `report(stage, steps, done)`.
    fn look(&self, report: Option<&Py<PyAny>>) -> PyResult<()> {
        Python::attach(|py| {
            py.check_signals()?;
            if let (Some(report), Ok(stage)) = (report, self.stage.lock().map(|stage| stage.clone())) {
                report.call1(py, (stage.0, stage.1, self.done.load(Ordering::Relaxed)))?;
            }
            Ok(())
        })
    }
}

/// What the thread of a fit sends to the one that may speak to Python.
enum Message {
    /// The fit is over.
    Finished,
    /// Units of a stage that others are to do.
    Units { stage: Vec<u8>, units: Vec<Vec<u8>>, reply: Sender<Vec<Vec<u8>>> },
}

/// Sends units to the thread that called fit: joblib's settings belong to that thread.
struct Away(Mutex<Sender<Message>>);

impl Helper for Away {
    fn answer(&self, stage: &[u8], units: &[Vec<u8>]) -> arbormix::Result<Vec<Vec<u8>>> {
        let (reply, answers) = channel();
        let message = Message::Units { stage: stage.to_vec(), units: units.to_vec(), reply };
        // Nobody listens or answers after an interrupt or an exception.
        let sent = self.0.lock().is_ok_and(|messages| messages.send(message).is_ok());
        let answered = if sent { answers.recv().ok() } else { None };
        answered.ok_or(arbormix::Error::Cancelled)
    }
}

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
    let (watch, data) = (Arc::new(Watch::default()), Arc::clone(&data.0));
    let (messages, inbox) = channel();
    let helped = helpers.is_some();
    let work = {
        let watch = Arc::clone(&watch);
        std::thread::spawn(move || {
            let (learner, weights) = (learner.as_ref(), weights.as_deref());
            let fitted = if helped {
                let away = Away(Mutex::new(messages.clone()));
                arbormix::distribution::fit_with(learner, &data, weights, &away, watch.as_ref())
            } else {
                arbormix::fit(learner, &data, weights, watch.as_ref())
            };
            // Nobody listens after an interrupt.
            let _ = messages.send(Message::Finished);
            fitted
        })
    };
    py.detach(move || {
        // An interrupt returns at once: the thread ends at its next safe point, which in a solver is the next product.
        let stop = |_: &PyErr| watch.stopped.store(true, Ordering::Relaxed);
        loop {
            match inbox.recv_timeout(LOOK_EVERY) {
                Err(RecvTimeoutError::Timeout) => watch.look(report.as_ref()).inspect_err(stop)?,
                Ok(Message::Units { stage, units, reply }) => {
                    let answers = ask(helpers.as_ref(), &stage, &units).inspect_err(stop)?;
                    // The fit waits for them, unless it panicked, which `join` tells.
                    let _ = reply.send(answers);
                }
                Ok(Message::Finished) | Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        match work.join() {
            Ok(fitted) => fitted.map(Model::new).map_err(raised),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

fn ask(helpers: Option<&Py<PyAny>>, stage: &[u8], units: &[Vec<u8>]) -> PyResult<Vec<Vec<u8>>> {
    let Some(helpers) = helpers else { return Ok(Vec::new()) };
    Python::attach(|py| {
        let units: Vec<Bound<'_, PyBytes>> = units.iter().map(|unit| PyBytes::new(py, unit)).collect();
        helpers.call1(py, (PyBytes::new(py, stage), units))?.extract(py)
    })
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
        py.detach(|| arbormix::distribution::helper(learner.as_ref(), &data.0, weights.as_deref()))
            .map(UnitHelper)
            .map_err(raised)
    }

    /// The answers to units of a stage.
    fn answer<'py>(&self, py: Python<'py>, stage: &[u8], units: Vec<Vec<u8>>) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let answers = py.detach(|| self.0.answer(stage, &units)).map_err(raised)?;
        Ok(answers.iter().map(|answer| PyBytes::new(py, answer)).collect())
    }
}
