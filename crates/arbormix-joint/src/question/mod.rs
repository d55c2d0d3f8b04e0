//! Questions in words: what is already known, and events.
//!
//! - [`Known`]: labels whose values are known, `cat=1,dog=0`
//! - [`Event`]: a Boolean expression over labels, `cat & !pet | dog`

mod event;
mod known;

pub use event::{Event, LARGEST_EVENT};
pub use known::Known;

/// A question that cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QuestionError {
    /// A name that no label has.
    #[error("{question:?}, column {column}: no label is called {name:?}; the model's labels: {known}")]
    UnknownLabel {
        /// The whole question.
        question: String,
        /// Where the name begins, from 1, in characters.
        column: usize,
        /// The name.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// Something else was expected here.
    #[error("{question:?}, column {column}: expected {expected}, found {found}")]
    Expected {
        /// The whole question.
        question: String,
        /// Where, from 1, in characters.
        column: usize,
        /// What would fit here.
        expected: &'static str,
        /// What stands here.
        found: String,
    },
    /// A label was given both values.
    #[error("{question:?}: label {name:?} is said to be both present and absent; say one of them")]
    Contradiction {
        /// The whole question.
        question: String,
        /// The label.
        name: String,
    },
    /// More labels, or deeper parentheses, than can be worked through.
    #[error("{question:?} has {found} {what}, at most {most} are possible; ask in parts")]
    TooLarge {
        /// The whole question.
        question: String,
        /// What there are too many of.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many are possible.
        most: usize,
    },
    /// What is known has probability zero.
    #[error("what is said to be known cannot be: the model gives it probability 0")]
    Impossible,
}

/// The label with a name.
fn label(question: &str, column: usize, name: &str, names: &[String]) -> Result<usize, QuestionError> {
    names.iter().position(|other| other == name).ok_or_else(|| QuestionError::UnknownLabel {
        question: question.to_string(),
        column,
        name: name.to_string(),
        known: names.join(", "),
    })
}
