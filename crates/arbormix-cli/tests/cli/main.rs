//! The binary, end to end, on small files.

mod bad_inputs;
mod commands;
mod determinism;
mod examples;
mod interrupt;
mod support;
