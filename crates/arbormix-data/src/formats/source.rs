//! Opening data files: plain or gzip, without the byte-order mark, line by line.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;

use crate::error::{Error, FormatError, Place, Result};

/// Large enough that the cost of system calls is negligible.
const BUFFER: usize = 1 << 18;

/// A data file's bytes, decompressed, after the byte-order mark.
pub(super) struct Source {
    path: PathBuf,
    gzip: bool,
    reader: Box<dyn BufRead>,
}

impl Source {
    pub(super) fn open(path: &Path) -> Result<Source> {
        let file = open_file(path)?;
        let mut plain = BufReader::with_capacity(BUFFER, file);
        let gzip = plain.fill_buf().map_err(Error::io(path))?.starts_with(&GZIP_MAGIC);
        let mut source = if gzip {
            let reader = Box::new(BufReader::with_capacity(BUFFER, MultiGzDecoder::new(plain)));
            Source { path: path.to_path_buf(), gzip, reader }
        } else {
            Source { path: path.to_path_buf(), gzip, reader: Box::new(plain) }
        };
        let mark = source.reader.fill_buf().map(|bytes| bytes.starts_with("\u{feff}".as_bytes()));
        if mark.map_err(|error| source.error(error, 0))? {
            source.reader.consume('\u{feff}'.len_utf8());
        }
        Ok(source)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// What a failed read means, after `line` good lines.
    pub(super) fn error(&self, error: io::Error, line: usize) -> Error {
        use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
        if self.gzip && matches!(error.kind(), InvalidData | InvalidInput | UnexpectedEof) {
            return FormatError::Gzip { path: self.path.clone(), line, reason: error.to_string() }.into();
        }
        Error::io(self.path.clone())(error)
    }

    /// The whole text, for small files.
    pub(super) fn text(mut self) -> Result<String> {
        let mut bytes = Vec::new();
        self.reader.read_to_end(&mut bytes).map_err(|error| self.error(error, 0))?;
        String::from_utf8(bytes).map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(error.as_bytes());
            FormatError::NotUtf8 { at: crate::error::place_in_text(&self.path, &text, valid) }.into()
        })
    }
}

/// The first bytes of every gzip file.
pub(super) const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Opens a file. Refuses a directory here, because the message of the system has no path and comes late.
pub(super) fn open_file(path: &Path) -> Result<File> {
    let file = File::open(path).map_err(Error::io(path))?;
    if file.metadata().map_err(Error::io(path))?.is_dir() {
        return Err(FormatError::Directory { path: path.to_path_buf() }.into());
    }
    Ok(file)
}

impl Read for Source {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        self.reader.read(target)
    }
}

impl BufRead for Source {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.reader.consume(count);
    }
}

/// The lines of a file, read into one buffer.
pub(super) struct Lines {
    source: Source,
    buffer: Vec<u8>,
    number: usize,
}

/// One line, without its end.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    pub(super) text: &'a str,
    pub(super) number: usize,
    path: &'a Path,
}

impl Line<'_> {
    /// The column of a byte offset, counted in characters from 1.
    pub(super) fn column(&self, offset: usize) -> usize {
        self.text[..offset].chars().count() + 1
    }

    /// The place of a byte offset in the line.
    pub(super) fn place(&self, offset: usize) -> Place {
        Place::Text { path: self.path.to_path_buf(), line: self.number, column: self.column(offset) }
    }
}

impl Lines {
    pub(super) fn open(path: &Path) -> Result<Lines> {
        Ok(Lines { source: Source::open(path)?, buffer: Vec::new(), number: 0 })
    }

    /// Number of lines read so far.
    pub(super) fn number(&self) -> usize {
        self.number
    }

    /// The next line, without `\n` or `\r\n`.
    pub(super) fn next(&mut self) -> Result<Option<Line<'_>>> {
        self.buffer.clear();
        match self.source.reader.read_until(b'\n', &mut self.buffer) {
            Ok(0) => return Ok(None),
            Ok(_) => self.number += 1,
            Err(error) => return Err(self.source.error(error, self.number)),
        }
        let line = self.buffer.strip_suffix(b"\n").unwrap_or(&self.buffer);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        match std::str::from_utf8(line) {
            Ok(text) => Ok(Some(Line { text, number: self.number, path: &self.source.path })),
            Err(error) => {
                let good = String::from_utf8_lossy(&line[..error.valid_up_to()]);
                let column = good.chars().count() + 1;
                let at = Place::Text { path: self.source.path.clone(), line: self.number, column };
                Err(FormatError::NotUtf8 { at }.into())
            }
        }
    }
}
