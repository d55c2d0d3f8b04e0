//! Records of cells, by the rules of RFC 4180 as lenient readers have them.

use std::io::BufRead;

use crate::error::{FormatError, Place, Result};
use crate::formats::source::Source;

/// Reads records one by one into one buffer.
///
/// A record ends at a line end (`\n`, `\r\n` or `\r`); blank lines are skipped. A cell that begins with a quote ends
/// with one, and two quotes inside it mean one quote. A quote anywhere else is an ordinary character.
pub(super) struct Records {
    source: Source,
    delimiter: u8,
    /// The lines of the current record, and what follows it in the last of them.
    buffer: Vec<u8>,
    /// Number of the first line in the buffer, from 1.
    line: usize,
    /// Lines read so far.
    read: usize,
    /// Where the current record begins and where it ends, in the buffer.
    record: usize,
    end: usize,
    /// The cells without their quotes, one after the other.
    text: Vec<u8>,
    /// Where each cell begins in the buffer, and where it ends in `text`.
    cells: Vec<(usize, usize)>,
}

impl Records {
    pub(super) fn new(source: Source, delimiter: u8) -> Records {
        let (buffer, text, cells) = (Vec::new(), Vec::new(), Vec::new());
        Records { source, delimiter, buffer, line: 1, read: 0, record: 0, end: 0, text, cells }
    }

    /// Finds where the next record begins; false at the end of the file.
    pub(super) fn advance(&mut self) -> Result<bool> {
        self.record = self.end;
        loop {
            let rest = &self.buffer[self.record..];
            if let Some(blank) = rest.iter().position(|byte| !matches!(byte, b'\r' | b'\n')) {
                self.record += blank;
                return Ok(true);
            }
            self.buffer.clear();
            (self.line, self.record) = (self.read + 1, 0);
            if !self.more()? {
                return Ok(false);
            }
        }
    }

    /// Appends a line to the buffer; false at the end of the file.
    fn more(&mut self) -> Result<bool> {
        match self.source.read_until(b'\n', &mut self.buffer) {
            Ok(0) => Ok(false),
            Ok(_) => {
                self.read += 1;
                Ok(true)
            }
            Err(error) => Err(self.source.error(error, self.read)),
        }
    }

    /// The rest of the line in which the record begins, if it is valid text. This is the whole record unless it has
    /// quotes.
    pub(super) fn rest_of_line(&self) -> Option<&str> {
        std::str::from_utf8(&self.buffer[self.record..self.line_end()]).ok()
    }

    /// Where the line ends in which the record begins.
    fn line_end(&self) -> usize {
        let line = &self.buffer[self.record..];
        self.record + line.iter().position(|byte| matches!(byte, b'\r' | b'\n')).unwrap_or(line.len())
    }

    /// Marks [`Records::rest_of_line`] as the whole record.
    pub(super) fn take_line(&mut self) {
        self.end = self.line_end();
    }

    /// Cuts the record into its cells.
    pub(super) fn split(&mut self) -> Result<()> {
        self.text.clear();
        self.cells.clear();
        let mut at = self.record;
        loop {
            let start = at;
            if self.buffer.get(at) == Some(&b'"') {
                at = self.quoted(at + 1)?;
            }
            let rest = &self.buffer[at..];
            let ends = |&byte: &u8| byte == self.delimiter || matches!(byte, b'\r' | b'\n');
            let length = rest.iter().position(ends).unwrap_or(rest.len());
            self.text.extend_from_slice(&rest[..length]);
            self.cells.push((start, self.text.len()));
            at += length;
            if self.buffer.get(at) != Some(&self.delimiter) {
                break;
            }
            at += 1;
        }
        self.end = at;
        match (0..self.cells.len()).find(|&cell| std::str::from_utf8(self.bytes(cell)).is_err()) {
            Some(cell) => Err(FormatError::NotUtf8 { at: self.place(cell) }.into()),
            None => Ok(()),
        }
    }

    /// Copies quoted text, which may span several lines; returns where it ends.
    fn quoted(&mut self, mut at: usize) -> Result<usize> {
        loop {
            let rest = &self.buffer[at..];
            let length = rest.iter().position(|&byte| byte == b'"').unwrap_or(rest.len());
            self.text.extend_from_slice(&rest[..length]);
            at += length;
            if at == self.buffer.len() {
                if !self.more()? {
                    return Ok(at);
                }
                continue;
            }
            at += 1;
            if self.buffer.get(at) != Some(&b'"') {
                return Ok(at);
            }
            self.text.push(b'"');
            at += 1;
        }
    }

    /// Number of cells.
    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    fn bytes(&self, cell: usize) -> &[u8] {
        let start = if cell == 0 { 0 } else { self.cells[cell - 1].1 };
        &self.text[start..self.cells[cell].1]
    }

    /// The cells in their order.
    pub(super) fn cells(&self) -> impl Iterator<Item = &str> {
        // They were checked to be valid text when they were split.
        (0..self.len()).map(|cell| std::str::from_utf8(self.bytes(cell)).unwrap_or_default())
    }

    /// Where a cell begins.
    pub(super) fn place(&self, cell: usize) -> Place {
        let before = &self.buffer[..self.cells[cell].0];
        let line = self.line + before.iter().filter(|&&byte| byte == b'\n').count();
        let begins = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1).max(self.record);
        // Bytes that continue a character do not count.
        let column = 1 + before[begins..].iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
        Place::Text { path: self.source.path().to_path_buf(), line, column }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ours(text: &str, delimiter: u8) -> Vec<Vec<String>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.csv");
        std::fs::write(&path, text).unwrap();
        let mut records = Records::new(Source::open(&path).unwrap(), delimiter);
        let mut all = Vec::new();
        while records.advance().unwrap() {
            records.split().unwrap();
            all.push(records.cells().map(str::to_string).collect());
        }
        all
    }

    fn by_the_csv_crate(text: &str, delimiter: u8) -> Vec<Vec<String>> {
        let mut builder = ::csv::ReaderBuilder::new();
        let reader = builder.delimiter(delimiter).has_headers(false).flexible(true).from_reader(text.as_bytes());
        reader.into_records().map(|record| record.unwrap().iter().map(str::to_string).collect()).collect()
    }

    proptest! {
        #[test]
        fn records_are_those_of_the_csv_crate(text in "([a1\" ,;é]|\"|\"\"|\r|\n|\r\n|,){0,30}", semicolon: bool) {
            let delimiter = if semicolon { b';' } else { b',' };
            prop_assert_eq!(ours(&text, delimiter), by_the_csv_crate(&text, delimiter));
        }
    }
}
