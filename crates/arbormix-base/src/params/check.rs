//! Whether values are among those that can be used.

use serde_json::Value as Json;

use super::group::within;
use super::{Field, Kind, ParamError, Value};

/// Errs with the place and the rule if a value of a group cannot be used.
pub fn check<V: Value>(value: &V, path: &str) -> Result<(), ParamError> {
    walk(&V::KIND, &value.write(), path)
}

fn walk(kind: &Kind, written: &Json, path: &str) -> Result<(), ParamError> {
    match kind {
        Kind::Optional(inner) if !written.is_null() => walk(inner, written, path),
        Kind::Group(fields) => fields.iter().try_for_each(|field| field_holds(field, &written[field.name], path)),
        _ => Ok(()),
    }
}

fn field_holds(field: &Field, written: &Json, path: &str) -> Result<(), ParamError> {
    let place = within(path, field.name);
    // JSON has no NaN and no infinity; they are written as null.
    let is_number = |kind: &Kind, written: &Json| *kind != Kind::Number || !written.is_null();
    let finite = match (field.kind, written) {
        (Kind::List(inner), Json::Array(values)) => values.iter().all(|value| is_number(inner, value)),
        (kind, written) => is_number(kind, written),
    };
    if !finite {
        return Err(ParamError::Value { name: place, value: "NaN or infinity".into(), rule: "must be finite".into() });
    }
    if !field.allowed.holds(written) {
        return Err(ParamError::Value { name: place, value: written.to_string(), rule: field.allowed.rule() });
    }
    walk(field.kind, written, &place)
}
