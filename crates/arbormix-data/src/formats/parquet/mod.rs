//! Parquet: numbers, booleans and strings; nulls are missing cells.

#[cfg(feature = "parquet")]
mod rows;

use std::path::Path;

use super::ReadOptions;
use super::format::{Declaration, Format};
use crate::Dataset;
use crate::error::Result;

/// Columns of numbers, booleans and strings; needs the crate feature `parquet`.
struct Parquet;

impl Format {
    /// Columns of numbers, booleans and strings; needs the crate feature `parquet`.
    pub const PARQUET: Format = Format(&Parquet);
}

impl Declaration for Parquet {
    fn name(&self) -> &'static str {
        "parquet"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["parquet", "pq"]
    }

    fn begins(&self, start: &[u8]) -> bool {
        start.starts_with(b"PAR1")
    }

    fn options(&self) -> &'static [&'static str] {
        &["labels", "positive", "drop", "nominal"]
    }

    fn read(&self, path: &Path, options: &ReadOptions) -> Result<Dataset> {
        rows::read(path, options)
    }
}

/// Stands in for the reader in builds without it.
#[cfg(not(feature = "parquet"))]
mod rows {
    use super::*;
    use crate::error::FormatError;

    pub(super) fn read(path: &Path, _options: &ReadOptions) -> Result<Dataset> {
        let remedy = "build arbormix with the crate feature `parquet`, or convert the file to CSV".to_string();
        let (path, format) = (path.to_path_buf(), Format::PARQUET.name());
        Err(FormatError::Unavailable { path, format, action: "read", remedy }.into())
    }
}
