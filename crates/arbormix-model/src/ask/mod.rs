//! Questions to the distribution P(y | x) of a row, each declared once.
//!
//! A [`Question`] says its name, what it means, which arguments it takes and what it is answered from. The command line,
//! Python and every other caller read [`QUESTIONS`]: a question that is declared here can be asked everywhere.
//!
//! - [`Question::ask`] reads the arguments for a model and gives an [`Asked`]
//! - [`Asking`] answers it for many rows; [`Row`] is what one row is answered from
//! - [`Answer`]: the answer of one row; its [`Shape`] is the same for all rows. Answers become JSON
//!   ([`Answer::fields`]), cells of a table ([`Answer::cells`] under [`Shape::columns`]) and arrays ([`Arrays`])
//!
//! To add a question, declare it in a file of `declared` and add it to [`QUESTIONS`].

mod answer;
mod argument;
mod asked;
mod asking;
mod declared;
mod row;
mod shape;
mod spec;
#[cfg(test)]
mod tests;

pub use answer::{Answer, Array, Arrays, Cells, escaped};
pub use argument::{Argument, Arguments, Default, Given, Kind, Value};
pub use asked::{About, Asked};
pub use asking::Asking;
pub use row::{Row, Search};
pub use shape::Shape;
pub use spec::Spec;

use crate::needs::Needs;
use arbormix_base::params::ParamError;
use arbormix_joint::Result;
use asked::Prepared;
use declared::{decision, experts, known, labels, sets};

/// A question as it is declared.
#[derive(Debug)]
pub struct Question {
    /// Its name, under which its answer stands in JSON.
    pub name: &'static str,
    /// What it asks, in one sentence.
    pub meaning: &'static str,
    /// What it takes.
    pub arguments: &'static [Argument],
    /// What it is answered from; with some arguments it is less or more ([`Asked::needs`]).
    pub needs: Needs,
    /// Reads the arguments.
    pub(crate) prepare: fn(&About<'_>, &Arguments) -> Result<Prepared>,
}

/// All questions.
pub static QUESTIONS: [&Question; 15] = [
    &sets::MAP,
    &sets::TOP,
    &labels::MARGINALS,
    &sets::LOG_PROB,
    &known::KNOWN_PROBABILITY,
    &known::LOG_KNOWN,
    &decision::DECISION,
    &known::EVENTS,
    &labels::COUNTS,
    &labels::LABEL_COUNTS,
    &experts::GATE,
    &experts::RESPONSIBILITIES,
    &labels::PAIRS,
    &sets::SAMPLES,
    &sets::CREDIBLE,
];

impl Question {
    /// The question with a name.
    pub fn named(name: &str) -> Result<&'static Question, ParamError> {
        let found = QUESTIONS.into_iter().find(|question| question.name == name);
        found.ok_or_else(|| {
            let known: Vec<&str> = QUESTIONS.iter().map(|question| question.name).collect();
            let message = format!("there is no such question; known: {}", known.join(", "));
            ParamError::Form { name: format!("question {name:?}"), message }
        })
    }

    /// The question with its arguments, for the labels of a model.
    pub fn ask(&'static self, about: &About<'_>, given: Vec<(String, Given)>) -> Result<Asked> {
        let arguments = Arguments::read(self, given, about.names)?;
        let prepared = (self.prepare)(about, &arguments)?;
        Ok(Asked { question: self, arguments, prepared })
    }

    /// The declaration for lists of questions.
    pub fn describe(&self) -> serde_json::Value {
        let arguments: Vec<serde_json::Value> = self.arguments.iter().map(Argument::describe).collect();
        serde_json::json!({"name": self.name, "meaning": self.meaning, "needs": self.needs, "arguments": arguments})
    }
}
