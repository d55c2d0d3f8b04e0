//! A row's answers as a line of a table or of JSON.

use arbormix::Prediction;
use arbormix::data::LabelSet;
use serde_json::{Map, Value, json};

use super::question::{self, Answered, Question};

/// One row's answers.
pub(super) struct Answer {
    pub(super) prediction: Prediction,
    pub(super) marginals: Vec<f64>,
    pub(super) top: Vec<Prediction>,
    /// The answers to the questions, in their order.
    pub(super) more: Vec<Answered>,
}

/// The system's error as it was: its kind tells a closed pipe from a full disk.
pub(super) fn unwrapped(error: csv::Error) -> std::io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => std::io::Error::other(format!("{other:?}")),
    }
}

pub(super) fn header(names: &[String], top: usize) -> Vec<String> {
    let mut header: Vec<String> =
        ["row", "labels", "probability", "certified", "bound", "gap", "nodes"].map(String::from).to_vec();
    header.extend(names.iter().map(|name| format!("P({name})")));
    let columns = ["labels", "probability", "certified", "bound"];
    header.extend((1..=top).flat_map(|place| columns.map(|column| format!("{column}_{place}"))));
    header.extend((top > 0).then(|| "top_mass".to_string()));
    header
}

/// How much more probable a better set could be, if the method proves anything.
pub(super) fn gap(prediction: &Prediction) -> Option<f64> {
    Some(prediction.certificate?.gap(prediction.log_probability?))
}

/// The set, its probability, whether it is proven, and the bound.
fn cells(prediction: &Prediction, names: &[String]) -> [String; 4] {
    let certificate = prediction.certificate;
    [
        joined(&prediction.labels, names),
        prediction.log_probability.map(probability).unwrap_or_default(),
        certificate.map(|c| c.certified.to_string()).unwrap_or_default(),
        certificate.map(|c| probability(c.log_bound)).unwrap_or_default(),
    ]
}

/// The same for JSON, without what the method does not give.
fn fields(prediction: &Prediction, names: &[String]) -> Map<String, Value> {
    let mut out = Map::new();
    out.insert("labels".to_string(), json!(listed(&prediction.labels, names)));
    if let Some(log) = prediction.log_probability {
        out.insert("probability".to_string(), json!(log.exp()));
    }
    if let Some(certificate) = prediction.certificate {
        out.insert("certified".to_string(), certificate.certified.into());
        out.insert("bound".to_string(), json!(certificate.log_bound.exp()));
    }
    out
}

impl Answer {
    /// What the listed sets cover together.
    fn top_mass(&self) -> f64 {
        self.top.iter().filter_map(|best| best.log_probability).map(f64::exp).sum::<f64>().min(1.0)
    }

    /// Cells that the method or the row does not have are empty.
    pub(super) fn to_record(&self, row: usize, names: &[String], top: usize) -> Vec<String> {
        let mut out = vec![row.to_string()];
        out.extend(cells(&self.prediction, names));
        out.push(gap(&self.prediction).map(|gap| gap.to_string()).unwrap_or_default());
        out.push(self.prediction.certificate.map(|c| c.nodes.to_string()).unwrap_or_default());
        out.extend(self.marginals.iter().map(f64::to_string));
        for place in 0..top {
            out.extend(self.top.get(place).map(|best| cells(best, names)).unwrap_or_default());
        }
        out.extend((top > 0).then(|| self.top_mass().to_string()));
        out.extend(self.more.iter().flat_map(|answered| answered.cells.iter().cloned()));
        out
    }

    pub(super) fn to_json(&self, row: usize, names: &[String], questions: &[Question]) -> Value {
        let mut line = Map::new();
        line.insert("row".to_string(), row.into());
        line.append(&mut fields(&self.prediction, names));
        if let Some(log) = self.prediction.log_probability {
            line.insert("log_probability".to_string(), json!(log));
        }
        if let Some(certificate) = self.prediction.certificate {
            line.insert("gap".to_string(), json!(gap(&self.prediction)));
            line.insert("nodes".to_string(), certificate.nodes.into());
        }
        let marginals = names.iter().zip(&self.marginals).map(|(name, &value)| (name.clone(), json!(value)));
        line.insert("marginals".to_string(), Value::Object(marginals.collect()));
        if !self.top.is_empty() {
            let best = self.top.iter().map(|best| Value::Object(fields(best, names)));
            line.insert("top".to_string(), best.collect());
            line.insert("top_mass".to_string(), json!(self.top_mass()));
        }
        for (question, answered) in questions.iter().zip(&self.more) {
            question::insert(&mut line, question.key(), answered.json.clone());
        }
        Value::Object(line)
    }
}

pub(super) fn probability(log: f64) -> String {
    log.exp().to_string()
}

pub(super) fn joined(set: &LabelSet, names: &[String]) -> String {
    set.members().map(|label| escaped(&names[label])).collect::<Vec<_>>().join(";")
}

pub(super) fn escaped(name: &str) -> String {
    name.replace('\\', "\\\\").replace(';', "\\;")
}

pub(super) fn listed<'a>(set: &LabelSet, names: &'a [String]) -> Vec<&'a str> {
    set.members().map(|label| names[label].as_str()).collect()
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
