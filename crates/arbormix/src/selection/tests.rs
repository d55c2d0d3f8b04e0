#![allow(clippy::unwrap_used, reason = "the helpers of a test may panic like the test")]

use serde_json::json;

use super::fit::Contest;
use super::race::{Race, Score};
use super::*;
use crate::registry::learner;
use crate::{Learner, Model};
use arbormix_base::params::Preset;
use arbormix_base::progress::Silent;
use arbormix_data::planted::Planted;
use arbormix_data::splits::Folds;
use arbormix_data::{Column, Dataset, LabelSet, Labels};
use arbormix_joint::learner::Size;
use arbormix_matrix::{DenseMatrix, Matrix};
use arbormix_model::decide::PooledF1;
use arbormix_model::fit;

fn planted(rows: usize, labels: usize, density: f64) -> Dataset {
    Planted { rows, labels, density, seed: 3, ..Planted::default() }.sample().unwrap().0
}

fn auto(overrides: serde_json::Value) -> Box<dyn Learner> {
    learner("auto", Preset::Default, &overrides).unwrap()
}

fn fitted(overrides: serde_json::Value, data: &Dataset, weights: Option<&[f64]>) -> Model {
    fit(auto(overrides).as_ref(), data, weights, &Silent).unwrap()
}

#[test]
fn the_winner_is_what_its_own_learner_would_have_fitted() {
    let data = planted(120, 3, 1.0);
    for (name, method, preset) in
        [("linear", "mlme", Preset::Default), ("paper", "mlme", Preset::Paper), ("stack", "stack", Preset::Default)]
    {
        let model = fitted(json!({"candidates": [name], "seed": 4}), &data, None);
        let mut overrides = json!({"seed": 4});
        if name == "paper" {
            overrides["inference"] = json!({"annealing": {"iterations": 150, "seed": 4}});
        }
        let alone = fit(learner(method, preset, &overrides).unwrap().as_ref(), &data, None, &Silent).unwrap();
        assert_eq!((model.method(), model.params()), (method, alone.params()));
        let logs = |model: &Model| model.log_prob(&data).unwrap();
        assert_eq!(logs(&model), logs(&alone), "{name}");
        assert_eq!(model.choice().unwrap().chosen, name);
        assert_eq!(crate::registry::learner_of(&model).unwrap().params(), *model.params());
    }
}

/// Thresholds come with the model; five more fits find no better ones.
#[test]
fn the_default_has_thresholds_as_good_as_those_of_more_fits() {
    let data = Planted { rows: 2400, labels: 5, density: 1.0, seed: 8, ..Planted::default() }.sample().unwrap().0;
    let rows: Vec<usize> = (0..2400).collect();
    let (train, new) = (data.select_rows(&rows[..400]), data.select_rows(&rows[400..]));
    let mut model = fitted(json!({"candidates": ["stack"]}), &train, None);
    let found = model.thresholds().to_vec();
    assert_eq!(crate::from_bytes(&model.to_bytes().unwrap()).unwrap().thresholds(), found);
    assert!(found.iter().all(|thresholds| thresholds.rows == 400));
    let marginals = model.marginals(&new).unwrap();
    let again = crate::registry::learner_of(&model).unwrap();
    model.fit_thresholds(again.as_ref(), &train, None, &Folds::shuffled(400, 5, 0).unwrap(), &Silent).unwrap();
    for (own, other) in found.iter().zip(model.thresholds()) {
        let f1 = |thresholds: &[f64]| {
            let mut counts = [[0.0; 2]; 5];
            for (row, set) in new.labels().sets().iter().enumerate() {
                for (label, [hits, all]) in counts.iter_mut().enumerate() {
                    let [said, is] = [marginals.get(row, label) > thresholds[label], set.get(label)].map(f64::from);
                    *hits += 2.0 * said * is;
                    *all += said + is;
                }
            }
            match own.measure {
                PooledF1::MacroF1 => counts.iter().map(|[hits, all]| hits / all).sum::<f64>() / 5.0,
                PooledF1::MicroF1 => {
                    counts.iter().map(|[hits, _]| hits).sum::<f64>() / counts.iter().map(|[_, all]| all).sum::<f64>()
                }
            }
        };
        let (reached, theirs, half) = (f1(&own.values), f1(&other.values), f1(&[0.5; 5]));
        let told = format!("{:?}: {reached} {theirs} {half}; {own:?} {other:?}", own.measure);
        assert!((reached - theirs).abs() < 0.015 && reached > half, "{told}");
        assert!((reached - own.reached).abs() < 0.05, "{told}");
    }
}

