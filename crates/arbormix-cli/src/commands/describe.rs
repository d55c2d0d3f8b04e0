//! `arbormix describe FILE`.

use std::path::PathBuf;

use arbormix::data::describe::describe;
use clap::Args;

use crate::args::{Common, DataArgs};
use crate::failure::Failure;
use crate::output::{print, print_json};

/// Show what a data file holds: sizes, labels, how they go together
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  arbormix describe photos-train.arff")]
pub(crate) struct Describe {
    /// The data file
    #[arg(value_name = "FILE")]
    data: PathBuf,
    #[command(flatten)]
    how: DataArgs,
}
