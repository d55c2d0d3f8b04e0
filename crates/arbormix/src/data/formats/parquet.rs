//! Parquet: numbers, booleans and strings; nulls are missing cells.

use std::io::Read;
use std::path::Path;

use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::record::Field;

use super::ReadOptions;
use super::error::{FormatError, Place};
use super::source::{GZIP_MAGIC, open_file};
use super::table::{Cell, Table};
use crate::data::Dataset;
use crate::error::{Error, Result};

/// Reads a Parquet file; columns of strings are nominal, also if the strings look like numbers.
pub(super) fn read(path: &Path, options: &ReadOptions) -> Result<Dataset> {
    let problem = |problem: String| FormatError::Parquet { path: path.to_path_buf(), problem };
    let mut start = [0; GZIP_MAGIC.len()];
    if open_file(path)?.read(&mut start).map_err(Error::io(path))? == start.len() && start == GZIP_MAGIC {
        return Err(problem("Parquet is compressed inside; unpack the .gz around it".to_string()).into());
    }
    let unreadable = |error: ::parquet::errors::ParquetError| problem(format!("no readable Parquet file: {error}"));
    let reader = SerializedFileReader::new(open_file(path)?).map_err(unreadable)?;
    let schema = reader.metadata().file_metadata().schema();
    let names: Vec<String> = schema.get_fields().iter().map(|field| field.name().to_string()).collect();
    if let Some(second) = (1..names.len()).find(|&column| names[..column].contains(&names[column])) {
        return Err(
            problem(format!("the column {:?} occurs a second time; rename one of the two", names[second])).into()
        );
    }
    let mut table = Table::new(path, names, options)?;
    for (number, row) in reader.get_row_iter(None).map_err(unreadable)?.enumerate() {
        let row = row.map_err(unreadable)?;
        table.start_row();
        for (column, (_, field)) in row.get_column_iter().enumerate() {
            if table.is_dropped(column) {
                continue;
            }
            let at = || Place::Row { path: path.to_path_buf(), row: number + 1 };
            let cell = cell(field).map_err(|kind| FormatError::ColumnType {
                at: at(),
                name: table.name(column).to_string(),
                kind: kind.to_string(),
                remedy: "turn it into numbers, booleans or strings, or leave it out (list it in `drop`)",
            })?;
            table.put(column, cell, at)?;
        }
    }
    table.finish(path)
}

/// A field as a cell, or the name of its type if it is no number, boolean or string.
fn cell(field: &Field) -> Result<Cell<'_>, &'static str> {
    Ok(match field {
        Field::Null => Cell::Missing,
        Field::Bool(value) => Cell::Number(f64::from(*value)),
        Field::Byte(value) => Cell::Number(f64::from(*value)),
        Field::Short(value) => Cell::Number(f64::from(*value)),
        Field::Int(value) => Cell::Number(f64::from(*value)),
        Field::Long(value) => Cell::Number(*value as f64),
        Field::UByte(value) => Cell::Number(f64::from(*value)),
        Field::UShort(value) => Cell::Number(f64::from(*value)),
        Field::UInt(value) => Cell::Number(f64::from(*value)),
        Field::ULong(value) => Cell::Number(*value as f64),
        Field::Float16(value) => Cell::Number(f64::from(*value)),
        Field::Float(value) => Cell::Number(f64::from(*value)),
        Field::Double(value) => Cell::Number(*value),
        Field::Str(text) => Cell::Word(text),
        Field::Decimal(_) => return Err("decimal"),
        Field::Bytes(_) => return Err("bytes"),
        Field::Date(_) | Field::TimestampMillis(_) | Field::TimestampMicros(_) => return Err("date"),
        Field::TimeMillis(_) | Field::TimeMicros(_) => return Err("time"),
        Field::Group(_) | Field::ListInternal(_) | Field::MapInternal(_) => return Err("group"),
    })
}
