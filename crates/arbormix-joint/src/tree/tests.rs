//! Tests of trees: against enumeration of all trees and all label sets, and networkx.

use arbormix_data::LabelSet;
use arbormix_learn::logistic::loss::log_sigmoid;
use arbormix_matrix::DenseMatrix;
use proptest::prelude::*;
use serde::Deserialize;

use super::inference::{BestSets, Table, best_set, log_prob, marginals, max_marginals};
use super::*;
use crate::testing::all_sets;

fn edge_scores(scores: &[Vec<f64>]) -> EdgeScores {
    let count = scores.len();
    EdgeScores {
        alone: (0..count).map(|i| scores[i][i]).collect(),
        given: DenseMatrix::new(count, count, scores.concat()),
    }
}

fn total(scores: &[Vec<f64>], tree: &Branching) -> f64 {
    tree.parents().iter().enumerate().map(|(child, parent)| scores[parent.unwrap_or(child)][child]).sum()
}

/// The best total over every assignment of parents that is a forest.
fn best_by_enumeration(scores: &[Vec<f64>]) -> f64 {
    let count = scores.len();
    let mut best = f64::NEG_INFINITY;
    for code in 0..(count as u64).pow(count as u32) {
        let choice = |child: usize| (code / (count as u64).pow(child as u32) % count as u64) as usize;
        let parents = (0..count).map(|child| (choice(child) != child).then(|| choice(child))).collect();
        if let Some(tree) = Branching::new(parents) {
            best = best.max(total(scores, &tree));
        }
    }
    best
}

proptest! {
    #[test]
    fn the_best_branching_is_the_best_of_all(
        scores in (1_usize..=5).prop_flat_map(|d| prop::collection::vec(prop::collection::vec(-9.0..0.0, d), d)),
        coarse in any::<bool>(),
    ) {
        // Coarse scores have many ties.
        let round = |s: &f64| if coarse { s.round() } else { *s };
        let scores: Vec<Vec<f64>> = scores.iter().map(|row: &Vec<f64>| row.iter().map(round).collect()).collect();
        let tree = Branching::best(&edge_scores(&scores), 0.0);
        prop_assert!((total(&scores, &tree) - best_by_enumeration(&scores)).abs() < 1e-9);
    }
}

#[test]
fn best_branchings_equal_those_of_networkx() {
    #[derive(Deserialize)]
    struct Case {
        scores: Vec<Vec<f64>>,
        best: f64,
    }
    #[derive(Deserialize)]
    struct Reference {
        cases: Vec<Case>,
    }
    let reference: Reference =
        serde_json::from_str(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/reference/branching.json")))
            .unwrap();
    assert!(reference.cases.len() >= 30);
    for case in reference.cases {
        let tree = Branching::best(&edge_scores(&case.scores), 0.0);
        assert!((total(&case.scores, &tree) - case.best).abs() < 1e-9, "d = {}", case.scores.len());
    }
}

#[test]
fn without_gain_there_is_no_edge() {
    let scores = vec![vec![-1.0; 4]; 4];
    assert_eq!(Branching::best(&edge_scores(&scores), 0.0), Branching::isolated(4));
    let mut scores = vec![vec![-5.0; 3]; 3];
    scores[0][1] = -4.0;
    assert_eq!(Branching::best(&edge_scores(&scores), 0.5).parents(), [None, Some(0), None]);
    assert_eq!(Branching::best(&edge_scores(&scores), 1.5), Branching::isolated(3));
}

/// Random trees with random tables; some log-odds are extreme.
pub(crate) fn row_tree(labels: usize) -> impl Strategy<Value = (Branching, Vec<Table>)> {
    let odds = prop_oneof![4 => -4.0..4.0_f64, 1 => -800.0..800.0_f64, 1 => Just(0.0)];
    let nodes = prop::collection::vec((any::<prop::sample::Index>(), any::<bool>(), [odds.clone(), odds]), labels);
    (nodes, Just((0..labels).collect::<Vec<_>>()).prop_shuffle()).prop_map(|(nodes, order)| {
        let mut parents = vec![None; nodes.len()];
        for (place, &label) in order.iter().enumerate() {
            let (pick, rooted, _) = &nodes[label];
            if place > 0 && !rooted {
                parents[label] = Some(order[pick.index(place)]);
            }
        }
        let side = |z: f64| [log_sigmoid(-z), log_sigmoid(z)];
        let table = |(_, _, [off, on]): &(_, _, [f64; 2])| [side(*off), side(*on)];
        (Branching::new(parents).unwrap(), nodes.iter().map(table).collect())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]
    #[test]
    fn every_answer_equals_enumeration(
        (tree, tables) in (1_usize..=7).prop_flat_map(row_tree),
        clamps in prop::collection::vec(0_u8..4, 7),
    ) {
        let d = tree.len();
        let allowed: Vec<[bool; 2]> = clamps[..d].iter().map(|c| match c { 0 => [true, false], 1 => [false, true], _ => [true; 2] }).collect();
        let fits = |set: &LabelSet| (0..d).all(|i| allowed[i][usize::from(set.get(i))]);
        let sets: Vec<(LabelSet, f64)> = all_sets(d).into_iter().map(|s| { let l = log_prob(&tree, &tables, &s); (s, l) }).collect();
        let mass: f64 = sets.iter().map(|(_, l)| l.exp()).sum();
        prop_assert!((mass - 1.0).abs() < 1e-9, "sums to {mass}");
        for (i, p) in marginals(&tree, &tables).iter().enumerate() {
            let direct: f64 = sets.iter().filter(|(s, _)| s.get(i)).map(|(_, l)| l.exp()).sum();
            prop_assert!((p - direct).abs() < 1e-9);
        }
        let best = sets.iter().filter(|(s, _)| fits(s)).map(|(_, l)| *l).fold(f64::NEG_INFINITY, f64::max);
        let (set, value) = best_set(&tree, &tables, &allowed);
        prop_assert!(fits(&set) && (value - best).abs() < 1e-9 * (1.0 + best.abs()));
        prop_assert!((log_prob(&tree, &tables, &set) - value).abs() < 1e-9 * (1.0 + best.abs()));
        for (i, maxima) in max_marginals(&tree, &tables, &allowed).iter().enumerate() {
            for v in 0..2 {
                let direct = sets.iter().filter(|(s, _)| fits(s) && usize::from(s.get(i)) == v).map(|(_, l)| *l).fold(f64::NEG_INFINITY, f64::max);
                prop_assert!(maxima[v] == direct || (maxima[v] - direct).abs() < 1e-9 * (1.0 + direct.abs()), "{} {direct}", maxima[v]);
            }
        }
        let mut values: Vec<f64> = sets.iter().map(|(_, l)| *l).collect();
        values.sort_by(|a, b| b.total_cmp(a));
        let top: Vec<_> = BestSets::new(d, |allowed: &[[bool; 2]]| best_set(&tree, &tables, allowed), |allowed: &[[bool; 2]]| max_marginals(&tree, &tables, allowed)).take(5).collect();
        prop_assert_eq!(top.len(), values.len().min(5));
        for ((set, value), expected) in top.iter().zip(&values) {
            prop_assert!((value - expected).abs() < 1e-9 * (1.0 + expected.abs()));
            prop_assert!((log_prob(&tree, &tables, set) - value).abs() < 1e-9 * (1.0 + expected.abs()));
        }
    }
}
