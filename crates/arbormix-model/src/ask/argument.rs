//! Arguments of questions: what they are, and how they are read.

use serde_json::{Value as Json, json};

use super::Question;
use crate::decide::RULES;
use arbormix_base::params::{ParamError, nearest};
use arbormix_data::LabelSet;

/// An argument as it is declared.
#[derive(Debug)]
pub struct Argument {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub kind: Kind,
    /// What it is if it is not given.
    pub default: Default,
    /// What it does, in one sentence.
    pub meaning: &'static str,
}

/// What an argument is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A whole number, not negative.
    Count,
    /// A number from 0 to 1.
    Probability,
    /// A decision rule ([`RULES`]).
    Rule,
    /// A Boolean expression over labels.
    Event,
    /// One label set for all rows, or one per row.
    LabelSets,
}

/// What an argument is if it is not given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Default {
    /// It must be given.
    Required,
    /// It has no value.
    Absent,
    /// This, as it would be written.
    Is(&'static str),
}

/// An argument as a caller gives it.
#[derive(Debug, Clone, PartialEq)]
pub enum Given {
    /// As JSON: numbers, or text that holds them; a label set is a list of names, or names with `;` between them.
    Json(Json),
    /// One label set per row.
    Sets(Vec<LabelSet>),
}

/// The value of an argument.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A whole number.
    Count(u64),
    /// A number.
    Number(f64),
    /// A rule or an event, in words.
    Text(String),
    /// The same label set for all rows.
    SameSet(LabelSet),
    /// One label set per row.
    Sets(Vec<LabelSet>),
}

