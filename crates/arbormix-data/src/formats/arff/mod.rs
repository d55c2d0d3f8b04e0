//! ARFF, dense and sparse, as Weka, Mulan and MEKA write it.

mod header;
mod plain;
mod rows;
#[cfg(test)]
mod tests;
mod token;
mod write;

use std::path::Path;

use self::header::{Attribute, AttributeKind, Header};
use self::rows::{Content, Field, Rows};
use self::write::write;
use super::format::{Declaration, Format, Writer};
use super::label_source::{LabelSource, Role, Roles};
use super::source::Lines;
use super::{ReadOptions, mulan};
use crate::Dataset;
use crate::error::{FormatError, Result};

/// Weka's format, with labels by Mulan's XML or MEKA's header.
struct Arff;

impl Format {
    /// Weka's format, with labels by Mulan's XML or MEKA's header.
    pub const ARFF: Format = Format(&Arff);
}

impl Declaration for Arff {
    fn name(&self) -> &'static str {
        "arff"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["arff"]
    }

    fn begins(&self, start: &[u8]) -> bool {
        // Comments and blank lines may come first.
        let mut lines = start.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_start);
        let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"%"));
        first
            .and_then(|line| line.get(..b"@relation".len()))
            .is_some_and(|word| word.eq_ignore_ascii_case(b"@relation"))
    }

    fn options(&self) -> &'static [&'static str] {
        &["labels", "xml", "positive", "drop"]
    }

    fn read(&self, path: &Path, options: &ReadOptions) -> Result<Dataset> {
        read(path, options)
    }

    fn writer(&self) -> Option<Writer> {
        Some(write)
    }
}

/// Reads an ARFF file; dense rows give dense features, sparse rows (`{index value, …}`) sparse ones.
///
/// A sparse row leaves out numeric cells that are 0 and nominal cells of the *first* category, so an attribute
/// `{1,0}` that is left out is 1: Weka's rule.
fn read(path: &Path, options: &ReadOptions) -> Result<Dataset> {
    let mut lines = Lines::open(path)?;
    let header = header::read(&mut lines, path)?;
    let names: Vec<&str> = header.attributes.iter().map(|attribute| attribute.name.as_str()).collect();
    let (labels, origin) = label_source(path, &header, options)?;
    let labels = if options.labels == LabelSource::Auto { labels.counted_in(&names) } else { labels };
    let roles = Roles::assign(path, &names, &labels, &origin, &options.drop)?;
    let mut rows = Rows::new(fields(path, header, &roles, options)?, &roles);
    while let Some(line) = lines.next()? {
        rows.read(line)?;
    }
    if rows.count() == 0 {
        return Err(FormatError::NoRows { path: path.to_path_buf() }.into());
    }
    let (matrix, columns, labels) = rows.finish();
    Dataset::with_missing(super::data_name(path), matrix, columns, labels, roles.label_names)
}

/// The labels that were asked for, and who asked.
fn label_source(path: &Path, header: &Header, options: &ReadOptions) -> Result<(LabelSource, String)> {
    if options.labels != LabelSource::Auto {
        return Ok((options.labels.clone(), super::LABEL_OPTION.to_string()));
    }
    let beside = mulan::path_beside(path);
    let xml = options.xml.clone().or_else(|| beside.is_file().then(|| beside.clone()));
    match (xml, &header.meka) {
        (Some(xml), _) => Ok((LabelSource::Names(mulan::read(&xml)?), format!("the labels of {}", xml.display()))),
        (None, Some(meka)) => Ok((meka.clone(), "the -C option in @relation and its number".to_string())),
        (None, None) => {
            let reason = format!(
                "there is no {} and no `-C n` in @relation; put the XML there, or give `labels` as names, first:N, \
                 last:N or prefix:P",
                beside.display()
            );
            Err(FormatError::NoLabels { path: path.to_path_buf(), reason }.into())
        }
    }
}

fn fields(path: &Path, header: Header, roles: &Roles, options: &ReadOptions) -> Result<Vec<Field>> {
    let mut fields = Vec::with_capacity(header.attributes.len());
    for (attribute, &role) in header.attributes.into_iter().zip(&roles.of) {
        let Attribute { name, kind, at } = attribute;
        if let (AttributeKind::Opaque(kind), true) = (&kind, role != Role::Dropped) {
            let (at, kind) = (at.place(path), kind.clone());
            let remedy = "turn it into numbers or categories, or leave it out (list it in `drop`)";
            return Err(FormatError::ColumnType { at, name, kind, remedy }.into());
        }
        match Content::new(kind, role, options.positive.as_deref()) {
            Ok(content) => fields.push(Field { name, role, content }),
            Err((word, reason)) => {
                return Err(FormatError::LabelWord { at: at.place(path), label: name, word, reason }.into());
            }
        }
    }
    Ok(fields)
}
