//! What goes to the standard output: tables, numbers, JSON.

use std::io::{self, BufWriter, StdoutLock, Write};
use std::path::Path;

use arbormix_base::files::AtomicFile;
use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};
use serde_json::Value;

use crate::failure::Failure;

/// Lines above, under the header and below: rows need none between them.
const RULE: LineStyle = LineStyle::none().fill('─').junction('─');
const STYLE: TableStyle = TableStyle::new().top_border(RULE).header_separator(RULE).bottom_border(RULE);

/// The standard output, buffered; errors are returned so that a closed pipe ends the program quietly.
pub(crate) fn stdout() -> BufWriter<StdoutLock<'static>> {
    BufWriter::new(io::stdout().lock())
}

/// Errs if an output file cannot be written or is one of the inputs: said before the work, not after it.
pub(crate) fn require_output(path: &Path, inputs: &[&Path]) -> Result<(), Failure> {
    if path == Path::new("-") {
        return Ok(());
    }
    require_folder(path)?;
    let place = path.canonicalize().ok();
    if place.is_some() && inputs.iter().any(|input| input.canonicalize().ok() == place) {
        let message = "is read by this command and would be overwritten; name another output";
        return Err(Failure::Usage(format!("{}: {message}", path.display())));
    }
    // Begun and abandoned: leaves no trace, but finds out whether the folder can be written to.
    AtomicFile::create(path)?;
    Ok(())
}

fn require_folder(path: &Path) -> Result<(), Failure> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            let (path, folder) = (path.display(), folder.display());
            Err(Failure::Work(format!("{path}: there is no folder {folder}; make it first, or name another place")))
        }
        _ => Ok(()),
    }
}

/// Prints text as it is.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = stdout();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Prints a JSON value for people and programs.
pub(crate) fn print_json(value: &Value) -> Result<(), Failure> {
    print(&format!("{value:#}\n"))
}

/// A table whose columns from `first_number` on hold numbers and are aligned to the right.
pub(crate) fn table(header: &[&str], first_number: usize, rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(STYLE).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(header);
    table.add_rows(rows);
    for column in table.column_iter_mut().skip(first_number) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    format!("{}\n", table.trim_fmt())
}

/// A number with four digits after the point.
pub(crate) fn fixed(value: f64) -> String {
    format!("{value:.4}")
}

/// A parameter's value as a person writes it: words without quotes.
pub(crate) fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), String::from)
}

/// Names and values of nested parameters, with dotted names.
pub(crate) fn flatten(params: &Value) -> Vec<(String, Value)> {
    fn visit(path: &str, value: &Value, out: &mut Vec<(String, Value)>) {
        match value {
            Value::Object(fields) if !fields.is_empty() => {
                for (name, value) in fields {
                    let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                    visit(&path, value, out);
                }
            }
            value => out.push((path.to_string(), value.clone())),
        }
    }
    let mut out = Vec::new();
    visit("", params, &mut out);
    out
}
