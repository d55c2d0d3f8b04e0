//! The rows of an ARFF file.

use super::header::AttributeKind;
use super::plain::{Plain, PlainCell};
use super::token::{Cursor, Word};
use crate::LabelSet;
use crate::error::{FormatError, Result, quoted};
use crate::formats::categories::Categories;
use crate::formats::label_rows::LabelRows;
use crate::formats::label_source::{Role, Roles};
use crate::formats::source::Line;
use crate::formats::words::Words;
use crate::formats::{decimal, number};
use crate::{Column, ColumnKind, Labels};
use arbormix_matrix::{DenseMatrix, Matrix, SparseBuilder};

/// What to do with the values of one attribute.
pub(super) struct Field {
    pub(super) name: String,
    pub(super) role: Role,
    pub(super) content: Content,
}

pub(super) enum Content {
    Number,
    Category(Categories),
    /// A label among declared words, with what each of them means.
    LabelCategory(Categories, Vec<bool>),
    /// A label in a numeric attribute.
    LabelNumber(Words),
    /// Left out; any text is accepted.
    Any,
}

impl Content {
    /// What to do with values of this kind, or why its words cannot be those of a label.
    pub(super) fn new(
        kind: AttributeKind,
        role: Role,
        positive: Option<&str>,
    ) -> Result<Content, (String, &'static str)> {
        Ok(match (role, kind) {
            (Role::Dropped, _) | (_, AttributeKind::Opaque(_)) => Content::Any,
            (Role::Feature(_), AttributeKind::Numeric) => Content::Number,
            (Role::Feature(_), AttributeKind::Nominal(categories)) => Content::Category(categories),
            (Role::Label(_), AttributeKind::Numeric) => Content::LabelNumber(Words::new(positive)),
            (Role::Label(_), AttributeKind::Nominal(categories)) => {
                match Words::new(positive).categories(categories.words()) {
                    Ok(meanings) => Content::LabelCategory(categories, meanings),
                    Err(reason) => return Err((quoted(categories.words().iter().map(String::as_str)), reason)),
                }
            }
        })
    }
}

impl Field {
    /// The column of features this field is, if it is one.
    fn into_column(self) -> Option<Column> {
        let kind = match (self.role, self.content) {
            (Role::Feature(_), Content::Category(categories)) => ColumnKind::Nominal(categories.into_words()),
            (Role::Feature(_), _) => ColumnKind::Numeric,
            _ => return None,
        };
        Some(Column { name: self.name, kind })
    }

    /// Whether the label is present in a sparse row that leaves it out: it then has the first declared category.
    fn omitted(&self) -> bool {
        matches!(&self.content, Content::LabelCategory(_, meanings) if meanings.first() == Some(&true))
    }

    /// The cell: a number, the code of a category, 0 or 1 for labels, NaN for a missing value.
    fn cell(&mut self, word: Word<'_>, line: Line<'_>) -> Result<f64, FormatError> {
        if word.is_missing() {
            return Ok(f64::NAN);
        }
        let unknown = |categories: &Categories, attribute: &str| FormatError::UnknownCategory {
            at: line.place(word.start),
            value: word.text.to_string(),
            attribute: attribute.to_string(),
            known: quoted(categories.words().iter().map(String::as_str)),
        };
        match &mut self.content {
            Content::Any => Ok(0.0),
            Content::Number => number(word.text, &self.name, || line.place(word.start)),
            Content::Category(categories) => match categories.code(word.text) {
                Some(code) => Ok(code as f64),
                None => Err(unknown(categories, &self.name)),
            },
            Content::LabelCategory(categories, meanings) => match categories.code(word.text) {
                Some(code) => Ok(f64::from(meanings[code])),
                None => Err(unknown(categories, &self.name)),
            },
            Content::LabelNumber(words) => match words.read(word.text) {
                Ok(present) => Ok(f64::from(present)),
                Err(reason) => Err(FormatError::LabelWord {
                    at: line.place(word.start),
                    label: self.name.clone(),
                    word: format!("{:?}", word.text),
                    reason,
                }),
            },
        }
    }
}

/// The rows read so far. The first row decides between dense and sparse.
pub(super) struct Rows {
    fields: Vec<Field>,
    /// One for every field.
    plain: Vec<Plain>,
    /// For every field: the number of consecutive features, from it on, that are plain numbers.
    numbers: Vec<usize>,
    features: usize,
    labels: LabelRows,
    store: Option<Store>,
    entries: Vec<Entry>,
    scratch: String,
}

enum Store {
    Dense(Vec<f64>),
    Sparse(SparseBuilder),
}

/// One `index value` pair of a sparse row.
struct Entry {
    index: usize,
    role: Role,
    value: f64,
    start: usize,
}

