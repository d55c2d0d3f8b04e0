//! A method's entry in the registry.

use arbormix_base::params::{ParamError, Preset, Presets};
use arbormix_learn::store::Stored;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Learner, Predictor};
use crate::error::{Error, Result};

/// One method: its names, its parameters, and how it is brought back from a file.
#[derive(Debug, Clone, Copy)]
pub struct Method {
    /// Name on the command line and in model files.
    pub name: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// One line on what it does.
    pub summary: &'static str,
    defaults: fn(Preset) -> Value,
    learner: fn(Value) -> Result<Box<dyn Learner>>,
    load: fn(&Stored) -> Result<Box<dyn Predictor>>,
}

impl Method {
    /// The method whose learner is `P`.
    pub const fn of<P: Learner + Presets + Serialize + DeserializeOwned + 'static>(
        name: &'static str,
        title: &'static str,
        summary: &'static str,
        load: fn(&Stored) -> Result<Box<dyn Predictor>>,
    ) -> Method {
        Method { name, title, summary, defaults: defaults::<P>, learner: learner_from::<P>, load }
    }

    /// Its parameters and their defaults.
    pub fn defaults(&self, preset: Preset) -> Value {
        (self.defaults)(preset)
    }

    /// The learner with these parameters, all of which must be given.
    pub fn learner(&self, params: Value) -> Result<Box<dyn Learner>> {
        (self.learner)(params)
    }

    /// The learner with a preset's defaults and `overrides` (a JSON object of the same shape) laid over them.
    pub fn with(&self, preset: Preset, overrides: &Value) -> Result<Box<dyn Learner>> {
        let defaults = self.defaults(preset);
        let mut params = defaults.clone();
        overlay(&mut params, overrides, "")?;
        let learner = self.learner(params).map_err(|error| blame(self, &defaults, overrides, error))?;
        learner.validate()?;
        learner.features().validate()?;
        Ok(learner)
    }

    /// Brings a stored predictor back.
    pub fn load(&self, stored: &Stored) -> Result<Box<dyn Predictor>> {
        (self.load)(stored)
    }
}

fn defaults<P: Presets + Serialize>(preset: Preset) -> Value {
    serde_json::to_value(P::preset(preset)).expect("parameters are plain data")
}

fn learner_from<P: Learner + DeserializeOwned + 'static>(params: Value) -> Result<Box<dyn Learner>> {
    // serde_json names the type it expected but not the parameter; `blame` finds that.
    let parsed: P = serde_json::from_value(params)
        .map_err(|e| ParamError::Form { name: "value".to_string(), message: e.to_string() })?;
    Ok(Box::new(parsed))
}

/// Finds which of several overrides the learner refuses, so that the message can name it.
fn blame(method: &Method, defaults: &Value, overrides: &Value, error: Error) -> Error {
    for (path, value) in leaves(overrides, String::new()) {
        let alone = path.rsplit('.').fold(value.clone(), |inner, name| serde_json::json!({ name: inner }));
        let mut params = defaults.clone();
        if overlay(&mut params, &alone, "").is_ok()
            && let Err(Error::Params(ParamError::Form { message, .. })) = method.learner(params)
        {
            let message = wanted_number(method, defaults, &path, value).unwrap_or(message);
            return ParamError::Form { name: path, message }.into();
        }
    }
    error
}

/// For a word that needs a number of its own, such as `beam`: where that is set.
fn wanted_number(method: &Method, defaults: &Value, path: &str, word: &Value) -> Option<String> {
    let word = word.as_str()?;
    let mut params = defaults.clone();
    let place = params.pointer_mut(&format!("/{}", path.replace('.', "/")))?;
    *place = serde_json::json!({ word: {} });
    let Err(Error::Params(ParamError::Form { message, .. })) = method.learner(params) else { return None };
    let name = message.strip_prefix("missing field `")?.split('`').next()?;
    Some(format!("{word} needs a number of its own: set {path}.{word}.{name}"))
}

/// Every override with its dotted path.
fn leaves(value: &Value, path: String) -> Vec<(String, &Value)> {
    match value {
        Value::Object(fields) if !fields.is_empty() => fields
            .iter()
            .flat_map(|(name, field)| {
                leaves(field, if path.is_empty() { name.clone() } else { format!("{path}.{name}") })
            })
            .collect(),
        _ => vec![(path, value)],
    }
}

/// Lays `over` over `base`; names that `base` does not have are refused with the list of those it has.
fn overlay(base: &mut Value, over: &Value, path: &str) -> Result<(), ParamError> {
    match (base, over) {
        // A variant of an enum ({"exact": {...}}, {"folds": 3}) is replaced whole: its keys are not parameters.
        (Value::Object(fields), Value::Object(changes)) if !is_variant(fields, changes) => {
            for (name, change) in changes {
                let place = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                let known = || fields.keys().cloned().collect::<Vec<_>>().join(", ");
                if !fields.contains_key(name) {
                    return Err(ParamError::UnknownName { name: place, known: known(), methods: Vec::new() });
                }
                if let Some(field) = fields.get_mut(name) {
                    overlay(field, change, &place)?;
                }
            }
        }
        (base, over) => *base = over.clone(),
    }
    Ok(())
}

fn is_variant(fields: &serde_json::Map<String, Value>, changes: &serde_json::Map<String, Value>) -> bool {
    // A group of one parameter given another name looks the same; it is then refused by its type.
    fields.len() == 1 && changes.len() == 1 && fields.keys().next() != changes.keys().next()
}
