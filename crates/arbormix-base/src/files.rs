//! Files that appear whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A file that could not be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", path.display())]
pub struct FileError {
    /// The file.
    pub path: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

impl FileError {
    /// The error for `path`, for use with `map_err`.
    pub fn at(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> FileError {
        let path = path.into();
        move |source| FileError { path, source }
    }
}

/// A file under construction: written next to its place under another name, synced, then renamed.
///
/// Dropped without [`AtomicFile::commit`], it leaves nothing behind and the old file as it was.
///
/// ```
/// use std::io::Write;
/// use arbormix_base::files::{AtomicFile, FileError};
/// let path = std::env::temp_dir().join("arbormix-doc-atomic.txt");
/// let mut file = AtomicFile::create(&path)?;
/// file.write_all(b"whole").map_err(FileError::at(&path))?;
/// file.commit()?;
/// assert_eq!(std::fs::read(&path).map_err(FileError::at(&path))?, b"whole");
/// # std::fs::remove_file(&path).map_err(FileError::at(&path))?;
/// # Ok::<(), FileError>(())
/// ```
#[derive(Debug)]
pub struct AtomicFile {
    target: PathBuf,
    /// Where the bytes go until the commit; `None` when the target is a device or a pipe, which cannot be replaced.
    temporary: Option<PathBuf>,
    writer: BufWriter<File>,
}

impl AtomicFile {
    /// Begins a file that will be at `path`.
    pub fn create(path: &Path) -> Result<AtomicFile, FileError> {
        // A rename would replace a symbolic link instead of the file it points to.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let special = fs::metadata(&target).is_ok_and(|meta| !meta.is_file());
        let (temporary, file) = if special {
            (None, OpenOptions::new().write(true).open(&target).map_err(FileError::at(path))?)
        } else {
            let temporary = temporary_name(&target);
            let file = OpenOptions::new().write(true).create_new(true).open(&temporary).map_err(FileError::at(path))?;
            (Some(temporary), file)
        };
        Ok(AtomicFile { target, temporary, writer: BufWriter::new(file) })
    }

    /// Puts the file in its place.
    pub fn commit(mut self) -> Result<(), FileError> {
        self.finish().map_err(FileError::at(&self.target))
    }

    fn finish(&mut self) -> io::Result<()> {
        self.writer.flush()?;
        let Some(temporary) = &self.temporary else {
            return Ok(());
        };
        self.writer.get_ref().sync_all()?;
        fs::rename(temporary, &self.target)?;
        self.temporary = None;
        sync_folder(&self.target)
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            // Nothing can be done about a failure here, and the error that led here is on its way already.
            let _ = fs::remove_file(temporary);
        }
    }
}

/// A name in the target's folder (renames do not cross file systems) that no other writer uses.
fn temporary_name(target: &Path) -> PathBuf {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    let stem = target.file_name().unwrap_or_default().to_string_lossy();
    target.with_file_name(format!(".{stem}.{}-{number}.tmp", std::process::id()))
}

/// Makes the rename itself survive a power cut, where the system allows it.
fn sync_folder(target: &Path) -> io::Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => File::open(folder)?.sync_all(),
        _ => File::open(".")?.sync_all(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(folder: &Path) -> Vec<String> {
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn an_abandoned_file_leaves_the_old_one_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        fs::write(&path, "old").unwrap();
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(&[0; 100_000]).unwrap();
        assert_eq!(entries(folder.path()).len(), 2);
        drop(file);
        assert_eq!(entries(folder.path()), ["model"]);
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&real, "old").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let mut file = AtomicFile::create(&link).unwrap();
        file.write_all(b"new").unwrap();
        file.commit().unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&real).unwrap(), b"new");
    }

    #[test]
    fn a_missing_folder_is_named() {
        let error = AtomicFile::create(Path::new("no/such/folder/model")).unwrap_err().to_string();
        assert!(error.starts_with("no/such/folder/model: "), "{error}");
    }
}
