//! Our side of the benchmark; `bench/run` is the other.
//!
//! A job prepares (reads files, scales features, fits what is only predicted with), prints a line of JSON about what it
//! has prepared, and then does its work once for every line it gets on standard input, answering with the seconds that
//! this took. So the two sides of a comparison run in turns, in processes that live as long as it does, and nothing but
//! the work itself is in the measure.

// The library never prints; this program exists to.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod arrays;
mod clock;
mod failure;
mod fit;
mod gemm;
mod generate;
mod kernels;
mod load;
mod planted;
mod problem;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Measures parts of arbormix; `bench/run` compares them with others.
#[derive(Debug, Parser)]
#[command(name = "arbormix-bench", version)]
struct Cli {
    #[command(subcommand)]
    job: Job,
}

#[derive(Debug, Subcommand)]
enum Job {
    /// Write the encoded rows as .npy files, for those it is compared with
    Export(problem::ExportArgs),
    /// Fit a method, predict with it, or both
    Fit(fit::FitArgs),
    /// Fit a method to planted rows once, and say how much time and memory that took
    Planted(planted::PlantedArgs),
    /// Write planted rows to a data file
    Generate(generate::GenerateArgs),
    /// Read a data file
    Load(load::LoadArgs),
    /// The share of matrix-multiply peak over a whole dense structure search
    Gemm(gemm::GemmArgs),
    /// Run one kernel a fixed number of times, for counting its instructions
    Kernel(kernels::KernelArgs),
}

fn main() -> ExitCode {
    let done = match Cli::parse().job {
        Job::Export(args) => problem::export(&args),
        Job::Fit(args) => fit::run(&args),
        Job::Planted(args) => planted::run(&args),
        Job::Generate(args) => generate::run(&args),
        Job::Load(args) => load::run(&args),
        Job::Gemm(args) => gemm::run(&args),
        Job::Kernel(args) => kernels::run(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("arbormix-bench: {error}");
            ExitCode::FAILURE
        }
    }
}
