//! `arbormix predict MODEL DATA`.

use std::io::Write;
use std::path::{Path, PathBuf};

use arbormix::AtomicFile;
use arbormix::data::LabelSet;
use arbormix::matrix::DenseMatrix;
use arbormix::{Model, Prediction};
use clap::Args;
use serde_json::{Map, Value, json};

use super::scoring::in_blocks;
use crate::args::{Common, FileArgs};
use crate::failure::Failure;
use crate::output::{require_folder, stdout};
use crate::overrides;
use crate::progress::Reporter;

/// Predict the label sets of a data file's rows
///
/// Writes CSV, or JSON lines with --json. For each row: the label set, its probability, whether it is proven to be
/// the most probable one (with the bound no other set can exceed, and the search nodes it took), and the marginal
/// probability of every label. In CSV the names of a set are joined by `;` (a `;` or `\` in a name gets a `\` before it).
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  arbormix predict photos.model photos-test.arff -o predictions.csv\n  \
    arbormix predict photos.model photos-test.arff --json --top 3\n  \
    arbormix predict photos.model photos-test.arff --inference best-expert")]
pub(crate) struct Predict {
    /// The model file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// The data file; its columns are matched to the model's by name, and labels need not be there
    #[arg(value_name = "DATA")]
    data: PathBuf,
    /// Where the predictions go; `-` is the standard output
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// Also give the K most probable label sets of each row
    #[arg(long, value_name = "K", default_value_t = 0)]
    top: usize,
    /// How the most probable set is searched for [default: as the model was fitted]
    #[arg(long, value_name = "HOW", value_parser = ["exact", "best-expert", "annealing"])]
    inference: Option<String>,
    #[command(flatten)]
    how: FileArgs,
}

/// One row's answers.
struct Answer<'a> {
    row: usize,
    prediction: &'a Prediction,
    marginals: &'a [f64],
    top: &'a [(LabelSet, f64)],
}

impl Predict {
    pub(crate) fn run(&self, common: &Common, reporter: &Reporter) -> Result<(), Failure> {
        require_folder(&self.output)?;
        let model = Model::load(&self.model)?;
        let inference = overrides::chosen_inference(self.inference.as_deref(), &model, common.seed)?;
        let data = self.how.read_for(&self.data, &model.schema().label_names)?;
        let features = model.encode(&data)?;
        let predictor = model.predictor();
        let predictions =
            in_blocks(&features, inference, "predicting", reporter, |some| predictor.predict(some, inference))?;
        let marginals = predictor.marginals(&features)?;
        let top = match self.top {
            0 => vec![Vec::new(); data.rows()],
            count => {
                let work = |some: &_| predictor.top_sets(some, count);
                in_blocks(&features, arbormix::Inference::default(), "searching the best sets", reporter, work)?
            }
        };
        reporter.finish();
        let write = |out: &mut dyn Write| self.write(out, common.json, &model, &predictions, &marginals, &top);
        if self.output == Path::new("-") {
            let mut out = stdout();
            write(&mut out)?;
            out.flush()?;
        } else {
            let mut out = AtomicFile::create(&self.output)?;
            write(&mut out).map_err(arbormix::Error::io(&self.output))?;
            out.commit()?;
        }
        Ok(())
    }

    fn write(
        &self,
        out: &mut dyn Write,
        as_json: bool,
        model: &Model,
        predictions: &[Prediction],
        marginals: &DenseMatrix,
        top: &[Vec<(LabelSet, f64)>],
    ) -> std::io::Result<()> {
        let names = &model.schema().label_names;
        let answers = predictions.iter().zip(top).enumerate();
        let mut answers =
            answers.map(|(row, (prediction, top))| Answer { row, prediction, marginals: marginals.row(row), top });
        if as_json {
            return answers.try_for_each(|answer| writeln!(out, "{}", answer.to_json(names)));
        }
        let mut csv = csv::Writer::from_writer(out);
        csv.write_record(header(names, self.top)).map_err(unwrapped)?;
        for answer in answers {
            csv.write_record(answer.to_record(names, self.top)).map_err(unwrapped)?;
        }
        csv.flush()
    }
}

/// The system's error as it was: its kind tells a closed pipe from a full disk.
fn unwrapped(error: csv::Error) -> std::io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => std::io::Error::other(format!("{other:?}")),
    }
}

fn header(names: &[String], top: usize) -> Vec<String> {
    let mut header: Vec<String> =
        ["row", "labels", "probability", "certified", "bound", "nodes"].map(String::from).to_vec();
    header.extend(names.iter().map(|name| format!("P({name})")));
    header.extend((1..=top).flat_map(|place| [format!("labels_{place}"), format!("probability_{place}")]));
    header
}

impl Answer<'_> {
    /// Cells that the method or the row does not have are empty.
    fn to_record(&self, names: &[String], top: usize) -> Vec<String> {
        let certificate = self.prediction.certificate;
        let mut cells = vec![
            self.row.to_string(),
            joined(&self.prediction.labels, names),
            self.prediction.log_probability.map(probability).unwrap_or_default(),
            certificate.map(|c| c.certified.to_string()).unwrap_or_default(),
            certificate.map(|c| probability(c.log_bound)).unwrap_or_default(),
            certificate.map(|c| c.nodes.to_string()).unwrap_or_default(),
        ];
        cells.extend(self.marginals.iter().map(f64::to_string));
        for place in 0..top {
            let best = self.top.get(place);
            cells.push(best.map(|(set, _)| joined(set, names)).unwrap_or_default());
            cells.push(best.map(|&(_, log)| probability(log)).unwrap_or_default());
        }
        cells
    }

    fn to_json(&self, names: &[String]) -> Value {
        let list = |set: &LabelSet| set.members().map(|label| names[label].as_str()).collect::<Vec<_>>();
        let mut line = Map::new();
        line.insert("row".to_string(), self.row.into());
        line.insert("labels".to_string(), json!(list(&self.prediction.labels)));
        if let Some(log) = self.prediction.log_probability {
            line.insert("probability".to_string(), json!(log.exp()));
            line.insert("log_probability".to_string(), json!(log));
        }
        if let Some(certificate) = self.prediction.certificate {
            line.insert("certified".to_string(), certificate.certified.into());
            line.insert("bound".to_string(), json!(certificate.log_bound.exp()));
            line.insert("nodes".to_string(), certificate.nodes.into());
        }
        let marginals = names.iter().zip(self.marginals).map(|(name, &value)| (name.clone(), json!(value)));
        line.insert("marginals".to_string(), Value::Object(marginals.collect()));
        if !self.top.is_empty() {
            let best = self.top.iter().map(|(set, log)| json!({"labels": list(set), "probability": log.exp()}));
            line.insert("top".to_string(), best.collect());
        }
        Value::Object(line)
    }
}

fn probability(log: f64) -> String {
    log.exp().to_string()
}

fn joined(set: &LabelSet, names: &[String]) -> String {
    let escaped = |label: usize| names[label].replace('\\', "\\\\").replace(';', "\\;");
    set.members().map(escaped).collect::<Vec<_>>().join(";")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_separators_stay_apart() {
        let names = ["a;b", "c\\", "d"].map(String::from);
        assert_eq!(joined(&LabelSet::from_bools(&[true, true, true]), &names), "a\\;b;c\\\\;d");
        assert_eq!(joined(&LabelSet::empty(3), &names), "");
    }
}
