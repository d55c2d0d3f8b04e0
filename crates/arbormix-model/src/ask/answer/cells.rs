//! An answer as cells of a table.

use super::super::shape::pairs;
use super::{Answer, gap, mass};
use arbormix_data::LabelSet;
use arbormix_joint::learner::Prediction;

impl Answer {
    /// The cells, one per column of the [shape](super::super::Shape::columns); empty where there is nothing to say.
    pub fn cells(&self, labels: &[String]) -> Vec<String> {
        match self {
            Answer::Number(value) | Answer::Named(_, value) => vec![value.to_string()],
            Answer::PerLabel(values) | Answer::PerCount(values) => values.iter().map(f64::to_string).collect(),
            Answer::LabelByCount(rows) => rows.iter().flatten().map(f64::to_string).collect(),
            Answer::Pairs(both) => pairs(labels.len()).map(|(i, j)| both.get(i, j).to_string()).collect(),
            Answer::PerExpert(values) => vec![values.iter().map(f64::to_string).collect::<Vec<_>>().join(";")],
            Answer::Sets(sets) => sets.iter().map(|set| joined(set, labels)).collect(),
            Answer::Best(prediction) => {
                let mut out = proven(prediction, labels).to_vec();
                out.push(gap(prediction).map(|gap| gap.to_string()).unwrap_or_default());
                out.push(prediction.certificate.map(|c| c.nodes.to_string()).unwrap_or_default());
                out
            }
            Answer::Ranked { sets, count } => {
                let cells = |place: usize| sets.get(place).map(|set| proven(set, labels)).unwrap_or_default();
                (0..*count).flat_map(cells).chain([mass(sets).to_string()]).collect()
            }
            Answer::Credible(found) => {
                let cell = |(set, log): &(LabelSet, f64)| format!("{}={}", joined(set, labels), probability(*log));
                let sets = found.sets.iter().map(cell).collect::<Vec<_>>().join(" | ");
                vec![sets, found.mass.to_string(), found.reached.to_string()]
            }
            Answer::Decision(_, decision) => {
                let order = decision.ranking.iter().flatten().map(|&label| escaped(&labels[label]));
                vec![
                    joined(&decision.labels, labels),
                    joined(&decision.open, labels),
                    order.collect::<Vec<_>>().join(";"),
                    decision.expected.to_string(),
                ]
            }
        }
    }
}

/// The set, its probability, whether it is proven, and the bound.
fn proven(prediction: &Prediction, labels: &[String]) -> [String; 4] {
    let certificate = prediction.certificate;
    [
        joined(&prediction.labels, labels),
        prediction.log_probability.map(probability).unwrap_or_default(),
        certificate.map(|c| c.certified.to_string()).unwrap_or_default(),
        certificate.map(|c| probability(c.log_bound)).unwrap_or_default(),
    ]
}

fn probability(log: f64) -> String {
    log.exp().to_string()
}

/// The names of a set in one cell, with `;` between them.
fn joined(set: &LabelSet, labels: &[String]) -> String {
    set.members().map(|label| escaped(&labels[label])).collect::<Vec<_>>().join(";")
}

/// A name as it stands between others: a `;` or `\` in it gets a `\` before it.
pub fn escaped(name: &str) -> String {
    name.replace('\\', "\\\\").replace(';', "\\;")
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
