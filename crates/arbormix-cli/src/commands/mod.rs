//! The commands, one file each.

mod compare;
mod crossval;
mod data;
mod demo;
mod describe;
mod evaluate;
mod explain;
mod fit;
mod inspect;
mod methods;
mod paper;
mod predict;
mod questions;
mod runner;

use clap::Subcommand;

use crate::args::Common;
use crate::failure::Failure;
use crate::progress::Reporter;

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Demo(demo::Demo),
    Describe(describe::Describe),
    Fit(fit::Fit),
    Predict(predict::Predict),
    Explain(explain::Explain),
    Evaluate(evaluate::Evaluate),
    Inspect(inspect::Inspect),
    Crossval(crossval::Crossval),
    // Boxed: it has many more options than the others.
    Compare(Box<compare::Compare>),
    Paper(paper::Paper),
    Data(data::Data),
    Methods(methods::Methods),
    Questions(questions::Questions),
}

/// Does it.
pub(crate) fn run(command: &Command, common: &Common, reporter: &Reporter) -> Result<(), Failure> {
    match command {
        Command::Demo(demo) => demo.run(common, reporter),
        Command::Describe(describe) => describe.run(common),
        Command::Fit(fit) => fit.run(common, reporter),
        Command::Predict(predict) => predict.run(common, reporter),
        Command::Explain(explain) => explain.run(common, reporter),
        Command::Evaluate(evaluate) => evaluate.run(common, reporter),
        Command::Inspect(inspect) => inspect.run(common, reporter),
        Command::Crossval(crossval) => crossval.run(common, reporter),
        Command::Compare(compare) => compare.run(common, reporter),
        Command::Paper(paper) => paper.run(common, reporter),
        Command::Data(data) => data.run(common, reporter),
        Command::Methods(methods) => methods.run(common),
        Command::Questions(questions) => questions.run(common),
    }
}
