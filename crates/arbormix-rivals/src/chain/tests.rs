//! Tests of chains: against scikit-learn's `ClassifierChain` and enumeration of all label sets.

use proptest::prelude::*;
use serde::Deserialize;

use super::*;
use crate::cc::{ChainScoring, ClassifierChainParams};
use crate::pcc::ProbabilisticChainParams;
use arbormix_base::progress::Silent;
use arbormix_base::random::Stream;
use arbormix_data::{LabelSet, Labels};
use arbormix_joint::learner::{Inference, Joint, Learner, Predictor, TrainingSet};
use arbormix_joint::testing::all_sets;
use arbormix_learn::logistic::{Bias, FeatureWeights, LogisticParams, SolverParams};
use arbormix_matrix::{DenseMatrix, Matrix};

#[derive(Deserialize)]
struct Case {
    x: Vec<Vec<f64>>,
    y: Vec<Vec<u8>>,
    order: Vec<usize>,
    cost: f64,
    test: Vec<Vec<f64>>,
    truth: Vec<Vec<u8>>,
    predicted: Vec<Vec<u8>>,
    probabilities: Vec<Vec<f64>>,
    teacher_forced: Vec<f64>,
    greedy_path: Vec<f64>,
}

fn matrix(rows: &[Vec<f64>]) -> Matrix {
    Matrix::Dense(DenseMatrix::new(rows.len(), rows[0].len(), rows.concat()))
}

fn sets(rows: &[Vec<u8>]) -> Vec<LabelSet> {
    rows.iter().map(|row| LabelSet::from_bools(&row.iter().map(|&v| v == 1).collect::<Vec<_>>())).collect()
}

fn learn(learner: &dyn Learner, features: &Matrix, labels: &Labels) -> Box<dyn Predictor> {
    let names: Vec<String> = (0..labels.count()).map(|label| format!("y{label}")).collect();
    let data = TrainingSet { features, labels, weights: None, label_names: &names };
    learner.learn(&data, &Silent).unwrap().0
}

fn all_close(left: &[f64], right: &[f64]) -> bool {
    left.len() == right.len() && left.iter().zip(right).all(|(a, b)| (a - b).abs() < 1e-5 * (1.0 + b.abs()))
}

