//! Shared parts of the writers: atomic files, and checks of what a format can hold.

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::Format;
use crate::Dataset;
use crate::error::{Error, FormatError, Result};
use arbormix_base::files::AtomicFile;

/// Writes a file that appears with [`AtomicFile::commit`]; compressed if its name ends in `.gz`.
pub(super) fn prepare(target: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<AtomicFile> {
    let mut file = AtomicFile::create(target)?;
    let compressed = target.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
    let write = || {
        if compressed {
            let mut encoder = GzEncoder::new(&mut file, Compression::default());
            fill(&mut encoder)?;
            encoder.finish()?;
            Ok(())
        } else {
            fill(&mut file)
        }
    };
    write().map_err(Error::io(target))?;
    Ok(file)
}

/// A number in the shortest form that reads back to the same bits.
pub(super) fn write_number(out: &mut dyn Write, number: f64) -> io::Result<()> {
    let size = number.abs();
    if size == 0.0 || (1e-5..1e16).contains(&size) { write!(out, "{number}") } else { write!(out, "{number:e}") }
}

/// Refuses data sets that no reader would accept.
pub(super) fn refuse_empty(data: &Dataset, path: &Path, format: Format) -> Result<()> {
    let what = match (data.rows(), data.labels().count()) {
        (0, _) => "a data set without rows",
        (_, 0) => "a data set without labels",
        _ => return Ok(()),
    };
    Err(cannot_hold(path, format, what.to_string(), "there would be nothing to learn from it"))
}

/// Refuses a feature and a label with the same name, if both are columns of one table.
pub(super) fn refuse_shared_names(data: &Dataset, path: &Path, format: Format) -> Result<()> {
    let features: HashSet<&str> = data.columns().iter().map(|column| column.name.as_str()).collect();
    match data.label_names().iter().find(|name| features.contains(name.as_str())) {
        None => Ok(()),
        Some(name) => {
            let what = format!("a feature and a label that are both named {name:?}");
            Err(cannot_hold(path, format, what, "rename one of them"))
        }
    }
}

pub(super) fn cannot_hold(path: &Path, format: Format, what: String, remedy: &'static str) -> Error {
    FormatError::CannotHold { path: path.to_path_buf(), format: format.name(), what, remedy }.into()
}
