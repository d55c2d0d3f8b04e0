//! Questions about single labels, pairs of them and their number.

use super::super::{Answer, Prepared, Question, Shape};
use crate::needs::Needs;

pub(in super::super) static MARGINALS: Question = Question {
    name: "marginals",
    meaning: "How probable is each label?",
    arguments: &[],
    needs: Needs::Marginals,
    prepare: |_, _| {
        let shape = Shape::PerLabel("P");
        let from_row =
            Prepared::new(shape, Needs::Marginals, |row| Ok(Answer::PerLabel(row.marginals()?.into_owned())));
        Ok(from_row.or_by_method(true, |predictor, _, features| {
            let marginals = predictor.marginals(features)?;
            Ok((0..features.rows()).map(|row| Answer::PerLabel(marginals.row(row).to_vec())).collect())
        }))
    },
};

pub(in super::super) static COUNTS: Question = Question {
    name: "counts",
    meaning: "How probable is each number of labels, from none to all?",
    arguments: &[],
    needs: Needs::Joint,
    prepare: |_, _| Ok(Prepared::joint(Shape::PerCount("P"), |mixture| Answer::PerCount(mixture.label_counts().sizes))),
};

pub(in super::super) static LABEL_COUNTS: Question = Question {
    name: "label_counts",
    meaning: "How probable is it that a label is present and so many labels are?",
    arguments: &[],
    needs: Needs::Joint,
    prepare: |_, _| {
        Ok(Prepared::joint(Shape::LabelByCount("P"), |mixture| Answer::LabelByCount(mixture.label_counts().with)))
    },
};

pub(in super::super) static PAIRS: Question = Question {
    name: "pairs",
    meaning: "How probable is it that two labels are both present?",
    arguments: &[],
    needs: Needs::Joint,
    prepare: |_, _| Ok(Prepared::joint(Shape::Pairs("P"), |mixture| Answer::Pairs(mixture.pairs().both))),
};
