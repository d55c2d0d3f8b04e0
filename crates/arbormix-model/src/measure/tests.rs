use serde::Deserialize;
use std::collections::BTreeMap;

use super::*;

#[derive(Deserialize)]
struct Reference {
    cases: Vec<Case>,
}

/// One case of tests/reference/measures.py, which describes the fields.
#[derive(Deserialize)]
struct Case {
    name: String,
    truth: Vec<Vec<u8>>,
    predicted: Vec<Vec<u8>>,
    marginals: Vec<Vec<f64>>,
    zero_division: BTreeMap<String, BTreeMap<String, f64>>,
    values: BTreeMap<String, f64>,
}

fn sets(rows: &[Vec<u8>]) -> Vec<LabelSet> {
    rows.iter().map(|row| LabelSet::from_bools(&row.iter().map(|&cell| cell == 1).collect::<Vec<_>>())).collect()
}

fn matrix(rows: &[Vec<f64>]) -> DenseMatrix {
    DenseMatrix::new(rows.len(), rows[0].len(), rows.concat())
}

/// Labels from text, one word per row: `1` present, `0` absent, `?` unknown.
fn labels(rows: &[&str]) -> Labels {
    let set = |row: &&str, on: &[char]| LabelSet::from_bools(&row.chars().map(|c| on.contains(&c)).collect::<Vec<_>>());
    let present = rows.iter().map(|row| set(row, &['1'])).collect();
    Labels::with_mask(rows[0].len(), present, rows.iter().map(|row| set(row, &['0', '1'])).collect())
}

fn assert_near(found: Option<f64>, expected: f64, what: &str) {
    assert!(found.is_some_and(|found| (found - expected).abs() <= 1e-12), "{what}: {found:?} against {expected}");
}

#[test]
fn values_equal_those_of_scikit_learn() {
    let text = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/reference/measures.json"));
    let reference: Reference = serde_json::from_str(text).unwrap();
    assert_eq!(reference.cases.len(), 7);
    for case in &reference.cases {
        let truth = Labels::new(case.truth[0].len(), sets(&case.truth));
        let (predicted, marginals) = (sets(&case.predicted), matrix(&case.marginals));
        let outcome = Outcome { truth: &truth, predicted: &predicted, marginals: Some(&marginals), log_probs: None };
        for (zero_division, key) in [(ZeroDivision::Zero, "0"), (ZeroDivision::One, "1")] {
            let options = MeasureOptions { zero_division, ..MeasureOptions::default() };
            let measures = evaluate(&outcome, &options).unwrap();
            for (name, &expected) in case.values.iter().chain(&case.zero_division[key]) {
                assert_near(measures.get(name), expected, &format!("{name} of {}", case.name));
            }
        }
    }
}

#[test]
fn a_perfect_prediction_gets_the_best_of_everything() {
    let truth = labels(&["101", "010", "110"]);
    let marginals = DenseMatrix::new(3, 3, vec![1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0]);
    let outcome =
        Outcome { truth: &truth, predicted: truth.sets(), marginals: Some(&marginals), log_probs: Some(&[0.0; 3]) };
    let options = MeasureOptions { at: vec![1], ..MeasureOptions::default() };
    let measures = evaluate(&outcome, &options).unwrap();
    assert!(measures.absent().is_empty());
    for (name, value, better) in measures.iter() {
        match (name, better) {
            ("coverage", _) | ("recall_at_1", _) => {} // limited by the size of the sets
            (_, Direction::Higher) => assert_eq!(value, 1.0, "{name}"),
            (_, Direction::Lower) => assert!(value == 0.0 && value.is_sign_positive(), "{name} {value}"),
        }
    }
}