/// The values of a question's arguments, in the order of their declaration.
#[derive(Debug, Clone, PartialEq)]
pub struct Arguments(Vec<(&'static str, Option<Value>)>);

impl Kind {
    /// The kind in words, for lists and messages.
    pub fn words(self) -> &'static str {
        match self {
            Kind::Count => "whole number",
            Kind::Probability => "probability",
            Kind::Rule => "decision rule",
            Kind::Event => "event",
            Kind::LabelSets => "label sets",
        }
    }

    /// Reads a value; the message if it is none of this kind.
    fn read(self, given: Given, names: &[String]) -> Result<Value, String> {
        let given = match (self, given) {
            (Kind::LabelSets, Given::Sets(sets)) => return Ok(Value::Sets(sets)),
            (_, Given::Sets(_)) => return Err(format!("expected a {}, found label sets", self.words())),
            (_, Given::Json(given)) => given,
        };
        // Numbers may come as text, from a command line for example.
        let text = given.as_str().map_or_else(|| given.to_string(), String::from);
        match self {
            Kind::Count => text.trim().parse().map(Value::Count).map_err(|_| format!("{text:?} is not a whole number")),
            Kind::Probability => match text.trim().parse() {
                Ok(share) if (0.0..=1.0).contains(&share) => Ok(Value::Number(share)),
                _ => Err(format!("{text:?} is not a probability from 0 to 1")),
            },
            Kind::Rule | Kind::Event if given.is_string() => Ok(Value::Text(text)),
            Kind::Rule | Kind::Event => Err(format!("{text} is not text")),
            Kind::LabelSets => label_set(&given, names).map(Value::SameSet),
        }
    }
}

/// The label set of a list of names, or of names with `;` between them; a `\` takes the meaning of the sign after it, and
/// a name may stand in double quotes.
fn label_set(given: &Json, names: &[String]) -> Result<LabelSet, String> {
    let words = match given {
        Json::String(text) => split(text, ';', true),
        Json::Array(words) => words.iter().map(|word| word.as_str().unwrap_or_default().to_string()).collect(),
        other => return Err(format!("{other} is not a label set: expected names of labels with ; between them")),
    };
    let mut set = LabelSet::empty(names.len());
    for word in words.iter().filter(|word| !word.is_empty()) {
        let place = names.iter().position(|name| name == word);
        let place =
            place.ok_or_else(|| format!("no label is called {word:?}; the model's labels: {}", names.join(", ")))?;
        set.set(place, true);
    }
    Ok(set)
}

/// The parts between separators that stand neither in double quotes nor after a `\`; `plain` parts are without these and
/// without space around them.
pub(super) fn split(text: &str, separator: char, plain: bool) -> Vec<String> {
    let (mut parts, mut quoted, mut after_backslash) = (vec![String::new()], false, false);
    for sign in text.chars() {
        let special = !after_backslash;
        after_backslash = special && sign == '\\';
        quoted ^= special && sign == '"';
        if special && sign == separator && !quoted {
            parts.push(String::new());
        } else if !(plain && special && matches!(sign, '"' | '\\'))
            && let Some(last) = parts.last_mut()
        {
            last.push(sign);
        }
    }
    if plain { parts.iter().map(|part| part.trim().to_string()).collect() } else { parts }
}

impl Argument {
    /// The declaration for lists of questions.
    pub(super) fn describe(&self) -> Json {
        let default = match (self.default, self.kind) {
            (Default::Is(text), Kind::Count | Kind::Probability) => serde_json::from_str(text).unwrap_or(json!(text)),
            (Default::Is(text), _) => json!(text),
            (Default::Required | Default::Absent, _) => Json::Null,
        };
        let mut out = json!({
            "name": self.name,
            "kind": self.kind.words(),
            "required": self.default == Default::Required,
            "default": default,
            "meaning": self.meaning,
        });
        if self.kind == Kind::Rule {
            let choice = |form: &&crate::decide::RuleForm| {
                let (written, meaning, expected) = (form.written, form.meaning, form.expected);
                json!({"written": written, "meaning": meaning, "expected": expected, "needs": form.needs})
            };
            out["choices"] = RULES.iter().map(choice).collect();
        }
        out
    }
}

impl Arguments {
    /// Reads what was given to a question about labels of these names.
    pub(super) fn read(
        question: &Question,
        mut given: Vec<(String, Given)>,
        names: &[String],
    ) -> Result<Arguments, ParamError> {
        let wrong = |argument: &Argument, message: String| ParamError::Form {
            name: format!("{} of the question {}", argument.name, question.name),
            message,
        };
        let mut value = |argument: &'static Argument| {
            let place = given.iter().position(|(name, _)| name == argument.name);
            let found = match (place, argument.default) {
                (Some(place), _) => given.swap_remove(place).1,
                (None, Default::Is(text)) => Given::Json(json!(text)),
                (None, Default::Absent) => return Ok((argument.name, None)),
                (None, Default::Required) => return Err(wrong(argument, format!("is missing. {}", argument.meaning))),
            };
            let value = argument.kind.read(found, names).map_err(|message| wrong(argument, message))?;
            Ok((argument.name, Some(value)))
        };
        let values = question.arguments.iter().map(&mut value).collect::<Result<_, _>>()?;
        if let Some((name, _)) = given.pop() {
            let known: Vec<&str> = question.arguments.iter().map(|argument| argument.name).collect();
            let known = if known.is_empty() { "none".to_string() } else { known.join(", ") };
            let names: Vec<&str> = question.arguments.iter().map(|argument| argument.name).collect();
            let near = nearest(&name, &names).map(str::to_string);
            return Err(ParamError::UnknownName { name, known, near, methods: Vec::new() });
        }
        Ok(Arguments(values))
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(other, _)| *other == name)?.1.as_ref()
    }

    /// A whole number, if it was given or has a default.
    pub(super) fn count(&self, name: &str) -> Option<u64> {
        if let Some(Value::Count(count)) = self.get(name) { Some(*count) } else { None }
    }

    /// The same as a size; 0 without a value.
    pub(super) fn size(&self, name: &str) -> usize {
        self.count(name).map_or(0, |count| usize::try_from(count).unwrap_or(usize::MAX))
    }

    /// A number; 0 without a value.
    pub(super) fn number(&self, name: &str) -> f64 {
        if let Some(Value::Number(number)) = self.get(name) { *number } else { 0.0 }
    }

    /// Words; empty without a value.
    pub(super) fn text(&self, name: &str) -> &str {
        if let Some(Value::Text(text)) = self.get(name) { text } else { "" }
    }

    /// One label set for all rows or one per row.
    pub(super) fn sets(&self, name: &str) -> Option<&Value> {
        self.get(name).filter(|value| matches!(value, Value::SameSet(_) | Value::Sets(_)))
    }
}
