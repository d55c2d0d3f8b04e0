//! Writes CSV and TSV.

use std::io;
use std::path::Path;

use ::csv::{QuoteStyle, Writer, WriterBuilder};

use super::DELIMITERS;
use crate::error::Result;
use crate::formats::Format;
use crate::formats::output::{cannot_hold, prepare, refuse_shared_names, write_number};
use crate::formats::table::is_missing;
use crate::{ColumnKind, Dataset};

pub(super) fn write(data: &Dataset, path: &Path, format: Format, delimiter: u8) -> Result<()> {
    refuse_shared_names(data, path, format)?;
    for column in data.columns() {
        if let ColumnKind::Nominal(categories) = &column.kind
            && let Some(category) = categories.iter().find(|category| is_missing(category))
        {
            let what = format!("the category {category:?} of {:?}, which means a missing cell there", column.name);
            return Err(cannot_hold(path, format, what, "write arff, or rename the category"));
        }
    }
    let names = || data.columns().iter().map(|column| &column.name).chain(data.label_names());
    let pending = prepare(path, |out| {
        // A reader that guesses the delimiter must not count characters inside names.
        let misleading = |name: &String| name.bytes().any(|byte| DELIMITERS.contains(&byte));
        let style = if names().any(misleading) { QuoteStyle::Always } else { QuoteStyle::Necessary };
        let mut header = WriterBuilder::new().delimiter(delimiter).quote_style(style).from_writer(&mut *out);
        header.write_record(names())?;
        header.flush()?;
        drop(header);
        let mut rows = WriterBuilder::new().delimiter(delimiter).from_writer(out);
        (0..data.rows()).try_for_each(|row| write_row(data, row, &mut rows))?;
        rows.flush()
    })?;
    Ok(pending.commit()?)
}

fn write_row(data: &Dataset, row: usize, out: &mut Writer<impl io::Write>) -> io::Result<()> {
    let mut text = Vec::new();
    let mut cell = |column: usize, value: f64| match &data.columns()[column].kind {
        _ if value.is_nan() => out.write_field(""),
        ColumnKind::Nominal(categories) => out.write_field(&categories[value as usize]),
        ColumnKind::Numeric => {
            text.clear();
            write_number(&mut text, value)?;
            out.write_field(&text)
        }
    };
    // Cells that a sparse row leaves out are 0, or the first category.
    let (mut next, mut result) = (0, Ok(()));
    data.features().visit_row(row, |column, value| {
        if result.is_ok() {
            result = (next..column).try_for_each(|gap| cell(gap, 0.0)).and_then(|()| cell(column, value));
        }
        next = column + 1;
    });
    result?;
    (next..data.columns().len()).try_for_each(|gap| cell(gap, 0.0))?;
    for label in 0..data.labels().count() {
        out.write_field(match data.labels().get(row, label) {
            None => "",
            Some(false) => "0",
            Some(true) => "1",
        })?;
    }
    out.write_record(None::<&[u8]>)?;
    Ok(())
}