#[test]
fn chains_equal_those_of_scikit_learn() {
    #[derive(Deserialize)]
    struct Reference {
        cases: Vec<Case>,
    }
    let reference: Reference =
        serde_json::from_str(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/reference/chain.json"))).unwrap();
    for (number, case) in reference.cases.iter().enumerate() {
        let solver = SolverParams::default().tolerance(1e-15).max_iterations(200);
        let logistic = LogisticParams::default().bias(Bias::Free).costs(vec![case.cost]).solver(solver);
        let order = Order::Listed(case.order.clone());
        let (features, test) = (matrix(&case.x), matrix(&case.test));
        let labels = Labels::new(case.order.len(), sets(&case.y));
        let truth = sets(&case.truth);
        for (scoring, joint, expected) in [
            (ChainScoring::TeacherForced, Joint::TeacherForced, &case.teacher_forced),
            (ChainScoring::GreedyPath, Joint::GreedyPath, &case.greedy_path),
        ] {
            let params =
                ClassifierChainParams::default().logistic(logistic.clone()).order(order.clone()).scoring(scoring);
            let cc = learn(&params, &features, &labels);
            let predicted: Vec<LabelSet> =
                cc.predict(&test, Inference::default()).unwrap().into_iter().map(|p| p.labels).collect();
            assert_eq!(predicted, sets(&case.predicted), "case {number}");
            assert!(all_close(cc.marginals(&test).unwrap().values(), &case.probabilities.concat()), "case {number}");
            assert_eq!(cc.joint(), joint);
            assert!(all_close(&cc.log_prob(&test, &truth).unwrap(), expected), "case {number} {scoring:?}");
        }
        let params = ProbabilisticChainParams::default().logistic(logistic).order(order);
        let pcc = learn(&params, &features, &labels);
        assert!(all_close(&pcc.log_prob(&test, &truth).unwrap(), &case.teacher_forced), "case {number}");
    }
}

/// Random chains in random order, with the log-odds of a row; some are extreme.
fn row_chain(labels: usize) -> impl Strategy<Value = (Chain, Vec<f64>)> {
    let odds = prop_oneof![4 => -3.0..3.0_f64, 1 => -60.0..60.0_f64, 1 => Just(0.0)];
    let links = prop::collection::vec(prop::collection::vec(-3.0..3.0_f64, labels), labels);
    let order = Just((0..labels).collect::<Vec<_>>()).prop_shuffle();
    (prop::collection::vec(odds, labels), links, order).prop_map(|(alone, links, order)| {
        let regression = |place: usize| FeatureWeights { weights: links[place][..place].to_vec(), bias: 0.0 };
        (Chain::new(order.clone(), 0, (0..order.len()).map(regression).collect()), alone)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]
    #[test]
    fn every_answer_equals_enumeration(
        (chain, alone) in (1_usize..=7).prop_flat_map(row_chain),
        count in 1_usize..9,
        width in 1_usize..5,
    ) {
        let row = RowChain::new(&chain, alone);
        let d = row.labels();
        let logs: Vec<f64> = all_sets(d).iter().map(|set| row.log_prob(set)).collect();
        let mut all: Vec<(LabelSet, f64)> = all_sets(d).into_iter().zip(logs).collect();
        let mass: f64 = all.iter().map(|(_, log)| log.exp()).sum();
        prop_assert!((mass - 1.0).abs() < 1e-9, "sums to {mass}");
        for (label, p) in row.marginals_by_enumeration().iter().enumerate() {
            let counted: f64 = all.iter().filter(|(set, _)| set.get(label)).map(|(_, log)| log.exp()).sum();
            prop_assert!((p - counted).abs() < 1e-9);
        }
        all.sort_by(|a, b| b.1.total_cmp(&a.1));
        let top = all[0].1;
        let stream = &mut Stream::new(1, "test", 0);
        let exact = row.best(Search::Exact { node_limit: 0 }, stream);
        prop_assert!((exact.log_probability - top).abs() < 1e-9 && exact.certificate.unwrap().certified);
        prop_assert!((row.log_prob(&row.to_set(&exact.values)) - top).abs() < 1e-9);
        let best = row.best_sets(count, 0);
        prop_assert_eq!(best.len(), count.min(all.len()));
        for ((values, log), (_, expected)) in best.iter().zip(&all) {
            prop_assert!((log - expected).abs() < 1e-9 && (row.log_prob(&row.to_set(values)) - log).abs() < 1e-9);
        }
        let limited = row.best_sets(count, width);
        prop_assert!(limited.len() <= best.len());
        for ((_, log), (_, expected)) in limited.iter().zip(&all) {
            prop_assert!((log - expected).abs() < 1e-9, "listed without a proof");
        }
        let mut distinct: Vec<_> = best.iter().map(|(values, _)| values.clone()).collect();
        distinct.sort();
        distinct.dedup();
        prop_assert_eq!(distinct.len(), best.len());
        let greedy = row.greedy().1;
        for search in [
            Search::Exact { node_limit: 2 },
            Search::Exhaustive,
            Search::Epsilon { threshold: 0.0 },
            Search::Epsilon { threshold: 0.2 },
            Search::Beam { width },
            Search::Beam { width: 1 << d },
            Search::MonteCarlo { samples: 5 },
        ] {
            let found = row.best(search, stream);
            prop_assert!((row.log_prob(&row.to_set(&found.values)) - found.log_probability).abs() < 1e-9);
            prop_assert!(found.log_probability <= top + 1e-9);
            if let Some(certificate) = found.certificate {
                prop_assert!(certificate.log_bound >= top - 1e-9, "{search:?} claims too much");
                prop_assert!(!certificate.certified || found.log_probability >= top - 1e-9, "{search:?}");
            }
            let must_be_best = match search {
                Search::Epsilon { threshold } => top.exp() > threshold,
                Search::Beam { width } => width == 1 << d,
                Search::Exhaustive => true,
                _ => false,
            };
            prop_assert!(!must_be_best || found.log_probability >= top - 1e-9, "{search:?}");
            let starts_greedy = matches!(search, Search::Exact { .. } | Search::MonteCarlo { .. });
            prop_assert!(!starts_greedy || found.log_probability >= greedy - 1e-12, "{search:?}");
        }
        prop_assert_eq!(row.best(Search::Beam { width: 1 }, stream).log_probability, greedy);
    }

    #[test]
    fn sampled_marginals_approach_the_enumerated_ones((chain, alone) in row_chain(5)) {
        let row = RowChain::new(&chain, alone);
        let sampled = row.marginals_by_sampling(4000, &mut Stream::new(3, "test", 0));
        // Six standard errors of counting 4000 coin flips.
        prop_assert!(sampled.iter().zip(row.marginals_by_enumeration()).all(|(a, b)| (a - b).abs() < 0.048));
    }
}

#[test]
fn the_greedy_path_is_not_always_the_best() {
    // P(first) = 0.4, but the second label is then certain; without it a coin is thrown.
    let link = FeatureWeights { weights: vec![50.0], bias: 0.0 };
    let chain = Chain::new(vec![0, 1], 0, vec![FeatureWeights { weights: vec![], bias: 0.0 }, link]);
    let row = RowChain::new(&chain, vec![(0.4_f64 / 0.6).ln(), 0.0]);
    assert_eq!(row.greedy().0, [false, true]);
    let found = row.best(Search::default(), &mut Stream::new(0, "test", 0));
    assert_eq!(found.values, [true, true]);
    assert!((found.log_probability - 0.4_f64.ln()).abs() < 1e-12);
}

/// Fair coins: every set is as probable as any other, and only the end of the search proves that.
#[test]
fn a_search_that_gives_up_lists_only_what_is_proven() {
    let coin = |place: usize| FeatureWeights { weights: vec![0.0; place], bias: 0.0 };
    let coins = Chain::new((0..10).collect(), 0, (0..10).map(coin).collect());
    let row = RowChain::new(&coins, vec![0.0; 10]);
    assert_eq!(row.best_sets(3, 0).len(), 3);
    assert!(row.best_sets(3, 5).is_empty());
    let found = row.best(Search::Exact { node_limit: 5 }, &mut Stream::new(0, "test", 0));
    assert!(!found.certificate.unwrap().certified);
}

#[test]
fn exhaustive_search_of_many_labels_is_refused() {
    let labels = Labels::new(21, vec![LabelSet::empty(21); 2]);
    let names: Vec<String> = (0..21).map(|label| format!("y{label}")).collect();
    let features = matrix(&[vec![1.0], vec![2.0]]);
    let data = TrainingSet { features: &features, labels: &labels, weights: None, label_names: &names };
    let params = ProbabilisticChainParams::default().inference(Search::Exhaustive);
    assert_eq!(
        params.learn(&data, &Silent).err().unwrap().to_string(),
        "parameter inference = \"exhaustive\": looks at all label sets, for at most 20 labels; use exact, which proves the same"
    );
}

#[test]
fn an_order_of_other_labels_is_refused() {
    let params = |order: Vec<usize>| ClassifierChainParams::default().order(Order::Listed(order));
    assert_eq!(
        params(vec![1, 1]).validate().unwrap_err().to_string(),
        "parameter order = [1, 1]: must list every label's position once, from 0"
    );
    let labels = Labels::new(3, sets(&[vec![1, 0, 1], vec![0, 1, 1]]));
    let features = matrix(&[vec![1.0], vec![2.0]]);
    let names: Vec<String> = ["a", "b", "c"].map(String::from).to_vec();
    let data = TrainingSet { features: &features, labels: &labels, weights: None, label_names: &names };
    let error = params(vec![1, 0]).learn(&data, &Silent).err().unwrap();
    assert_eq!(error.to_string(), "parameter order: lists 2 labels, but the data has 3; list every label once");
}
