//! `arbormix evaluate MODEL DATA`.

use std::path::PathBuf;

use arbormix::Model;
use clap::Args;

use super::scoring::measures;
use crate::args::{Common, FileArgs};
use crate::failure::Failure;
use crate::overrides;
use crate::progress::Reporter;

/// Compare a model's predictions with the labels of a data file
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  arbormix evaluate photos.model photos-test.arff\n  \
    arbormix evaluate photos.model photos-test.arff --per-label")]
pub(crate) struct Evaluate {
    /// The model file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// The data file, with all labels of the model
    #[arg(value_name = "DATA")]
    data: PathBuf,
    /// Also show a table with one line per label
    #[arg(long)]
    per_label: bool,
    /// How the most probable set is searched for [default: as the model was fitted]
    #[arg(long, value_name = "HOW", value_parser = ["exact", "best-expert", "annealing"])]
    inference: Option<String>,
    #[command(flatten)]
    how: FileArgs,
}
