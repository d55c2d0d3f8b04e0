//! The answers of many rows as arrays, whose first axis is the row.

use super::super::shape::Shape;
use super::Answer;
use arbormix_data::LabelSet;
use arbormix_joint::learner::Prediction;

/// The cells of an array, in row order.
#[derive(Debug, Clone, PartialEq)]
pub enum Cells {
    /// Numbers.
    Floats(Vec<f64>),
    /// 1 where a label is present, else 0.
    Bits(Vec<i8>),
    /// Whole numbers.
    Places(Vec<i64>),
    /// Yes or no.
    Flags(Vec<bool>),
}

/// One array.
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    /// Which part of the answers it is; empty if there is only one.
    pub name: &'static str,
    /// Its shape.
    pub shape: Vec<usize>,
    /// As many cells as that.
    pub cells: Cells,
}

/// One row of an array.
#[derive(Debug, Clone)]
pub(in super::super) struct Part {
    name: &'static str,
    shape: Vec<usize>,
    cells: Cells,
    /// Whether the first axis may be longer in one row than in another.
    any_length: bool,
}

impl Part {
    pub(in super::super) fn new(name: &'static str, shape: &[usize], cells: Cells) -> Part {
        Part { name, shape: shape.to_vec(), cells, any_length: false }
    }

    /// The same with a first axis that may be longer in one row than in another.
    pub(in super::super) fn of_any_length(self) -> Part {
        Part { any_length: true, ..self }
    }
}

/// Collects the answers of rows to one question.
///
/// Parts of which rows have different numbers stand one after the other, all rows in one array; `starts` then says where
/// each row begins, and where the last one ends.
#[derive(Debug)]
pub struct Arrays {
    shape: Shape,
    labels: usize,
    rows: usize,
    parts: Vec<Part>,
    starts: Vec<i64>,
}

impl Arrays {
    /// None yet, of a question with this shape about so many labels.
    pub fn new(shape: &Shape, labels: usize) -> Arrays {
        Arrays { shape: shape.clone(), labels, rows: 0, parts: Vec::new(), starts: vec![0] }
    }

    /// Adds the next row.
    pub fn push(&mut self, answer: Answer) {
        let parts = parts(answer, self.labels);
        let lengths = parts.iter().filter(|part| part.any_length).map(|part| part.shape[0] as i64);
        self.starts.push(self.starts.last().copied().unwrap_or_default() + lengths.max().unwrap_or_default());
        if self.rows == 0 {
            self.parts = parts;
        } else {
            self.parts.iter_mut().zip(parts).for_each(|(all, part)| all.append(part));
        }
        self.rows += 1;
    }

    /// The arrays.
    pub fn finish(self) -> Vec<Array> {
        let parts = if self.rows == 0 { self.shape.empty_parts(self.labels) } else { self.parts };
        let ragged = parts.iter().any(|part| part.any_length);
        let array = |part: Part| {
            let shape = if part.any_length { part.shape } else { [vec![self.rows], part.shape].concat() };
            Array { name: part.name, shape, cells: part.cells }
        };
        let mut out: Vec<Array> = parts.into_iter().map(array).collect();
        if ragged {
            out.push(Array { name: "starts", shape: vec![self.starts.len()], cells: Cells::Places(self.starts) });
        }
        out
    }
}

impl Part {
    fn append(&mut self, other: Part) {
        match (&mut self.cells, other.cells) {
            (Cells::Floats(all), Cells::Floats(more)) => all.extend(more),
            (Cells::Bits(all), Cells::Bits(more)) => all.extend(more),
            (Cells::Places(all), Cells::Places(more)) => all.extend(more),
            (Cells::Flags(all), Cells::Flags(more)) => all.extend(more),
            // A question answers all rows alike.
            _ => debug_assert!(false, "the parts of {} differ between rows", self.name),
        }
        if self.any_length {
            self.shape[0] += other.shape[0];
        }
    }
}

