//! Finished cells on disk, one small JSON file each.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::cell::Cell;
use super::error::ExperimentError;
use crate::error::Result;
use arbormix_base::files::{AtomicFile, FileError};

/// A folder of finished cells. A file is named after its cell and the beginning of its digest and appears whole or
/// not at all, so work that is killed at any moment loses only the cells that were running.
#[derive(Debug, Clone)]
pub struct Checkpoint {
    folder: PathBuf,
}

impl Checkpoint {
    /// The folder, made if it is not there.
    pub fn open(folder: &Path) -> Result<Checkpoint> {
        fs::create_dir_all(folder).map_err(FileError::at(folder))?;
        Ok(Checkpoint { folder: folder.to_path_buf() })
    }

    /// Where the cells are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The stored cell with the digest of `planned`, if there is one.
    pub fn load(&self, planned: &Cell) -> Result<Option<Cell>> {
        let path = self.path(planned);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(FileError::at(path)(error).into()),
        };
        let wrong = |message: String| ExperimentError::Checkpoint { path: path.clone(), message };
        let cell: Cell = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        if cell.digest != planned.digest {
            let message = format!("it holds the cell {} instead of {}", cell.digest, planned.digest);
            return Err(wrong(message).into());
        }
        Ok(Some(cell))
    }

    /// Stores a cell; it is on the disk when this returns.
    pub fn save(&self, cell: &Cell) -> Result<()> {
        let path = self.path(cell);
        let text = serde_json::to_string_pretty(cell).expect("a cell is plain data");
        let mut file = AtomicFile::create(&path)?;
        file.write_all(text.as_bytes()).and_then(|()| file.write_all(b"\n")).map_err(FileError::at(&path))?;
        Ok(file.commit()?)
    }

    fn path(&self, cell: &Cell) -> PathBuf {
        // A name that any file system takes; the digest keeps it unique.
        let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
        let name: String = cell.data.chars().take(60).map(plain).collect();
        let digest: String = cell.digest.chars().take(16).collect();
        self.folder.join(format!("{name}-{}-{}-{digest}.json", cell.method, cell.fold))
    }
}
