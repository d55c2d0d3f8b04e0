//! Writes LIBSVM rows.

use std::path::Path;

use crate::error::Result;
use crate::formats::Format;
use crate::formats::output::{cannot_hold, prepare, write_number};
use crate::{ColumnKind, Dataset};

pub(super) fn write(data: &Dataset, path: &Path) -> Result<()> {
    refuse(data, path)?;
    let first = first_number(data);
    let labels = label_numbers(data);
    let last_column = data.columns().len() - 1;
    let pending = prepare(path, |out| {
        for (row, set) in data.labels().sets().iter().enumerate() {
            let mut separator = "";
            for label in set.members() {
                write!(out, "{separator}{}", labels[label])?;
                separator = ",";
            }
            let mut cells = Vec::new();
            data.features().visit_row(row, |column, value| {
                if value != 0.0 {
                    cells.push((column, value));
                }
            });
            // The first row names the first and the last column, used or not, because readers take the range of
            // features from the indices that occur. An empty row would be a blank line.
            if row == 0 && cells.first().is_none_or(|cell| cell.0 > 0) || cells.is_empty() && set.is_empty() {
                cells.insert(0, (0, 0.0));
            }
            if row == 0 && cells.last().is_none_or(|cell| cell.0 < last_column) {
                cells.push((last_column, 0.0));
            }
            for (column, value) in cells {
                write!(out, " {}:", column + first)?;
                write_number(out, value)?;
            }
            out.write_all(b"\n")?;
        }
        Ok(())
    })?;
    Ok(pending.commit()?)
}

/// Refuses what LIBSVM cannot express.
fn refuse(data: &Dataset, path: &Path) -> Result<()> {
    const OTHER: &str = "write arff or csv";
    let refusal = |what: String| Err(cannot_hold(path, Format::LIBSVM, what, OTHER));
    if data.columns().is_empty() {
        return refusal("a data set without features".to_string());
    }
    if let Some(column) = data.columns().iter().find(|column| column.kind != ColumnKind::Numeric) {
        return refusal(format!("the nominal feature {:?}", column.name));
    }
    for row in 0..data.rows() {
        let mut missing = None;
        data.features().visit_row(row, |column, value| {
            if value.is_nan() {
                missing.get_or_insert(column);
            }
        });
        if let Some(column) = missing {
            let name = &data.columns()[column].name;
            return refusal(format!("the missing cell of feature {name:?} in row {row} (counted from 0)"));
        }
    }
    if data.labels().unknown() > 0 {
        return refusal(format!("{} unknown label cells", data.labels().unknown()));
    }
    let mut used = vec![false; data.labels().count()];
    data.labels().sets().iter().flat_map(|set| set.members()).for_each(|label| used[label] = true);
    match used.iter().position(|used| !used) {
        Some(label) => refusal(format!("the label {:?}, which no row has", data.label_names()[label])),
        None => Ok(()),
    }
}

/// The number of the first feature: that of its name if all names count up from 0 or 1, else 1.
fn first_number(data: &Dataset) -> usize {
    let counts_from = |first: usize| data.columns().iter().zip(first..).all(|(c, n)| c.name == n.to_string());
    usize::from(!counts_from(0))
}

/// The numbers of the labels: their names if these are ascending numbers, else their positions.
fn label_numbers(data: &Dataset) -> Vec<i64> {
    let names = data.label_names();
    let canonical = |name: &String| name.parse::<i64>().ok().filter(|number| number.to_string() == *name);
    let numbers: Vec<i64> = names.iter().filter_map(canonical).collect();
    if numbers.len() == names.len() && numbers.is_sorted() { numbers } else { (0_i64..).take(names.len()).collect() }
}
