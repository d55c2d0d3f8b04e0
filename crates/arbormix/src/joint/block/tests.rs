//! Blocks of rows against their rows alone and against enumeration of all label sets.

use proptest::prelude::*;

use super::*;
use crate::logistic::loss::{log_sigmoid_pair, log_sum_exp};
use crate::tree::tests::{all_sets, row_tree};

/// An expert of eight rows: its tree, its log-odds `[label][u][row]` and its scores in the gate.
type Expert = (Branching, Vec<[[f64; ROWS]; 2]>, [f64; ROWS]);

fn experts() -> impl Strategy<Value = Vec<Expert>> {
    (1_usize..=7, 1_usize..=5).prop_flat_map(|(d, k)| {
        // Halves make ties.
        let odds =
            || prop_oneof![4 => -3.0..3.0_f64, 1 => (-2..=2).prop_map(|half| f64::from(half) / 2.0), 1 => Just(900.0)];
        let score = prop_oneof![4 => -2.0..2.0_f64, 1 => Just(-1000.0)];
        let rows = move || prop::array::uniform8(odds());
        let log_odds = prop::collection::vec([rows(), rows()], d);
        let expert = (row_tree(d).prop_map(|(tree, _)| tree), log_odds, prop::array::uniform8(score));
        prop::collection::vec(expert, k)
    })
}

fn predictions<const W: usize>(experts: &[Expert], first: usize, node_limit: usize) -> Vec<Prediction> {
    let lanes = |from: &[f64; ROWS]| std::array::from_fn(|lane| from[first + lane]);
    let room = |odds: &Vec<[[f64; ROWS]; 2]>| odds.iter().map(|sides| sides.each_ref().map(lanes)).collect::<Vec<_>>();
    let block = Block::<W>::new(
        experts.iter().map(|(tree, ..)| tree).collect(),
        experts.iter().enumerate().map(|(k, _)| lanes(&std::array::from_fn(|row| log_gate(experts, row)[k]))).collect(),
        experts.iter().map(|(_, odds, _)| [room(odds), room(odds)]).collect(),
    );
    let mut out = Vec::new();
    block.predict(node_limit, &mut out);
    out
}

fn log_gate(experts: &[Expert], row: usize) -> Vec<f64> {
    let scores: Vec<f64> = experts.iter().map(|(_, _, scores)| scores[row]).collect();
    let total = log_sum_exp(&scores);
    scores.iter().map(|score| score - total).collect()
}

/// One row's mixture as every other question sees it.
fn mixture(experts: &[Expert], row: usize) -> RowMixture<'_> {
    let tables = |(_, odds, _): &Expert| {
        odds.iter().map(|sides| sides.each_ref().map(|side| log_sigmoid_pair(side[row]))).collect()
    };
    let experts_of_row = experts.iter().map(|whole| RowExpert::Tree(&whole.0, tables(whole))).collect();
    RowMixture { log_gate: log_gate(experts, row), experts: experts_of_row }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]
    #[test]
    fn rows_at_once_have_the_sets_that_enumeration_finds(experts in experts()) {
        let (found, hasty) = (predictions::<ROWS>(&experts, 0, 0), predictions::<ROWS>(&experts, 0, 1));
        for row in 0..ROWS {
            let mixture = mixture(&experts, row);
            let values: Vec<f64> = all_sets(mixture.labels()).iter().map(|set| mixture.log_prob(set)).collect();
            let best = values.into_iter().fold(f64::NEG_INFINITY, f64::max);
            let (value, certificate) = (found[row].log_probability.unwrap(), found[row].certificate.unwrap());
            prop_assert!(certificate.certified && certificate.log_bound == value);
            prop_assert!((value - best).abs() < 1e-12 * (1.0 + best.abs()), "{value} {best}");
            prop_assert!((mixture.log_prob(&found[row].labels) - best).abs() < 1e-11, "{:?}", found[row].labels);
            // A search that is cut short proves less, never something false.
            let cut = hasty[row].certificate.unwrap();
            prop_assert!(cut.log_bound >= best - 1e-11 && (!cut.certified || cut.log_bound <= best + 1e-11));
            prop_assert_eq!(&predictions::<1>(&experts, row, 0)[0], &found[row], "the row alone");
        }
    }
}