#[test]
fn the_record_tells_how_the_race_went_and_is_in_the_file() {
    let data = planted(200, 3, 1.0);
    let model = fitted(json!({}), &data, None);
    let choice = model.choice().unwrap();
    assert_eq!(choice.candidates.len(), 3);
    assert!(choice.race_rows >= 60 && choice.race_rows + choice.held_out_rows <= 200, "{choice:?}");
    for entrant in &choice.candidates {
        assert!(entrant.left_out.is_none() && entrant.nominal_seconds > 0.0, "{entrant:?}");
        assert!(entrant.log_likelihood.unwrap() < 0.0 && (0.0..=1.0).contains(&entrant.exact_match.unwrap()));
    }
    assert!(model.report().notes[0].starts_with(&format!("chose {}", choice.chosen)));
    let back = crate::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(back.choice(), Some(choice));
}

/// Without a standard error to be ahead by, the best log-likelihood decides.
#[test]
fn the_best_log_likelihood_wins_unless_a_richer_one_is_close() {
    let data = planted(300, 3, 1.0);
    let best = |choice: &Choice| {
        let logs = choice.candidates.iter().map(|entrant| (entrant.log_likelihood.unwrap(), entrant.name.clone()));
        logs.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap().1
    };
    let choice = |lead: f64| fitted(json!({"clear_lead": lead}), &data, None).choice().unwrap().clone();
    let close = choice(0.0);
    assert_eq!(close.chosen, best(&close), "{close:?}");
    let richest = choice(1e9);
    assert_eq!(richest.chosen, "stack", "{richest:?}");
}

/// A simpler candidate that is ahead on few rows, by less the more rows there are, does not win on many.
#[test]
fn a_lead_that_shrinks_with_the_rows_does_not_last() {
    let data = planted(300, 3, 1.0);
    let positive: Vec<usize> = (0..300).collect();
    let params = AutoParams::default();
    let race = Race::draw(&data, None, &positive, 100, 100, &params);
    let score = |mean: f64| {
        let logs: Vec<f64> = (0..200).map(|row| mean + 0.1 * f64::from(row % 2)).collect();
        Score { log_likelihood: logs.iter().sum::<f64>() / 200.0, logs, exact_match: None }
    };
    let entrants = fitted(json!({}), &data, None).choice().unwrap().candidates.clone();
    // Every other row's gain differs a little, so that there is a standard error.
    let winner = |richest: [f64; 2], simple: [f64; 2], rows: usize| {
        let mut last = score(simple[1]);
        last.logs.iter_mut().step_by(3).for_each(|log| *log += 0.01);
        let scores = [
            Contest { place: 0, score: score(richest[1]), shorter: Some(score(richest[0])) },
            Contest { place: 2, score: last, shorter: Some(score(simple[0])) },
        ];
        params.winner(&race, &scores, &entrants, 0, rows)
    };
    // Ahead by 1 on 25 rows and by 0.4 on 100: gone by 400, since 0.4 − 0.6 < 0, but not yet by 150.
    let (chosen, reason) = winner([-5.0, -4.0], [-4.0, -3.6], 400);
    assert_eq!((chosen, reason.contains("would not be with all 400")), (0, true), "{reason}");
    assert_eq!(winner([-5.0, -4.0], [-4.0, -3.6], 150).0, 2);
    let (chosen, reason) = winner([-5.0, -4.0], [-4.9, -3.6], 100_000);
    assert_eq!((chosen, reason.starts_with("the best log-likelihood")), (2, true), "a lead that grows: {reason}");
    // Shorter races are judged by the same rows and fitted to some of the longer's.
    let short = Race::draw(&data, None, &positive, 25, 100, &params);
    assert_eq!((short.fitted(), short.held_out(), race.held_out()), (25, 200, 200));
}

