//! CSV and TSV with a header.

#[cfg(test)]
mod tests;
mod write;

pub(super) use write::write;

use std::collections::HashSet;
use std::io::{self, BufRead, Read};
use std::path::Path;

use ::csv::{ErrorKind, Position, Reader, ReaderBuilder, StringRecord};

use super::error::{FormatError, Place};
use super::source::Source;
use super::table::{Cell, Table};
use super::{Format, ReadOptions};
use crate::data::Dataset;
use crate::error::{Error, Result};

/// The characters that may stand between cells, the likelier first.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// Reads a table with a header. Names and categories keep their blanks (as RFC 4180 says), numbers need not.
pub(super) fn read(path: &Path, options: &ReadOptions, format: Format) -> Result<Dataset> {
    let mut source = Source::open(path)?;
    let delimiter = match (options.delimiter, format) {
        (Some(delimiter), _) => delimiter,
        (None, Format::Tsv) => b'\t',
        _ => match source.fill_buf() {
            Ok(bytes) => sniff(bytes),
            Err(error) => return Err(source.error(error, 0)),
        },
    };
    let mut reader = ReaderBuilder::new().delimiter(delimiter).has_headers(false).flexible(true).from_reader(source);
    let mut record = StringRecord::new();
    if !next(&mut reader, &mut record, delimiter)? {
        let expected = "a header with the names of the columns";
        return Err(FormatError::Empty { path: path.to_path_buf(), expected }.into());
    }
    let mut seen = HashSet::new();
    if let Some(second) = record.iter().position(|name| !seen.insert(name)) {
        let (at, name) = (locate(path, delimiter, record.position(), second), record[second].to_string());
        return Err(FormatError::DuplicateName { at, what: "column", name }.into());
    }
    let mut table = Table::new(path, record.iter().map(str::to_string).collect(), options)?;
    while next(&mut reader, &mut record, delimiter)? {
        let (found, expected) = (record.len(), table.width());
        if found > expected {
            let at = locate(path, delimiter, record.position(), expected);
            return Err(FormatError::LongRow { at, found: expected + 1, expected }.into());
        }
        if found < expected {
            let at = locate(path, delimiter, record.position(), found - 1);
            return Err(FormatError::ShortRow { at, found, expected }.into());
        }
        table.start_row();
        for (column, text) in record.iter().enumerate() {
            table.put(column, Cell::Text(text), || locate(path, delimiter, record.position(), column))?;
        }
    }
    table.finish(path)
}

/// The delimiter that occurs most often in the first line, outside quotes.
fn sniff(bytes: &[u8]) -> u8 {
    let mut counts = [0_usize; DELIMITERS.len()];
    let mut quoted = false;
    for &byte in bytes {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' if !quoted => break,
            _ if quoted => {}
            _ => {
                if let Some(place) = DELIMITERS.iter().position(|&delimiter| delimiter == byte) {
                    counts[place] += 1;
                }
            }
        }
    }
    // Of equals the first, i.e. the likelier one.
    let most = counts.iter().copied().max().unwrap_or(0);
    DELIMITERS[counts.iter().position(|&count| count == most).unwrap_or(0)]
}

/// Reads the next record; false at the end.
fn next(reader: &mut Reader<Source>, record: &mut StringRecord, delimiter: u8) -> Result<bool> {
    let error = match reader.read_record(record) {
        Ok(more) => return Ok(more),
        Err(error) => error,
    };
    let line = usize::try_from(reader.position().line()).unwrap_or(usize::MAX);
    let source = reader.get_ref();
    Err(match error.into_kind() {
        ErrorKind::Io(error) => source.error(error, line.saturating_sub(1)),
        ErrorKind::Utf8 { pos, err } => {
            FormatError::NotUtf8 { at: locate(source.path(), delimiter, pos.as_ref(), err.field()) }.into()
        }
        other => Error::io(source.path())(io::Error::other(format!("{other:?}"))),
    })
}

/// Where a field of a record begins.
///
/// The parser keeps only where records begin, so the file is read again up to there: slow, but it happens once, for
/// the message that ends the reading.
fn locate(path: &Path, delimiter: u8, record: Option<&Position>, field: usize) -> Place {
    let start = record.cloned().unwrap_or_else(Position::new);
    let mut scan = FieldScan { line: usize::try_from(start.line()).unwrap_or(usize::MAX), column: 1 };
    if let Ok(mut source) = Source::open(path)
        && io::copy(&mut source.by_ref().take(start.byte()), &mut io::sink()).is_ok()
    {
        scan.walk(source.bytes().map_while(io::Result::ok), delimiter, field);
    }
    Place::Text { path: path.to_path_buf(), line: scan.line, column: scan.column }
}

/// Counts lines and characters up to a field.
struct FieldScan {
    line: usize,
    column: usize,
}

impl FieldScan {
    fn walk(&mut self, bytes: impl Iterator<Item = u8>, delimiter: u8, mut fields: usize) {
        // The position of a record is where the one before ended, which may be before a line end or blank lines.
        let mut leading = true;
        let (mut field_begins, mut quoted_field, mut quoted) = (true, false, false);
        for byte in bytes {
            leading &= matches!(byte, b'\r' | b'\n');
            if !leading && fields == 0 && field_begins {
                return;
            }
            if byte == b'"' && (field_begins || quoted_field) {
                quoted_field = true;
                quoted = !quoted;
            }
            field_begins = !quoted && byte == delimiter || leading;
            if field_begins && !leading {
                fields -= 1;
                quoted_field = false;
            }
            if byte == b'\n' {
                (self.line, self.column) = (self.line + 1, 1);
            } else if byte & 0xc0 != 0x80 && !leading {
                // Bytes that continue a character do not count.
                self.column += 1;
            }
        }
    }
}
