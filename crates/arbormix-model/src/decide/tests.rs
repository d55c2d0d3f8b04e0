//! Every decision against all 2^d decisions, and its value against enumeration.

use proptest::prelude::*;

use super::*;
use arbormix_joint::joint::RowExpert;
use arbormix_joint::testing::{Parts, all_sets, assembled, enumerated};

/// Random parts of a mixture of up to so many labels.
fn parts(labels: usize) -> impl Strategy<Value = Parts> {
    any::<u64>().prop_map(move |seed| Parts::random(labels, seed))
}

/// The expectation of a value over all label sets.
fn expectation(sets: &[(LabelSet, f64)], value: impl Fn(&LabelSet) -> f64) -> f64 {
    sets.iter().map(|(set, p)| p * value(set)).sum()
}

fn common(a: &LabelSet, b: &LabelSet) -> f64 {
    a.members().filter(|&label| b.get(label)).count() as f64
}

fn f_beta(truth: &LabelSet, said: &LabelSet, beta: f64) -> f64 {
    if truth.is_empty() && said.is_empty() {
        return 1.0;
    }
    let square = beta * beta;
    (1.0 + square) * common(truth, said) / (square * truth.count() as f64 + said.count() as f64)
}

fn jaccard(truth: &LabelSet, said: &LabelSet) -> f64 {
    let both = common(truth, said);
    let either = (truth.count() + said.count()) as f64 - both;
    if either == 0.0 { 1.0 } else { both / either }
}

