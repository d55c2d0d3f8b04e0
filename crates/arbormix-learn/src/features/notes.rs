//! Notes for the user about the raw columns. Nothing is dropped because of a note.

use std::collections::HashSet;

use super::fit::Summary;
use arbormix_data::describe::{ID_ROWS, is_scattered};
use arbormix_data::{ColumnKind, Dataset};

/// A note names at most this many columns.
const MAX_NAMES: usize = 5;

/// One note per finding, each naming the first columns it is about.
pub(crate) fn notes(data: &Dataset, summaries: &[Summary], fills: &[f64]) -> Vec<String> {
    let mut notes = Vec::new();
    let columns = data.columns();
    let select = |wanted: &dyn Fn(&Summary) -> bool| -> Vec<usize> {
        (0..columns.len()).filter(|&column| wanted(&summaries[column])).collect()
    };
    let quoted = |&column: &usize| format!("{:?}", columns[column].name);

    let imputed = select(&|summary| summary.missing > 0 && summary.observed > 0);
    if !imputed.is_empty() {
        let cells: usize = imputed.iter().map(|&column| summaries[column].missing).sum();
        let rule = |&column: &usize| {
            let (name, missing) = (&columns[column].name, summaries[column].missing);
            match &columns[column].kind {
                ColumnKind::Numeric => format!("{name:?} ({missing}) as its mean {}", fills[column]),
                ColumnKind::Nominal(categories) => {
                    let category = categories.get(fills[column] as usize).map_or("", String::as_str);
                    format!("{name:?} ({missing}) as its most frequent category {category:?}")
                }
            }
        };
        notes.push(format!(
            "{} read: {}",
            count(cells, "missing feature cell is", "missing feature cells are"),
            list(&imputed, rule)
        ));
    }
    let unobserved = select(&|summary| summary.observed == 0);
    if !unobserved.is_empty() {
        let what = count(unobserved.len(), "feature has", "features have");
        notes.push(format!("{what} no observed cell (nothing to learn from): {}", list(&unobserved, quoted)));
    }
    let constant = select(&|summary| summary.observed > 0 && summary.is_constant());
    if !constant.is_empty() {
        let what = count(constant.len(), "feature is", "features are");
        notes.push(format!("{what} constant (nothing to learn from): {}", list(&constant, quoted)));
    }
    let ids = id_like(data, summaries);
    if !ids.is_empty() {
        let what = count(ids.len(), "feature looks", "features look");
        notes.push(format!(
            "{what} like a row number or id (another value in every row), which does not carry over to new rows: {}",
            list(&ids, quoted)
        ));
    }
    let scattered: Vec<usize> =
        select(&|summary| summary.observed >= ID_ROWS && is_scattered(summary.categories(), summary.observed));
    let scattered: Vec<usize> = scattered.into_iter().filter(|column| !ids.contains(column)).collect();
    if !scattered.is_empty() {
        let what = count(scattered.len(), "nominal feature has", "nominal features have");
        let figures = |&column: &usize| {
            let (name, summary) = (&columns[column].name, &summaries[column]);
            format!("{name:?} ({} in {} rows)", summary.categories(), summary.observed)
        };
        notes.push(format!(
            "{what} nearly as many categories as rows; each becomes a feature of its own, and new rows will have other \
             ones: leave out names, ids and free text: {}",
            list(&scattered, figures)
        ));
    }
    notes
}

fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

fn list(columns: &[usize], describe: impl Fn(&usize) -> String) -> String {
    let named: Vec<String> = columns.iter().take(MAX_NAMES).map(describe).collect();
    let rest = columns.len().saturating_sub(MAX_NAMES);
    if rest == 0 { named.join(", ") } else { format!("{} and {rest} more", named.join(", ")) }
}

/// Columns in which every row has a different whole number or a different category.
fn id_like(data: &Dataset, summaries: &[Summary]) -> Vec<usize> {
    let rows = data.rows();
    // N different whole numbers span at least N − 1, so few columns need a closer look.
    let possible = |summary: &Summary| {
        rows >= ID_ROWS
            && summary.missing == 0
            && summary.whole
            && summary.largest - summary.smallest >= (rows - 1) as f64
    };
    let mut seen: Vec<Option<HashSet<u64>>> =
        summaries.iter().map(|summary| possible(summary).then(HashSet::new)).collect();
    if seen.iter().all(Option::is_none) {
        return Vec::new();
    }
    for row in 0..rows {
        data.features().visit_row(row, |column, value| {
            if let Some(values) = &mut seen[column] {
                // Adding 0 makes -0 and 0 one value.
                values.insert((value + 0.0).to_bits());
            }
        });
    }
    let distinct = |column: &usize| {
        seen[*column].as_ref().is_some_and(|values| {
            // Sparse rows may omit one zero, the only value that is not stored.
            let omitted_zero = data.features().is_sparse() && !values.contains(&0.0_f64.to_bits());
            values.len() == rows || (omitted_zero && values.len() == rows - 1)
        })
    };
    (0..summaries.len()).filter(distinct).collect()
}
