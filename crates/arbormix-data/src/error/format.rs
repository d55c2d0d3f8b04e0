//! What can be wrong with a data file, where, and what to do about it.

use std::fmt;
use std::path::{Path, PathBuf};

/// Where in a file something was found; all counts are from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// In a text file.
    Text {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
        /// The character in the line.
        column: usize,
    },
    /// In a file without lines.
    Row {
        /// The file.
        path: PathBuf,
        /// The row of data.
        row: usize,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Text { path, line, column } => write!(f, "{}, line {line}, column {column}", path.display()),
            Place::Row { path, row } => write!(f, "{}, row {row}", path.display()),
        }
    }
}

/// A data file that does not hold what its format promises.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// The path is a directory.
    #[error("{} is a directory; give the path of a data file", path.display())]
    Directory {
        /// The path.
        path: PathBuf,
    },
    /// Neither the name nor the first bytes tell the format.
    #[error("{}: the name does not tell the format; name it as `format`: {known}", path.display())]
    UnknownFormat {
        /// The file.
        path: PathBuf,
        /// The names of the formats.
        known: String,
    },
    /// The format is known but cannot be read or written here.
    #[error("{}: {format} cannot be {action} here; {remedy}", path.display())]
    Unavailable {
        /// The file.
        path: PathBuf,
        /// Name of the format.
        format: &'static str,
        /// "read" or "written".
        action: &'static str,
        /// What to do.
        remedy: String,
    },
    /// An option does not apply to the format.
    #[error("{}: the option `{option}` does not apply to {format} files; leave it out", path.display())]
    Option {
        /// The file.
        path: PathBuf,
        /// Name of the option.
        option: &'static str,
        /// Name of the format.
        format: &'static str,
    },
    /// The file holds nothing.
    #[error("{}: the file is empty; it should begin with {expected}", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
        /// What the format begins with.
        expected: &'static str,
    },
    /// The file ends before the first row.
    #[error("{}: there is no row of data; check that the file is complete", path.display())]
    NoRows {
        /// The file.
        path: PathBuf,
    },
    /// The text is in another encoding.
    #[error("{at}: the text is not UTF-8; save the file with the encoding UTF-8")]
    NotUtf8 {
        /// Where.
        at: Place,
    },
    /// Compressed data is damaged or cut off.
    #[error("{}: the gzip data is damaged or cut off after line {line} ({reason}); fetch or compress the file again", path.display())]
    Gzip {
        /// The file.
        path: PathBuf,
        /// The last line that could be read.
        line: usize,
        /// What the decoder said.
        reason: String,
    },
    /// The file has something other than the format requires at this place.
    #[error("{at}: expected {expected}, found {found}")]
    Syntax {
        /// Where.
        at: Place,
        /// What is expected there, with the remedy where it is not obvious.
        expected: &'static str,
        /// What was found there.
        found: String,
    },
    /// A column of a kind that cannot be a feature or a label.
    #[error("{at}: {name:?} has the type {kind}, which is neither numeric nor nominal; {remedy}")]
    ColumnType {
        /// Where.
        at: Place,
        /// Name of the column.
        name: String,
        /// Its type.
        kind: String,
        /// What to do.
        remedy: &'static str,
    },
    /// A name that must be unique occurs twice.
    #[error("{at}: the {what} {name:?} occurs a second time; rename one of the two")]
    DuplicateName {
        /// Where the second one is.
        at: Place,
        /// "attribute", "column", "category" or "label".
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A row has too few or too many values.
    #[error(
        "{at}: the row ends after {found} values, but there are {expected} columns; complete the row, and quote values with separators in them"
    )]
    ShortRow {
        /// Where the row ends.
        at: Place,
        /// Number of values.
        found: usize,
        /// Number of columns.
        expected: usize,
    },
    /// A row has too many values.
    #[error(
        "{at}: this is value {found} of the row, but there are {expected} columns; quote values with separators in them"
    )]
    LongRow {
        /// Where the first value too many is.
        at: Place,
        /// Number of values.
        found: usize,
        /// Number of columns.
        expected: usize,
    },
    /// A sparse row names a column that does not exist.
    #[error("{at}: the index {index} is out of range; indices go from {first} to {last}")]
    IndexRange {
        /// Where.
        at: Place,
        /// The index.
        index: u64,
        /// The smallest index allowed.
        first: u64,
        /// The largest index allowed.
        last: u64,
    },
    /// A sparse row names a column twice.
    #[error("{at}: the index {index} occurs a second time in this row; remove one of the two")]
    RepeatedIndex {
        /// Where the second one is.
        at: Place,
        /// The index.
        index: u64,
    },
    /// Indices of a row go down.
    #[error("{at}: the index {index} comes after {previous}; sort the indices of each row")]
    NotAscending {
        /// Where.
        at: Place,
        /// The index.
        index: u64,
        /// The index before it.
        previous: u64,
    },
    /// A value that the declaration of its attribute does not list.
    #[error(
        "{at}: {value:?} is not a category of {attribute:?}, which has {known}; correct it, or write ? if it is missing"
    )]
    UnknownCategory {
        /// Where.
        at: Place,
        /// The value.
        value: String,
        /// Name of the attribute.
        attribute: String,
        /// The categories it has.
        known: String,
    },
    /// A word where a number is needed.
    #[error("{at}: {value:?} in column {column:?} is not a number; correct it, or write ? if it is missing")]
    NotANumber {
        /// Where.
        at: Place,
        /// The word.
        value: String,
        /// Name of the column.
        column: String,
    },
    /// NaN, an infinity or a number beyond the range of 64-bit floating point.
    #[error(
        "{at}: {value} in column {column:?} is not a finite number; mark the cell as missing (? or an empty cell) or remove the row"
    )]
    NotFinite {
        /// Where.
        at: Place,
        /// As written.
        value: String,
        /// Name of the column.
        column: String,
    },
    /// A column of a table holds numbers and words.
    #[error(
        "{at}: {value:?} is {this}, but column {column:?} holds {others} so far; correct the cell, leave it empty if it is missing, or list the column in `nominal` to take all its cells as categories"
    )]
    MixedColumn {
        /// Where.
        at: Place,
        /// The cell.
        value: String,
        /// Name of the column.
        column: String,
        /// "a word" or "a number".
        this: &'static str,
        /// "numbers" or "words".
        others: &'static str,
    },
    /// A row of an ARFF file carries a weight.
    #[error("{at}: the row has an instance weight, which would be lost; remove the {{…}} at the end of the rows")]
    InstanceWeight {
        /// Where.
        at: Place,
    },
    /// A label cell that says neither present nor absent.
    #[error("{at}: {word} in the label {label:?} {reason}")]
    LabelWord {
        /// Where.
        at: Place,
        /// Name of the label.
        label: String,
        /// The word or words, quoted.
        word: String,
        /// Why it cannot be used, and what to do.
        reason: &'static str,
    },
    /// Names that were given do not occur in the file.
    #[error("{}: {origin} name {missing}, but the file has only {known}; check the spelling", path.display())]
    UnknownNames {
        /// The file.
        path: PathBuf,
        /// Who gave the names: a label file or an option.
        origin: String,
        /// The names that do not occur.
        missing: String,
        /// Names that do.
        known: String,
    },
    /// Nothing says which columns are labels.
    #[error("{}: there are no labels: {reason}", path.display())]
    NoLabels {
        /// The file.
        path: PathBuf,
        /// Why, and what to do.
        reason: String,
    },
    /// More labels were asked for than there are columns.
    #[error("{}: {origin} ask for {asked} labels, but there are only {columns} columns; give a smaller number", path.display())]
    LabelCount {
        /// The file.
        path: PathBuf,
        /// Who asked.
        origin: String,
        /// How many labels.
        asked: usize,
        /// How many columns.
        columns: usize,
    },
    /// A count in the header differs from the file.
    #[error("{}: the header promises {promised} {what}, but the file has {found}; correct the header or fetch the file again", path.display())]
    Count {
        /// The file.
        path: PathBuf,
        /// What is counted.
        what: &'static str,
        /// The header's number.
        promised: usize,
        /// The number found.
        found: usize,
    },
    /// A label file that is no Mulan XML.
    #[error("{at}: {problem}; a label file looks like <labels><label name=\"…\"></label></labels>")]
    Xml {
        /// Where.
        at: Place,
        /// What is wrong.
        problem: String,
    },
    /// A Parquet file that cannot be read.
    #[error("{}: {problem}", path.display())]
    Parquet {
        /// The file.
        path: PathBuf,
        /// What the reader said, with the remedy where there is one.
        problem: String,
    },
    /// The format to write has no way to hold something.
    #[error("{}: {format} cannot hold {what}; {remedy}", path.display())]
    CannotHold {
        /// The file.
        path: PathBuf,
        /// Name of the format.
        format: &'static str,
        /// What it cannot hold.
        what: String,
        /// What to do.
        remedy: &'static str,
    },
}

/// At most five names, quoted, for messages.
pub(crate) fn quoted<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut names = names.into_iter();
    let mut list: Vec<String> = names.by_ref().take(5).map(|name| format!("{name:?}")).collect();
    if names.next().is_some() {
        list.push("…".to_string());
    }
    list.join(", ")
}

/// The place of a byte offset in a text that was read as a whole.
pub(crate) fn place_in_text(path: &Path, text: &str, offset: usize) -> Place {
    // Text cannot be sliced inside a character, so the start of the character is used.
    let before = &text[..text.floor_char_boundary(offset)];
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    let line = before.matches('\n').count() + 1;
    Place::Text { path: path.to_path_buf(), line, column: before[line_start..].chars().count() + 1 }
}
