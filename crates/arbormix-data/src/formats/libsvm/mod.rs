//! LIBSVM's multi-label rows, and the Extreme Classification Repository's form of them.

mod rows;
#[cfg(test)]
mod tests;
mod write;

use std::path::Path;

use self::rows::{Limits, Rows};
use self::write::write;

use super::ReadOptions;
use super::format::{Declaration, Format, Writer};
use super::source::Lines;
use crate::Dataset;
use crate::error::{FormatError, Result};

/// Most features or labels of a file. Each has a name in memory, so one wrong index must not create a billion of them.
/// The largest public data sets have about 55 million features.
const MAX_INDICES: u32 = 1 << 26;

/// Rows `label,label index:value …`.
struct Libsvm;

impl Format {
    /// Rows `label,label index:value …`.
    pub const LIBSVM: Format = Format(&Libsvm);
}

impl Declaration for Libsvm {
    fn name(&self) -> &'static str {
        "libsvm"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["libsvm", "svm", "svmlight"]
    }

    fn options(&self) -> &'static [&'static str] {
        &["first_index"]
    }

    fn read(&self, path: &Path, options: &ReadOptions) -> Result<Dataset> {
        read(path, options)
    }

    fn writer(&self) -> Option<Writer> {
        Some(write)
    }
}

/// LIBSVM rows after a line `rows features labels`, all numbers from 0: the Extreme Classification Repository.
struct Xc;

impl Format {
    /// LIBSVM rows after a line `rows features labels`, all numbers from 0: the Extreme Classification Repository.
    pub const XC: Format = Format(&Xc);
}

impl Declaration for Xc {
    fn name(&self) -> &'static str {
        "xc"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["xc", "txt"]
    }

    fn options(&self) -> &'static [&'static str] {
        &[]
    }

    fn read(&self, path: &Path, options: &ReadOptions) -> Result<Dataset> {
        read_xc(path, options)
    }
}

/// Reads `label,label index:value …`, with `#` comments.
///
/// Features are named by their numbers in the file, from the first to the largest that occurs; labels by theirs, in
/// numeric order. A row may have no labels. The first feature is 0 if that index occurs anywhere, else 1.
fn read(path: &Path, options: &ReadOptions) -> Result<Dataset> {
    let mut lines = Lines::open(path)?;
    let limits = Limits { first: options.first_index.unwrap_or(0), last: MAX_INDICES - 1, labels: None };
    let mut rows = Rows::new(limits, options.first_index.unwrap_or(1));
    let mut blank = None;
    while let Some(line) = lines.next()? {
        let comment = line.text.find('#');
        let text = &line.text[..comment.unwrap_or(line.text.len())];
        if text.trim_ascii().is_empty() {
            if comment.is_none() {
                blank.get_or_insert(line.place(0));
            }
            continue;
        }
        if let Some(at) = blank {
            // The line may be an empty row or no row at all. A wrong guess would shift all rows.
            let expected = "a row (write 1:0 for one without labels and features, or delete the line)";
            return Err(FormatError::Syntax { at, expected, found: "a blank line".to_string() }.into());
        }
        rows.read(line, text)?;
    }
    if rows.count() == 0 {
        let expected = "a row such as 1,3 2:0.5 7:1";
        return Err(match lines.number() {
            0 => FormatError::Empty { path: path.to_path_buf(), expected },
            _ => FormatError::NoRows { path: path.to_path_buf() },
        }
        .into());
    }
    rows.finish(path, &options.labels)
}

/// Reads the same rows after a line `rows features labels`; all numbers count from 0.
fn read_xc(path: &Path, options: &ReadOptions) -> Result<Dataset> {
    const HEADER: &str =
        "the numbers of rows, features and labels (none of them 0 or above 67108864), e.g. 6000 944 101";
    let mut lines = Lines::open(path)?;
    let Some(line) = lines.next()? else {
        return Err(FormatError::Empty { path: path.to_path_buf(), expected: HEADER }.into());
    };
    let counts: Vec<Option<u32>> = line.text.split_ascii_whitespace().map(|word| word.parse().ok()).collect();
    let [Some(count), Some(features @ 1..=MAX_INDICES), Some(labels @ 1..=MAX_INDICES)] = counts[..] else {
        let (at, found) = (line.place(0), format!("{:?}", line.text.chars().take(40).collect::<String>()));
        return Err(FormatError::Syntax { at, expected: HEADER, found }.into());
    };
    let limits = Limits { first: 0, last: features - 1, labels: Some(labels) };
    let mut rows = Rows::new(limits, 0);
    let mut surplus = 0;
    while let Some(line) = lines.next()? {
        // Blank lines are empty rows, except after the last row.
        if rows.count() < count as usize {
            rows.read(line, line.text)?;
        } else if surplus > 0 || !line.text.trim_ascii().is_empty() {
            surplus += 1;
        }
    }
    let found = rows.count() + surplus;
    if found != count as usize {
        let (path, promised) = (path.to_path_buf(), count as usize);
        return Err(FormatError::Count { path, what: "rows", promised, found }.into());
    }
    if found == 0 {
        return Err(FormatError::NoRows { path: path.to_path_buf() }.into());
    }
    rows.finish(path, &options.labels)
}