fn costs(truth: &LabelSet, said: &LabelSet, pair: impl Fn(usize) -> [f64; 2]) -> f64 {
    (0..truth.len())
        .map(|i| match (said.get(i), truth.get(i)) {
            (true, false) => pair(i)[0],
            (false, true) => pair(i)[1],
            _ => 0.0,
        })
        .sum()
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]
    #[test]
    fn no_other_decision_is_better(parts in parts(6), beta in 0.2..4.0_f64, open_cost in 0.0..0.6_f64, at in 1_usize..8) {
        let mixture = assembled(&parts);
        let (sets, d) = (enumerated(&mixture), mixture.labels());
        let (all, at) = (all_sets(d), at.min(d));
        let pair = |label: usize| [1.0 + label as f64, 2.5];
        let decide = |rule: Rule| rule.decide(&mixture).unwrap();
        // Of each rule: its value of a set, and whether more is better.
        type Value<'a> = Box<dyn Fn(&LabelSet, &LabelSet) -> f64 + 'a>;
        let rules: Vec<(Rule, Value<'_>, bool)> = vec![
            (Rule::Subset, Box::new(|truth, said| f64::from(u8::from(truth == said))), true),
            (Rule::Hamming, Box::new(|truth, said| costs(truth, said, |_| [1.0; 2]) / d as f64), false),
            (Rule::FBeta(1.0), Box::new(|truth, said| f_beta(truth, said, 1.0)), true),
            (Rule::FBeta(beta), Box::new(move |truth, said| f_beta(truth, said, beta)), true),
            (Rule::Cost(Costs::Same([3.0, 0.5])), Box::new(|truth, said| costs(truth, said, |_| [3.0, 0.5])), false),
            (Rule::Cost(Costs::PerLabel((0..d).map(pair).collect())), Box::new(|truth, said| costs(truth, said, pair)), false),
        ];
        for (rule, value, more) in rules {
            let decision = decide(rule.clone());
            let own = expectation(&sets, |truth| value(truth, &decision.labels));
            prop_assert!(near(decision.expected, own), "{rule}: says {}, is {own}", decision.expected);
            for said in &all {
                let other = expectation(&sets, |truth| value(truth, said));
                prop_assert!(if more { other <= own + 1e-9 } else { other >= own - 1e-9 }, "{rule}: {said:?} has {other}, not {own}");
            }
        }
        let decision = decide(Rule::Jaccard);
        let own = expectation(&sets, |truth| jaccard(truth, &decision.labels));
        prop_assert!(near(decision.expected, own));
        for other in [Rule::Subset, Rule::Hamming, Rule::FBeta(1.0)].map(decide) {
            prop_assert!(expectation(&sets, |truth| jaccard(truth, &other.labels)) <= own + 1e-9);
        }
        let recall = |truth: &LabelSet, said: &LabelSet| if truth.is_empty() { 1.0 } else { common(truth, said) / truth.count() as f64 };
        for (rule, value) in [
            (Rule::PrecisionAt(at), Box::new(|truth: &LabelSet, said: &LabelSet| common(truth, said) / at as f64) as Value<'_>),
            (Rule::RecallAt(at), Box::new(recall)),
        ] {
            let decision = decide(rule.clone());
            let own = expectation(&sets, |truth| value(truth, &decision.labels));
            prop_assert!(near(decision.expected, own), "{rule}");
            prop_assert_eq!(decision.labels.count(), at);
            for said in all.iter().filter(|said| said.count() == at) {
                prop_assert!(expectation(&sets, |truth| value(truth, said)) <= own + 1e-9, "{rule}");
            }
        }
        let decision = decide(Rule::Abstain(open_cost));
        let loss = |truth: &LabelSet, said: &LabelSet, open: &LabelSet| {
            (0..d).map(|i| if open.get(i) { open_cost } else { f64::from(u8::from(truth.get(i) != said.get(i))) }).sum::<f64>() / d as f64
        };
        let own = expectation(&sets, |truth| loss(truth, &decision.labels, &decision.open));
        prop_assert!(near(decision.expected, own));
        for open in &all {
            let said = decide(Rule::Hamming).labels;
            prop_assert!(expectation(&sets, |truth| loss(truth, &said, open)) >= own - 1e-9);
        }
    }

    #[test]
    fn no_other_order_has_fewer_wrong_pairs(parts in parts(4)) {
        let mixture = assembled(&parts);
        let (sets, d) = (enumerated(&mixture), mixture.labels());
        let wrong = |order: &[usize]| {
            let pairs = |truth: &LabelSet| {
                let below = |place: usize| order[place + 1..].iter().filter(|&&j| truth.get(j)).count();
                (0..d).filter(|&place| !truth.get(order[place])).map(below).sum::<usize>() as f64
            };
            expectation(&sets, pairs)
        };
        let decision = Rule::Rank.decide(&mixture).unwrap();
        let order = decision.ranking.unwrap();
        prop_assert!(near(decision.expected, wrong(&order)), "{} {}", decision.expected, wrong(&order));
        let mut orders: Vec<Vec<usize>> = vec![Vec::new()];
        for _ in 0..d {
            let longer = |order: &Vec<usize>| (0..d).filter(|i| !order.contains(i)).map(|i| [order.as_slice(), &[i]].concat()).collect::<Vec<_>>();
            orders = orders.iter().flat_map(longer).collect();
        }
        for other in orders {
            prop_assert!(wrong(&other) >= decision.expected - 1e-9);
        }
    }
}

#[test]
fn rules_are_read_and_written() {
    for text in [
        "subset",
        "hamming",
        "f1",
        "fbeta=0.5",
        "jaccard",
        "rank",
        "precision@3",
        "recall@1",
        "cost=1:5",
        "abstain=0.1",
    ] {
        assert_eq!(text.parse::<Rule>().unwrap().to_string(), text);
    }
    let message = |text: &str| text.parse::<Rule>().unwrap_err().to_string();
    for bad in [
        "",
        "f2",
        "fbeta",
        "fbeta=0",
        "fbeta=nan",
        "recall@0",
        "precision@x",
        "cost=1",
        "cost=1:-2",
        "abstain=inf",
        "f1=2",
        "héé",
    ] {
        assert!(message(bad).starts_with(&format!("parameter rule {bad:?}: ")), "{}", message(bad));
    }
    assert!(message("f2").contains("known: subset"), "{}", message("f2"));
}

