//! Questions about whole label sets.

use super::super::{Answer, Prepared, Question, Shape};
use super::{Argument, Default, Kind, LABEL_SETS, LabelSets, TIME_LIMIT, search, time_limit};
use crate::needs::Needs;
use arbormix_base::random::Stream;
use arbormix_joint::learner::Prediction;

pub(in super::super) static MAP: Question = Question {
    name: "map",
    meaning: "Which label set is the most probable one, and is that proven?",
    arguments: &[
        Argument {
            name: "node_limit",
            kind: Kind::Count,
            default: Default::Is("100000"),
            meaning: "Search nodes after which a row is given up unproven; 0: never.",
        },
        TIME_LIMIT,
    ],
    needs: Needs::Joint,
    prepare: |_, arguments| {
        let search = search(arguments);
        let answer = move |row: &super::super::Row<'_>| Ok(Answer::Best(row.best(search)?.into()));
        Ok(Prepared::new(Shape::Best("map_"), Needs::Joint, answer))
    },
};

pub(in super::super) static TOP: Question = Question {
    name: "top",
    meaning: "Which label sets are the most probable ones, and what is proven about each?",
    arguments: &[
        Argument { name: "count", kind: Kind::Count, default: Default::Is("3"), meaning: "How many." },
        Argument {
            name: "node_limit",
            kind: Kind::Count,
            default: Default::Absent,
            meaning: "Search nodes after which each search gives up; 0: never. Without it as the method does.",
        },
        TIME_LIMIT,
    ],
    needs: Needs::Sets,
    prepare: |_, arguments| {
        let (count, nodes, time) = (arguments.size("count"), arguments.size("node_limit"), time_limit(arguments));
        let limited = arguments.count("node_limit").is_some() || time.is_some();
        let needs = if limited { Needs::Joint } else { Needs::Sets };
        let from_row = Prepared::new(Shape::Ranked(count), needs, move |row| {
            let found = match time {
                Some(time) => row.joint()?.ranked_sets_within(count, time),
                None => row.joint()?.ranked_sets(count, nodes),
            };
            Ok(Answer::Ranked { sets: found.into_iter().map(Prediction::from).collect(), count })
        });
        Ok(from_row.or_by_method(false, move |predictor, _, features| {
            let rows = predictor.top_predictions(features, count)?.into_iter();
            Ok(rows.map(|sets| Answer::Ranked { sets, count }).collect())
        }))
    },
};

pub(in super::super) static LOG_PROB: Question = Question {
    name: "log_prob",
    meaning: "What is the logarithm of the probability of a label set?",
    arguments: &[LABEL_SETS],
    needs: Needs::Sets,
    prepare: |about, arguments| {
        let sets = LabelSets::of(arguments, about.names.len())?;
        let (of_row, rows) = (sets.clone(), sets.rows());
        let from_row = Prepared::new(Shape::Number("log_prob"), Needs::Sets, move |row| {
            Ok(Answer::Number(row.joint()?.log_prob(&of_row.row(row.number))))
        });
        let answer = from_row.or_by_method(true, move |predictor, first, features| {
            let sets: Vec<_> = (first..first + features.rows()).map(|row| sets.row(row)).collect();
            Ok(predictor.log_prob(features, &sets)?.into_iter().map(Answer::Number).collect())
        });
        Ok(answer.about_rows(rows))
    },
};

pub(in super::super) static SAMPLES: Question = Question {
    name: "samples",
    meaning: "Which label sets come when they are drawn at random?",
    arguments: &[
        Argument { name: "count", kind: Kind::Count, default: Default::Is("1"), meaning: "How many are drawn." },
        Argument {
            name: "seed",
            kind: Kind::Count,
            default: Default::Is("0"),
            meaning: "The same seed draws the same sets; every row has a stream of its own.",
        },
    ],
    needs: Needs::Joint,
    prepare: |_, arguments| {
        let (count, seed) = (arguments.size("count"), arguments.count("seed").unwrap_or_default());
        Ok(Prepared::new(Shape::Sets("sample", count), Needs::Joint, move |row| {
            let (mixture, mut stream) = (row.joint()?, Stream::new(seed, "sample", row.number as u64));
            Ok(Answer::Sets((0..count).map(|_| mixture.sample(&mut stream)).collect()))
        }))
    },
};

pub(in super::super) static CREDIBLE: Question = Question {
    name: "credible",
    meaning: "Which most probable label sets together have a certain probability?",
    arguments: &[
        Argument {
            name: "mass",
            kind: Kind::Probability,
            default: Default::Is("0.9"),
            meaning: "The probability that they are to have.",
        },
        Argument { name: "limit", kind: Kind::Count, default: Default::Is("1000"), meaning: "How many at most." },
        TIME_LIMIT,
    ],
    needs: Needs::Joint,
    prepare: |_, arguments| {
        let (mass, limit, time) = (arguments.number("mass"), arguments.size("limit"), time_limit(arguments));
        Ok(Prepared::joint(Shape::Credible, move |mixture| {
            Answer::Credible(match time {
                Some(time) => mixture.credible_sets_within(mass, limit, time),
                None => mixture.credible_sets(mass, limit, 0),
            })
        }))
    },
};
