//! Rules in words.

use std::path::Path;
use std::str::FromStr;

use super::costs::Costs;
use super::rule::{RULES, Rule};
use super::thresholds::{PooledF1, Thresholds};
use arbormix_base::params::ParamError;
use arbormix_joint::Result;

impl Rule {
    /// All rules as they are written, for help and messages.
    pub fn words() -> String {
        RULES.map(|form| form.written).join(", ")
    }

    /// The rule in words for a model with these labels: as [`str::parse`], and `cost=FILE` ([`Costs::read`]).
    pub fn read(text: &str, names: &[String]) -> Result<Rule> {
        match text.strip_prefix("cost=").map(Path::new) {
            // Two costs have a colon, a file's name hardly ever.
            Some(path) if path.is_file() || !text.contains(':') => Ok(Rule::Cost(Costs::read(path, names)?)),
            _ => Ok(text.parse()?),
        }
    }

    /// The same for a model that has these thresholds, which `macro-f1` and `micro-f1` need.
    pub fn read_with(text: &str, names: &[String], thresholds: &[Thresholds]) -> Result<Rule> {
        let Some(measure) = PooledF1::ALL.into_iter().find(|measure| measure.word() == text) else {
            return Rule::read(text, names);
        };
        let fitted = thresholds.iter().find(|thresholds| thresholds.measure == measure);
        let message =
            "the model has no thresholds for it; fit the model again with them (fit --thresholds)".to_string();
        Ok(Rule::Pooled(fitted.cloned().ok_or(ParamError::Form { name: format!("rule {text:?}"), message })?))
    }
}

impl FromStr for Rule {
    type Err = ParamError;

    fn from_str(text: &str) -> Result<Rule, ParamError> {
        let wrong = |message: String| ParamError::Form { name: format!("rule {text:?}"), message };
        let (word, argument) = split(text);
        let form = RULES.into_iter().find(|form| form.word() == word);
        let form = form.ok_or_else(|| wrong(format!("there is no such rule; known: {}", Rule::words())))?;
        let rule = (form.read)(argument).map_err(wrong)?;
        rule.check().map_err(|problem| wrong(problem.to_string()))?;
        Ok(rule)
    }
}

/// The word, with `=` or `@` if an argument follows, and the argument.
pub(super) fn split(text: &str) -> (&str, &str) {
    text.find(['=', '@']).map_or((text, ""), |at| text.split_at(at + 1))
}

/// A number as it is written.
pub(super) fn number(word: &str) -> Result<f64, String> {
    word.trim().parse().map_err(|_| format!("{word:?} is not a number"))
}

/// A whole number as it is written.
pub(super) fn count(word: &str) -> Result<usize, String> {
    word.parse().map_err(|_| format!("{word:?} is not a whole number"))
}
