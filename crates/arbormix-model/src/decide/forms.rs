//! Every rule as it is declared: from here come the words, the messages, the help and the lists of all callers.

use super::costs::Costs;
use super::rule::Rule;
use crate::needs::Needs;

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

/// The word, with `=` or `@` if an argument follows, and the argument.
pub(super) fn split(text: &str) -> (&str, &str) {
    text.find(['=', '@']).map_or((text, ""), |at| text.split_at(at + 1))
}

/// All rules; of several with one word the first reads it.
pub static RULES: [&RuleForm; 13] = [
    &SUBSET, &HAMMING, &F1, &FBETA, &JACCARD, &RANK, &PRECISION, &RECALL, &MACRO_F1, &MICRO_F1, &COST, &COST_FILE,
    &ABSTAIN,
];

pub(super) static SUBSET: RuleForm = RuleForm {
    written: "subset",
    meaning: "The most probable set.",
    expected: "probability that all labels are right",
    needs: Needs::Joint,
    leaves_open: false,
    read: |_| Ok(Rule::Subset),
};

pub(super) static HAMMING: RuleForm = RuleForm {
    written: "hamming",
    meaning: "The labels with a probability above 1/2: fewest wrong labels.",
    expected: "share of wrong labels",
    needs: Needs::Marginals,
    leaves_open: false,
    read: |_| Ok(Rule::Hamming),
};

pub(super) static F1: RuleForm = RuleForm {
    written: "f1",
    meaning: "The set with the best F1 of the row; F1 of two empty sets is 1.",
    expected: "F of the row",
    needs: Needs::Joint,
    leaves_open: false,
    read: |_| Ok(Rule::FBeta(1.0)),
};

pub(super) static FBETA: RuleForm = RuleForm {
    written: "fbeta=B",
    meaning: "The set with the best F of the row, in which recall counts B times as much as precision.",
    read: |argument| Ok(Rule::FBeta(number(argument)?)),
    ..F1
};

pub(super) static JACCARD: RuleForm = RuleForm {
    written: "jaccard",
    meaning: "The candidate with the best Jaccard index of the row; the index of two empty sets is 1.",
    expected: "Jaccard index of the row",
    needs: Needs::Joint,
    leaves_open: false,
    read: |_| Ok(Rule::Jaccard),
};

pub(super) static RANK: RuleForm = RuleForm {
    written: "rank",
    meaning: "The order of the labels with fewest pairs in the wrong order.",
    expected: "pairs of labels in the wrong order",
    needs: Needs::Joint,
    leaves_open: false,
    read: |_| Ok(Rule::Rank),
};

pub(super) static PRECISION: RuleForm = RuleForm {
    written: "precision@K",
    meaning: "The K most probable labels.",
    expected: "precision",
    needs: Needs::Marginals,
    leaves_open: false,
    read: |argument| Ok(Rule::PrecisionAt(count(argument)?)),
};

pub(super) static RECALL: RuleForm = RuleForm {
    written: "recall@K",
    meaning: "The K labels that find most of the present ones; recall of a row without labels is 1.",
    expected: "recall",
    needs: Needs::Joint,
    leaves_open: false,
    read: |argument| Ok(Rule::RecallAt(count(argument)?)),
};

pub(super) static MACRO_F1: RuleForm = RuleForm {
    written: "macro-f1",
    meaning: "The labels above the thresholds that were fitted for macro F1 with the model.",
    expected: "F1 on the rows that the thresholds were fitted to",
    needs: Needs::Marginals,
    leaves_open: false,
    read: |_| Err("needs a model that was fitted with thresholds".to_string()),
};

pub(super) static MICRO_F1: RuleForm = RuleForm {
    written: "micro-f1",
    meaning: "The labels above the threshold that was fitted for micro F1 with the model.",
    ..MACRO_F1
};

pub(super) static COST: RuleForm = RuleForm {
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

pub(super) static COST_FILE: RuleForm = RuleForm {
    written: "cost=FILE",
    meaning: "The cheapest labels by the costs in a CSV file (label,false_positive,false_negative).",
    ..COST
};

pub(super) static ABSTAIN: RuleForm = RuleForm {
    written: "abstain=C",
    meaning: "The labels with a probability above 1/2; open where the chance of an error is above C.",
    expected: "loss per label",
    needs: Needs::Marginals,
    leaves_open: true,
    read: |argument| Ok(Rule::Abstain(number(argument)?)),
};

fn number(word: &str) -> Result<f64, String> {
    word.trim().parse().map_err(|_| format!("{word:?} is not a number"))
}

fn count(word: &str) -> Result<usize, String> {
    word.parse().map_err(|_| format!("{word:?} is not a whole number"))
}
