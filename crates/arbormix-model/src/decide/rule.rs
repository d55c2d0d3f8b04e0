//! The rules, and their words.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use super::costs::{Costs, UNUSABLE, usable};
use super::thresholds::Thresholds;
use arbormix_base::params::ParamError;
use arbormix_joint::Result;

/// A loss, and with it the rule that decides best; the [module](super) says how each decides.
///
/// ```
/// use arbormix_model::decide::Rule;
/// assert_eq!("f1".parse(), Ok(Rule::FBeta(1.0)));
/// assert_eq!("precision@3".parse::<Rule>()?.to_string(), "precision@3");
/// assert!("fbeta=-1".parse::<Rule>().is_err());
/// # Ok::<(), arbormix_base::params::ParamError>(())
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
    /// F1 with counts pooled over rows; [`crate::Model::rule`] has the thresholds.
    Pooled(Thresholds),
    /// Wrong labels cost 1, labels left open cost this.
    Abstain(f64),
}

impl Rule {
    /// The words for all rules, for help and messages.
    pub const WORDS: &str = "subset, hamming, f1, fbeta=B, jaccard, rank, precision@K, recall@K, macro-f1, micro-f1, cost=FP:FN, cost=FILE, \
         abstain=C";

    /// The rule in words for a model with these labels: as [`str::parse`], and `cost=FILE` ([`Costs::read`]).
    pub fn read(text: &str, names: &[String]) -> Result<Rule> {
        match text.strip_prefix("cost=").map(Path::new) {
            // Two costs have a colon, a file's name hardly ever.
            Some(path) if path.is_file() || !text.contains(':') => Ok(Rule::Cost(Costs::read(path, names)?)),
            _ => Ok(text.parse()?),
        }
    }

    /// Errs with what is allowed if a number of the rule cannot be used.
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        match self {
            // Beyond, β² overflows or vanishes; the decisions no longer change long before.
            Rule::FBeta(beta) if !(1e-6..=1e6).contains(beta) => Err("B must be from 0.000001 to 1000000"),
            Rule::PrecisionAt(0) | Rule::RecallAt(0) => Err("K must be at least 1"),
            Rule::Abstain(cost) if !usable(*cost) => Err("C must be finite and not negative"),
            Rule::Cost(Costs::Same(pair)) if !pair.iter().copied().all(usable) => Err(UNUSABLE),
            Rule::Cost(Costs::PerLabel(pairs)) if !pairs.iter().flatten().copied().all(usable) => Err(UNUSABLE),
            _ => Ok(()),
        }
    }

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
            Rule::Pooled(_) => "F1 on the rows that the thresholds were fitted to",
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
            Rule::Pooled(thresholds) => f.write_str(thresholds.measure.word()),
            Rule::Abstain(cost) => write!(f, "abstain={cost}"),
        }
    }
}

impl FromStr for Rule {
    type Err = ParamError;

    fn from_str(text: &str) -> Result<Rule, ParamError> {
        let form = |message: String| ParamError::Form { name: format!("rule {text:?}"), message };
        let number = |word: &str| word.trim().parse::<f64>().map_err(|_| form(format!("{word:?} is not a number")));
        let count = |word: &str| word.parse::<usize>().map_err(|_| form(format!("{word:?} is not a whole number")));
        let (word, argument) = match text.find(['=', '@']) {
            Some(at) => (&text[..=at], &text[at + 1..]),
            None => (text, ""),
        };
        let rule = match word {
            "subset" => Rule::Subset,
            "hamming" => Rule::Hamming,
            "f1" => Rule::FBeta(1.0),
            "fbeta=" => Rule::FBeta(number(argument)?),
            "jaccard" => Rule::Jaccard,
            "rank" => Rule::Rank,
            "precision@" => Rule::PrecisionAt(count(argument)?),
            "recall@" => Rule::RecallAt(count(argument)?),
            "abstain=" => Rule::Abstain(number(argument)?),
            "cost=" => {
                let remedy = "needs the costs of a false positive and a false negative (cost=1:5), or a file that holds \
                              them for each label";
                let (positive, negative) = argument.split_once(':').ok_or_else(|| form(remedy.to_string()))?;
                Rule::Cost(Costs::Same([number(positive)?, number(negative)?]))
            }
            "macro-f1" | "micro-f1" => return Err(form("needs a model that was fitted with thresholds".to_string())),
            _ => return Err(form(format!("there is no such rule; known: {}", Rule::WORDS))),
        };
        rule.check().map_err(|problem| form(problem.to_string()))?;
        Ok(rule)
    }
}
