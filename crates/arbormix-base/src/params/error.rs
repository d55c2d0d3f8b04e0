//! Parameters that cannot be used.

/// A parameter with a value that cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ParamError {
    /// The value is outside what the parameter allows.
    #[error("parameter {name} = {value}: {rule}")]
    Value {
        /// Name as in the command line's `--set`.
        name: &'static str,
        /// The offending value.
        value: String,
        /// What is allowed.
        rule: &'static str,
    },
    /// No parameter has this name.
    #[error("unknown parameter {name:?}; known here: {known}{}", owners(methods))]
    UnknownName {
        /// The name that was given.
        name: String,
        /// The names that exist at this place.
        known: String,
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

fn owners(methods: &[&str]) -> String {
    if methods.is_empty() { String::new() } else { format!("; methods that have it: {}", methods.join(", ")) }
}

impl ParamError {
    /// Checks a condition on a parameter: `ParamError::require(c > 0.0, "cost", c, "must be positive")?`.
    pub fn require(
        holds: bool,
        name: &'static str,
        value: impl std::fmt::Debug,
        rule: &'static str,
    ) -> Result<(), ParamError> {
        if holds { Ok(()) } else { Err(ParamError::Value { name, value: format!("{value:?}"), rule }) }
    }

    /// The same for a parameter that is a word or a group: the message has it as a user writes it.
    pub fn require_choice(
        holds: bool,
        name: &'static str,
        value: &impl serde::Serialize,
        rule: &'static str,
    ) -> Result<(), ParamError> {
        let written = || serde_json::to_value(value).map_or_else(|error| error.to_string(), |value| value.to_string());
        if holds { Ok(()) } else { Err(ParamError::Value { name, value: written(), rule }) }
    }
}
