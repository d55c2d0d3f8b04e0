//! Tests through the public interface, in one binary.

// Helpers of tests may unwrap like the tests themselves; clippy only sees the latter as tests.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod golden;
mod kernel;
mod model_file;
mod rows;
