//! What can be asked of every row beside the most probable set: one column or more, one key of a JSON line.

use std::time::Duration;

use arbormix::Result;
use arbormix::data::LabelSet;
use arbormix::decide::{Decision, Rule};
use arbormix::joint::RowMixture;
use arbormix::joint::map::Found;
use arbormix::question::Event;
use arbormix::random::Stream;
use serde_json::{Map, Value, json};

use super::record::{escaped, joined, listed, probability};

/// Label sets that `--mass` lists at most per row.
const MOST_SETS: usize = 1000;

/// One question.
pub(super) enum Question {
    /// How probable is what is known?
    Known,
    /// What is the best decision under a rule?
    Rule(Rule),
    /// How probable is an event?
    Event(String, Event),
    /// How many labels are there?
    Counts,
    /// How many are there together with each label?
    LabelCounts,
    /// How much does each expert weigh?
    Gate,
    /// Which labels come together?
    Pairs,
    /// What could the labels be?
    Sample { count: usize, seed: u64 },
    /// Which sets cover this probability?
    Mass(f64),
}

/// A row's distribution, given what is known of it.
pub(super) struct Asked<'a> {
    pub(super) row: usize,
    pub(super) mixture: &'a RowMixture<'a>,
    pub(super) log_known: f64,
    pub(super) names: &'a [String],
    /// Its most probable set, as far as it was searched for.
    pub(super) best: &'a Found,
    /// How long a search may take.
    pub(super) time: Option<Duration>,
}

/// The answer as cells of a table and as JSON under the question's key.
pub(super) struct Answered {
    pub(super) cells: Vec<String>,
    pub(super) json: Value,
}

impl Question {
    pub(super) fn key(&self) -> &'static str {
        match self {
            Question::Known => "known_probability",
            Question::Rule(_) => "decision",
            Question::Event(..) => "events",
            Question::Counts => "counts",
            Question::LabelCounts => "label_counts",
            Question::Gate => "gate",
            Question::Pairs => "pairs",
            Question::Sample { .. } => "samples",
            Question::Mass(_) => "credible",
        }
    }

    /// The columns of a table.
    pub(super) fn header(&self, names: &[String]) -> Vec<String> {
        let plain = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        match self {
            Question::Known => plain(&["P(known)"]),
            Question::Rule(_) => plain(&["decision", "open", "ranking", "expected"]),
            Question::Event(text, _) => vec![format!("P({text})")],
            Question::Counts => (0..=names.len()).map(|count| format!("P({count} labels)")).collect(),
            Question::LabelCounts => {
                let of = |name: &String| {
                    let name = name.clone();
                    (0..=names.len()).map(move |count| format!("P({name}, {count} labels)"))
                };
                names.iter().flat_map(of).collect()
            }
            Question::Gate => plain(&["gate"]),
            Question::Pairs => pairs(names.len()).map(|(i, j)| format!("P({} & {})", names[i], names[j])).collect(),
            Question::Sample { count, .. } => (1..=*count).map(|number| format!("sample_{number}")).collect(),
            Question::Mass(_) => plain(&["credible_sets", "credible_mass", "credible_reached"]),
        }
    }

    pub(super) fn answer(&self, asked: &Asked<'_>) -> Result<Answered> {
        let (mixture, names) = (asked.mixture, asked.names);
        Ok(match self {
            Question::Known => Answered::number(asked.log_known.exp()),
            Question::Rule(rule) => decided(rule, asked)?,
            Question::Event(text, event) => {
                let value = mixture.event(event);
                Answered { cells: vec![value.to_string()], json: json!({ text: value }) }
            }
            Question::Counts => {
                let sizes = mixture.label_counts().sizes;
                Answered { cells: sizes.iter().map(f64::to_string).collect(), json: json!(sizes) }
            }
            Question::LabelCounts => {
                let with = mixture.label_counts().with;
                let line = names.iter().cloned().zip(with.iter().map(|row| json!(row)));
                Answered { cells: with.iter().flatten().map(f64::to_string).collect(), json: line.collect() }
            }
            Question::Gate => {
                let gate: Vec<f64> = mixture.log_gate.iter().map(|log| log.exp()).collect();
                let cell = gate.iter().map(f64::to_string).collect::<Vec<_>>().join(";");
                Answered { cells: vec![cell], json: json!(gate) }
            }
            Question::Pairs => {
                let both = mixture.pairs().both;
                let cell = |(i, j)| both.get(i, j).to_string();
                let line = |(i, j): (usize, usize)| json!([names[i], names[j], both.get(i, j)]);
                Answered { cells: pairs(names.len()).map(cell).collect(), json: pairs(names.len()).map(line).collect() }
            }
            Question::Sample { count, seed } => {
                let mut stream = Stream::new(*seed, "sample", asked.row as u64);
                let sets: Vec<LabelSet> = (0..*count).map(|_| mixture.sample(&mut stream)).collect();
                Answered {
                    cells: sets.iter().map(|set| joined(set, names)).collect(),
                    json: sets.iter().map(|set| json!(listed(set, names))).collect(),
                }
            }
            Question::Mass(mass) => {
                let found = match asked.time {
                    Some(time) => mixture.credible_sets_within(*mass, MOST_SETS, time),
                    None => mixture.credible_sets(*mass, MOST_SETS, 0),
                };
                let cell = |(set, log): &(LabelSet, f64)| format!("{}={}", joined(set, names), probability(*log));
                let line =
                    |(set, log): &(LabelSet, f64)| json!({"labels": listed(set, names), "probability": log.exp()});
                let sets: Vec<Value> = found.sets.iter().map(line).collect();
                Answered {
                    cells: vec![
                        found.sets.iter().map(cell).collect::<Vec<_>>().join(" | "),
                        found.mass.to_string(),
                        found.reached.to_string(),
                    ],
                    json: json!({"sets": sets, "mass": found.mass, "reached": found.reached}),
                }
            }
        })
    }
}

