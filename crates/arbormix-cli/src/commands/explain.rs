//! `arbormix explain MODEL DATA --row N`.

use std::path::PathBuf;

use arbormix::Model;
use arbormix::data::LabelSet;
use arbormix::mixture::Rows;
use clap::Args;
use serde_json::{Value, json};

use crate::args::{Common, FileArgs};
use crate::failure::Failure;
use crate::output::{fixed, print, print_json, table};

/// Say why a model predicts what it does for one row
///
/// Shows which expert spoke, and for each label of the most probable set: how many times less probable the best set is
/// in which this label is otherwise, what its parent in the expert's tree did to its log-odds, and the features that
/// moved them most. A row's number is that of `predict`, from 0.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  arbormix explain photos.model photos-test.arff --row 3\n  \
    arbormix explain photos.model photos-test.arff --row 3 --json")]
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

/// One label of the most probable set.
struct Reason<'a> {
    label: &'a str,
    present: bool,
    probability: f64,
    /// How many times less probable the best set is in which this label is otherwise, and that set.
    times: f64,
    otherwise: LabelSet,
    /// The parent in the tree of the expert that spoke, and whether it is present.
    parent: Option<(&'a str, bool)>,
    log_odds: f64,
    /// The log-odds if the parent were otherwise.
    swapped: f64,
    features: Vec<(String, f64)>,
}

impl Explain {
    pub(crate) fn run(&self, common: &Common) -> Result<(), Failure> {
        let model = Model::load(&self.model)?;
        let names = &model.schema().label_names;
        let data = self.how.read_for(&self.data, names)?;
        if self.row >= data.rows() {
            let (row, rows, path) = (self.row, data.rows(), self.data.display());
            return Err(Failure::Usage(format!("--row {row}: {path} has {rows} rows, and the first is row 0")));
        }
        let features = model.encode(&data)?.select_rows(&[self.row]);
        let mixture = Rows::of(model.predictor(), &features)?.row(0);
        let best = mixture.map(0);
        let shares = mixture.responsibilities(&best.labels);
        let spoke = (1..shares.len()).fold(0, |top, k| if shares[k] > shares[top] { k } else { top });
        let (tree, tables) = &mixture.experts[spoke];
        let expert = model.predictor().experts()[spoke];
        let feature_names = model.features().names();
        let reason = |((label, otherwise), probability): ((usize, arbormix::mixture::map::Found), f64)| {
            let parent = tree.parents()[label].map(|parent| (names[parent].as_str(), best.labels.get(parent)));
            let value = parent.is_some_and(|(_, present)| present);
            let log_odds = |value: bool| {
                let [absent, present] = tables[label][usize::from(value)];
                present - absent
            };
            let added = expert.contributions(label, value, &features, 0).into_iter().take(self.features);
            Reason {
                label: &names[label],
                present: best.labels.get(label),
                probability,
                times: (best.log_probability - otherwise.log_probability).exp(),
                otherwise: otherwise.labels,
                parent,
                log_odds: log_odds(value),
                swapped: log_odds(if parent.is_some() { !value } else { value }),
                features: added.map(|(feature, added)| (feature_names[feature].clone(), added)).collect(),
            }
        };
        let others = mixture.alternatives(&best.labels, 0).into_iter().enumerate();
        let reasons: Vec<Reason<'_>> = others.zip(mixture.marginals()).map(reason).collect();
        let probability = best.log_probability.exp();
        if common.json {
            let gate: Vec<f64> = mixture.log_gate.iter().map(|log| log.exp()).collect();
            return print_json(&json!({
                "row": self.row,
                "labels": words(&best.labels, names),
                "probability": probability,
                "expert": spoke + 1,
                "gate": gate,
                "responsibilities": shares,
                "reasons": reasons.iter().map(|reason| reason.to_json(names)).collect::<Vec<_>>(),
            }));
        }
        let said = words(&best.labels, names).join(", ");
        let said = if said.is_empty() { "no label".to_string() } else { said };
        print(&format!(
            "row {}: {said}, probability {probability:.4}\nexpert {} of {} spoke: gate {:.4}, given these labels {:.4}\n",
            self.row,
            spoke + 1,
            shares.len(),
            mixture.log_gate[spoke].exp(),
            shares[spoke],
        ))?;
        let header = ["label", "said", "P", "otherwise", "parent", "log-odds", "parent otherwise", "features"];
        print(&table(&header, header.len(), reasons.iter().map(Reason::to_cells)))
    }
}

impl Reason<'_> {
    /// Whether the label would be judged otherwise if its parent were otherwise.
    fn tipped(&self) -> bool {
        (self.log_odds > 0.0) != (self.swapped > 0.0)
    }

    fn to_cells(&self) -> Vec<String> {
        let parent = |(name, present): (&str, bool)| format!("{}{name}", if present { "" } else { "no " });
        let tipped = if self.tipped() { " (tipped)" } else { "" };
        let features = self.features.iter().map(|(name, added)| format!("{name} {added:+.2}"));
        vec![
            self.label.to_string(),
            if self.present { "yes" } else { "no" }.to_string(),
            fixed(self.probability),
            format!("1/{:.1}", self.times),
            self.parent.map(parent).unwrap_or_default(),
            format!("{:+.2}", self.log_odds),
            if self.parent.is_some() { format!("{:+.2}{tipped}", self.swapped) } else { String::new() },
            features.collect::<Vec<_>>().join(", "),
        ]
    }

    fn to_json(&self, names: &[String]) -> Value {
        let parent = self.parent.map(|(name, present)| {
            json!({"label": name, "present": present, "log_odds_otherwise": self.swapped, "tipped": self.tipped()})
        });
        let features = self.features.iter().map(|(name, added)| json!({"feature": name, "log_odds": added}));
        json!({
            "label": self.label,
            "present": self.present,
            "marginal": self.probability,
            "times_less_probable_otherwise": self.times,
            "best_otherwise": words(&self.otherwise, names),
            "log_odds": self.log_odds,
            "parent": parent,
            "features": features.collect::<Vec<_>>(),
        })
    }
}

fn words<'a>(set: &LabelSet, names: &'a [String]) -> Vec<&'a str> {
    set.members().map(|label| names[label].as_str()).collect()
}
