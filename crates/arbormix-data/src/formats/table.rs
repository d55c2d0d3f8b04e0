//! Tables whose column types are found while reading: CSV and Parquet.

use std::path::Path;

use super::categories::Categories;
use super::label_rows::LabelRows;
use super::label_source::{Role, Roles, require_names};
use super::words::Words;
use super::{LABEL_OPTION, ReadOptions, data_name, decimal};
use crate::error::{FormatError, Place, Result};
use crate::{Column, ColumnKind, Dataset, LabelSet};
use arbormix_matrix::{DenseMatrix, Matrix};

/// A table under construction; cells come row by row, in the order of the columns.
///
/// A feature column is numeric if its cells are numbers, and nominal if they are words or the caller says so. A column
/// with both is refused: otherwise one typing error would turn a quantity into thousands of categories. Categories are
/// in the order of their first appearance. A column without any cell is numeric.
pub(super) struct Table {
    columns: Vec<TableColumn>,
    label_names: Vec<String>,
    labels: LabelRows,
    values: Vec<f64>,
    /// The labels of a row under construction, see [`Table::put_plain_row`].
    plain_labels: Vec<(usize, Option<bool>)>,
}

struct TableColumn {
    name: String,
    role: Role,
    content: Content,
}

enum Content {
    /// Features without any cell so far.
    Open,
    Numbers,
    Words(Categories),
    /// Categories because the caller says so.
    Nominal(Categories),
    Label(Words),
}

