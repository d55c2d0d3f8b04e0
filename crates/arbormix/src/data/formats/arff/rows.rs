//! The rows of an ARFF file.

use super::header::AttributeKind;
use super::token::{Cursor, Word};
use crate::data::LabelSet;
use crate::data::formats::categories::Categories;
use crate::data::formats::error::{FormatError, quoted};
use crate::data::formats::label_rows::LabelRows;
use crate::data::formats::label_source::{Role, Roles};
use crate::data::formats::number;
use crate::data::formats::source::Line;
use crate::data::formats::words::Words;
use crate::data::{Column, ColumnKind, Labels};
use crate::error::Result;
use crate::matrix::{DenseMatrix, Matrix, SparseBuilder};

/// What to do with the values of one attribute.
pub(super) struct Field {
    pub(super) name: String,
    role: Role,
    content: Content,
}

enum Content {
    Number,
    Category(Categories),
    /// A label among declared words, with what each of them means.
    LabelCategory(Categories, Vec<bool>),
    /// A label in a numeric attribute.
    LabelNumber(Words),
    /// Left out, so that any text will do.
    Any,
}

impl Field {
    /// A field, or why its words cannot be those of a label.
    pub(super) fn new(
        name: String,
        kind: AttributeKind,
        role: Role,
        positive: Option<&str>,
    ) -> Result<Field, (String, &'static str)> {
        let content = match (role, kind) {
            (Role::Dropped, _) | (_, AttributeKind::Opaque(_)) => Content::Any,
            (Role::Feature(_), AttributeKind::Numeric) => Content::Number,
            (Role::Feature(_), AttributeKind::Nominal(words)) => Content::Category(Categories::new(words)),
            (Role::Label(_), AttributeKind::Numeric) => Content::LabelNumber(Words::new(positive)),
            (Role::Label(_), AttributeKind::Nominal(words)) => match Words::new(positive).categories(&words) {
                Ok(meanings) => Content::LabelCategory(Categories::new(words), meanings),
                Err(reason) => return Err((quoted(words.iter().map(String::as_str)), reason)),
            },
        };
        Ok(Field { name, role, content })
    }

    /// The column of features this field is, if it is one.
    pub(super) fn column(&self) -> Option<Column> {
        let kind = match (self.role, &self.content) {
            (Role::Feature(_), Content::Category(categories)) => ColumnKind::Nominal(categories.words().to_vec()),
            (Role::Feature(_), _) => ColumnKind::Numeric,
            _ => return None,
        };
        Some(Column { name: self.name.clone(), kind })
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

/// How to read the usual cells of a field without asking it: fields are large, and there may be many.
#[derive(Clone, Copy)]
enum Plain {
    /// A number of this feature.
    Number(usize),
    /// One of two categories of this feature, each a letter or a digit.
    Letter(usize, [u8; 2]),
    /// There is no usual form.
    No,
}

impl Plain {
    fn of(field: &Field) -> Plain {
        match (field.role, &field.content) {
            (Role::Feature(feature), Content::Number) => Plain::Number(feature),
            (Role::Feature(feature), Content::Category(categories)) => match categories.words() {
                [first, second] => match (first.as_bytes(), second.as_bytes()) {
                    (&[a], &[b]) if a.is_ascii_alphanumeric() && b.is_ascii_alphanumeric() => {
                        Plain::Letter(feature, [a, b])
                    }
                    _ => Plain::No,
                },
                _ => Plain::No,
            },
            _ => Plain::No,
        }
    }

    /// Feature and value, if the cell that comes next has the usual form.
    #[inline]
    fn cell(self, cursor: &mut Cursor<'_>) -> Option<(usize, f64)> {
        match self {
            Plain::Number(feature) => cursor.plain_number().map(|value| (feature, value)),
            Plain::Letter(feature, letters) => cursor.plain_letter(letters).map(|code| (feature, code as f64)),
            Plain::No => None,
        }
    }
}

/// The rows read so far. The first row decides between dense and sparse.
pub(super) struct Rows {
    fields: Vec<Field>,
    /// One for every field.
    plain: Vec<Plain>,
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
        let plain = fields.iter().map(Plain::of).collect();
        Rows { fields, plain, features, labels, store: None, entries: Vec::new(), scratch: String::new() }
    }

    /// Reads a line; blank ones and comments are no rows.
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
        if sparse { self.sparse_row(&mut cursor) } else { self.dense_row(&mut cursor) }
    }

    fn dense_row(&mut self, cursor: &mut Cursor<'_>) -> Result<()> {
        let Some(Store::Dense(values)) = &mut self.store else { return Ok(()) };
        let (line, expected) = (cursor.line, self.fields.len());
        let mut found = 0;
        loop {
            if cursor.peek() == Some(b'{') {
                return Err(FormatError::InstanceWeight { at: line.place(cursor.offset()) }.into());
            }
            if let Some(plain) = self.plain.get(found)
                && let Some((_, value)) = plain.cell(cursor)
            {
                values.push(value);
            } else {
                let word = cursor.word("a value (write ? for a missing one)", &mut self.scratch)?;
                let Some(field) = self.fields.get_mut(found) else {
                    let at = line.place(word.start);
                    return Err(FormatError::LongRow { at, found: found + 1, expected }.into());
                };
                let cell = field.cell(word, line)?;
                match field.role {
                    Role::Feature(_) => values.push(cell),
                    Role::Label(label) => self.labels.set(label, observed(cell)),
                    Role::Dropped => {}
                }
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
        // A place is worked out only for a message: that walks through the line.
        let start = cursor.offset();
        let index = match cursor.plain_index() {
            Some(index) => index as u64,
            None => {
                let word = cursor.word(INDEX, &mut self.scratch)?;
                word.text.parse::<u64>().map_err(|_| {
                    let found = format!("{:?}", word.text);
                    FormatError::Syntax { at: line.place(start), expected: INDEX, found }
                })?
            }
        };
        let last = self.fields.len() as u64 - 1;
        if index > last {
            return Err(FormatError::IndexRange { at: line.place(start), index, first: 0, last });
        }
        let index = index as usize;
        cursor.peek();
        if let Some((feature, value)) = self.plain[index].cell(cursor) {
            return Ok(Entry { index, role: Role::Feature(feature), value, start });
        }
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
        let columns = self.fields.iter().filter_map(Field::column).collect();
        let matrix = match self.store {
            Some(Store::Sparse(builder)) => Matrix::Sparse(builder.finish(self.features)),
            Some(Store::Dense(values)) => Matrix::Dense(DenseMatrix::new(self.labels.rows(), self.features, values)),
            None => Matrix::Dense(DenseMatrix::zeros(0, self.features)),
        };
        (matrix, columns, self.labels.finish())
    }
}

fn observed(cell: f64) -> Option<bool> {
    (!cell.is_nan()).then_some(cell == 1.0)
}
