//! What the answers to a question look like, the same for all rows.

use super::answer::{Cells, Part};

/// The shape of the answers to one question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// One number, in a column of this name.
    Number(&'static str),
    /// The probability of what the asker wrote.
    Named(String),
    /// A number per label; the columns are `head(label)`, and so on below.
    PerLabel(&'static str),
    /// A number per number of labels, from none to all.
    PerCount(&'static str),
    /// Numbers per label and number of labels.
    LabelByCount(&'static str),
    /// A number per pair of labels.
    Pairs(&'static str),
    /// A number per expert, in one column of this name.
    PerExpert(&'static str),
    /// So many label sets, in columns `head_1`, `head_2`, ….
    Sets(&'static str, usize),
    /// A label set with its probability and what is proven about it; its columns begin with this.
    Best(&'static str),
    /// Up to so many of them, best first.
    Ranked(usize),
    /// Label sets that together have a probability.
    Credible,
    /// A decision.
    Decision,
}

/// Columns of a set with its proof.
const BEST: [&str; 6] = ["labels", "probability", "certified", "bound", "gap", "nodes"];

impl Shape {
    /// The columns of a table, one per cell of [`super::Answer::cells`].
    pub fn columns(&self, name: &str, labels: &[String]) -> Vec<String> {
        let count = labels.len();
        match self {
            Shape::Number(column) | Shape::PerExpert(column) => vec![column.to_string()],
            Shape::Named(text) => vec![format!("P({text})")],
            Shape::PerLabel(head) => labels.iter().map(|label| format!("{head}({label})")).collect(),
            Shape::PerCount(head) => (0..=count).map(|size| format!("{head}({size} labels)")).collect(),
            Shape::LabelByCount(head) => {
                let sizes = |label: &String| {
                    let label = label.clone();
                    (0..=count).map(move |size| format!("{head}({label}, {size} labels)"))
                };
                labels.iter().flat_map(sizes).collect()
            }
            Shape::Pairs(head) => pairs(count).map(|(i, j)| format!("{head}({} & {})", labels[i], labels[j])).collect(),
            Shape::Sets(head, sets) => (1..=*sets).map(|place| format!("{head}_{place}")).collect(),
            Shape::Best(prefix) => BEST.map(|column| format!("{prefix}{column}")).to_vec(),
            Shape::Ranked(sets) => {
                let columns = |place: usize| BEST[..4].iter().map(move |column| format!("{column}_{place}"));
                (1..=*sets).flat_map(columns).chain([format!("{name}_mass")]).collect()
            }
            Shape::Credible => ["sets", "mass", "reached"].map(|column| format!("{name}_{column}")).to_vec(),
            Shape::Decision => ["decision", "open", "ranking", "expected"].map(String::from).to_vec(),
        }
    }

    /// The arrays of the answers to no rows.
    pub(super) fn empty_parts(&self, labels: usize) -> Vec<Part> {
        let floats = |name, shape: &[usize]| Part::new(name, shape, Cells::Floats(Vec::new()));
        let bits = |name, shape: &[usize]| Part::new(name, shape, Cells::Bits(Vec::new()));
        let flags = |name| Part::new(name, &[], Cells::Flags(Vec::new()));
        match self {
            Shape::Number(_) | Shape::Named(_) => vec![floats("", &[])],
            Shape::PerLabel(_) => vec![floats("", &[labels])],
            Shape::PerCount(_) => vec![floats("", &[labels + 1])],
            Shape::LabelByCount(_) => vec![floats("", &[labels, labels + 1])],
            Shape::Pairs(_) => vec![floats("", &[labels, labels])],
            Shape::PerExpert(_) => vec![floats("", &[0])],
            Shape::Sets(_, sets) => vec![bits("", &[*sets, labels])],
            Shape::Best(_) => vec![
                bits("labels", &[labels]),
                floats("log_probability", &[]),
                floats("log_bound", &[]),
                flags("certified"),
                Part::new("nodes", &[], Cells::Places(Vec::new())),
            ],
            Shape::Ranked(sets) => vec![
                bits("labels", &[*sets, labels]),
                floats("log_probability", &[*sets]),
                floats("log_bound", &[*sets]),
                Part::new("certified", &[*sets], Cells::Flags(Vec::new())),
            ],
            Shape::Credible => vec![
                bits("labels", &[0, labels]).of_any_length(),
                floats("log_probability", &[0]).of_any_length(),
                floats("mass", &[]),
                flags("reached"),
            ],
            Shape::Decision => {
                vec![bits("labels", &[labels]), bits("open", &[labels]), floats("expected", &[])]
            }
        }
    }
}

/// The pairs of labels, each once.
pub(super) fn pairs(labels: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..labels).flat_map(move |i| (i + 1..labels).map(move |j| (i, j)))
}
