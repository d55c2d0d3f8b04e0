//! The best decision for a loss.

use std::sync::Arc;

use super::super::{Answer, Prepared, Question, Row, Shape};
use super::{Argument, Default, Kind, TIME_LIMIT, search};
use crate::decide::Rule;
use crate::needs::Needs;

pub(in super::super) static DECISION: Question = Question {
    name: "decision",
    meaning: "What is the best decision for a loss, and what is to be expected of it?",
    arguments: &[
        Argument {
            name: "rule",
            kind: Kind::Rule,
            default: Default::Required,
            meaning: "The loss, as the rule that is best for it.",
        },
        Argument {
            name: "node_limit",
            kind: Kind::Count,
            default: Default::Is("0"),
            meaning: "Search nodes after which a rule that needs the most probable set gives up; 0: never.",
        },
        TIME_LIMIT,
    ],
    needs: Needs::Marginals,
    prepare: |about, arguments| {
        let rule = Arc::new(Rule::read_with(arguments.text("rule"), about.names, about.thresholds)?);
        // Errs now if the rule is for another number of labels.
        rule.decide_by_marginals(&vec![0.5; about.names.len()])?;
        let (needs, search) = (rule.needs(), search(arguments));
        let answer = move |row: &Row<'_>| {
            let decision = if needs == Needs::Marginals { rule.decide_by_marginals(&row.marginals()?)? } else { None };
            let decision = match decision {
                Some(decision) => decision,
                None => {
                    let mixture = row.joint()?;
                    rule.decide_with(mixture, || row.best_of(mixture, search))?
                }
            };
            Ok(Answer::Decision(Arc::clone(&rule), decision))
        };
        Ok(Prepared::new(Shape::Decision, needs, answer))
    },
};
