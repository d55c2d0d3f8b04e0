//! The library's errors as Python's exceptions.

use arbormix::Error;
use arbormix_base::files::FileError;
use pyo3::exceptions::{PyKeyboardInterrupt, PyNotImplementedError, PyOSError, PyValueError};
use pyo3::prelude::*;

/// The exception that says the same.
pub(crate) fn raised(error: impl Into<arbormix_experiment::Error>) -> PyErr {
    let error = match error.into() {
        arbormix_experiment::Error::Experiment(problem) => return PyValueError::new_err(problem.to_string()),
        arbormix_experiment::Error::Model(error) => error,
    };
    let message = error.to_string();
    match error {
        Error::File(FileError { source, .. }) => match source.raw_os_error() {
            // With its number, Python picks FileNotFoundError, PermissionError and so on.
            Some(number) => PyOSError::new_err((number, message)),
            None => PyOSError::new_err(message),
        },
        Error::Unsupported { .. } => PyNotImplementedError::new_err(message),
        Error::Cancelled => PyKeyboardInterrupt::new_err(message),
        _ => PyValueError::new_err(message),
    }
}

/// JSON text that the Python layer wrote.
pub(crate) fn parsed(text: &str) -> PyResult<serde_json::Value> {
    serde_json::from_str(text).map_err(|error| PyValueError::new_err(format!("not JSON: {error}")))
}