impl Question {
    /// The answer that needs the marginals alone, if they are enough.
    pub(super) fn by_marginals(&self, marginals: &[f64], names: &[String]) -> Result<Option<Answered>> {
        let Question::Rule(rule) = self else { return Ok(None) };
        let decision = rule.decide_by_marginals(|| marginals.to_vec())?;
        Ok(decision.map(|decision| told(rule, decision, names)))
    }
}

impl Answered {
    fn number(value: f64) -> Answered {
        Answered { cells: vec![value.to_string()], json: json!(value) }
    }
}

/// Puts an answer under its key; the events share one.
pub(super) fn insert(line: &mut Map<String, Value>, key: &str, value: Value) {
    match (line.get_mut(key), value) {
        (Some(Value::Object(fields)), Value::Object(more)) => fields.extend(more),
        (_, value) => {
            line.insert(key.to_string(), value);
        }
    }
}

fn pairs(labels: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..labels).flat_map(move |i| (i + 1..labels).map(move |j| (i, j)))
}

fn decided(rule: &Rule, asked: &Asked<'_>) -> Result<Answered> {
    Ok(told(rule, rule.decide_with(asked.mixture, || asked.best.clone())?, asked.names))
}

fn told(rule: &Rule, decision: Decision, names: &[String]) -> Answered {
    let order: Option<Vec<&str>> =
        decision.ranking.as_ref().map(|order| order.iter().map(|&label| names[label].as_str()).collect());
    let mut line = Map::new();
    line.insert("for".to_string(), rule.to_string().into());
    line.insert("labels".to_string(), json!(listed(&decision.labels, names)));
    if let Rule::Abstain(_) = rule {
        line.insert("open".to_string(), json!(listed(&decision.open, names)));
    }
    if let Some(order) = &order {
        line.insert("ranking".to_string(), json!(order));
    }
    line.insert("expected".to_string(), json!(decision.expected));
    line.insert("expected_is".to_string(), rule.expects().into());
    let cells = vec![
        joined(&decision.labels, names),
        joined(&decision.open, names),
        decision
            .ranking
            .map(|order| order.iter().map(|&label| escaped(&names[label])).collect::<Vec<_>>().join(";"))
            .unwrap_or_default(),
        decision.expected.to_string(),
    ];
    Answered { cells, json: Value::Object(line) }
}
