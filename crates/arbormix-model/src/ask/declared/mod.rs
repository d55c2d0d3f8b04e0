//! The declarations.

pub(super) mod decision;
pub(super) mod experts;
pub(super) mod known;
pub(super) mod labels;
pub(super) mod sets;

use std::time::Duration;

use super::argument::{Argument, Arguments, Default, Kind, Value};
use super::row::Search;
use arbormix_data::{DataError, LabelSet};
use arbormix_joint::Result;

/// How long a search may take.
const TIME_LIMIT: Argument = Argument {
    name: "time_limit",
    kind: Kind::Count,
    default: Default::Absent,
    meaning: "Milliseconds after which a row's search gives up; what it finds then depends on the machine.",
};

/// One label set per row.
const LABEL_SETS: Argument = Argument {
    name: "labels",
    kind: Kind::LabelSets,
    default: Default::Required,
    meaning: "The label set: one for all rows, or one per row.",
};

fn time_limit(arguments: &Arguments) -> Option<Duration> {
    arguments.count("time_limit").map(Duration::from_millis)
}

fn search(arguments: &Arguments) -> Search {
    time_limit(arguments).map_or_else(|| Search::Nodes(arguments.size("node_limit")), Search::Time)
}

/// The label sets of an argument.
#[derive(Clone)]
struct LabelSets(Value);

impl LabelSets {
    /// Errs if they are about another number of labels.
    fn of(arguments: &Arguments, labels: usize) -> Result<LabelSets> {
        let value = arguments.sets("labels").cloned().unwrap_or(Value::Sets(Vec::new()));
        if let Value::Sets(sets) = &value
            && let Some(wrong) = sets.iter().find(|set| set.len() != labels)
        {
            let what = "labels of the sets and of the model";
            return Err(DataError::Sizes { what, left: wrong.len(), right: labels }.into());
        }
        Ok(LabelSets(value))
    }

    /// The number of rows they are about, if that is said.
    fn rows(&self) -> Option<usize> {
        if let Value::Sets(sets) = &self.0 { Some(sets.len()) } else { None }
    }

    /// That of a row; empty if there is none.
    fn row(&self, row: usize) -> LabelSet {
        match &self.0 {
            Value::SameSet(set) => set.clone(),
            Value::Sets(sets) => sets.get(row).cloned().unwrap_or_else(|| LabelSet::empty(0)),
            Value::Count(_) | Value::Number(_) | Value::Text(_) => LabelSet::empty(0),
        }
    }
}
