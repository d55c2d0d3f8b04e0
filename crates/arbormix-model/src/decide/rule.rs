//! The rules.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use super::costs::{Costs, UNUSABLE, usable};
use super::forms::{self, RULES, RuleForm};
use super::thresholds::{PooledF1, Thresholds};
use arbormix_base::params::ParamError;
use arbormix_joint::Result;

/// A loss, and with it the rule that decides best; the [module](super) says how each decides, and [`RULES`] how each is
/// written.
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
    /// How the rule is declared.
    pub fn form(&self) -> &'static RuleForm {
        match self {
            Rule::Subset => &forms::SUBSET,
            Rule::Hamming => &forms::HAMMING,
            Rule::FBeta(1.0) => &forms::F1,
            Rule::FBeta(_) => &forms::FBETA,
            Rule::Jaccard => &forms::JACCARD,
            Rule::Rank => &forms::RANK,
            Rule::PrecisionAt(_) => &forms::PRECISION,
            Rule::RecallAt(_) => &forms::RECALL,
            Rule::Cost(Costs::Same(_)) => &forms::COST,
            Rule::Cost(Costs::PerLabel(_)) => &forms::COST_FILE,
            Rule::Pooled(Thresholds { measure: PooledF1::MacroF1, .. }) => &forms::MACRO_F1,
            Rule::Pooled(Thresholds { measure: PooledF1::MicroF1, .. }) => &forms::MICRO_F1,
            Rule::Abstain(_) => &forms::ABSTAIN,
        }
    }

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

    /// Errs with what is allowed if a number of the rule cannot be used.
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        let (holds, allowed) = match self {
            // Beyond, β² overflows or vanishes; the decisions no longer change long before.
            Rule::FBeta(beta) => ((1e-6..=1e6).contains(beta), "B must be from 0.000001 to 1000000"),
            Rule::PrecisionAt(count) | Rule::RecallAt(count) => (*count > 0, "K must be at least 1"),
            Rule::Abstain(cost) => (usable(*cost), "C must be finite and not negative"),
            Rule::Cost(Costs::Same(pair)) => (pair.iter().copied().all(usable), UNUSABLE),
            Rule::Cost(Costs::PerLabel(pairs)) => (pairs.iter().flatten().copied().all(usable), UNUSABLE),
            Rule::Subset | Rule::Hamming | Rule::Jaccard | Rule::Rank | Rule::Pooled(_) => return Ok(()),
        };
        if holds { Ok(()) } else { Err(allowed) }
    }

    /// What [`super::Decision::expected`] is.
    pub fn expects(&self) -> &'static str {
        self.form().expected
    }
}

impl fmt::Display for Rule {
    /// As it is read; costs of a file have none.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = self.form().word();
        match self {
            Rule::Subset | Rule::Hamming | Rule::FBeta(1.0) | Rule::Jaccard | Rule::Rank | Rule::Pooled(_) => {
                f.write_str(word)
            }
            Rule::FBeta(number) | Rule::Abstain(number) => write!(f, "{word}{number}"),
            Rule::PrecisionAt(count) | Rule::RecallAt(count) => write!(f, "{word}{count}"),
            Rule::Cost(Costs::Same([positive, negative])) => write!(f, "{word}{positive}:{negative}"),
            Rule::Cost(Costs::PerLabel(_)) => f.write_str("cost per label"),
        }
    }
}

impl FromStr for Rule {
    type Err = ParamError;

    fn from_str(text: &str) -> Result<Rule, ParamError> {
        let wrong = |message: String| ParamError::Form { name: format!("rule {text:?}"), message };
        let (word, argument) = forms::split(text);
        let form = RULES.into_iter().find(|form| form.word() == word);
        let form = form.ok_or_else(|| wrong(format!("there is no such rule; known: {}", Rule::words())))?;
        let rule = (form.read)(argument).map_err(wrong)?;
        rule.check().map_err(|problem| wrong(problem.to_string()))?;
        Ok(rule)
    }
}
