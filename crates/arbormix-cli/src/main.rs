//! The command line of arbormix: fit, predict, evaluate and inspect multi-label models.

// The library never prints; this program exists to.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod args;
mod assignment;
mod commands;
mod drawing;
mod failure;
mod method_spec;
mod output;
mod overrides;
mod presets;
mod progress;

use std::process::ExitCode;

use clap::Parser;

use crate::args::Common;
use crate::commands::Command;
use crate::failure::Failure;
use crate::progress::{Reporter, watch_interrupts};

/// Probabilistic multi-label classification with mixtures of tree-structured Bayesian networks (ML-ME).
#[derive(Debug, Parser)]
#[command(name = "arbormix", version, propagate_version = true, max_term_width = 100)]
#[command(after_help = "Begin with:\n  arbormix demo")]
struct Cli {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: Command,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let reporter = Reporter::new(cli.common.quiet);
    let done = run(cli, &reporter);
    reporter.finish();
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn run(cli: Cli, reporter: &Reporter) -> Result<(), Failure> {
    watch_interrupts()?;
    if let Some(threads) = cli.common.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(usize::from(threads)).build_global();
        pool.map_err(|e| Failure::Work(format!("{threads} threads cannot be started: {e}")))?;
    }
    commands::run(&cli.command, &cli.common, reporter)
}
