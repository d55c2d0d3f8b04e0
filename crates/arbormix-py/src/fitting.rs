//! Fits that show how far they are and stop when Python is interrupted.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
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
    let watch = Watch::default();
    let mut interrupted = None;
    let fitted = py.detach(|| {
        std::thread::scope(|scope| {
            let (finished, end) = channel::<()>();
            let work = scope.spawn(|| {
                // Dropped when the work ends, however it ends; that wakes the other side at once.
                let _finished = finished;
                arbormix::fit(learner.as_ref(), &data.0, weights.as_deref(), &watch)
            });
            while end.recv_timeout(LOOK_EVERY) == Err(RecvTimeoutError::Timeout) {
                if interrupted.is_none()
                    && let Err(error) = watch.look(report.as_ref())
                {
                    interrupted = Some(error);
                    watch.stopped.store(true, Ordering::Relaxed);
                }
            }
            work.join()
        })
    });
    match (interrupted, fitted) {
        (Some(error), _) => Err(error),
        (None, Ok(fitted)) => fitted.map(Model::new).map_err(raised),
        (None, Err(panic)) => std::panic::resume_unwind(panic),
    }
}
