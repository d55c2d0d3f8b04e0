//! Why a command stopped, and the exit code that says so.

use std::fmt;
use std::io;
use std::process::ExitCode;

use arbormix_base::files::FileError;
use arbormix_data::formats::ReadOptions;
use arbormix_experiment::ExperimentError;

/// Why a command stopped before its work was done.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line asks for something that does not exist or does not fit together.
    Usage(String),
    /// The work itself failed.
    Work(String),
    /// The standard output could not be written.
    Output(io::Error),
    /// The user pressed Ctrl-C.
    Interrupted,
    /// The user pressed Ctrl-C, and what is done so far is kept, as this says.
    Paused(String),
}

impl Failure {
    /// Says what is wrong on the standard error stream and gives the exit code: 1 the work failed, 2 wrong usage,
    /// 130 interrupted. A reader that closes our pipe early has what it wanted: that is no failure.
    pub(crate) fn report(&self) -> ExitCode {
        match self {
            Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => return ExitCode::SUCCESS,
            _ => eprintln!("error: {self}"),
        }
        ExitCode::from(match self {
            Failure::Usage(_) => 2,
            Failure::Work(_) | Failure::Output(_) => 1,
            Failure::Interrupted | Failure::Paused(_) => 130,
        })
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Usage(message) | Failure::Work(message) | Failure::Paused(message) => f.write_str(message),
            Failure::Output(error) => write!(f, "the standard output: {error}"),
            Failure::Interrupted => f.write_str("interrupted; nothing was written"),
        }
    }
}

impl From<arbormix::Error> for Failure {
    fn from(error: arbormix::Error) -> Failure {
        match error {
            arbormix::Error::Cancelled => Failure::Interrupted,
            arbormix::Error::Format(problem) => Failure::Work(as_options(&problem.to_string())),
            arbormix::Error::Params(problem) => Failure::Usage(problem.to_string()),
            arbormix::Error::Question(problem) => Failure::Usage(problem.to_string()),
            other => Failure::Work(other.to_string()),
        }
    }
}

impl From<ExperimentError> for Failure {
    fn from(problem: ExperimentError) -> Failure {
        match problem {
            ExperimentError::Checkpoint { .. } => Failure::Work(problem.to_string()),
            _ => Failure::Usage(problem.to_string()),
        }
    }
}

impl From<arbormix_experiment::Error> for Failure {
    fn from(error: arbormix_experiment::Error) -> Failure {
        match error {
            arbormix_experiment::Error::Experiment(problem) => problem.into(),
            arbormix_experiment::Error::Model(error) => error.into(),
        }
    }
}

impl From<arbormix_data::Error> for Failure {
    fn from(error: arbormix_data::Error) -> Failure {
        arbormix::Error::from(error).into()
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Failure {
        arbormix::Error::from(error).into()
    }
}

/// A message of the library with the names of its reading options as the command line has them: `drop` is `--drop`.
fn as_options(message: &str) -> String {
    ReadOptions::names().fold(message.to_string(), |text, name| {
        text.replace(&format!("`{name}`"), &format!("`--{}`", name.replace('_', "-")))
    })
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Output(error)
    }
}
