//! Writes ARFF with a Mulan label file.

use std::io::{self, Write};
use std::path::Path;

use crate::error::Result;
use crate::formats::output::{cannot_hold, prepare, refuse_shared_names, write_number};
use crate::formats::{Format, mulan};
use crate::{ColumnKind, Dataset};
use arbormix_matrix::Matrix;

/// Writes features, then labels as `{0,1}`; dense features as dense rows, sparse ones as sparse rows.
pub(super) fn write(data: &Dataset, path: &Path) -> Result<()> {
    refuse_shared_names(data, path, Format::ARFF)?;
    let xml_path = mulan::path_beside(path);
    if xml_path == path {
        let what = "its rows and its label file under one name".to_string();
        return Err(cannot_hold(path, Format::ARFF, what, "choose a name that ends in .arff"));
    }
    let arff = prepare(path, |out| {
        header(data, out)?;
        rows(data, out)
    })?;
    let xml = prepare(&xml_path, |out| out.write_all(mulan::text(data.label_names()).as_bytes()))?;
    // Both files are complete before either is put in its place.
    xml.commit()?;
    Ok(arff.commit()?)
}

fn header(data: &Dataset, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "@relation {}\n", quote(data.name()))?;
    for column in data.columns() {
        write!(out, "@attribute {} ", quote(&column.name))?;
        match &column.kind {
            ColumnKind::Numeric => writeln!(out, "numeric")?,
            ColumnKind::Nominal(categories) => {
                let list: Vec<String> = categories.iter().map(|category| quote(category)).collect();
                writeln!(out, "{{{}}}", list.join(","))?;
            }
        }
    }
    for name in data.label_names() {
        writeln!(out, "@attribute {} {{0,1}}", quote(name))?;
    }
    writeln!(out, "\n@data")
}

fn rows(data: &Dataset, out: &mut dyn Write) -> io::Result<()> {
    let words: Vec<Option<Vec<String>>> = data
        .columns()
        .iter()
        .map(|column| match &column.kind {
            ColumnKind::Numeric => None,
            ColumnKind::Nominal(categories) => Some(categories.iter().map(|category| quote(category)).collect()),
        })
        .collect();
    let cell = |out: &mut dyn Write, column: usize, value: f64| match &words[column] {
        _ if value.is_nan() => out.write_all(b"?"),
        Some(categories) => out.write_all(categories[value as usize].as_bytes()),
        None => write_number(out, value),
    };
    let labels = data.labels();
    for row in 0..data.rows() {
        let mut separator: &[u8] = b"";
        match data.features() {
            Matrix::Dense(dense) => {
                for (column, &value) in dense.row(row).iter().enumerate() {
                    out.write_all(separator)?;
                    separator = b",";
                    cell(out, column, value)?;
                }
                for label in 0..labels.count() {
                    out.write_all(separator)?;
                    separator = b",";
                    out.write_all(label_text(labels.get(row, label)))?;
                }
                out.write_all(b"\n")?;
            }
            Matrix::Sparse(sparse) => {
                out.write_all(b"{")?;
                let (columns, values) = sparse.row(row);
                for (&column, &value) in columns.iter().zip(values) {
                    out.write_all(separator)?;
                    separator = b",";
                    write!(out, "{column} ")?;
                    cell(out, column as usize, value)?;
                }
                for label in (0..labels.count()).filter(|&label| labels.get(row, label) != Some(false)) {
                    out.write_all(separator)?;
                    separator = b",";
                    write!(out, "{} ", sparse.cols() + label)?;
                    out.write_all(label_text(labels.get(row, label)))?;
                }
                out.write_all(b"}\n")?;
            }
        }
    }
    Ok(())
}

fn label_text(cell: Option<bool>) -> &'static [u8] {
    match cell {
        None => b"?",
        Some(false) => b"0",
        Some(true) => b"1",
    }
}

/// A name or category as one word: bare if it is plain, else in single quotes with escapes.
fn quote(text: &str) -> String {
    // Other characters might have a meaning (blank, comment, keyword) for some reader.
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '+' | ':' | '/');
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_string();
    }
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('\'');
    for character in text.chars() {
        match character {
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\'' | '"' | '\\' | '%' => quoted.extend(['\\', character]),
            other => quoted.push(other),
        }
    }
    quoted.push('\'');
    quoted
}
