//! What a parameter may be.

use serde_json::Value as Json;

/// One parameter of a group, or a group within it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Field {
    /// Its name in Rust, in files and in `--set`.
    pub name: &'static str,
    /// What it means, for people.
    pub meaning: &'static [&'static str],
    /// What it may be.
    pub kind: &'static Kind,
    /// Which values of that kind can be used.
    pub allowed: Allowed,
    /// For whom it is.
    pub level: Level,
    /// Its name in Python, where the convention there is another.
    pub python: Option<&'static str>,
}

/// For whom a parameter is. A parameter is for everyone if it and all groups around it are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// One of the few that matter.
    Main,
    /// For people who know the method.
    Expert,
}

/// The kind of a parameter's value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// A number.
    Number,
    /// A whole number that is not negative.
    Count,
    /// `true` or `false`.
    Flag,
    /// A list of values of one kind.
    List(&'static Kind),
    /// A value, or `null` for none.
    Optional(&'static Kind),
    /// One of several words, some of which hold values of their own.
    Choice(&'static [Variant]),
    /// A value of any of these kinds.
    Either(&'static [Kind]),
    /// Parameters of their own.
    Group(&'static [Field]),
}

/// One word of a choice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Variant {
    /// The word.
    pub word: &'static str,
    /// What it means, for people.
    pub meaning: &'static [&'static str],
    /// A value that it holds: `{"folds": 3}`.
    pub holds: Option<&'static Kind>,
    /// Named values that it holds: `{"exact": {"node_limit": 10}}`.
    pub fields: &'static [(&'static str, &'static Kind)],
}

/// Which values can be used. A list is asked about each of its numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Allowed {
    /// All of them.
    All,
    /// This number and larger ones.
    AtLeast(f64),
    /// This number and smaller ones.
    AtMost(f64),
    /// Numbers above 0.
    Positive,
    /// 0 and larger numbers.
    NotNegative,
    /// Numbers between two others, without these.
    Between(f64, f64),
    /// Numbers between two others, and these.
    Within(f64, f64),
    /// A list of one positive number or more.
    SomePositive,
    /// A list of one positive number or more, each larger than the one before.
    Ascending,
}

impl Allowed {
    /// What is allowed, for messages; empty if everything is.
    pub fn rule(self) -> String {
        match self {
            Allowed::All => String::new(),
            Allowed::AtLeast(least) => format!("must be at least {least}"),
            Allowed::AtMost(most) => format!("must be at most {most}"),
            Allowed::Positive => "must be positive".to_string(),
            Allowed::NotNegative => "must not be negative".to_string(),
            Allowed::Between(low, high) => format!("must be between {low} and {high}"),
            Allowed::Within(low, high) => format!("must be from {low} to {high}"),
            Allowed::SomePositive => "needs positive numbers".to_string(),
            Allowed::Ascending => "needs positive numbers in ascending order".to_string(),
        }
    }

    /// Whether a value can be used. Words, and lists where numbers are asked for, are looked at number by number.
    pub fn holds(self, value: &Json) -> bool {
        let numbers: Vec<f64> = match value {
            Json::Array(values) => values.iter().filter_map(Json::as_f64).collect(),
            other => other.as_f64().into_iter().collect(),
        };
        let all = |usable: &dyn Fn(f64) -> bool| numbers.iter().all(|&number| number.is_finite() && usable(number));
        match self {
            Allowed::All => true,
            Allowed::AtLeast(least) => all(&|number| number >= least),
            Allowed::AtMost(most) => all(&|number| number <= most),
            Allowed::Positive => all(&|number| number > 0.0),
            Allowed::NotNegative => all(&|number| number >= 0.0),
            Allowed::Between(low, high) => all(&|number| number > low && number < high),
            Allowed::Within(low, high) => all(&|number| number >= low && number <= high),
            Allowed::SomePositive => !numbers.is_empty() && all(&|number| number > 0.0),
            Allowed::Ascending => {
                let ascends = numbers.windows(2).all(|pair| pair[0] < pair[1]);
                !numbers.is_empty() && ascends && all(&|number| number > 0.0)
            }
        }
    }
}

impl Kind {
    /// What is expected, for messages: "a whole number".
    pub fn expected(&self) -> String {
        match self {
            Kind::Number => "a number".to_string(),
            Kind::Count => "a whole number".to_string(),
            Kind::Flag => "true or false".to_string(),
            Kind::List(inner) => format!("a list, each {}", inner.expected()),
            Kind::Optional(inner) => format!("{}, or null for none", inner.expected()),
            Kind::Choice(variants) => {
                let words: Vec<&str> = variants.iter().map(|variant| variant.word).collect();
                format!("one of {}", words.join(", "))
            }
            Kind::Either(kinds) => kinds.iter().map(Kind::expected).collect::<Vec<_>>().join(", or "),
            Kind::Group(fields) => {
                let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
                format!("a group with {}", names.join(", "))
            }
        }
    }

    /// The words that may stand here, if it is a choice.
    pub fn words(&self) -> Vec<&'static str> {
        match self {
            Kind::Choice(variants) => variants.iter().map(|variant| variant.word).collect(),
            Kind::List(inner) | Kind::Optional(inner) => inner.words(),
            Kind::Either(kinds) => kinds.iter().flat_map(Kind::words).collect(),
            _ => Vec::new(),
        }
    }
}
