//! A question in words.

use serde_json::json;

use super::argument::{Given, split};
use super::{About, Asked, Question};
use arbormix_base::params::ParamError;
use arbormix_joint::Result;

/// A question with arguments that are not read yet.
///
/// ```
/// use arbormix_model::ask::Spec;
/// let spec = Spec::parse("samples:count=3,seed=7")?;
/// assert_eq!(spec.question.name, "samples");
/// # Ok::<(), arbormix_base::params::ParamError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Spec {
    /// The question.
    pub question: &'static Question,
    given: Vec<(String, Given)>,
}

impl Spec {
    /// The question with a name, without arguments.
    pub fn named(name: &str) -> Result<Spec, ParamError> {
        Ok(Spec { question: Question::named(name)?, given: Vec::new() })
    }

    /// From `NAME` or `NAME:argument=value,…`; a comma of a value stands in double quotes.
    pub fn parse(text: &str) -> Result<Spec, ParamError> {
        let (name, arguments) = text.split_once(':').unwrap_or((text, ""));
        let mut spec = Spec::named(name.trim())?;
        for part in split(arguments, ',', false).iter().filter(|part| !part.trim().is_empty()) {
            let (name, value) = part.split_once('=').ok_or_else(|| ParamError::Form {
                name: format!("question {text:?}"),
                message: format!("expected argument=value, found {part:?}"),
            })?;
            spec = spec.with(name.trim(), value);
        }
        Ok(spec)
    }

    /// With an argument, a number or text.
    #[must_use]
    pub fn with(mut self, argument: &str, value: impl ToString) -> Spec {
        self.given.push((argument.to_string(), Given::Json(json!(value.to_string()))));
        self
    }

    /// With an argument if the question takes it and it is not given yet.
    #[must_use]
    pub fn with_default(self, argument: &str, value: impl ToString) -> Spec {
        let takes = self.question.arguments.iter().any(|other| other.name == argument);
        let given = self.given.iter().any(|(name, _)| name == argument);
        if takes && !given { self.with(argument, value) } else { self }
    }

    /// The question, for the labels of a model.
    pub fn ask(self, about: &About<'_>) -> Result<Asked> {
        self.question.ask(about, self.given)
    }
}