/// What a cell holds.
#[derive(Clone, Copy)]
pub(super) enum Cell<'a> {
    Missing,
    Number(f64),
    Word(&'a str),
    /// Text that may be a word or a number.
    Text(&'a str),
}

/// Whether a text cell stands for a missing value.
#[inline]
pub(super) fn is_missing(text: &str) -> bool {
    matches!(text.trim_ascii(), "" | "?" | "NA")
}

impl Table {
    pub(super) fn new(path: &Path, names: Vec<String>, options: &ReadOptions) -> Result<Table> {
        let all: Vec<&str> = names.iter().map(String::as_str).collect();
        let roles = Roles::assign(path, &all, &options.labels, LABEL_OPTION, &options.drop)?;
        require_names(path, "the nominal columns", &options.nominal, &all)?;
        let column = |(name, &role): (String, &Role)| {
            let content = match role {
                Role::Label(_) => Content::Label(Words::new(options.positive.as_deref())),
                _ if options.nominal.contains(&name) => Content::Nominal(Categories::default()),
                _ => Content::Open,
            };
            TableColumn { name, role, content }
        };
        let columns = names.into_iter().zip(&roles.of).map(column).collect();
        let labels = LabelRows::new(LabelSet::empty(roles.label_names.len()), &roles.unknown);
        Ok(Table { columns, label_names: roles.label_names, labels, values: Vec::new(), plain_labels: Vec::new() })
    }

    pub(super) fn width(&self) -> usize {
        self.columns.len()
    }

    pub(super) fn name(&self, column: usize) -> &str {
        &self.columns[column].name
    }

    /// Whether the column is left out, so that its cells need not be looked at.
    pub(super) fn is_dropped(&self, column: usize) -> bool {
        self.columns[column].role == Role::Dropped
    }

    pub(super) fn start_row(&mut self) {
        self.labels.start_row();
    }

    /// Adds a row in plain form: numbers, labels 0 and 1 and empty cells, without quotes and blanks, in columns that
    /// are known to hold such. Returns false and adds nothing if the row is not of this form.
    pub(super) fn put_plain_row(&mut self, line: &str, delimiter: u8) -> bool {
        // A delimiter that is not ASCII has more than one byte.
        let first = self.values.len();
        let plain = delimiter.is_ascii() && self.plain_cells(line, delimiter).is_some();
        if !plain {
            self.values.truncate(first);
            self.plain_labels.clear();
            return false;
        }
        self.labels.start_row();
        for (label, cell) in self.plain_labels.drain(..) {
            self.labels.set(label, cell);
        }
        true
    }

    /// Adds the cells of such a row. Its labels are kept apart, because the row may still turn out not to be plain.
    fn plain_cells(&mut self, line: &str, delimiter: u8) -> Option<()> {
        let bytes = line.as_bytes();
        // Every cell but the last ends with a delimiter.
        let mut at = 0;
        for (place, column) in self.columns.iter_mut().enumerate() {
            if place > 0 {
                at = Some(at + 1).filter(|_| bytes.get(at) == Some(&delimiter))?;
            }
            let ends = |at: usize| bytes.get(at).is_none_or(|&byte| byte == delimiter);
            let empty = ends(at);
            match (column.role, &mut column.content) {
                (Role::Feature(_), Content::Numbers) if empty => self.values.push(f64::NAN),
                (Role::Feature(_), Content::Numbers) => {
                    let (value, length) = decimal::leading(&bytes[at..])?;
                    self.values.push(value);
                    at += length;
                }
                (Role::Label(label), Content::Label(_)) if empty => self.plain_labels.push((label, None)),
                (Role::Label(label), Content::Label(words)) if matches!(bytes[at], b'0' | b'1') && ends(at + 1) => {
                    self.plain_labels.push((label, Some(words.read(&line[at..at + 1]).ok()?)));
                    at += 1;
                }
                (Role::Dropped, _) if bytes[at..].first() != Some(&b'"') => {
                    let rest = &bytes[at..];
                    at += rest.iter().position(|&byte| byte == delimiter).unwrap_or(rest.len());
                }
                _ => return None,
            }
        }
        (at == bytes.len()).then_some(())
    }

    /// The next cell of the current row.
    pub(super) fn put(&mut self, column: usize, cell: Cell<'_>, at: impl Fn() -> Place) -> Result<(), FormatError> {
        let target = &mut self.columns[column];
        match target.role {
            Role::Dropped => {}
            Role::Label(label) => self.labels.set(label, target.label_cell(cell, at)?),
            Role::Feature(_) => self.values.push(target.feature_cell(cell, at)?),
        }
        Ok(())
    }

    pub(super) fn finish(self, path: &Path) -> Result<Dataset> {
        if self.labels.rows() == 0 {
            return Err(FormatError::NoRows { path: path.to_path_buf() }.into());
        }
        let is_feature = |column: &TableColumn| matches!(column.role, Role::Feature(_));
        let columns: Vec<Column> = self.columns.into_iter().filter(is_feature).map(TableColumn::into_column).collect();
        let features = DenseMatrix::new(self.labels.rows(), columns.len(), self.values);
        let labels = self.labels.finish();
        Dataset::with_missing(data_name(path), Matrix::Dense(features), columns, labels, self.label_names)
    }
}

impl TableColumn {
    fn into_column(self) -> Column {
        let kind = match self.content {
            Content::Words(categories) | Content::Nominal(categories) => ColumnKind::Nominal(categories.into_words()),
            _ => ColumnKind::Numeric,
        };
        Column { name: self.name, kind }
    }

    fn label_cell(&mut self, cell: Cell<'_>, at: impl Fn() -> Place) -> Result<Option<bool>, FormatError> {
        let Content::Label(words) = &mut self.content else { return Ok(None) };
        let written;
        let word = match cell {
            Cell::Missing => return Ok(None),
            // Programs that store labels as numbers write an unknown label as NaN. In features NaN is more often an
            // error.
            Cell::Text(text) if is_missing(text) || text.trim_ascii().eq_ignore_ascii_case("nan") => return Ok(None),
            Cell::Text(text) | Cell::Word(text) => text.trim_ascii(),
            Cell::Number(number) => {
                written = number.to_string();
                &written
            }
        };
        match words.read(word) {
            Ok(present) => Ok(Some(present)),
            Err(reason) => {
                let (at, label, word) = (at(), self.name.clone(), format!("{word:?}"));
                Err(FormatError::LabelWord { at, label, word, reason })
            }
        }
    }

    fn feature_cell(&mut self, cell: Cell<'_>, at: impl Fn() -> Place) -> Result<f64, FormatError> {
        match cell {
            Cell::Missing => Ok(f64::NAN),
            Cell::Text(text) => match (text.trim_ascii(), &mut self.content) {
                (bare, _) if is_missing(bare) => Ok(f64::NAN),
                (_, Content::Nominal(categories)) => Ok(categories.code_or_add(text) as f64),
                (bare, _) => match decimal::parse(bare) {
                    Ok(number) => self.number(number, text, at),
                    Err(_) => self.word(text, at),
                },
            },
            Cell::Word(word) => self.word(word, at),
            Cell::Number(number) => match &mut self.content {
                Content::Nominal(categories) => Ok(categories.code_or_add(&number.to_string()) as f64),
                _ => self.number(number, "", at),
            },
        }
    }

    /// `text` is the number as written, or empty.
    fn number(&mut self, number: f64, text: &str, at: impl Fn() -> Place) -> Result<f64, FormatError> {
        let written = || if text.is_empty() { number.to_string() } else { text.trim_ascii().to_string() };
        if matches!(self.content, Content::Words(_)) {
            let (this, others) = ("a number", "words");
            return Err(FormatError::MixedColumn {
                at: at(),
                value: written(),
                column: self.name.clone(),
                this,
                others,
            });
        }
        if !number.is_finite() {
            return Err(FormatError::NotFinite { at: at(), value: written(), column: self.name.clone() });
        }
        if matches!(self.content, Content::Open) {
            self.content = Content::Numbers;
        }
        Ok(number)
    }

    fn word(&mut self, word: &str, at: impl Fn() -> Place) -> Result<f64, FormatError> {
        if matches!(self.content, Content::Open) {
            self.content = Content::Words(Categories::default());
        }
        match &mut self.content {
            Content::Words(categories) | Content::Nominal(categories) => Ok(categories.code_or_add(word) as f64),
            _ => {
                let (value, column) = (word.to_string(), self.name.clone());
                Err(FormatError::MixedColumn { at: at(), value, column, this: "a word", others: "numbers" })
            }
        }
    }
}