#[test]
fn unknown_cells_are_left_out() {
    let truth = labels(&["1?0", "011", "???", "?1?"]);
    let predicted = labels(&["111", "011", "111", "000"]).sets().to_vec();
    let marginals = DenseMatrix::new(4, 3, vec![0.5, 0.9, 0.25, 0.5, 1.0, 1.0, 0.1, 0.2, 0.3, 0.9, 0.25, 0.9]);
    let log_probs = [f64::NAN, -2.0, f64::NAN, f64::NAN];
    let outcome =
        Outcome { truth: &truth, predicted: &predicted, marginals: Some(&marginals), log_probs: Some(&log_probs) };
    let measures = evaluate(&outcome, &MeasureOptions::default()).unwrap();
    assert_eq!((measures.rows(), measures.full_rows(), measures.cells()), (4, 1, 6));
    let expect = |name, value| assert_near(measures.get(name), value, name);
    expect("exact_match", 1.0);
    expect("cll_loss", 2.0);
    // Known cells: row 0 labels 0 and 2, row 1 all, row 3 label 1. Wrong: (0, 2) and (3, 1).
    expect("hamming_loss", 2.0 / 6.0);
    expect("jaccard", (0.5 + 1.0 + 0.0) / 3.0);
    expect("micro_f1", 6.0 / 8.0);
    expect("brier", (0.25 + 0.0625 + 0.25 + 0.0 + 0.0 + 0.5625) / 6.0);
    expect("ranking_loss", 0.0);
    // Only row 1 has three known labels.
    expect("precision_at_3", 2.0 / 3.0);
    assert_eq!(measures.per_label().iter().map(|label| label.support).collect::<Vec<_>>(), [1, 2, 1]);
    // Row 2, of which nothing is known, must not matter at all.
    let without = [0, 1, 3];
    let (truth, marginals) = (truth.select_rows(&without), marginals.select_rows(&without));
    let predicted = without.map(|row| predicted[row].clone());
    let log_probs = without.map(|row| log_probs[row]);
    let outcome =
        Outcome { truth: &truth, predicted: &predicted, marginals: Some(&marginals), log_probs: Some(&log_probs) };
    let fewer = evaluate(&outcome, &MeasureOptions::default()).unwrap();
    assert!(fewer.iter().eq(measures.iter()));
}

#[test]
fn what_is_undefined_is_absent_with_a_reason() {
    let truth = labels(&["1?", "1?"]);
    let predicted = labels(&["10", "11"]).sets().to_vec();
    let marginals = DenseMatrix::new(2, 2, vec![0.5; 4]);
    let reason = |measures: &Measures, name: &str| {
        assert_eq!(measures.get(name), None);
        measures.absent().iter().find(|absent| absent.name == name).map(|absent| absent.reason.clone()).unwrap()
    };
    let mut outcome =
        Outcome { truth: &truth, predicted: &predicted, marginals: Some(&marginals), log_probs: Some(&[-1.0, -1.0]) };
    let measures = evaluate(&outcome, &MeasureOptions::default()).unwrap();
    assert_eq!(reason(&measures, "exact_match"), "every row has unknown label cells");
    assert_eq!(reason(&measures, "macro_auc"), "no label is present in some rows and absent in others");
    assert_eq!(reason(&measures, "micro_auc"), "all label cells are alike");
    assert_eq!(reason(&measures, "ndcg_at_3"), "no row has 3 known labels");
    assert_eq!(measures.labels_without_support(), [1]);
    assert_eq!(measures.labels_in_macro_auc(), 0);
    // The label nobody knows anything about takes no part in the mean.
    assert_eq!(measures.get("macro_f1"), Some(1.0));

    outcome.marginals = None;
    let measures = evaluate(&outcome, &MeasureOptions::default()).unwrap();
    for name in ["brier", "calibration_error", "ranking_loss", "precision_at_1", "macro_auc"] {
        assert_eq!(reason(&measures, name), "there are no marginals");
    }

    let truth = labels(&["10", "01"]);
    outcome.truth = &truth;
    outcome.log_probs = Some(&[-1.0, f64::NEG_INFINITY]);
    let measures = evaluate(&outcome, &MeasureOptions::default()).unwrap();
    assert_eq!(reason(&measures, "cll_loss"), "the loss is infinite: 1 true label sets have probability 0");
}

#[test]
fn bad_outcomes_are_refused_with_the_numbers() {
    let truth = labels(&["10", "01"]);
    let good = truth.sets().to_vec();
    let message = |outcome: Outcome<'_>| evaluate(&outcome, &MeasureOptions::default()).unwrap_err().to_string();
    let outcome = Outcome { truth: &truth, predicted: &good, marginals: None, log_probs: None };
    assert_eq!(message(Outcome { predicted: &good[..1], ..outcome }), "rows of predictions and of labels: 1 against 2");
    let narrow = vec![LabelSet::empty(1); 2];
    assert_eq!(
        message(Outcome { predicted: &narrow, ..outcome }),
        "labels of a prediction and of the truth: 1 against 2"
    );
    let marginals = DenseMatrix::new(2, 2, vec![0.5, 0.5, 0.5, f64::NAN]);
    let expected = "parameter marginals (row, label, value) = (1, 1, NaN): must lie in [0, 1]";
    assert_eq!(message(Outcome { marginals: Some(&marginals), ..outcome }), expected);
    let expected = "parameter log_probs (row, value) = (1, 0.5): must be at most 0";
    assert_eq!(message(Outcome { log_probs: Some(&[-1.0, 0.5]), ..outcome }), expected);
    let nothing = Labels::new(2, Vec::new());
    let outcome = Outcome { truth: &nothing, predicted: &[], ..outcome };
    assert_eq!(message(outcome), "rows to evaluate: 0 found, at least 1 needed");
    let unlabelled = Labels::new(0, vec![LabelSet::empty(0)]);
    let outcome = Outcome { truth: &unlabelled, predicted: unlabelled.sets(), ..outcome };
    assert_eq!(message(outcome), "labels to evaluate: 0 found, at least 1 needed");
    let unknown = labels(&["??"]);
    let outcome = Outcome { truth: &unknown, predicted: unknown.sets(), ..outcome };
    assert_eq!(message(outcome), "label cells that are known, to evaluate: 0 found, at least 1 needed");
}

