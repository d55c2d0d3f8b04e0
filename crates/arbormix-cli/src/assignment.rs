//! Parameters that the command line sets.

use serde_json::Value;

/// One `--set`: where, and what.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Assignment {
    pub(crate) name: String,
    pub(crate) value: Value,
}

impl Assignment {
    pub(crate) fn new(name: &str, value: &str) -> Assignment {
        // A value that is no JSON is a word: names need no quotes within quotes.
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_string()));
        Assignment { name: name.to_string(), value }
    }

    /// Whether it sets this parameter.
    pub(crate) fn is_of(&self, name: &str) -> bool {
        self.name == name
    }

    pub(crate) fn parse(text: &str) -> Result<Assignment, String> {
        match text.split_once('=') {
            Some((name, value)) if name.split('.').all(|part| !part.is_empty()) => Ok(Assignment::new(name, value)),
            _ => Err("expected NAME=VALUE, e.g. experts=3".to_string()),
        }
    }
}
