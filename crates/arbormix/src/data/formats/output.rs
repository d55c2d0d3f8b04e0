//! What the writers share: files that are complete or not there, and refusals.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

use super::Format;
use super::error::FormatError;
use crate::data::Dataset;
use crate::error::{Error, Result};

/// A complete file that has not taken its place yet; dropped without [`Pending::publish`], it is removed.
pub(super) struct Pending {
    temporary: PathBuf,
    target: PathBuf,
}

impl Pending {
    /// Writes a file beside its place; compressed if the place's name ends in `.gz`.
    pub(super) fn create(target: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<Pending> {
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        // In the same folder, so that the rename cannot cross file systems.
        let temporary = target.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
        let file = OpenOptions::new().write(true).create(true).truncate(true).open(&temporary);
        let pending = Pending { temporary, target: target.to_path_buf() };
        let compressed = target.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
        file.and_then(|file| fill_file(file, compressed, fill)).map_err(Error::io(target))?;
        Ok(pending)
    }

    /// Puts the file in its place.
    pub(super) fn publish(self) -> Result<()> {
        fs::rename(&self.temporary, &self.target).map_err(Error::io(&self.target))
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        // After a rename there is nothing left to remove; after an error, that error is the one to report.
        let _ = fs::remove_file(&self.temporary);
    }
}

fn fill_file(file: File, gzip: bool, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 18, file);
    if gzip {
        let mut encoder = GzEncoder::new(&mut out, Compression::default());
        fill(&mut encoder)?;
        encoder.finish()?;
    } else {
        fill(&mut out)?;
    }
    out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
}

/// A number in the shortest form that reads back to the same bits.
pub(super) fn write_number(out: &mut dyn Write, number: f64) -> io::Result<()> {
    let size = number.abs();
    if size == 0.0 || (1e-5..1e16).contains(&size) { write!(out, "{number}") } else { write!(out, "{number:e}") }
}

/// Refuses data sets that no reader would take back.
pub(super) fn refuse_empty(data: &Dataset, path: &Path, format: Format) -> Result<()> {
    let what = match (data.rows(), data.labels().count()) {
        (0, _) => "a data set without rows",
        (_, 0) => "a data set without labels",
        _ => return Ok(()),
    };
    Err(cannot_hold(path, format, what.to_string(), "there would be nothing to learn from it"))
}

/// Refuses a feature and a label of one name, where both are columns of one table.
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
