//! The part of an ARFF file before `@data`.

use std::collections::HashSet;
use std::path::Path;

use super::token::{Cursor, Word};
use crate::error::{FormatError, Place, Result};
use crate::formats::LabelSource;
use crate::formats::categories::Categories;
use crate::formats::source::Lines;

/// An attribute as declared.
pub(super) struct Attribute {
    pub(super) name: String,
    pub(super) kind: AttributeKind,
    /// Where its type is declared.
    pub(super) at: Spot,
}

/// A place in the file. There are many attributes, so the path is added only for a message.
#[derive(Clone, Copy)]
pub(super) struct Spot {
    line: usize,
    column: usize,
}

impl Spot {
    pub(super) fn place(self, path: &Path) -> Place {
        Place::Text { path: path.to_path_buf(), line: self.line, column: self.column }
    }
}

/// The type of an attribute.
pub(super) enum AttributeKind {
    Numeric,
    Nominal(Categories),
    /// A type that can only be left out: string or date.
    Opaque(String),
}

pub(super) struct Header {
    pub(super) attributes: Vec<Attribute>,
    /// What MEKA's `-C n` in the relation's name says.
    pub(super) meka: Option<LabelSource>,
}

const KEYWORD: &str = "@relation, @attribute or @data";
const TYPE: &str = "a type: numeric, real, integer or a list of categories in braces \
                    (a name with blanks in it must be quoted)";

/// Reads up to and including the line `@data`.
pub(super) fn read(lines: &mut Lines, path: &Path) -> Result<Header> {
    let mut header = Header { attributes: Vec::new(), meka: None };
    let end = declarations(lines, path, &mut header);
    // A duplicate name is reported before whatever ended the header.
    let mut names = HashSet::with_capacity(header.attributes.len());
    if let Some(second) = header.attributes.iter().find(|attribute| !names.insert(attribute.name.as_str())) {
        let at = Spot { column: 1, ..second.at }.place(path);
        return Err(FormatError::DuplicateName { at, what: "attribute", name: second.name.clone() }.into());
    }
    end.map(|()| header)
}

fn declarations(lines: &mut Lines, path: &Path, header: &mut Header) -> Result<()> {
    let mut scratch = String::new();
    let mut begun = false;
    while let Some(line) = lines.next()? {
        let mut cursor = Cursor::new(line);
        if cursor.peek().is_none() {
            continue;
        }
        begun = true;
        let keyword = cursor.word(KEYWORD, &mut scratch)?;
        if keyword.text.eq_ignore_ascii_case("@attribute") {
            header.attributes.push(attribute(&mut cursor, &mut scratch)?);
        } else if keyword.text.eq_ignore_ascii_case("@relation") {
            header.meka = relation(&mut cursor, &mut scratch)?;
        } else if keyword.text.eq_ignore_ascii_case("@data") {
            if header.attributes.is_empty() {
                let (at, found) = (line.place(0), "@data".to_string());
                return Err(FormatError::Syntax { at, expected: "an @attribute first", found }.into());
            }
            return Ok(());
        } else {
            let (at, found) = (line.place(keyword.start), format!("{:?}", keyword.text));
            return Err(FormatError::Syntax { at, expected: KEYWORD, found }.into());
        }
    }
    if !begun {
        return Err(FormatError::Empty { path: path.to_path_buf(), expected: "@relation and @attribute lines" }.into());
    }
    let at = Place::Text { path: path.to_path_buf(), line: lines.number(), column: 1 };
    let found = "the end of the file".to_string();
    Err(FormatError::Syntax { at, expected: "@data and rows (the file was probably cut off)", found }.into())
}

fn attribute(cursor: &mut Cursor<'_>, scratch: &mut String) -> Result<Attribute, FormatError> {
    let name = cursor.word("the name of the attribute", scratch)?.text.to_string();
    cursor.peek();
    let start = cursor.offset();
    let at = Spot { line: cursor.line.number, column: cursor.line.column(start) };
    if cursor.take(b'{') {
        let categories = categories(cursor, scratch)?;
        end_of_line(cursor)?;
        return Ok(Attribute { name, kind: AttributeKind::Nominal(categories), at });
    }
    let word = cursor.word(TYPE, scratch)?;
    let is = |keyword: &str| word.text.eq_ignore_ascii_case(keyword);
    let kind = if is("numeric") || is("real") || is("integer") {
        end_of_line(cursor)?;
        AttributeKind::Numeric
    } else if is("string") || is("date") {
        // The rest of a date's line is its pattern.
        AttributeKind::Opaque(word.text.to_ascii_lowercase())
    } else if is("relational") {
        let remedy = "write each of its parts as an attribute of its own";
        let at = cursor.line.place(start);
        return Err(FormatError::ColumnType { at, name, kind: "relational".to_string(), remedy });
    } else {
        let (at, found) = (cursor.line.place(start), format!("{:?}", word.text));
        return Err(FormatError::Syntax { at, expected: TYPE, found });
    };
    Ok(Attribute { name, kind, at })
}

/// Nothing, a comment, or a range such as `[0, 10]`, which is ignored.
fn end_of_line(cursor: &mut Cursor<'_>) -> Result<(), FormatError> {
    match cursor.peek() {
        None | Some(b'[') => Ok(()),
        Some(_) => Err(cursor.unexpected("the end of the line")),
    }
}

/// The categories after the opening brace.
fn categories(cursor: &mut Cursor<'_>, scratch: &mut String) -> Result<Categories, FormatError> {
    const EXPECTED: &str = "a category, or } at the end of the list";
    let mut list = Categories::default();
    while !cursor.take(b'}') {
        let Word { text, start, .. } = cursor.word(EXPECTED, scratch)?;
        if list.code(text).is_some() {
            let (at, name) = (cursor.line.place(start), text.to_string());
            return Err(FormatError::DuplicateName { at, what: "category", name });
        }
        list.code_or_add(text);
        cursor.take(b',');
    }
    Ok(list)
}

/// The labels that a MEKA relation such as `'Music: -C 6'` announces: the first n attributes, or the last |n|.
fn relation(cursor: &mut Cursor<'_>, scratch: &mut String) -> Result<Option<LabelSource>, FormatError> {
    let quoted = matches!(cursor.peek(), Some(b'\'' | b'"'));
    let at = cursor.offset();
    let name = if quoted { cursor.word("the name of the relation", scratch)?.text } else { cursor.rest() };
    let mut words = name.split(|c: char| c.is_whitespace() || c == ':');
    if words.by_ref().all(|word| word != "-C") {
        return Ok(None);
    }
    let number = words.find(|word| !word.is_empty()).unwrap_or_default();
    match number.parse::<i64>() {
        Ok(count) if count > 0 => Ok(Some(LabelSource::First(count as usize))),
        Ok(count) if count < 0 => Ok(Some(LabelSource::Last(count.unsigned_abs() as usize))),
        _ => Err(FormatError::Syntax {
            at: cursor.line.place(at),
            expected: "a number of labels after -C (n: the first n attributes, -n: the last n)",
            found: format!("{number:?}"),
        }),
    }
}
