//! An answer as JSON.

use serde_json::{Map, Value, json};

use super::super::shape::pairs;
use super::{Answer, gap, mass};
use crate::decide::{Decision, Rule};
use arbormix_data::LabelSet;
use arbormix_joint::joint::CredibleSets;
use arbormix_joint::learner::Prediction;

impl Answer {
    /// The answer, of a model with these labels.
    pub fn to_json(&self, labels: &[String]) -> Value {
        match self {
            Answer::Number(value) => json!(value),
            Answer::Named(text, value) => json!({ text.as_ref(): value }),
            Answer::PerLabel(values) => labels.iter().cloned().zip(values.iter().map(|value| json!(value))).collect(),
            Answer::PerCount(values) | Answer::PerExpert(values) => json!(values),
            Answer::LabelByCount(rows) => labels.iter().cloned().zip(rows.iter().map(|row| json!(row))).collect(),
            Answer::Pairs(both) => {
                pairs(labels.len()).map(|(i, j)| json!([labels[i], labels[j], both.get(i, j)])).collect()
            }
            Answer::Sets(sets) => sets.iter().map(|set| json!(listed(set, labels))).collect(),
            Answer::Best(prediction) => {
                let mut out = fields(prediction, labels);
                if let Some(log) = prediction.log_probability {
                    out.insert("log_probability".to_string(), json!(log));
                }
                if let Some(certificate) = prediction.certificate {
                    out.insert("gap".to_string(), json!(gap(prediction)));
                    out.insert("nodes".to_string(), certificate.nodes.into());
                }
                Value::Object(out)
            }
            Answer::Ranked { sets, .. } => sets.iter().map(|set| Value::Object(fields(set, labels))).collect(),
            Answer::Credible(found) => credible(found, labels),
            Answer::Decision(rule, decision) => decided(rule, decision, labels),
        }
    }

    /// The fields of a JSON object to which several answers are added: the answer under its question's name, and what
    /// stands beside it.
    pub fn fields(&self, name: &str, labels: &[String]) -> Map<String, Value> {
        let mut out = Map::new();
        match self {
            // A row without sets says nothing.
            Answer::Ranked { sets, .. } if sets.is_empty() => {}
            Answer::Ranked { sets, .. } => {
                out.insert(name.to_string(), self.to_json(labels));
                out.insert(format!("{name}_mass"), json!(mass(sets)));
            }
            _ => {
                out.insert(name.to_string(), self.to_json(labels));
            }
        }
        out
    }
}

/// A set without what the method does not give.
fn fields(prediction: &Prediction, labels: &[String]) -> Map<String, Value> {
    let mut out = Map::new();
    out.insert("labels".to_string(), json!(listed(&prediction.labels, labels)));
    if let Some(log) = prediction.log_probability {
        out.insert("probability".to_string(), json!(log.exp()));
    }
    if let Some(certificate) = prediction.certificate {
        out.insert("certified".to_string(), certificate.certified.into());
        out.insert("bound".to_string(), json!(certificate.log_bound.exp()));
    }
    out
}

fn credible(found: &CredibleSets, labels: &[String]) -> Value {
    let set = |(set, log): &(LabelSet, f64)| json!({"labels": listed(set, labels), "probability": log.exp()});
    let sets: Vec<Value> = found.sets.iter().map(set).collect();
    json!({"sets": sets, "mass": found.mass, "reached": found.reached})
}

fn decided(rule: &Rule, decision: &Decision, labels: &[String]) -> Value {
    let mut out = Map::new();
    out.insert("for".to_string(), rule.to_string().into());
    out.insert("labels".to_string(), json!(listed(&decision.labels, labels)));
    if rule.form().leaves_open {
        out.insert("open".to_string(), json!(listed(&decision.open, labels)));
    }
    if let Some(order) = &decision.ranking {
        let order: Vec<&str> = order.iter().map(|&label| labels[label].as_str()).collect();
        out.insert("ranking".to_string(), json!(order));
    }
    out.insert("expected".to_string(), json!(decision.expected));
    out.insert("expected_is".to_string(), rule.expects().into());
    Value::Object(out)
}

fn listed<'a>(set: &LabelSet, labels: &'a [String]) -> Vec<&'a str> {
    set.members().map(|label| labels[label].as_str()).collect()
}
