//! Reads Parquet.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use ::parquet::basic::Compression;
use ::parquet::file::metadata::ColumnChunkMetaData;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::record::Field;

use super::ReadOptions;
use crate::Dataset;
use crate::error::{Error, FormatError, Place, Result};
use crate::formats::source::{GZIP_MAGIC, open_file};
use crate::formats::table::{Cell, Table};

/// Reads a Parquet file; columns of strings are nominal, also if the strings look like numbers.
pub(super) fn read(path: &Path, options: &ReadOptions) -> Result<Dataset> {
    let problem = |problem: String| FormatError::Parquet { path: path.to_path_buf(), problem };
    let mut start = [0; GZIP_MAGIC.len()];
    if open_file(path)?.read(&mut start).map_err(Error::io(path))? == start.len() && start == GZIP_MAGIC {
        return Err(problem("Parquet is compressed inside; unpack the .gz around it".to_string()).into());
    }
    let unreadable = |error: ::parquet::errors::ParquetError| problem(format!("no readable Parquet file: {error}"));
    let reader = SerializedFileReader::new(open_file(path)?).map_err(unreadable)?;
    if let Some((column, codec)) = foreign_codec(&reader) {
        return Err(problem(format!(
            "column {column:?} is compressed with {codec}, which is not read here; write the file with snappy, gzip or \
             zstd compression, or without"
        ))
        .into());
    }
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

/// The first column with a compression that is not supported, and the name of that compression.
fn foreign_codec(reader: &SerializedFileReader<File>) -> Option<(String, &'static str)> {
    let chunks = reader.metadata().row_groups().iter().flat_map(|group| group.columns());
    let foreign = |chunk: &ColumnChunkMetaData| {
        let codec = match chunk.compression() {
            Compression::BROTLI(_) => "brotli",
            Compression::LZ4 | Compression::LZ4_RAW => "lz4",
            Compression::LZO => "lzo",
            _ => return None,
        };
        Some((chunk.column_path().string(), codec))
    };
    chunks.map(foreign).find_map(|found| found)
}

/// A field as a cell, or the name of its type if it is not a number, boolean or string.
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ::parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};
    use ::parquet::file::writer::SerializedFileWriter;
    use ::parquet::schema::parser::parse_message_type;

    use crate::ColumnKind;
    use crate::formats::fixture::{Folder, features, label_text, labels};
    use crate::formats::{ReadOptions, read};

    /// Two rows of x and y, written by pyarrow 26: `pq.write_table(table, file, compression="brotli")`, and with lz4.
    const BROTLI: &[u8] = include_bytes!("../../../tests/data/brotli.parquet");
    const LZ4: &[u8] = include_bytes!("../../../tests/data/lz4.parquet");

    /// A file of three rows; the second is null wherever that is allowed.
    fn sample(folder: &Folder, last: f64) {
        let schema = "message m { required double x; optional int64 n; optional binary c (UTF8); \
                      required int32 when (DATE); required boolean y; optional int32 z; }";
        let schema = Arc::new(parse_message_type(schema).unwrap());
        let file = std::fs::File::create(folder.path("t.parquet")).unwrap();
        let mut writer = SerializedFileWriter::new(file, schema, Default::default()).unwrap();
        let mut group = writer.next_row_group().unwrap();
        let gap: Option<&[i16]> = Some(&[1, 0, 1]);
        macro_rules! column {
            ($type:ty, $values:expr, $levels:expr) => {
                let mut column = group.next_column().unwrap().unwrap();
                column.typed::<$type>().write_batch($values, $levels, None).unwrap();
                column.close().unwrap();
            };
        }
        column!(DoubleType, &[0.5, 1.5, last], None);
        column!(Int64Type, &[7, 9], gap);
        column!(ByteArrayType, &[ByteArray::from("10"), ByteArray::from("red")], gap);
        column!(Int32Type, &[1, 2, 3], None);
        column!(BoolType, &[true, false, true], None);
        column!(Int32Type, &[0, 1], gap);
        group.close().unwrap();
        writer.close().unwrap();
    }

    #[test]
    fn numbers_strings_booleans_and_nulls() {
        let folder = Folder::new();
        sample(&folder, -2.0);
        let options = ReadOptions { drop: vec!["when".to_string()], ..labels("y,z") };
        let data = read(&folder.path("t.parquet"), &options).unwrap();
        let cells = features(&data);
        assert_eq!((&cells[0], &cells[2]), (&vec![0.5, 7.0, 0.0], &vec![-2.0, 9.0, 1.0]));
        assert!(cells[1][1].is_nan() && cells[1][2].is_nan());
        assert_eq!(data.columns()[2].kind, ColumnKind::Nominal(vec!["10".to_string(), "red".to_string()]));
        assert_eq!(label_text(&data), ["10", "0?", "11"]);
    }

    #[test]
    fn errors_name_the_row_and_the_remedy() {
        let folder = Folder::new();
        sample(&folder, f64::NAN);
        assert_eq!(
            folder.error("t.parquet", &labels("y")),
            "t.parquet, row 1: \"when\" has the type date, which is neither numeric nor nominal; turn it into numbers, \
             booleans or strings, or leave it out (list it in `drop`)"
        );
        let options = ReadOptions { drop: vec!["when".to_string()], ..labels("y") };
        assert_eq!(
            folder.error("t.parquet", &options),
            "t.parquet, row 3: NaN in column \"x\" is not a finite number; mark the cell as missing (? or an empty \
             cell) or remove the row"
        );
        folder.file("t.parquet", "PAR1 but not really");
        let message = folder.error("t.parquet", &options);
        assert!(message.starts_with("t.parquet: no readable Parquet file: "), "{message}");
        for (file, codec) in [(BROTLI, "brotli"), (LZ4, "lz4")] {
            folder.file("t.parquet", file);
            let remedy = "which is not read here; write the file with snappy, gzip or zstd compression, or without";
            let expected = format!("t.parquet: column \"x\" is compressed with {codec}, {remedy}");
            assert_eq!(folder.error("t.parquet", &labels("y")), expected);
        }
        folder.file("t.parquet", [0x1f, 0x8b, 8]);
        assert_eq!(
            folder.error("t.parquet", &options),
            "t.parquet: Parquet is compressed inside; unpack the .gz around it"
        );
    }
}
