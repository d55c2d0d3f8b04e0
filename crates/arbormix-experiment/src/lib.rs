//! Experiments: data sets × methods × folds, with checkpoints, tests of significance and tables.
//!
//! [`Experiment`] says what is compared, [`run()`] runs its cells (one data set, one method, one fold each) in parallel
//! and gives [`Results`]; [`Comparison`] turns one measure of them into means, standard errors, tests against a
//! reference method and ranks; [`report`] writes those as Markdown, LaTeX, CSV and JSON. [`significance`] has the tests
//! by themselves, [`paper`] the published figures of ML-ME's paper beside ours.
//!
//! Results depend on the data, the folds, the methods and their seeds only: neither on threads nor on how often the
//! work was killed and begun again. Only timings differ between runs, so reports leave them out unless asked.

mod cell;
mod checkpoint;
mod comparison;
mod error;
mod fold;
mod memory;
pub mod paper;
mod plan;
pub mod report;
mod results;
mod run;
pub mod significance;
#[cfg(test)]
mod tests;

pub use cell::{Cell, CellOutcome, Finished, VERSION};
pub use checkpoint::Checkpoint;
pub use comparison::{Comparison, Entry, LEVEL, PairedTest, Ranking, Verdict, method_named};
pub use error::{Error, ExperimentError, Result};
pub use fold::{Round, run_fold};
pub use plan::{Contestant, Experiment, Task};
pub use results::{DataInfo, MethodInfo, Results, mean_and_error};
pub use run::{RunOptions, gather, run, run_cell};
