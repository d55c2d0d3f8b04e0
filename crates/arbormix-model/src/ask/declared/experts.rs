//! Questions about the experts of a mixture.

use super::super::{Answer, Prepared, Question, Shape};
use super::{LABEL_SETS, LabelSets};
use crate::needs::Needs;

pub(in super::super) static GATE: Question = Question {
    name: "gate",
    meaning: "How much does each expert weigh, given what is known?",
    arguments: &[],
    needs: Needs::Joint,
    prepare: |_, _| {
        Ok(Prepared::joint(Shape::PerExpert("gate"), |mixture| {
            Answer::PerExpert(mixture.log_gate.iter().map(|log| log.exp()).collect())
        }))
    },
};

pub(in super::super) static RESPONSIBILITIES: Question = Question {
    name: "responsibilities",
    meaning: "How far is each expert responsible for a label set?",
    arguments: &[LABEL_SETS],
    needs: Needs::Joint,
    prepare: |about, arguments| {
        let sets = LabelSets::of(arguments, about.names.len())?;
        let rows = sets.rows();
        let answer = Prepared::new(Shape::PerExpert("responsibilities"), Needs::Joint, move |row| {
            Ok(Answer::PerExpert(row.joint()?.responsibilities(&sets.row(row.number))))
        });
        Ok(answer.about_rows(rows))
    },
};
