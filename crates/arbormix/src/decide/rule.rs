//! The rules, and their words.

use std::fmt;
use std::str::FromStr;

use crate::error::ParamError;

/// What one label's errors cost: `[false positive, false negative]`.
type Pair = [f64; 2];

/// Costs of errors.
#[derive(Debug, Clone, PartialEq)]
pub enum Costs {
    /// The same for every label.
    Same(Pair),
    /// One pair per label of the model.
    PerLabel(Vec<Pair>),
}

/// A loss, and with it the rule that decides best; the [module](super) says how each decides.
///
/// ```
/// use arbormix::decide::Rule;
/// assert_eq!("f1".parse(), Ok(Rule::FBeta(1.0)));
/// assert_eq!("precision@3".parse::<Rule>()?.to_string(), "precision@3");
/// assert!("fbeta=-1".parse::<Rule>().is_err());
/// # Ok::<(), arbormix::ParamError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Rule {
    /// All labels right, or not.
    Subset,
    /// The share of wrong labels.
    Hamming,
    /// Fβ of the row: recall counts β times as much as precision.
    FBeta(f64),
    /// The Jaccard index of the row.
    Jaccard,
    /// The number of wrongly ordered pairs of labels.
    Rank,
    /// The share of present labels among the first K.
    PrecisionAt(usize),
    /// The share of the present labels that are among the first K.
    RecallAt(usize),
    /// Costs of false positives and false negatives.
    Cost(Costs),
    /// Wrong labels cost 1, labels left open cost this.
    Abstain(f64),
}

impl Rule {
    /// The words for all rules, for help and messages.
    pub const WORDS: &str = "subset, hamming, f1, fbeta=B, jaccard, rank, precision@K, recall@K, cost=FP:FN, abstain=C";

    /// What [`super::Decision::expected`] is.
    pub fn expects(&self) -> &'static str {
        match self {
            Rule::Subset => "probability that all labels are right",
            Rule::Hamming => "share of wrong labels",
            Rule::FBeta(_) => "F of the row",
            Rule::Jaccard => "Jaccard index of the row",
            Rule::Rank => "pairs of labels in the wrong order",
            Rule::PrecisionAt(_) => "precision",
            Rule::RecallAt(_) => "recall",
            Rule::Cost(_) => "cost of the row",
            Rule::Abstain(_) => "loss per label",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rule::Subset => f.write_str("subset"),
            Rule::Hamming => f.write_str("hamming"),
            Rule::FBeta(1.0) => f.write_str("f1"),
            Rule::FBeta(beta) => write!(f, "fbeta={beta}"),
            Rule::Jaccard => f.write_str("jaccard"),
            Rule::Rank => f.write_str("rank"),
            Rule::PrecisionAt(count) => write!(f, "precision@{count}"),
            Rule::RecallAt(count) => write!(f, "recall@{count}"),
            Rule::Cost(Costs::Same([positive, negative])) => write!(f, "cost={positive}:{negative}"),
            Rule::Cost(Costs::PerLabel(_)) => f.write_str("cost per label"),
            Rule::Abstain(cost) => write!(f, "abstain={cost}"),
        }
    }
}

impl FromStr for Rule {
    type Err = ParamError;

    fn from_str(text: &str) -> Result<Rule, ParamError> {
        let form = |message: String| ParamError::Form { name: format!("rule {text:?}"), message };
        let number = |word: &str, least: f64, rule: &str| match word.parse::<f64>() {
            Ok(value) if value.is_finite() && value >= least => Ok(value),
            _ => Err(form(format!("{word:?} must be {rule}"))),
        };
        let count = |word: &str| match word.parse::<usize>() {
            Ok(count) if count > 0 => Ok(count),
            _ => Err(form(format!("{word:?} must be a whole number above 0"))),
        };
        let (word, argument) = match text.find(['=', '@']) {
            Some(at) => (&text[..=at], &text[at + 1..]),
            None => (text, ""),
        };
        Ok(match word {
            "subset" => Rule::Subset,
            "hamming" => Rule::Hamming,
            "f1" => Rule::FBeta(1.0),
            "fbeta=" => Rule::FBeta(number(argument, f64::MIN_POSITIVE, "a number above 0")?),
            "jaccard" => Rule::Jaccard,
            "rank" => Rule::Rank,
            "precision@" => Rule::PrecisionAt(count(argument)?),
            "recall@" => Rule::RecallAt(count(argument)?),
            "abstain=" => Rule::Abstain(number(argument, 0.0, "a number not below 0")?),
            "cost=" => {
                let pair = argument.split_once(':');
                let (positive, negative) = pair.ok_or_else(|| {
                    form("needs two costs, of a false positive and a false negative: cost=1:5".into())
                })?;
                let cost = |word| number(word, 0.0, "a number not below 0");
                Rule::Cost(Costs::Same([cost(positive)?, cost(negative)?]))
            }
            _ => return Err(form(format!("there is no such rule; known: {}", Rule::WORDS))),
        })
    }
}
