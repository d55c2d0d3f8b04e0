//! Questions about what is known, and about events.

use std::sync::Arc;

use super::super::{Answer, Prepared, Question, Shape};
use super::{Argument, Default, Kind};
use crate::needs::Needs;
use arbormix_joint::question::Event;

pub(in super::super) static KNOWN_PROBABILITY: Question = Question {
    name: "known_probability",
    meaning: "How probable is what is known?",
    arguments: &[],
    needs: Needs::Joint,
    prepare: |_, _| {
        Ok(Prepared::new(Shape::Number("P(known)"), Needs::Joint, |row| Ok(Answer::Number(row.log_known.exp()))))
    },
};

pub(in super::super) static LOG_KNOWN: Question = Question {
    name: "log_known",
    meaning: "What is the logarithm of the probability of what is known?",
    arguments: &[],
    needs: Needs::Joint,
    prepare: |_, _| {
        Ok(Prepared::new(Shape::Number("log_known"), Needs::Joint, |row| Ok(Answer::Number(row.log_known))))
    },
};

pub(in super::super) static EVENTS: Question = Question {
    name: "events",
    meaning: "How probable is an event?",
    arguments: &[Argument {
        name: "expression",
        kind: Kind::Event,
        default: Default::Required,
        meaning: "A Boolean expression over labels: cat & !pet | dog; names with spaces stand in double quotes.",
    }],
    needs: Needs::Joint,
    prepare: |about, arguments| {
        let text = arguments.text("expression");
        let (event, name): (Event, Arc<str>) = (Event::parse(text, about.names)?, text.into());
        let shape = Shape::Named(text.to_string());
        Ok(Prepared::joint(shape, move |mixture| Answer::Named(Arc::clone(&name), mixture.event(&event))))
    },
};
