//! CSV and TSV with a header.

mod records;
#[cfg(test)]
mod tests;
mod write;

pub(super) use write::write;

use std::collections::HashSet;
use std::io::BufRead;
use std::path::Path;

use self::records::Records;
use super::source::Source;
use super::table::{Cell, Table};
use super::{Format, ReadOptions};
use crate::Dataset;
use crate::error::{FormatError, Result};

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
    let mut records = Records::new(source, delimiter);
    if !records.advance()? {
        let expected = "a header with the names of the columns";
        return Err(FormatError::Empty { path: path.to_path_buf(), expected }.into());
    }
    records.split()?;
    let names: Vec<String> = records.cells().map(str::to_string).collect();
    let mut seen = HashSet::new();
    if let Some(second) = names.iter().position(|name| !seen.insert(name)) {
        let (at, name) = (records.place(second), names[second].clone());
        return Err(FormatError::DuplicateName { at, what: "column", name }.into());
    }
    let mut table = Table::new(path, names, options)?;
    while records.advance()? {
        if records.rest_of_line().is_some_and(|line| table.put_plain_row(line, delimiter)) {
            records.take_line();
            continue;
        }
        records.split()?;
        let (found, expected) = (records.len(), table.width());
        if found > expected {
            let at = records.place(expected);
            return Err(FormatError::LongRow { at, found: expected + 1, expected }.into());
        }
        if found < expected {
            let at = records.place(found - 1);
            return Err(FormatError::ShortRow { at, found, expected }.into());
        }
        table.start_row();
        for (column, text) in records.cells().enumerate() {
            table.put(column, Cell::Text(text), || records.place(column))?;
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
