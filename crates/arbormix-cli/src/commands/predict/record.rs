//! A row's answers as a line of a table or of JSON: first the most probable set, then those to the other questions.

use arbormix_model::ask::{Answer, Asked, Shape};
use serde_json::{Map, Value};

/// The system's error as it was: its kind tells a closed pipe from a full disk.
pub(super) fn unwrapped(error: csv::Error) -> std::io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => std::io::Error::other(format!("{other:?}")),
    }
}

/// How much more probable a better set than the row's could be, if the method proves anything.
pub(super) fn gap(answers: &[Answer]) -> Option<f64> {
    let Some(Answer::Best(prediction)) = answers.first() else { return None };
    Some(prediction.certificate?.gap(prediction.log_probability?))
}

/// The columns of a table.
pub(super) fn header(names: &[String], asked: &[Asked]) -> Vec<String> {
    let best = Shape::Best("").columns("", names);
    let others = asked.iter().skip(1).flat_map(|asked| asked.shape().columns(asked.name(), names));
    ["row".to_string()].into_iter().chain(best).chain(others).collect()
}

/// The cells of a row.
pub(super) fn to_record(row: usize, names: &[String], answers: &[Answer]) -> Vec<String> {
    [row.to_string()].into_iter().chain(answers.iter().flat_map(|answer| answer.cells(names))).collect()
}

/// A row as JSON.
pub(super) fn to_json(row: usize, names: &[String], asked: &[Asked], answers: &[Answer]) -> Value {
    let mut line = Map::new();
    line.insert("row".to_string(), row.into());
    if let Some(Value::Object(best)) = answers.first().map(|best| best.to_json(names)) {
        line.extend(best);
    }
    for (asked, answer) in asked.iter().zip(answers).skip(1) {
        for (key, value) in answer.fields(asked.name(), names) {
            insert(&mut line, key, value);
        }
    }
    Value::Object(line)
}

/// Puts an answer under its key; the events share one.
fn insert(line: &mut Map<String, Value>, key: String, value: Value) {
    match (line.get_mut(&key), value) {
        (Some(Value::Object(fields)), Value::Object(more)) => fields.extend(more),
        (_, value) => {
            line.insert(key, value);
        }
    }
}
