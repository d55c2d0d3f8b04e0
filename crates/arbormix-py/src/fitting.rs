//! Fits that show how far they are and stop when Python is interrupted.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use arbormix::progress::Progress;
use arbormix::registry::{self, Preset};
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

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

/// Fits a method of the registry. `overrides` is JSON laid over the preset's parameters; `report(stage, steps, done)` is
/// called about ten times a second.
#[pyfunction]
#[pyo3(signature = (method, preset, overrides, data, weights=None, report=None))]
pub(crate) fn fit(
    py: Python<'_>,
    method: &str,
    preset: &str,
    overrides: &str,
    data: &Dataset,
    weights: Option<PyReadonlyArray1<'_, f64>>,
    report: Option<Py<PyAny>>,
) -> PyResult<Model> {
    let preset = match preset {
        "default" => Preset::Default,
        "paper" => Preset::Paper,
        other => return Err(PyValueError::new_err(format!("preset {other:?}; known: default, paper"))),
    };
    let learner = registry::learner(method, preset, &parsed(overrides)?).map_err(raised)?;
    let weights: Option<Vec<f64>> = weights.map(|weights| weights.as_array().to_vec());
    let (watch, data) = (Arc::new(Watch::default()), Arc::clone(&data.0));
    let (finished, end) = channel();
    let work = {
        let watch = Arc::clone(&watch);
        std::thread::spawn(move || {
            let fitted = arbormix::fit(learner.as_ref(), &data, weights.as_deref(), watch.as_ref());
            // Nobody listens after an interrupt.
            let _ = finished.send(());
            fitted
        })
    };
    py.detach(move || {
        // An interrupt returns at once: the thread ends at its next safe point, which may be seconds away.
        while end.recv_timeout(LOOK_EVERY) == Err(RecvTimeoutError::Timeout) {
            watch.look(report.as_ref()).inspect_err(|_| watch.stopped.store(true, Ordering::Relaxed))?;
        }
        match work.join() {
            Ok(fitted) => fitted.map(Model::new).map_err(raised),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}
