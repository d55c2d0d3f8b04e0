//! What can go wrong here ends the process with a message.

/// Result of a job.
pub(crate) type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;
