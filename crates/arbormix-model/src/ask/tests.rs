//! Every declared question against enumeration of all label sets, and in every form that an answer takes.

use serde_json::json;

use super::argument::split;
use super::*;
use crate::decide::{PooledF1, RULES, Rule, Thresholds};
use arbormix_data::LabelSet;
use arbormix_joint::joint::RowMixture;
use arbormix_joint::question::Known;
use arbormix_joint::testing::{Parts, assembled, enumerated};

const METHOD: &str = "mlme";

fn names(labels: usize) -> Vec<String> {
    (0..labels).map(|label| format!("l{label}")).collect()
}

/// What a question needs to be asked at all.
fn needed(question: &Question) -> Vec<(String, Given)> {
    let value = |kind: Kind| match kind {
        Kind::Count => json!(2),
        Kind::Probability => json!(0.7),
        Kind::Rule => json!("hamming"),
        Kind::Event => json!("l0 | !l0"),
        Kind::LabelSets => json!(["l0"]),
    };
    let required = question.arguments.iter().filter(|argument| argument.default == Default::Required);
    required.map(|argument| (argument.name.to_string(), Given::Json(value(argument.kind)))).collect()
}

fn asked(name: &str, given: Vec<(String, Given)>, names: &[String]) -> Asked {
    Question::named(name).unwrap().ask(&About { names, thresholds: &[] }, given).unwrap()
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

/// The probability of the sets for which something holds.
fn mass(sets: &[(LabelSet, f64)], holds: impl Fn(&LabelSet) -> bool) -> f64 {
    sets.iter().filter(|(set, _)| holds(set)).map(|(_, p)| p).sum()
}

/// Compares an answer with the enumerated distribution. A new question has its enumeration here.
fn check(name: &str, answer: &Answer, mixture: &RowMixture<'_>, known: f64, sets: &[(LabelSet, f64)]) {
    let d = mixture.labels();
    let first = LabelSet::from_bools(&(0..d).map(|label| label == 0).collect::<Vec<_>>());
    let share = |set: &LabelSet| sets.iter().find(|(other, _)| other == set).map_or(0.0, |(_, p)| *p);
    let mut sorted: Vec<f64> = sets.iter().map(|(_, p)| *p).collect();
    sorted.sort_by(|a, b| b.total_cmp(a));
    match (name, answer) {
        ("map", Answer::Best(found)) => {
            assert!(found.certificate.unwrap().certified && near(share(&found.labels), sorted[0]));
            assert!(near(found.log_probability.unwrap().exp(), sorted[0]));
        }
        ("top", Answer::Ranked { sets, count }) => {
            assert!(*count == 3 && sets.len() <= 3);
            for (found, p) in sets.iter().zip(&sorted) {
                assert!(near(found.log_probability.unwrap().exp(), *p) && near(share(&found.labels), *p));
            }
        }
        ("marginals", Answer::PerLabel(values)) => {
            assert!((0..d).all(|label| near(values[label], mass(sets, |set| set.get(label)))));
        }
        ("log_prob", Answer::Number(log)) => assert!(near(log.exp(), share(&first))),
        ("known_probability", Answer::Number(value)) => assert!(near(*value, known)),
        ("log_known", Answer::Number(log)) => assert!(near(log.exp(), known)),
        ("decision", Answer::Decision(rule, decision)) => {
            assert_eq!(rule.to_string(), "hamming");
            let wrong = |set: &LabelSet| (0..d).filter(|&i| set.get(i) != decision.labels.get(i)).count() as f64;
            let expected: f64 = sets.iter().map(|(set, p)| p * wrong(set)).sum::<f64>() / d as f64;
            assert!(near(decision.expected, expected));
        }
        ("events", Answer::Named(text, value)) => assert!(text.as_ref() == "l0 | !l0" && near(*value, 1.0)),
        ("counts", Answer::PerCount(values)) => {
            assert!((0..=d).all(|size| near(values[size], mass(sets, |set| set.count() == size))));
        }
        ("label_counts", Answer::LabelByCount(rows)) => {
            let cell = |label: usize, size: usize| mass(sets, |set| set.get(label) && set.count() == size);
            assert!((0..d).all(|label| (0..=d).all(|size| near(rows[label][size], cell(label, size)))));
        }
        ("gate", Answer::PerExpert(values)) => {
            assert!(values.len() == mixture.experts.len() && near(values.iter().sum(), 1.0));
        }
        ("responsibilities", Answer::PerExpert(values)) => {
            assert!(values.len() == mixture.experts.len() && near(values.iter().sum(), 1.0));
        }
        ("pairs", Answer::Pairs(both)) => {
            let cell = |i: usize, j: usize| mass(sets, |set| set.get(i) && set.get(j));
            assert!((0..d).all(|i| (0..d).all(|j| near(both.get(i, j), cell(i, j)))));
        }
        ("samples", Answer::Sets(drawn)) => assert!(drawn.len() == 1 && share(&drawn[0]) > 0.0),
        ("credible", Answer::Credible(found)) => {
            assert!(found.reached && near(found.mass, mass(sets, |set| found.sets.iter().any(|(s, _)| s == set))));
            assert!(sorted[..found.sets.len() - 1].iter().sum::<f64>() < 0.9 + 1e-9, "fewer sets would do");
        }
        (name, answer) => panic!("no enumeration for the answer {answer:?} to {name}"),
    }
}

#[test]
fn every_answer_equals_enumeration() {
    for seed in 0..60 {
        let parts = Parts::random(6, seed);
        let mixture = assembled(&parts);
        let (d, names) = (mixture.labels(), names(mixture.labels()));
        let ask_all = |row: &Row<'_>, mixture: &RowMixture<'_>, known: f64| {
            let sets = enumerated(mixture);
            for question in QUESTIONS {
                let asked = asked(question.name, needed(question), &names);
                check(question.name, &asked.answer(row).unwrap(), mixture, known, &sets);
            }
        };
        ask_all(&Row::of_joint(0, METHOD, &mixture, 0.0), &mixture, 1.0);
        let last = d - 1;
        let present = mass(&enumerated(&mixture), |set| set.get(last));
        if present > 1e-6 {
            let given = mixture.given(&Known::nothing(d).with(last, true)).unwrap();
            ask_all(&Row::of_joint(0, METHOD, &given.mixture, given.log_probability), &given.mixture, present);
        }
    }
}

#[test]
fn every_answer_has_every_form() {
    let parts = Parts::random(4, 3);
    let mixture = assembled(&parts);
    let (d, names) = (mixture.labels(), names(mixture.labels()));
    let row = Row::of_joint(0, METHOD, &mixture, 0.0);
    for question in QUESTIONS {
        let asked = asked(question.name, needed(question), &names);
        let answer = asked.answer(&row).unwrap();
        let fields = answer.fields(question.name, &names);
        assert!(!fields[question.name].is_null(), "{}", question.name);
        let columns = asked.shape().columns(question.name, &names);
        assert_eq!(columns.len(), answer.cells(&names).len(), "{}", question.name);
        // Two rows, and none: arrays of the same names and kinds.
        let mut arrays = Arrays::new(asked.shape(), d);
        arrays.push(answer.clone());
        arrays.push(answer);
        let (two, none) = (arrays.finish(), Arrays::new(asked.shape(), d).finish());
        for (array, empty) in two.iter().zip(&none) {
            let (kind, other) = (std::mem::discriminant(&array.cells), std::mem::discriminant(&empty.cells));
            assert!(array.name == empty.name && kind == other, "{}: {}", question.name, array.name);
            assert_eq!(array.shape.iter().product::<usize>(), length(&array.cells), "{}", question.name);
            assert_eq!(array.shape.len(), empty.shape.len(), "{}", question.name);
        }
        assert_eq!(two.len(), none.len(), "{}", question.name);
        let said = question.describe();
        assert_eq!(said["arguments"].as_array().unwrap().len(), question.arguments.len());
        assert!(said["meaning"].as_str().unwrap().ends_with('?'), "{said}");
    }
    let unique: std::collections::BTreeSet<&str> = QUESTIONS.iter().map(|question| question.name).collect();
    assert_eq!(unique.len(), QUESTIONS.len());
}

fn length(cells: &Cells) -> usize {
    match cells {
        Cells::Floats(cells) => cells.len(),
        Cells::Bits(cells) => cells.len(),
        Cells::Places(cells) => cells.len(),
        Cells::Flags(cells) => cells.len(),
    }
}

#[test]
fn rows_of_different_length_stand_one_after_the_other() {
    let set = |present: bool| (LabelSet::from_bools(&[present]), -0.5);
    let found = |sets: Vec<(LabelSet, f64)>| {
        Answer::Credible(arbormix_joint::joint::CredibleSets { sets, mass: 0.9, reached: true })
    };
    let mut arrays = Arrays::new(&Shape::Credible, 1);
    arrays.push(found(vec![set(true), set(false)]));
    arrays.push(found(vec![set(true)]));
    let out = arrays.finish();
    let part = |name: &str| out.iter().find(|array| array.name == name).unwrap();
    assert_eq!((&part("labels").shape, &part("labels").cells), (&vec![3, 1], &Cells::Bits(vec![1, 0, 1])));
    assert_eq!(part("starts").cells, Cells::Places(vec![0, 2, 3]));
    assert_eq!(part("mass").shape, [2]);
}

#[test]
fn marginals_answer_what_needs_no_more() {
    let names = names(2);
    let row = Row::of_marginals(0, METHOD, &[0.2, 0.7]);
    for question in QUESTIONS {
        let asked = asked(question.name, needed(question), &names);
        assert_eq!(asked.answer(&row).is_ok(), asked.needs() == Needs::Marginals || asked.name().contains("known"));
    }
}

#[test]
fn questions_are_read_from_words() {
    let names = ["cat", "a,b", "c;d"].map(String::from);
    let about = About { names: &names, thresholds: &[] };
    let read = |text: &str| Spec::parse(text).map_err(arbormix_joint::Error::from).and_then(|spec| spec.ask(&about));
    let spec = read("samples:count=3, seed=7").unwrap();
    assert_eq!((spec.arguments().size("count"), spec.arguments().count("seed")), (3, Some(7)));
    let spec = read("log_prob:labels=cat;\"a,b\";c\\;d").unwrap();
    assert_eq!(spec.arguments().sets("labels"), Some(&Value::SameSet(LabelSet::from_bools(&[true; 3]))));
    assert_eq!(read("decision:rule=cost=1:5").unwrap().needs(), Needs::Marginals);
    assert_eq!(read("top:node_limit=5").unwrap().needs(), Needs::Joint);
    for (text, message) in [
        ("count", "parameter question \"count\": there is no such question; known: map, top"),
        ("counts:all=1", "unknown parameter \"all\"; known here: none"),
        ("samples:count", "expected argument=value, found \"count\""),
        ("samples:count=-1", "parameter count of the question samples: \"-1\" is not a whole number"),
        ("credible:mass=2", "parameter mass of the question credible: \"2\" is not a probability from 0 to 1"),
        ("decision", "parameter rule of the question decision: is missing"),
        ("log_prob:labels=dog", "no label is called \"dog\"; the model's labels: cat, a,b, c;d"),
        ("events:expression=cat &", "expected a label's name"),
        ("decision:rule=f2", "there is no such rule; known: subset, hamming"),
    ] {
        let error = read(text).unwrap_err().to_string();
        assert!(error.contains(message), "{text}: {error}");
    }
    let given = |sets: Vec<LabelSet>| vec![("labels".to_string(), Given::Sets(sets))];
    let error = Question::named("log_prob").unwrap().ask(&about, given(vec![LabelSet::empty(2)])).unwrap_err();
    assert_eq!(error.to_string(), "labels of the sets and of the model: 2 against 3");
    assert_eq!(split("a\\,b,\"c,d\"", ',', false), ["a\\,b", "\"c,d\""]);
}

#[test]
fn every_rule_is_declared_as_it_decides() {
    let fitted = |measure| Thresholds { measure, values: vec![0.5; 2], reached: 0.5, rows: 3 };
    let thresholds = PooledF1::ALL.map(fitted);
    let names = names(2);
    for form in RULES {
        let text = form.written.replace("FP:FN", "1:2").replace(['B', 'K'], "1.0").replace('C', "0.1");
        let text = if text.contains('@') { text.replace("1.0", "1") } else { text.replace("=1.0", "=2") };
        let rule = match form.written {
            "cost=FILE" => Rule::Cost(crate::decide::Costs::PerLabel(vec![[1.0, 2.0]; 2])),
            _ => Rule::read_with(&text, &names, &thresholds).unwrap(),
        };
        assert!(std::ptr::eq(rule.form(), form), "{text} is declared as {}", rule.form().written);
        let by_marginals = rule.decide_by_marginals(&[0.2, 0.7]).unwrap().is_some();
        assert_eq!(by_marginals, form.needs == Needs::Marginals, "{text}");
        let parts = Parts::random(2, 1);
        let mixture = assembled(&parts);
        if mixture.labels() == 2 {
            let decision = rule.decide(&mixture).unwrap();
            assert!(decision.open.is_empty() || form.leaves_open, "{text}");
        }
        assert!(form.meaning.ends_with('.') && Rule::words().contains(form.written));
    }
}
