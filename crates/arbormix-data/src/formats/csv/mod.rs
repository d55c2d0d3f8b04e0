//! CSV and TSV with a header.

mod records;
#[cfg(test)]
mod tests;
mod write;

use std::collections::HashSet;
use std::io::BufRead;
use std::path::Path;

use self::records::Records;
use self::write::write;
use super::ReadOptions;
use super::format::{Declaration, Format, Writer};
use super::source::Source;
use super::table::{Cell, Table};
use crate::Dataset;
use crate::error::{FormatError, Result};

/// Possible delimiters, the most likely first.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// Comma-separated values with a header.
struct Csv;

impl Format {
    /// Comma-separated values with a header.
    pub const CSV: Format = Format(&Csv);
}

impl Declaration for Csv {
    fn name(&self) -> &'static str {
        "csv"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["csv"]
    }

    fn options(&self) -> &'static [&'static str] {
        &["labels", "delimiter", "positive", "drop", "nominal"]
    }

    fn read(&self, path: &Path, options: &ReadOptions) -> Result<Dataset> {
        read(path, options, None)
    }

    fn writer(&self) -> Option<Writer> {
        Some(|data, path| write(data, path, Format::CSV, b','))
    }
}

/// Tab-separated values with a header.
struct Tsv;

impl Format {
    /// Tab-separated values with a header.
    pub const TSV: Format = Format(&Tsv);
}

impl Declaration for Tsv {
    fn name(&self) -> &'static str {
        "tsv"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["tsv", "tab"]
    }

    fn options(&self) -> &'static [&'static str] {
        &["labels", "delimiter", "positive", "drop", "nominal"]
    }

    fn read(&self, path: &Path, options: &ReadOptions) -> Result<Dataset> {
        read(path, options, Some(b'\t'))
    }

    fn writer(&self) -> Option<Writer> {
        Some(|data, path| write(data, path, Format::TSV, b'\t'))
    }
}

/// Reads a table with a header. Names and categories keep their blanks (as RFC 4180 says). The delimiter is that of the
/// options, else `usual`, else the one that occurs most often in the header.
fn read(path: &Path, options: &ReadOptions, usual: Option<u8>) -> Result<Dataset> {
    let mut source = Source::open(path)?;
    let delimiter = match options.delimiter.or(usual) {
        Some(delimiter) => delimiter,
        None => match source.fill_buf() {
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
    // Ties go to the first, the most likely one.
    let most = counts.iter().copied().max().unwrap_or(0);
    DELIMITERS[counts.iter().position(|&count| count == most).unwrap_or(0)]
}
