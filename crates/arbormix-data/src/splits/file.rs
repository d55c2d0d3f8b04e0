//! Fold files: one fold id per line.

use std::collections::BTreeMap;
use std::path::Path;

use crate::DataError;
use crate::error::{Error, Result};

/// Fold of each row, and the number of folds.
pub(super) fn read(path: &Path, rows: usize) -> Result<(Vec<usize>, usize)> {
    let text = std::fs::read_to_string(path).map_err(Error::io(path))?;
    let wrong = |message: String| DataError::Folds { message: format!("{}: {message}", path.display()) };
    // Editors leave blank lines at the end; anywhere else a blank line is a lost row.
    let lines: Vec<&str> = text.trim_end().lines().map(str::trim).collect();
    let mut ids = Vec::with_capacity(lines.len());
    let mut first_lines = BTreeMap::new();
    for (index, line) in lines.iter().enumerate() {
        let line_number = index + 1;
        let id: usize = line
            .parse()
            .map_err(|_| wrong(format!("line {line_number} is {line:?}, not a fold id (a whole number from 0)")))?;
        first_lines.entry(id).or_insert(line_number);
        ids.push(id);
    }
    if ids.len() != rows {
        let message = format!("{} lines for {rows} rows of data; one fold id per row is needed", ids.len());
        return Err(wrong(message).into());
    }
    for (expected, (&id, line)) in first_lines.iter().enumerate() {
        if id != expected {
            let message = format!(
                "line {line} names fold {id}, but no line names fold {expected}; ids run from 0 to k - 1 without gaps"
            );
            return Err(wrong(message).into());
        }
    }
    if first_lines.len() < 2 {
        let message = format!("every one of its {rows} lines names the same fold; at least 2 folds are needed");
        return Err(wrong(message).into());
    }
    Ok((ids, first_lines.len()))
}
