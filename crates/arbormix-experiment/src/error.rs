//! What can go wrong around an experiment; what goes wrong inside a cell stays in the cell.

use std::path::PathBuf;

/// Parts of an experiment that do not fit together, or a checkpoint that cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ExperimentError {
    /// There is nothing to do.
    #[error("an experiment needs at least one of each: {data} data sets, {methods} methods")]
    Empty {
        /// Number of data sets.
        data: usize,
        /// Number of methods.
        methods: usize,
    },
    /// Two data sets or two methods have one name.
    #[error("two {what} of the experiment are called {name:?}; rename one of them")]
    SameName {
        /// "data sets" or "methods".
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A fold was asked for that a data set does not have.
    #[error("fold {fold} does not exist: {data:?} has the folds 0 to {last}")]
    NoFold {
        /// The data set.
        data: String,
        /// The fold.
        fold: usize,
        /// Its last fold.
        last: usize,
    },
    /// The same fold was asked for twice.
    #[error("fold {fold} is asked for twice")]
    FoldTwice {
        /// The fold.
        fold: usize,
    },
    /// The folds were made for other data.
    #[error("the folds of {data:?} divide {folds} rows, but it has {rows}")]
    FoldRows {
        /// The data set.
        data: String,
        /// Rows that the folds divide.
        folds: usize,
        /// Rows of the data set.
        rows: usize,
    },
    /// A file of the checkpoint is damaged or foreign.
    #[error("{}: {message}; remove the file, and its cell is computed again", path.display())]
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// Cells were run elsewhere, and one is not among them.
    #[error(
        "no cell of {data:?}, {method:?}, fold {fold} with this data, these parameters and this version; run it again"
    )]
    NoCell {
        /// The data set.
        data: String,
        /// The method's name in the experiment.
        method: String,
        /// The fold.
        fold: usize,
    },
    /// A name that is no method of the experiment.
    #[error("{name:?} is no method of this experiment; it has {known}")]
    NoMethod {
        /// The name.
        name: String,
        /// The names there are.
        known: String,
    },
    /// A file of published figures cannot be understood.
    #[error("published figures, line {line}: {message}")]
    Published {
        /// The line.
        line: u64,
        /// What is wrong.
        message: String,
    },
}

/// Result with the [`Error`] of experiments.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can go wrong in an experiment.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An experiment's parts do not fit together, or its checkpoint cannot be used.
    #[error(transparent)]
    Experiment(#[from] ExperimentError),
    /// A method could not learn or answer.
    #[error(transparent)]
    Model(arbormix_joint::Error),
}

impl<E: Into<arbormix_joint::Error>> From<E> for Error {
    fn from(error: E) -> Error {
        Error::Model(error.into())
    }
}
