//! `arbormix explain MODEL DATA --row N`.

use std::path::PathBuf;

use arbormix_model::model::{Parent, Reason};
use clap::Args;
use serde_json::json;

use crate::args::{Common, FileArgs};
use crate::failure::Failure;
use crate::output::{fixed, print, print_json, table};
use crate::progress::Reporter;

/// Say why a model predicts what it does for one row
///
/// Shows which expert spoke, and for each label of the most probable set: how many times less probable the best set is
/// in which this label is otherwise, what its parent in the expert's tree did to its log-odds, and the features that
/// moved them most: by their weights in a tree of regressions, elsewhere by what becomes of the label without them. A
/// row's number is that of `predict`, from 0.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  arbormix explain three.model photos-test.arff --row 3\n  \
    arbormix explain three.model photos-test.arff --row 3 --json")]
pub(crate) struct Explain {
    /// The model file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// The data file; its columns are matched to the model's by name, and labels need not be there
    #[arg(value_name = "DATA")]
    data: PathBuf,
    /// The row, from 0
    #[arg(long, value_name = "N")]
    row: usize,
    /// Features to show per label
    #[arg(long, value_name = "K", default_value_t = 3)]
    features: usize,
    #[command(flatten)]
    how: FileArgs,
}

impl Explain {
    pub(crate) fn run(&self, common: &Common, reporter: &Reporter) -> Result<(), Failure> {
        let model = arbormix::load(&self.model)?;
        let data = self.how.read_for(&self.data, &model, reporter)?;
        if self.row >= data.rows() {
            let (row, rows, path) = (self.row, data.rows(), self.data.display());
            return Err(Failure::Usage(format!("--row {row}: {path} has {rows} rows, and the first is row 0")));
        }
        let why = model.explain(&data, self.row, self.features)?;
        if common.json {
            return print_json(&json!({
                "row": self.row,
                "labels": why.labels,
                "probability": why.probability,
                "expert": why.expert,
                "gate": why.gate,
                "responsibilities": why.responsibilities,
                "reasons": why.reasons,
            }));
        }
        let said = if why.labels.is_empty() { "no label".to_string() } else { why.labels.join(", ") };
        print(&format!(
            "row {}: {said}, probability {:.4}\nexpert {} of {} spoke: gate {:.4}, given these labels {:.4}\n",
            self.row,
            why.probability,
            why.expert,
            why.gate.len(),
            why.gate[why.expert - 1],
            why.responsibilities[why.expert - 1],
        ))?;
        let header = ["label", "said", "P", "otherwise", "parent", "log-odds", "parent otherwise", "features"];
        print(&table(&header, header.len(), why.reasons.iter().map(cells)))
    }
}

fn cells(reason: &Reason) -> Vec<String> {
    let parent = |parent: &Parent| format!("{}{}", if parent.present { "" } else { "no " }, parent.label);
    let otherwise =
        |parent: &Parent| format!("{:+.2}{}", parent.log_odds_otherwise, if parent.tipped { " (tipped)" } else { "" });
    let features = reason.features.iter().map(|push| format!("{} {:+.2}", push.feature, push.log_odds));
    vec![
        reason.label.clone(),
        if reason.present { "yes" } else { "no" }.to_string(),
        fixed(reason.marginal),
        format!("1/{:.1}", reason.times_less_probable_otherwise),
        reason.parent.as_ref().map(parent).unwrap_or_default(),
        format!("{:+.2}", reason.log_odds),
        reason.parent.as_ref().map(otherwise).unwrap_or_default(),
        features.collect::<Vec<_>>().join(", "),
    ]
}
