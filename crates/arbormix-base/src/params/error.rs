//! Parameters that cannot be used.

use super::Value;

/// A parameter with a value that cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ParamError {
    /// The value is outside what the parameter allows.
    #[error("parameter {name} = {value}: {rule}")]
    Value {
        /// Name as in the command line's `--set`.
        name: String,
        /// The offending value.
        value: String,
        /// What is allowed.
        rule: String,
    },
    /// No parameter has this name.
    #[error("unknown parameter {name:?}{}; known here: {known}{}", meant(near), owners(methods))]
    UnknownName {
        /// The name that was given.
        name: String,
        /// The names that exist at this place.
        known: String,
        /// The name that was probably meant.
        near: Option<String>,
        /// Other methods that have this parameter.
        methods: Vec<&'static str>,
    },
    /// No method has this name.
    #[error("unknown method {name:?}; known: {known}")]
    UnknownMethod {
        /// The name that was given.
        name: String,
        /// The registry's names.
        known: String,
    },
    /// The value has the wrong form, e.g. a word where a number is needed.
    #[error("parameter {name}: {message}")]
    Form {
        /// Where in the parameters.
        name: String,
        /// What was expected.
        message: String,
    },
}

fn meant(near: &Option<String>) -> String {
    near.as_ref().map(|name| format!("; did you mean {name:?}?")).unwrap_or_default()
}

fn owners(methods: &[&str]) -> String {
    if methods.is_empty() { String::new() } else { format!("; methods that have it: {}", methods.join(", ")) }
}

impl ParamError {
    /// Checks a condition that joins several parameters, or depends on the data: `ParamError::require(least <= most,
    /// "min_experts", least, "must not be above max_experts")?`.
    pub fn require(holds: bool, name: &str, value: impl std::fmt::Debug, rule: &str) -> Result<(), ParamError> {
        let error = || ParamError::Value { name: name.into(), value: format!("{value:?}"), rule: rule.into() };
        if holds { Ok(()) } else { Err(error()) }
    }

    /// The same for a parameter that is a word or a group: the message has it as a user writes it.
    pub fn require_choice(holds: bool, name: &str, value: &impl Value, rule: &str) -> Result<(), ParamError> {
        let error = || ParamError::Value { name: name.into(), value: value.write().to_string(), rule: rule.into() };
        if holds { Ok(()) } else { Err(error()) }
    }
}