#[test]
fn costs_for_another_number_of_labels_are_refused() {
    let tree = arbormix_joint::tree::Branching::isolated(2);
    let mixture =
        RowMixture { log_gate: vec![0.0], experts: vec![RowExpert::tree(&tree, vec![[[0.5_f64.ln(); 2]; 2]; 2])] };
    let error = Rule::Cost(Costs::PerLabel(vec![[1.0, 1.0]; 3])).decide(&mixture).unwrap_err();
    assert_eq!(error.to_string(), "parameter cost = 3: must have one pair of costs per label of the model");
    for rule in [
        Rule::FBeta(f64::NAN),
        Rule::FBeta(1e200),
        Rule::PrecisionAt(0),
        Rule::PrecisionAt(3),
        Rule::RecallAt(3),
        Rule::Abstain(-1.0),
    ] {
        assert!(rule.decide(&mixture).is_err(), "{rule}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn no_threshold_has_a_better_pooled_f1_than_the_fitted_ones(
        // Coarse marginals have many ties.
        cells in prop::collection::vec(prop::collection::vec((0_u8..=8, any::<bool>(), 0_u8..5), 3), 1..12),
    ) {
        let marginal = |(p, ..): &(u8, bool, u8)| f64::from(*p) / 8.0;
        let values: Vec<f64> = cells.iter().flatten().map(marginal).collect();
        let marginals = arbormix_matrix::DenseMatrix::new(cells.len(), 3, values);
        let bools = |of: &dyn Fn(&(u8, bool, u8)) -> bool| -> Vec<LabelSet> {
            cells.iter().map(|row| LabelSet::from_bools(&row.iter().map(of).collect::<Vec<_>>())).collect()
        };
        let mut masks = bools(&|(_, _, seen)| *seen > 0);
        masks[0].set(0, true);
        let truth = arbormix_data::Labels::with_mask(3, bools(&|(_, present, _)| *present), masks);
        // The measures are tested against scikit-learn.
        let measured = |thresholds: [f64; 3], name: &str| {
            let set = |row: usize| LabelSet::from_bools(&[0, 1, 2].map(|i| marginals.get(row, i) > thresholds[i]));
            let predicted: Vec<LabelSet> = (0..cells.len()).map(set).collect();
            let outcome = crate::measure::Outcome { truth: &truth, predicted: &predicted, marginals: None, log_probs: None };
            crate::measure::evaluate(&outcome, &crate::measure::MeasureOptions::default()).unwrap().get(name).unwrap()
        };
        for (measure, name) in [(PooledF1::MacroF1, "macro_f1"), (PooledF1::MicroF1, "micro_f1")] {
            let fitted = Thresholds::fit(measure, &marginals, &truth, None);
            let values: [f64; 3] = fitted.values.clone().try_into().unwrap();
            prop_assert!((measured(values, name) - fitted.reached).abs() < 1e-12);
            let grid = (0..=8).map(|step| f64::from(step) / 8.0);
            for threshold in grid {
                match measure {
                    PooledF1::MicroF1 => prop_assert!(measured([threshold; 3], name) <= fitted.reached + 1e-12),
                    PooledF1::MacroF1 => for label in 0..3 {
                        let mut other = values;
                        other[label] = threshold;
                        prop_assert!(measured(other, name) <= fitted.reached + 1e-12);
                    },
                }
            }
        }
    }
}

#[test]
fn thresholds_decide_by_marginals_and_only_for_their_labels() {
    let tree = arbormix_joint::tree::Branching::isolated(2);
    let mixture = RowMixture {
        log_gate: vec![0.0],
        experts: vec![RowExpert::tree(&tree, vec![[[0.7_f64.ln(), 0.3_f64.ln()]; 2]; 2])],
    };
    let rule = |values: &[f64]| {
        Rule::Pooled(Thresholds { measure: PooledF1::MacroF1, values: values.to_vec(), reached: 0.8, rows: 9 })
    };
    let decision = rule(&[0.2, 0.4]).decide(&mixture).unwrap();
    assert_eq!((decision.labels, decision.expected), (LabelSet::from_bools(&[true, false]), 0.8));
    let message = rule(&[0.2]).decide(&mixture).unwrap_err().to_string();
    assert_eq!(message, "parameter thresholds = 1: must have one threshold per label of the model");
    assert!("macro-f1".parse::<Rule>().unwrap_err().to_string().contains("fitted with thresholds"));
}
