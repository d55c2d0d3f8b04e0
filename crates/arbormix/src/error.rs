//! The one error type of the library; every variant names the place and the remedy.

use std::path::PathBuf;

use crate::data::{DataError, FormatError};
use crate::distribution::DistributionError;
use crate::experiment::ExperimentError;
use crate::model::ModelFileError;
use crate::question::QuestionError;

/// Result with the library's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can go wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A data file does not hold what its format promises.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// Rows, features or labels do not fit together.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A parameter has a value that cannot be used.
    #[error(transparent)]
    Params(#[from] ParamError),
    /// A question names labels that do not exist, or cannot be understood.
    #[error(transparent)]
    Question(#[from] QuestionError),
    /// A model file is damaged, foreign or of another version.
    #[error(transparent)]
    ModelFile(#[from] ModelFileError),
    /// An experiment's parts do not fit together, or its checkpoint cannot be used.
    #[error(transparent)]
    Experiment(#[from] ExperimentError),
    /// A fit and the processes that help it do not understand each other, or these failed.
    #[error(transparent)]
    Distribution(#[from] DistributionError),
    /// The method cannot answer this question.
    #[error("{method} cannot give {what}: {reason}")]
    Unsupported {
        /// Name of the method in the registry.
        method: &'static str,
        /// What was asked.
        what: &'static str,
        /// Why not, and what to use instead.
        reason: &'static str,
    },
    /// A bound on memory that even one thread with few regressions in work would break, by estimate.
    #[error(
        "the fit needs at least {} of memory by estimate, and the bound is {}; give more, or learn from fewer rows, \
         features or experts",
        in_units(*needed),
        in_units(*bound)
    )]
    Memory {
        /// Bytes that it would need.
        needed: usize,
        /// The bound.
        bound: usize,
    },
    /// Threads could not be started.
    #[error("threads could not be started: {message}; use fewer (--threads)")]
    Threads {
        /// What the system said.
        message: String,
    },
    /// The work was stopped by the user.
    #[error("stopped before the work was finished")]
    Cancelled,
}

impl Error {
    /// An [`Error::Io`] for `path`, for use with `map_err`.
    pub fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Error {
        let path = path.into();
        move |source| Error::Io { path, source }
    }
}

/// Bytes as people read them.
fn in_units(bytes: usize) -> String {
    let mut value = bytes as f64;
    let mut units = ["bytes", "KiB", "MiB", "GiB", "TiB"].into_iter();
    let mut unit = units.next().unwrap_or_default();
    while value >= 1024.0
        && let Some(larger) = units.next()
    {
        (value, unit) = (value / 1024.0, larger);
    }
    format!("{} {unit}", (10.0 * value).round() / 10.0)
}

/// A parameter with a value that cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ParamError {
    /// The value is outside what the parameter allows.
    #[error("parameter {name} = {value}: {rule}")]
    Value {
        /// Name as in the command line's `--set`.
        name: &'static str,
        /// The offending value.
        value: String,
        /// What is allowed.
        rule: &'static str,
    },
    /// No parameter has this name.
    #[error("unknown parameter {name:?}; known here: {known}{}", owners(methods))]
    UnknownName {
        /// The name that was given.
        name: String,
        /// The names that exist at this place.
        known: String,
        /// Other methods that have this parameter.
        methods: Vec<&'static str>,
    },
    /// No method has this name.
    #[error("unknown method {name:?}; known: {known}")]
    UnknownMethod {
        /// The name that was given.
        name: String,
        /// The registry's names.
        known: String,
    },
    /// The value has the wrong form, e.g. a word where a number is needed.
    #[error("parameter {name}: {message}")]
    Form {
        /// Where in the parameters.
        name: String,
        /// What was expected.
        message: String,
    },
}

fn owners(methods: &[&str]) -> String {
    if methods.is_empty() { String::new() } else { format!("; methods that have it: {}", methods.join(", ")) }
}

impl ParamError {
    /// Checks a condition on a parameter: `ParamError::require(c > 0.0, "cost", c, "must be positive")?`.
    pub fn require(
        holds: bool,
        name: &'static str,
        value: impl std::fmt::Debug,
        rule: &'static str,
    ) -> Result<(), ParamError> {
        if holds { Ok(()) } else { Err(ParamError::Value { name, value: format!("{value:?}"), rule }) }
    }

    /// The same for a parameter that is a word or a group: the message has it as a user writes it.
    pub(crate) fn require_choice(
        holds: bool,
        name: &'static str,
        value: &impl serde::Serialize,
        rule: &'static str,
    ) -> Result<(), ParamError> {
        let written = || serde_json::to_value(value).map_or_else(|error| error.to_string(), |value| value.to_string());
        if holds { Ok(()) } else { Err(ParamError::Value { name, value: written(), rule }) }
    }
}