/// What a candidate costs with the default's parameters.
fn seconds(candidate: Candidate, size: &Size) -> f64 {
    candidate.seconds(&AutoParams::default(), size)
}

#[test]
fn the_budget_leaves_out_what_it_cannot_pay() {
    let data = planted(150, 3, 1.0);
    let size = Size::of(&data);
    let cheapest =
        Candidate::ALL[..3].iter().min_by(|a, b| seconds(**a, &size).total_cmp(&seconds(**b, &size))).unwrap();
    let second = Candidate::ALL[..3].iter().filter(|other| *other != cheapest).map(|c| seconds(*c, &size));
    let between = 0.5 * (seconds(*cheapest, &size) + second.fold(f64::INFINITY, f64::min));
    let choice = fitted(json!({"budget": between}), &data, None).choice().unwrap().clone();
    assert_eq!((choice.chosen.as_str(), choice.race_rows), (cheapest.word(), 0));
    let over = |choice: &Choice| {
        choice.candidates.iter().filter(|e| e.left_out.as_ref().is_some_and(|why| why.contains("budget"))).count()
    };
    assert_eq!(over(&choice), 2);
    // Nothing can be paid: the cheapest all the same, and it is said.
    let poor = fitted(json!({"budget": 1e-9}), &data, None).choice().unwrap().clone();
    assert_eq!(poor.chosen, cheapest.word());
    assert!(poor.reason.contains("too small for all"), "{}", poor.reason);
}

#[test]
fn costs_grow_with_everything_they_depend_on() {
    let size = Size {
        rows: 1000,
        columns: 50,
        features: 50,
        cells: 50.0,
        labels: 10,
        present: 2.0,
        sets: 100,
        sparse: false,
        unknown: false,
        bytes: 500_000,
    };
    for candidate in Candidate::ALL {
        let own = seconds(candidate, &size);
        for larger in [
            Size { rows: 2000, ..size },
            Size { columns: 100, features: 100, cells: 100.0, ..size },
            Size { labels: 20, ..size },
            Size { columns: 5000, features: 5000, sparse: true, ..size },
            Size { unknown: true, ..size },
        ] {
            assert!(seconds(candidate, &larger) >= own, "{candidate:?} {larger:?}");
        }
        assert!(own > 0.0 && own < 60.0, "{candidate:?}: {own}");
    }
}

#[test]
fn who_is_too_dear_for_the_smallest_race_is_left_out_of_it() {
    // A share that nobody can keep to, and so many labels that trees of regressions take more than a second on 100 rows.
    let data = planted(200, 300, 1.0);
    let overrides = json!({"race_share": 1e-9, "min_race_rows": 100});
    let choice = fitted(overrides, &data, None).choice().unwrap().clone();
    let dear = |entrant: &Entrant| entrant.left_out.as_ref().is_some_and(|why| why.contains("too dear to race"));
    let left_out: Vec<bool> = choice.candidates.iter().map(dear).collect();
    assert_eq!((choice.chosen.as_str(), choice.race_rows, left_out), ("stack", 0, vec![false, true, true]));
}

#[test]
fn rows_of_weight_zero_take_no_part_in_the_choice() {
    let data = planted(160, 3, 1.0);
    let weights: Vec<f64> = (0..160).map(|row| f64::from(u8::from(row % 2 == 0))).collect();
    let half: Vec<usize> = (0..160).step_by(2).collect();
    let with = fitted(json!({}), &data, Some(&weights));
    let without = fitted(json!({}), &data.select_rows(&half), Some(&[1.0; 80]));
    assert_eq!(with.choice(), without.choice());
}

