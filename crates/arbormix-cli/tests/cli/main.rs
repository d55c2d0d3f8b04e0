//! The binary, end to end, on small files.

// Helpers of tests may unwrap like the tests themselves; clippy only sees the latter as tests.
#![allow(clippy::unwrap_used)]

mod bad_inputs;
mod commands;
mod compare;
mod data;
mod determinism;
mod examples;
mod interrupt;
mod paper;
mod questions;
mod support;
