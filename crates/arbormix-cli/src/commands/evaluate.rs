//! `arbormix evaluate MODEL DATA`.

mod calibration;
mod diagram;

use std::collections::BTreeMap;
use std::path::PathBuf;

use arbormix::{Error, Joint};
use arbormix_base::progress::Progress;
use arbormix_data::{DataError, Dataset};
use arbormix_model::measure::{Direction, MeasureOptions, Measures, ZeroDivision};
use arbormix_model::scoring::measure_model;
use clap::Args;
use serde_json::json;

use crate::args::{Common, FileArgs};
use crate::failure::Failure;
use crate::output::{fixed, print, print_json, table};
use crate::overrides;
use crate::progress::Reporter;

/// Compare a model's predictions with the labels of a data file
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  arbormix evaluate photos.model photos-test.arff\n  \
    arbormix evaluate photos.model photos-test.arff --per-label\n  \
    arbormix evaluate photos.model photos-test.arff --calibration --plots plots")]
pub(crate) struct Evaluate {
    /// The model file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// The data file, with all labels of the model
    #[arg(value_name = "DATA")]
    data: PathBuf,
    /// Also show a table with one line per label
    #[arg(long)]
    per_label: bool,
    /// Also show how far probabilities are kept: of labels, of the predicted set, and of the number of labels
    #[arg(long)]
    calibration: bool,
    /// Draw that into marginals.svg, sets.svg and counts.svg in this folder
    #[arg(long, value_name = "DIR")]
    plots: Option<PathBuf>,
    /// What 0/0 counts as in precision, recall, F1 and Jaccard: `one` calls an empty prediction of an empty set right
    #[arg(long, value_name = "VALUE", value_parser = ["zero", "one"], default_value = "zero")]
    zero_division: String,
    /// How the most probable set is searched for [default: as the model was fitted]
    #[arg(long, value_name = "HOW", value_parser = ["exact", "best-expert", "annealing"])]
    inference: Option<String>,
    #[command(flatten)]
    how: FileArgs,
}

impl Evaluate {
    pub(crate) fn run(&self, common: &Common, reporter: &Reporter) -> Result<(), Failure> {
        let model = arbormix::load(&self.model)?;
        let inference = overrides::chosen_inference(self.inference.as_deref(), &model, common.seed)?;
        let data = self.how.read_for(&self.data, &model, reporter)?;
        let names = &model.schema().label_names;
        require_labels(&data, names)?;
        let zero_division = if self.zero_division == "one" { ZeroDivision::One } else { ZeroDivision::Zero };
        let options = MeasureOptions { zero_division, ..MeasureOptions::default() };
        let measures = measure_model(&model, &data, inference, &options, reporter)?;
        let wanted = self.calibration || self.plots.is_some();
        let calibration = match wanted.then(|| calibration::calibrated(&model, &data, options.calibration_bins)) {
            // The measures stand without it.
            Some(Err(error @ Error::Unsupported { .. })) => {
                reporter.note(&format!("no calibration: {error}"));
                None
            }
            found => found.transpose()?,
        };
        reporter.finish();
        if let (Some(folder), Some(found)) = (&self.plots, &calibration) {
            calibration::draw(found, folder)?;
        }
        let shown = calibration.filter(|_| self.calibration);
        let without: Vec<&str> = measures.labels_without_support().iter().map(|&label| names[label].as_str()).collect();
        if common.json {
            let mut object = json!({
                "rows": measures.rows(),
                "full_rows": measures.full_rows(),
                "cells": measures.cells(),
                "measures": measures.iter().map(|(name, value, _)| (name, value)).collect::<BTreeMap<_, _>>(),
                "absent": measures.absent(),
                "joint": model.predictor().joint(),
                "zero_division": self.zero_division,
                "labels_without_support": without,
            });
            if self.per_label {
                object["per_label"] =
                    names.iter().zip(measures.per_label()).map(|(n, m)| (n.clone(), json!(m))).collect();
            }
            if let Some(found) = &shown {
                object["calibration"] = json!(found);
            }
            return print_json(&object);
        }
        let mut text = to_text(&measures);
        text.push_str(&format!("0/0 in precision, recall, F1 and Jaccard counts as {}\n", self.zero_division));
        let joint = model.predictor().joint();
        if joint.has_probabilities() && joint != Joint::Distribution {
            text.push_str(&format!("probabilities of label sets are of {}\n", joint.describe()));
        }
        if !without.is_empty() {
            text.push_str(&format!("labels that no row has: {}\n", without.join(", ")));
        }
        if self.per_label {
            text.push_str(&per_label(&measures, names));
        }
        if let Some(found) = &shown {
            text.push_str(&calibration::to_text(found));
        }
        print(&text)
    }
}

/// Errs if the data says nothing about one of the model's labels: measures of the others would look like all.
fn require_labels(data: &Dataset, names: &[String]) -> Result<(), Failure> {
    let labels = data.labels();
    let unknown = |label: &usize| (0..labels.rows()).all(|row| !labels.is_observed(row, *label));
    let missing: Vec<String> = (0..names.len()).filter(unknown).map(|label| names[label].clone()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(Error::from(DataError::MissingLabels { missing, needed: names.len() }).into())
}

fn to_text(measures: &Measures) -> String {
    let rows = measures.iter().map(|(name, value, better)| {
        let arrow = match better {
            Direction::Higher => "higher",
            Direction::Lower => "lower",
        };
        vec![name.to_string(), arrow.to_string(), fixed(value)]
    });
    let mut out = table(&["measure", "better", "value"], 2, rows.collect::<Vec<_>>());
    out.push_str(&format!("{} rows", measures.rows()));
    if measures.full_rows() < measures.rows() {
        let (cells, full) = (measures.cells(), measures.full_rows());
        let all = measures.rows() * measures.per_label().len();
        out.push_str(&format!("; {cells} of {all} label cells are known and measured"));
        out.push_str(&format!("; {full} rows without unknown label cells, for measures of whole sets"));
    }
    out.push('\n');
    measures.absent().iter().for_each(|absent| out.push_str(&format!("{}: {}\n", absent.name, absent.reason)));
    out
}

fn per_label(measures: &Measures, names: &[String]) -> String {
    let rows = names.iter().zip(measures.per_label()).map(|(name, label)| {
        let auc = label.auc.map(fixed).unwrap_or_default();
        vec![name.clone(), label.support.to_string(), fixed(label.precision), fixed(label.recall), fixed(label.f1), auc]
    });
    let header = ["label", "rows with it", "precision", "recall", "F1", "AUC"];
    format!("\n{}", table(&header, 1, rows.collect::<Vec<_>>()))
}
