//! `arbormix describe FILE`.

use std::path::PathBuf;

use arbormix_data::describe::{Description, LabelCount, LabelPair, describe};
use clap::Args;
use serde_json::json;

use crate::args::{Common, DataArgs};
use crate::failure::Failure;
use crate::output::{fixed, print, print_json, table};

/// Show what a data file holds: sizes, labels, how they go together
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  arbormix describe photos-train.arff")]
pub(crate) struct Describe {
    /// The data file
    #[arg(value_name = "FILE")]
    data: PathBuf,
    #[command(flatten)]
    how: DataArgs,
}

/// Pairs of labels that the text shows.
const PAIRS: usize = 10;

impl Describe {
    pub(crate) fn run(&self, common: &Common) -> Result<(), Failure> {
        let description = describe(&self.how.read(&self.data)?);
        if common.json {
            return print_json(&json!(description));
        }
        print(&figures(&description))?;
        for defect in &description.defects {
            print(&format!("\nwarning: {defect}\n"))?;
        }
        print(&labels(&description))?;
        print(&pairs(&description))
    }
}

fn figures(found: &Description) -> String {
    let kind = if found.sparse { "sparse" } else { "dense" };
    let mut lines = vec![
        ("data set", found.name.clone()),
        ("rows", found.rows.to_string()),
        (
            "features",
            format!(
                "{} ({kind}; {} numeric, {} nominal)",
                found.features, found.numeric_features, found.nominal_features
            ),
        ),
        ("feature density", fixed(found.feature_density)),
        ("missing cells", found.missing_cells.to_string()),
        ("repeated rows", format!("{} ({} with the same features)", found.repeated_rows, found.repeated_features)),
        ("labels", found.labels.to_string()),
        ("label cardinality", fixed(found.label_cardinality)),
        ("label density", fixed(found.label_density)),
        ("label sets", format!("{} distinct", found.distinct_label_sets)),
        ("without labels", format!("{} rows", found.rows_without_labels)),
        ("unknown labels", format!("{} cells", found.unknown_labels)),
        ("memory", format!("{:.1} MB", found.memory_bytes as f64 / 1e6)),
    ];
    let findings = [
        ("constant", &found.constant_columns),
        ("like row numbers", &found.id_columns),
        ("like names or ids", &found.scattered_columns),
    ];
    for (what, columns) in findings {
        if !columns.is_empty() {
            lines.push((what, columns.join(", ")));
        }
    }
    lines.into_iter().map(|(name, value)| format!("{name:<18} {value}\n")).collect()
}

fn labels(found: &Description) -> String {
    let share = |label: &LabelCount| format!("{:.1} %", 100.0 * label.share());
    let row = |label: &LabelCount| vec![label.name.clone(), label.count.to_string(), share(label)];
    format!("\n{}", table(&["label", "rows", "share"], 1, found.label_counts.iter().map(row).collect::<Vec<_>>()))
}

/// How often the most frequent pairs occur, next to what independent labels would give.
fn pairs(found: &Description) -> String {
    if found.label_pairs.is_empty() {
        return String::new();
    }
    let row = |pair: &LabelPair| {
        let (first, second) = (&found.label_counts[pair.first], &found.label_counts[pair.second]);
        let expected = first.count as f64 * second.count as f64 / found.rows as f64;
        vec![format!("{} + {}", first.name, second.name), pair.count.to_string(), format!("{expected:.1}")]
    };
    let rows: Vec<_> = found.label_pairs.iter().take(PAIRS).map(row).collect();
    let more = found.label_pairs.len().saturating_sub(PAIRS);
    let rest = if more == 0 { String::new() } else { format!("and {more} more pairs; --json lists them all\n") };
    format!("\n{}{rest}", table(&["labels together", "rows", "if independent"], 1, rows))
}