#[test]
fn options_are_checked() {
    let message = |options: MeasureOptions| options.validate().unwrap_err().to_string();
    let options = MeasureOptions::default();
    let at = |at: &[usize]| MeasureOptions { at: at.to_vec(), ..options.clone() };
    assert_eq!(message(at(&[1, 0])), "parameter at = [1, 0]: every k must be at least 1");
    assert_eq!(message(at(&[3, 3])), "parameter at = [3, 3]: every k may be given once");
    let bins = MeasureOptions { calibration_bins: 0, ..options.clone() };
    assert_eq!(message(bins), "parameter calibration_bins = 0: must lie between 1 and 10000");
}

#[test]
fn the_order_of_k_does_not_matter() {
    let truth = labels(&["101", "1??"]);
    let marginals = DenseMatrix::new(2, 3, vec![0.1, 0.4, 0.3, 0.9, 0.0, 0.0]);
    let outcome = Outcome { truth: &truth, predicted: truth.sets(), marginals: Some(&marginals), log_probs: None };
    let at = |at: &[usize]| {
        let options = MeasureOptions { at: at.to_vec(), ..MeasureOptions::default() };
        evaluate(&outcome, &options).unwrap().get("precision_at_1")
    };
    assert_eq!(at(&[1, 3]), Some(0.5));
    assert_eq!(at(&[3, 1]), Some(0.5));
}

#[test]
fn calibration_counts_statements_by_hand() {
    let set = |bits: [bool; 2]| LabelSet::from_bools(&bits);
    // The third row's second cell is unknown: its first cell counts, its set and size do not.
    let masks = vec![set([true; 2]), set([true; 2]), set([true, false])];
    let truth = Labels::with_mask(2, vec![set([true, false]), set([true, true]), set([false, false])], masks);
    let marginals = DenseMatrix::new(3, 2, vec![0.9, 0.2, 0.5, 0.6, 0.1, 0.7]);
    let predicted = [(set([true, false]), 0.72), (set([false, true]), 0.4), (set([false, true]), 0.6)];
    let counts = vec![vec![0.08, 0.74, 0.18], vec![0.2, 0.5, 0.3], vec![0.27, 0.66, 0.07]];
    let claims = Claims { marginals: &marginals, predicted: &predicted, counts: &counts };
    let found = calibration(&truth, &claims, 2).unwrap();
    // Marginals up to a half: .2 (no), .5 (yes), .1 (no); above: .9 (yes), .6 (yes).
    assert_eq!((found.marginals.count, found.marginals.bins[0].count), (5, 3));
    assert_eq!((found.marginals.bins[0].happened, found.marginals.bins[1].happened), (Some(1.0 / 3.0), Some(1.0)));
    assert!((found.marginals.expected_error - ((0.8_f64 - 1.0).abs() + (1.5_f64 - 2.0).abs()) / 5.0).abs() < 1e-12);
    assert_eq!((found.sets.count, found.sets.bins[1].happened, found.sets.bins[0].happened), (2, Some(1.0), Some(0.0)));
    // Sizes up to a half: .08, .18, .2, .5 (no), .3 (yes, the second row has two labels); above: .74 (yes).
    assert_eq!((found.counts.count, found.counts.bins[0].count, found.counts.bins[0].happened), (6, 5, Some(0.2)));
    // The same number as the measure that is tested against a reference.
    let sets: Vec<LabelSet> = predicted.iter().map(|(set, _)| set.clone()).collect();
    let outcome = Outcome { truth: &truth, predicted: &sets, marginals: Some(&marginals), log_probs: None };
    let options = MeasureOptions { calibration_bins: 2, ..MeasureOptions::default() };
    assert_eq!(evaluate(&outcome, &options).unwrap().get("calibration_error"), Some(found.marginals.expected_error));
    let empty = Reliability::of([], 3).unwrap();
    assert_eq!((empty.count, empty.expected_error, empty.bins[0].said), (0, 0.0, None));
    assert!(Reliability::of([(f64::NAN, true)], 3).is_err() && Reliability::of([(0.5, true)], 0).is_err());
}
