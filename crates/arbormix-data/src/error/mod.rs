//! What can go wrong with data.

mod data;
mod format;

use std::path::PathBuf;

use arbormix_base::files::FileError;
pub(crate) use arbormix_base::params::ParamError;

pub use data::DataError;
pub use format::{FormatError, Place};
pub(crate) use format::{place_in_text, quoted};

/// Result with the [`Error`] of data.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can go wrong when data are read, written or put together.
#[derive(Debug, thiserror::Error)]
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
}

impl Error {
    /// An [`Error::File`] for `path`, for use with `map_err`.
    pub fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Error {
        let at = FileError::at(path);
        move |source| Error::File(at(source))
    }
}
