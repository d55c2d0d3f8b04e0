//! Readers and writers, one file each.

/// A data file that does not hold what its format promises.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {}
