//! Small files for the tests.

use std::path::PathBuf;

use super::{LabelSource, ReadOptions, read};
use crate::Dataset;

/// A folder that is gone after the test.
pub(super) struct Folder(tempfile::TempDir);

impl Folder {
    pub(super) fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(super) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    /// What reading the file says, without the folder's name.
    pub(super) fn error(&self, name: &str, options: &ReadOptions) -> String {
        let message = read(&self.path(name), options).unwrap_err().to_string();
        message.replace(&format!("{}/", self.0.path().display()), "")
    }
}

/// The data set in a file with this content.
pub(super) fn read_text(name: &str, text: &str, options: &ReadOptions) -> Dataset {
    read(&Folder::new().file(name, text), options).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// What is wrong with a file with this content.
pub(super) fn error_of(name: &str, text: impl AsRef<[u8]>, options: &ReadOptions) -> String {
    let folder = Folder::new();
    folder.file(name, text);
    folder.error(name, options)
}

pub(super) fn labels(labels: &str) -> ReadOptions {
    ReadOptions { labels: labels.parse().unwrap(), ..ReadOptions::default() }
}

pub(super) fn known(names: &[&str]) -> ReadOptions {
    let names = names.iter().map(|name| name.to_string()).collect();
    ReadOptions { labels: LabelSource::Known(names), ..ReadOptions::default() }
}

/// Features row by row, missing cells as NaN; sparse ones filled up.
pub(super) fn features(data: &Dataset) -> Vec<Vec<f64>> {
    let row = |row| {
        let mut cells = vec![0.0; data.columns().len()];
        data.features().visit_row(row, |column, value| cells[column] = value);
        cells
    };
    (0..data.rows()).map(row).collect()
}

/// Label cells row by row: `1`, `0`, and `?` for unknown ones.
pub(super) fn label_text(data: &Dataset) -> Vec<String> {
    let cell = |row, label| match data.labels().get(row, label) {
        None => '?',
        Some(true) => '1',
        Some(false) => '0',
    };
    (0..data.rows()).map(|row| (0..data.labels().count()).map(|label| cell(row, label)).collect()).collect()
}