const ONE_FORM: &str = "a row of the same form as the first one (all rows dense, or all sparse in braces)";

impl Rows {
    pub(super) fn new(fields: Vec<Field>, roles: &Roles) -> Rows {
        let mut initial = LabelSet::empty(roles.label_names.len());
        for field in &fields {
            if let Role::Label(label) = field.role {
                initial.set(label, field.omitted());
            }
        }
        let features = fields.iter().filter(|field| matches!(field.role, Role::Feature(_))).count();
        let labels = LabelRows::new(initial, &roles.unknown);
        let plain: Vec<Plain> = fields.iter().map(Plain::of).collect();
        let mut numbers = vec![0; plain.len()];
        let mut following = 0;
        for (to, plain) in numbers.iter_mut().zip(&plain).rev() {
            following = if matches!(plain, Plain::Number(_)) { following + 1 } else { 0 };
            *to = following;
        }
        Rows { fields, plain, numbers, features, labels, store: None, entries: Vec::new(), scratch: String::new() }
    }

    /// Reads a line. Blank lines and comments are not rows.
    pub(super) fn read(&mut self, line: Line<'_>) -> Result<()> {
        let mut cursor = Cursor::new(line);
        let Some(first) = cursor.peek() else { return Ok(()) };
        let sparse = first == b'{';
        let store = self.store.get_or_insert_with(|| match sparse {
            true => Store::Sparse(SparseBuilder::default()),
            false => Store::Dense(Vec::new()),
        });
        if sparse != matches!(store, Store::Sparse(_)) {
            return Err(cursor.unexpected(ONE_FORM).into());
        }
        self.labels.start_row();
        match sparse {
            true if self.plain_sparse_row(&cursor).is_some() => Ok(()),
            true => self.sparse_row(&mut cursor),
            false => self.dense_row(&mut cursor),
        }
    }

