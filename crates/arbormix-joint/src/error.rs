//! What can go wrong when a method learns or answers.

use std::path::PathBuf;

use arbormix_base::files::FileError;
use arbormix_base::params::ParamError;
use arbormix_base::progress::Cancelled;
use arbormix_data::{DataError, FormatError};
use arbormix_learn::store::ModelFileError;

use crate::question::QuestionError;

/// Result with the library's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can go wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
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
    /// A fit and the processes that help it do not understand each other, or these failed.
    #[error(transparent)]
    Helper(#[from] HelperError),
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
    #[error("{}", Cancelled)]
    Cancelled,
}

impl From<Cancelled> for Error {
    fn from(_: Cancelled) -> Error {
        Error::Cancelled
    }
}

impl From<arbormix_data::Error> for Error {
    fn from(error: arbormix_data::Error) -> Error {
        match error {
            arbormix_data::Error::File(error) => error.into(),
            arbormix_data::Error::Format(error) => error.into(),
            arbormix_data::Error::Data(error) => error.into(),
            arbormix_data::Error::Params(error) => error.into(),
        }
    }
}

impl Error {
    /// An [`Error::File`] for `path`, for use with `map_err`.
    pub fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Error {
        let at = FileError::at(path);
        move |source| Error::File(at(source))
    }
}

/// What went wrong between a fit and its helpers.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HelperError {
    /// Bytes that are no stage, unit or answer of this version.
    #[error(
        "a message between a fit and its helpers cannot be read ({message}); is every process of version {version}?"
    )]
    Message {
        /// What is wrong with it.
        message: String,
        /// The version of this process.
        version: &'static str,
    },
    /// Answers are missing, or there are too many.
    #[error("{units} units of a fit got {answers} answers")]
    Answers {
        /// Units that were sent.
        units: usize,
        /// Answers that came back.
        answers: usize,
    },
    /// The helpers could not do their work.
    #[error("the helpers of a fit failed: {message}")]
    Failed {
        /// What they said.
        message: String,
    },
}

impl HelperError {
    /// A [`HelperError::Message`].
    pub fn message(message: impl ToString) -> HelperError {
        HelperError::Message { message: message.to_string(), version: env!("CARGO_PKG_VERSION") }
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