/// `data` with some of the label cells unknown.
fn masked(data: &Dataset, known: impl Fn(usize) -> Vec<bool>) -> Dataset {
    let masks = (0..data.rows()).map(|row| LabelSet::from_bools(&known(row))).collect();
    let labels = Labels::with_mask(data.labels().count(), data.labels().sets().to_vec(), masks);
    let (columns, names) = (data.columns().to_vec(), data.label_names().to_vec());
    Dataset::new("partly", data.features().clone(), columns, labels, names).unwrap()
}

#[test]
fn every_candidate_learns_from_partly_unknown_labels() {
    let data = planted(200, 3, 1.0);
    let partly = masked(&data, |row| vec![row % 3 != 0, true, row % 5 != 0]);
    let choice = fitted(json!({}), &partly, None).choice().unwrap().clone();
    assert!(choice.race_rows > 0, "{choice:?}");
    for entrant in &choice.candidates {
        assert!(entrant.left_out.is_none() && entrant.log_likelihood.is_some(), "{entrant:?}");
    }
    // Rows without a known cell leave choice and model as they are without them.
    let half: Vec<usize> = (0..200).step_by(2).collect();
    let with = fitted(json!({}), &masked(&data, |row| vec![row % 2 == 0; 3]), None);
    let without = fitted(json!({}), &data.select_rows(&half), None);
    assert_eq!(with.choice(), without.choice());
    // With one row that says something nobody is asked who needs two.
    let single = fitted(json!({}), &masked(&data, |row| vec![row == 7; 3]), None);
    let stack = &single.choice().unwrap().candidates[0];
    assert_eq!(stack.left_out.as_deref(), Some("needs 2 rows"));
}

#[test]
fn data_that_leave_nothing_to_race_with_are_learned() {
    let dense = |rows: usize, labels: usize, set: fn(usize) -> usize| {
        let cells = (0..rows * 2).map(|cell| (cell as f64 * 0.7).sin()).collect();
        let of = |row: usize| (0..labels).map(|label| set(row) >> label & 1 == 1).collect::<Vec<_>>();
        let labels_of = Labels::new(labels, (0..rows).map(|row| LabelSet::from_bools(&of(row))).collect());
        let columns = (0..2).map(|j| Column::numeric(format!("x{j}"))).collect();
        let names = (0..labels).map(|label| format!("y{label}")).collect();
        Dataset::new("few", Matrix::Dense(DenseMatrix::new(rows, 2, cells)), columns, labels_of, names).unwrap()
    };
    let cases = [
        ("one row", dense(1, 2, |_| 1)),
        ("two rows", dense(2, 2, |row| row + 1)),
        ("twenty rows", dense(20, 3, |row| row % 5)),
        ("one label", dense(30, 1, |row| row % 2)),
        ("one set", dense(25, 3, |_| 5)),
        ("every row another set", dense(32, 5, |row| row)),
        ("sparse", planted(60, 3, 0.1)),
    ];
    for (name, data) in cases {
        let model = fitted(json!({}), &data, None);
        let logs = model.log_prob(&data).unwrap();
        assert!(logs.iter().all(|log| log.is_finite() && *log <= 1e-12), "{name}: {logs:?}");
        assert!(model.to_bytes().is_ok(), "{name}");
    }
}

#[test]
fn parameters_that_cannot_be_used_are_refused() {
    let refused = |overrides| learner("auto", Preset::Default, &overrides).err().unwrap().to_string();
    for (overrides, name) in [
        (json!({"candidates": []}), "candidates"),
        (json!({"candidates": ["stack", "stack"]}), "candidates"),
        (json!({"budget": 0.0}), "budget"),
        (json!({"race_share": -1.0}), "race_share"),
        (json!({"min_race_rows": 0}), "min_race_rows"),
        (json!({"held_out_rows": 0}), "held_out_rows"),
        (json!({"clear_lead": -1.0}), "clear_lead"),
    ] {
        let message = refused(overrides);
        assert!(message.contains(&format!("parameter {name}")), "{message}");
    }
    assert!(refused(json!({"candidates": ["best"]})).contains("candidates"));
}
