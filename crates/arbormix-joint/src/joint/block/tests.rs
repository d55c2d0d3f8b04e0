//! Blocks of rows against their rows alone and against enumeration of all label sets.

use proptest::prelude::*;

use super::*;
use crate::joint::{Expert as _, RowExpert, RowMixture, RowTree};
use crate::testing::all_sets;
use crate::tree::tests::row_tree;
use arbormix_learn::logistic::loss::{log_sigmoid_pair, log_sum_exp};

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

/// The predictions of some of the rows, which go through blocks in this order.
fn predictions(experts: &[Expert], rows: &[usize], node_limit: usize) -> Vec<Prediction> {
    let trees: Vec<&Branching> = experts.iter().map(|(tree, ..)| tree).collect();
    let mut answers = Answers { found: vec![None; rows.len()], node_limit };
    let (mut block, mut rest) = (Block::new(&trees), Block::new(&trees));
    for (places, rows) in (0..).step_by(ROWS).zip(rows.chunks(ROWS)) {
        for (lane, &row) in rows.iter().enumerate() {
            block.put(lane, places + lane, &log_gate(experts, row));
            for (k, (_, odds, _)) in experts.iter().enumerate() {
                let tables = block.tables_mut(k).iter_mut().zip(odds);
                tables.for_each(|(table, odds)| (0..2).for_each(|u| table[0][u][lane] = odds[u][row]));
            }
        }
        block.begin(&mut answers);
        block.leave_to(&mut rest, &mut answers);
    }
    rest.go_on_until(0, &mut answers);
    answers.found.into_iter().map(Option::unwrap).collect()
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
    let experts_of_row = experts.iter().map(|whole| RowExpert::tree(&whole.0, tables(whole))).collect();
    RowMixture { log_gate: log_gate(experts, row), experts: experts_of_row }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]
    #[test]
    fn rows_at_once_have_the_sets_that_enumeration_finds(experts in experts()) {
        let all: Vec<usize> = (0..ROWS).collect();
        let (found, hasty) = (predictions(&experts, &all, 0), predictions(&experts, &all, 1));
        // Blocks in which every row has other neighbours, and the last one has lanes that nobody is in.
        let mixed: Vec<usize> = (0..3 * ROWS + 3).map(|place| place * place % ROWS).collect();
        for (row, mixed) in mixed.iter().zip(predictions(&experts, &mixed, 0)) {
            prop_assert_eq!(&mixed, &found[*row], "among others");
        }
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
            prop_assert_eq!(&predictions(&experts, &[row], 0)[0], &found[row], "the row alone");
        }
    }

    #[test]
    fn open_labels_alone_have_the_best_set_of_those_that_agree_on_the_closed_ones(
        experts in experts(), row in 0..ROWS, bits in any::<u8>(), open in any::<u8>()
    ) {
        let mixture = mixture(&experts, row);
        let bit = |bits: u8| (0..mixture.labels()).map(|label| bits >> label & 1 == 1).collect::<Vec<bool>>();
        let (set, open) = (LabelSet::from_bools(&bit(bits)), bit(open));
        let agrees = |other: &LabelSet| (0..open.len()).all(|label| open[label] || other.get(label) == set.get(label));
        let among: Vec<LabelSet> = all_sets(open.len()).into_iter().filter(agrees).collect();
        let best = among.iter().map(|set| mixture.log_prob(set)).fold(f64::NEG_INFINITY, f64::max);
        let trees: Vec<&Branching> = experts.iter().map(|(tree, ..)| tree).collect();
        let (mut tables, mut own) = (Vec::new(), Vec::new());
        for (expert, gate) in mixture.experts.iter().zip(&mixture.log_gate) {
            let RowExpert::Tree(RowTree { tables: own_tables, .. }) = expert else { unreachable!("all are trees") };
            tables.push(own_tables.clone());
            let values = among.iter().map(|set| (set.clone(), gate + expert.log_prob(set)));
            own.push(values.reduce(|best, next| if next.1 > best.1 { next } else { best }).unwrap());
        }
        let found = (set.clone(), mixture.log_prob(&set));
        let rest = OpenLabels::new(&trees, &tables, &mixture.log_gate, &open, &set);
        let (labels, certificate) = rest.search(found, &own, 0);
        prop_assert!(agrees(&labels) && certificate.certified, "{labels:?}");
        let value = mixture.log_prob(&labels);
        prop_assert!((value - best).abs() < 1e-11 * (1.0 + best.abs()) || value == best, "{value} {best}");
    }
}