    /// Reads cells in their usual form from `found` on, each followed by a comma or the end of the line. Returns how
    /// many, and whether the line has ended.
    fn plain_dense_cells(&mut self, cursor: &mut Cursor<'_>, found: usize) -> (usize, bool) {
        let Some(Store::Dense(values)) = &mut self.store else { return (0, false) };
        let bytes = cursor.remaining().as_bytes();
        let (mut at, mut next, mut ended) = (0, found, false);
        'line: while next < self.plain.len() && !ended {
            // Most cells are numbers between numbers; their attributes need not be looked up one by one.
            for _ in 0..self.numbers[next] {
                let Some((value, length)) = decimal::leading(&bytes[at..]) else { break 'line };
                let Some(step) = step(bytes, at + length) else { break 'line };
                values.push(value);
                (at, next, ended) = (at + length + step, next + 1, step == 0);
                if ended {
                    break 'line;
                }
            }
            let Some(plain) = self.plain.get(next) else { break };
            let Some((cell, length)) = plain.cell(&bytes[at..]) else { break };
            let Some(step) = step(bytes, at + length) else { break };
            match cell {
                PlainCell::Feature(_, value) => values.push(value),
                PlainCell::Label(label, present) => self.labels.set(label, Some(present)),
            }
            (at, next, ended) = (at + length + step, next + 1, step == 0);
        }
        cursor.advance(at);
        (next - found, ended)
    }

    /// Reads a row of pairs in the usual form: ascending indices, one blank after each, a comma right after the value
    /// and perhaps one more blank. `None` if the row has anything else; it must then be read again from the start.
    fn plain_sparse_row(&mut self, cursor: &Cursor<'_>) -> Option<()> {
        let Some(Store::Sparse(builder)) = &mut self.store else { return None };
        let bytes = cursor.remaining().as_bytes();
        let (mut at, mut least) = (1, 0);
        loop {
            let (index, length) = decimal::leading_index(&bytes[at..], b' ')?;
            at += length;
            let (cell, length) = self.plain.get(index).filter(|_| index >= least)?.cell(&bytes[at..])?;
            at += length;
            let end = *bytes.get(at)?;
            if end != b',' && end != b'}' {
                return None;
            }
            match cell {
                PlainCell::Feature(feature, value) => builder.push(feature, value),
                PlainCell::Label(label, present) => self.labels.set(label, Some(present)),
            }
            least = index + 1;
            at += 1;
            if end == b'}' {
                break;
            }
            at += usize::from(bytes.get(at) == Some(&b' '));
        }
        (at == bytes.len()).then(|| builder.end_row())
    }

    fn dense_row(&mut self, cursor: &mut Cursor<'_>) -> Result<()> {
        let (line, expected) = (cursor.line, self.fields.len());
        let mut found = 0;
        loop {
            let (read, ended) = self.plain_dense_cells(cursor, found);
            found += read;
            if ended {
                break;
            }
            if cursor.peek() == Some(b'{') {
                return Err(FormatError::InstanceWeight { at: line.place(cursor.offset()) }.into());
            }
            let word = cursor.word("a value (write ? for a missing one)", &mut self.scratch)?;
            let Some(field) = self.fields.get_mut(found) else {
                let at = line.place(word.start);
                return Err(FormatError::LongRow { at, found: found + 1, expected }.into());
            };
            let cell = field.cell(word, line)?;
            match (field.role, &mut self.store) {
                (Role::Feature(_), Some(Store::Dense(values))) => values.push(cell),
                (Role::Label(label), _) => self.labels.set(label, observed(cell)),
                _ => {}
            }
            found += 1;
            // Blanks alone separate values too, as in Weka.
            if !cursor.take(b',') && cursor.peek().is_none() {
                break;
            }
        }
        if found < expected {
            return Err(FormatError::ShortRow { at: line.place(cursor.offset()), found, expected }.into());
        }
        Ok(())
    }

    fn sparse_row(&mut self, cursor: &mut Cursor<'_>) -> Result<()> {
        let line = cursor.line;
        self.entries.clear();
        // The part of the row that was read in plain form.
        if let Some(Store::Sparse(builder)) = &mut self.store {
            builder.clear_row();
        }
        cursor.take(b'{');
        while !cursor.take(b'}') {
            let entry = self.entry(cursor)?;
            self.entries.push(entry);
            if !cursor.take(b',') && cursor.peek() != Some(b'}') {
                return Err(cursor.unexpected("a comma or } after the value").into());
            }
        }
        if cursor.take(b',') && cursor.peek() == Some(b'{') || cursor.peek() == Some(b'{') {
            return Err(FormatError::InstanceWeight { at: line.place(cursor.offset()) }.into());
        }
        if cursor.peek().is_some() {
            return Err(cursor.unexpected("the end of the line after }").into());
        }
        if !self.entries.is_sorted_by_key(|entry| entry.index) {
            self.entries.sort_by_key(|entry| (entry.index, entry.start));
        }
        if let Some(pair) = self.entries.windows(2).find(|pair| pair[0].index == pair[1].index) {
            let (at, index) = (line.place(pair[1].start), pair[1].index as u64);
            return Err(FormatError::RepeatedIndex { at, index }.into());
        }
        let Some(Store::Sparse(builder)) = &mut self.store else { return Ok(()) };
        for entry in &self.entries {
            match entry.role {
                Role::Feature(feature) => builder.push(feature, entry.value),
                Role::Label(label) => self.labels.set(label, observed(entry.value)),
                Role::Dropped => {}
            }
        }
        builder.end_row();
        Ok(())
    }

    /// One `index value` pair.
    fn entry(&mut self, cursor: &mut Cursor<'_>) -> Result<Entry, FormatError> {
        const INDEX: &str = "the index of an attribute, counted from 0";
        let line = cursor.line;
        cursor.peek();
        // The place is computed only for a message, because that walks through the line.
        let start = cursor.offset();
        let word = cursor.word(INDEX, &mut self.scratch)?;
        let index = word.text.parse::<u64>().map_err(|_| {
            let found = format!("{:?}", word.text);
            FormatError::Syntax { at: line.place(start), expected: INDEX, found }
        })?;
        let last = self.fields.len() as u64 - 1;
        if index > last {
            return Err(FormatError::IndexRange { at: line.place(start), index, first: 0, last });
        }
        let index = index as usize;
        let word = cursor.word("a value after the index", &mut self.scratch)?;
        let field = &mut self.fields[index];
        Ok(Entry { index, value: field.cell(word, line)?, role: field.role, start })
    }

    /// Number of rows read.
    pub(super) fn count(&self) -> usize {
        self.labels.rows()
    }

    /// Features, their columns, and labels.
    pub(super) fn finish(self) -> (Matrix, Vec<Column>, Labels) {
        let columns = self.fields.into_iter().filter_map(Field::into_column).collect();
        let matrix = match self.store {
            Some(Store::Sparse(builder)) => Matrix::Sparse(builder.finish(self.features)),
            Some(Store::Dense(values)) => Matrix::Dense(DenseMatrix::new(self.labels.rows(), self.features, values)),
            None => Matrix::Dense(DenseMatrix::zeros(0, self.features)),
        };
        (matrix, columns, self.labels.finish())
    }
}

/// The start of the next cell: after a comma, or the end of the line. `None` if the cell goes on.
#[inline(always)]
fn step(bytes: &[u8], end: usize) -> Option<usize> {
    match bytes.get(end) {
        Some(b',') => Some(1),
        Some(_) => None,
        None => Some(0),
    }
}

fn observed(cell: f64) -> Option<bool> {
    (!cell.is_nan()).then_some(cell == 1.0)
}