/// A row's answer in parts.
fn parts(answer: Answer, labels: usize) -> Vec<Part> {
    let floats = |name, shape: &[usize], values| Part::new(name, shape, Cells::Floats(values));
    let flag = |name, value| Part::new(name, &[], Cells::Flags(vec![value]));
    match answer {
        Answer::Number(value) | Answer::Named(_, value) => vec![floats("", &[], vec![value])],
        Answer::PerLabel(values) | Answer::PerCount(values) | Answer::PerExpert(values) => {
            vec![floats("", &[values.len()], values)]
        }
        Answer::LabelByCount(rows) => vec![floats("", &[labels, labels + 1], rows.concat())],
        Answer::Pairs(both) => vec![floats("", &[labels, labels], both.into_values())],
        Answer::Sets(sets) => vec![Part::new("", &[sets.len(), labels], Cells::Bits(bits(&sets)))],
        Answer::Best(found) => vec![
            Part::new("labels", &[labels], Cells::Bits(bits([&found.labels]))),
            floats("log_probability", &[], vec![log_probability(&found)]),
            floats("log_bound", &[], vec![log_bound(&found)]),
            flag("certified", certified(&found)),
            Part::new("nodes", &[], Cells::Places(vec![found.certificate.map_or(0, |c| c.nodes as i64)])),
        ],
        Answer::Ranked { sets, count } => ranked(sets, count, labels),
        Answer::Credible(found) => {
            let (sets, logs): (Vec<LabelSet>, Vec<f64>) = found.sets.into_iter().unzip();
            vec![
                Part::new("labels", &[sets.len(), labels], Cells::Bits(bits(&sets))).of_any_length(),
                floats("log_probability", &[logs.len()], logs).of_any_length(),
                floats("mass", &[], vec![found.mass]),
                flag("reached", found.reached),
            ]
        }
        Answer::Decision(_, decision) => {
            let mut out = vec![
                Part::new("labels", &[labels], Cells::Bits(bits([&decision.labels]))),
                Part::new("open", &[labels], Cells::Bits(bits([&decision.open]))),
                floats("expected", &[], vec![decision.expected]),
            ];
            let places = |order: Vec<usize>| Cells::Places(order.into_iter().map(|label| label as i64).collect());
            out.extend(decision.ranking.map(|order| Part::new("ranking", &[labels], places(order))));
            out
        }
    }
}

/// Sets as many as were asked for: those that are missing are empty and have the log-probability −∞.
fn ranked(mut sets: Vec<Prediction>, count: usize, labels: usize) -> Vec<Part> {
    let missing =
        Prediction { labels: LabelSet::empty(labels), log_probability: Some(f64::NEG_INFINITY), certificate: None };
    sets.resize(count, missing);
    let floats =
        |name, of: fn(&Prediction) -> f64| Part::new(name, &[count], Cells::Floats(sets.iter().map(of).collect()));
    vec![
        Part::new("labels", &[count, labels], Cells::Bits(bits(sets.iter().map(|set| &set.labels)))),
        floats("log_probability", log_probability),
        floats("log_bound", log_bound),
        Part::new("certified", &[count], Cells::Flags(sets.iter().map(certified).collect())),
    ]
}

/// NaN for methods without joint probabilities.
fn log_probability(found: &Prediction) -> f64 {
    found.log_probability.unwrap_or(f64::NAN)
}

/// NaN without a search.
fn log_bound(found: &Prediction) -> f64 {
    found.certificate.map_or(f64::NAN, |certificate| certificate.log_bound)
}

fn certified(found: &Prediction) -> bool {
    found.certificate.is_some_and(|certificate| certificate.certified)
}

fn bits<'a>(sets: impl IntoIterator<Item = &'a LabelSet>) -> Vec<i8> {
    sets.into_iter().flat_map(|set| (0..set.len()).map(|label| i8::from(set.get(label)))).collect()
}
