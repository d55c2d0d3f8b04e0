//! The rules, each with its declaration: from here come the words, the messages, the help and the lists of all callers.
//!
//! A new rule is a variant and a declaration here, and its decision in the [module](super).

use std::fmt;

use super::costs::{Costs, UNUSABLE, usable};
use super::reading::{count, number, split};
use super::thresholds::{PooledF1, Thresholds};
use crate::needs::Needs;

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

/// How a rule is written, and what it does.
#[derive(Debug)]
pub struct RuleForm {
    /// The word with the argument that follows it: `fbeta=B`.
    pub written: &'static str,
    /// What it decides, in one sentence.
    pub meaning: &'static str,
    /// What [`super::Decision::expected`] is.
    pub expected: &'static str,
    /// What it decides from.
    pub needs: Needs,
    /// Whether it may leave labels open.
    pub leaves_open: bool,
    /// The rule with the argument as it was written; the message if that is no argument of it.
    pub(super) read: fn(&str) -> Result<Rule, String>,
}

impl RuleForm {
    /// What it begins with: `fbeta=`.
    pub(super) fn word(&self) -> &'static str {
        split(self.written).0
    }
}

impl Rule {
    /// How the rule is declared.
    pub fn form(&self) -> &'static RuleForm {
        match self {
            Rule::Subset => &SUBSET,
            Rule::Hamming => &HAMMING,
            Rule::FBeta(1.0) => &F1,
            Rule::FBeta(_) => &FBETA,
            Rule::Jaccard => &JACCARD,
            Rule::Rank => &RANK,
            Rule::PrecisionAt(_) => &PRECISION,
            Rule::RecallAt(_) => &RECALL,
            Rule::Cost(Costs::Same(_)) => &COST,
            Rule::Cost(Costs::PerLabel(_)) => &COST_FILE,
            Rule::Pooled(Thresholds { measure: PooledF1::MacroF1, .. }) => &MACRO_F1,
            Rule::Pooled(Thresholds { measure: PooledF1::MicroF1, .. }) => &MICRO_F1,
            Rule::Abstain(_) => &ABSTAIN,
        }
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

/// All rules; of several with one word the first reads it.
pub static RULES: [&RuleForm; 13] = [
    &SUBSET, &HAMMING, &F1, &FBETA, &JACCARD, &RANK, &PRECISION, &RECALL, &MACRO_F1, &MICRO_F1, &COST, &COST_FILE,
    &ABSTAIN,
];

static SUBSET: RuleForm = RuleForm {
    written: "subset",
    meaning: "The most probable set.",
    expected: "probability that all labels are right",
    needs: Needs::Joint,
    leaves_open: false,
    read: |_| Ok(Rule::Subset),
};

static HAMMING: RuleForm = RuleForm {
    written: "hamming",
    meaning: "The labels with a probability above 1/2: fewest wrong labels.",
    expected: "share of wrong labels",
    needs: Needs::Marginals,
    leaves_open: false,
    read: |_| Ok(Rule::Hamming),
};

static F1: RuleForm = RuleForm {
    written: "f1",
    meaning: "The set with the best F1 of the row; F1 of two empty sets is 1.",
    expected: "F of the row",
    needs: Needs::Joint,
    leaves_open: false,
    read: |_| Ok(Rule::FBeta(1.0)),
};

static FBETA: RuleForm = RuleForm {
    written: "fbeta=B",
    meaning: "The set with the best F of the row, in which recall counts B times as much as precision.",
    read: |argument| Ok(Rule::FBeta(number(argument)?)),
    ..F1
};

static JACCARD: RuleForm = RuleForm {
    written: "jaccard",
    meaning: "The candidate with the best Jaccard index of the row; the index of two empty sets is 1.",
    expected: "Jaccard index of the row",
    needs: Needs::Joint,
    leaves_open: false,
    read: |_| Ok(Rule::Jaccard),
};

static RANK: RuleForm = RuleForm {
    written: "rank",
    meaning: "The order of the labels with fewest pairs in the wrong order.",
    expected: "pairs of labels in the wrong order",
    needs: Needs::Joint,
    leaves_open: false,
    read: |_| Ok(Rule::Rank),
};

static PRECISION: RuleForm = RuleForm {
    written: "precision@K",
    meaning: "The K most probable labels.",
    expected: "precision",
    needs: Needs::Marginals,
    leaves_open: false,
    read: |argument| Ok(Rule::PrecisionAt(count(argument)?)),
};

static RECALL: RuleForm = RuleForm {
    written: "recall@K",
    meaning: "The K labels that find most of the present ones; recall of a row without labels is 1.",
    expected: "recall",
    needs: Needs::Joint,
    leaves_open: false,
    read: |argument| Ok(Rule::RecallAt(count(argument)?)),
};

static MACRO_F1: RuleForm = RuleForm {
    written: "macro-f1",
    meaning: "The labels above the thresholds that were fitted for macro F1 with the model.",
    expected: "F1 on the rows that the thresholds were fitted to",
    needs: Needs::Marginals,
    leaves_open: false,
    read: |_| Err("needs a model that was fitted with thresholds".to_string()),
};

static MICRO_F1: RuleForm = RuleForm {
    written: "micro-f1",
    meaning: "The labels above the threshold that was fitted for micro F1 with the model.",
    ..MACRO_F1
};

static COST: RuleForm = RuleForm {
    written: "cost=FP:FN",
    meaning: "The cheapest labels where a false positive costs FP and a false negative costs FN.",
    expected: "cost of the row",
    needs: Needs::Marginals,
    leaves_open: false,
    read: |argument| {
        let remedy = "needs the costs of a false positive and a false negative (cost=1:5), or a file that holds them \
                      for each label";
        let (positive, negative) = argument.split_once(':').ok_or(remedy)?;
        Ok(Rule::Cost(Costs::Same([number(positive)?, number(negative)?])))
    },
};

static COST_FILE: RuleForm = RuleForm {
    written: "cost=FILE",
    meaning: "The cheapest labels by the costs in a CSV file (label,false_positive,false_negative).",
    ..COST
};

static ABSTAIN: RuleForm = RuleForm {
    written: "abstain=C",
    meaning: "The labels with a probability above 1/2; open where the chance of an error is above C.",
    expected: "loss per label",
    needs: Needs::Marginals,
    leaves_open: true,
    read: |argument| Ok(Rule::Abstain(number(argument)?)),
};
