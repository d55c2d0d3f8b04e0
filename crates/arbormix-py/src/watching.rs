//! Long work that shows how far it is and stops when Python is interrupted.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use arbormix_base::progress::Progress;
use arbormix_model::helpers::Helper;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::raised;

/// How often Python is asked whether it was interrupted, and told how far the work is; it is told once more at the end.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// What the work says, kept for the thread that may speak to Python.
#[derive(Default)]
pub(crate) struct Watch {
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

/// What the thread of the work sends to the one that may speak to Python.
enum Message {
    /// The work is over.
    Finished,
    /// Units of a fit's stage that others are to do.
    Units { stage: Vec<u8>, units: Vec<Vec<u8>>, reply: Sender<Vec<Vec<u8>>> },
}

/// Sends units to the thread that called fit: joblib's settings belong to that thread.
pub(crate) struct Away(Mutex<Sender<Message>>);

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

/// Does `work` in a thread of its own, while this one tells `report(stage, steps, done)` how far it is, asks `helpers` for
/// what the work sends away, and hears whether Python was interrupted.
pub(crate) fn watched<T: Send + 'static, E: Into<arbormix_experiment::Error> + Send + 'static>(
    py: Python<'_>,
    report: Option<Py<PyAny>>,
    helpers: Option<Py<PyAny>>,
    work: impl FnOnce(&Watch, &Away) -> Result<T, E> + Send + 'static,
) -> PyResult<T> {
    let watch = Arc::new(Watch::default());
    let (messages, inbox) = channel();
    let work = {
        let watch = Arc::clone(&watch);
        std::thread::spawn(move || {
            let done = work(&watch, &Away(Mutex::new(messages.clone())));
            // Nobody listens after an interrupt.
            let _ = messages.send(Message::Finished);
            done
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
                    // The work waits for them, unless it panicked, which `join` tells.
                    let _ = reply.send(answers);
                }
                Ok(Message::Finished) | Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        // The last word, so that work shorter than a look is shown too.
        watch.look(report.as_ref())?;
        match work.join() {
            Ok(done) => done.map_err(raised),
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
