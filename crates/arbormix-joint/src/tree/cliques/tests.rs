//! Trees of cliques: their shape, and against label trees. (`joint::questions` compares every answer with enumeration.)

use proptest::prelude::*;

use super::*;
use crate::testing::all_sets;
use crate::tree::inference;
use crate::tree::tests::row_tree;
use arbormix_matrix::DenseMatrix;

/// A symmetric matrix of weights from numbers for its cells.
fn symmetric(labels: usize, cells: &[f64]) -> DenseMatrix {
    let mut out = DenseMatrix::zeros(labels, labels);
    for i in 0..labels {
        for j in 0..i {
            out.row_mut(i)[j] = cells[i * labels + j];
            out.row_mut(j)[i] = cells[i * labels + j];
        }
    }
    out
}

/// Random weights between labels, some of them 0.
fn weights(labels: usize) -> impl Strategy<Value = DenseMatrix> {
    let weight = prop_oneof![1 => Just(0.0), 2 => 0.0..1.0_f64];
    prop::collection::vec(weight, labels * labels).prop_map(move |cells| symmetric(labels, &cells))
}

/// Random trees of cliques of width up to 4, with tables of which some are certain.
pub(crate) fn row_cliques(labels: usize) -> impl Strategy<Value = (CliqueTree, CliqueTables)> {
    let odds = prop_oneof![6 => -4.0..4.0_f64, 1 => Just(f64::INFINITY), 1 => Just(f64::NEG_INFINITY)];
    (weights(labels), 0_usize..=4, prop::collection::vec(odds, labels * 16)).prop_map(move |(weights, width, odds)| {
        let tree = CliqueTree::heaviest(&weights, width, 0.3);
        let table = |place: usize| {
            let pair = |above: usize| {
                let z = odds[16 * place + above];
                [-(1.0 + z.exp()).ln(), -(1.0 + (-z).exp()).ln()]
            };
            (0..1 << tree.parents()[place].len()).flat_map(pair).collect()
        };
        let tables = CliqueTables((0..labels).map(table).collect());
        (tree, tables)
    })
}

proptest! {
    #[test]
    fn cliques_of_one_parent_are_a_label_tree((tree, tables) in (1_usize..=7).prop_flat_map(row_tree)) {
        let order = tree.order().to_vec();
        let place = |label: usize| order.iter().position(|&other| other == label).unwrap();
        let parents = order.iter().map(|&label| tree.parents()[label].map(place).into_iter().collect()).collect();
        let table = |&label: &usize| {
            let sides = if tree.parents()[label].is_some() { 2 } else { 1 };
            tables[label][..sides].concat()
        };
        let cliques = CliqueTables(order.iter().map(table).collect());
        let whole = CliqueTree::new(order.clone(), parents).unwrap();
        let allowed: Vec<[bool; 2]> = (0..tree.len()).map(|label| [label % 3 != 1, label % 4 != 2]).collect();
        let near = |a: f64, b: f64| a == b || (a - b).abs() < 1e-9;
        for set in all_sets(tree.len()) {
            prop_assert!(near(cliques.log_prob(&whole, &set), inference::log_prob(&tree, &tables, &set)));
        }
        let expected = inference::max_marginals(&tree, &tables, &allowed);
        for (own, other) in cliques.max_marginals(&whole, &allowed).iter().zip(expected) {
            prop_assert!(near(own[0], other[0]) && near(own[1], other[1]));
        }
        for (own, other) in cliques.marginals(&whole).iter().zip(inference::marginals(&tree, &tables)) {
            prop_assert!(near(*own, other));
        }
        prop_assert!(near(cliques.log_mass(&whole, &allowed), inference::log_mass(&tree, &tables, &allowed)));
        prop_assert!(near(cliques.best_set(&whole, &allowed).1, inference::best_set(&tree, &tables, &allowed).1));
    }

    /// With one parent it is a maximum spanning tree, which networkx would find too; with enough parents it holds everything.
    #[test]
    fn the_heaviest_tree_of_cliques_holds_what_it_can(weights in (2_usize..=7).prop_flat_map(weights)) {
        let labels = weights.rows();
        let held = |width: usize| {
            let tree = CliqueTree::heaviest(&weights, width, 0.0);
            prop_assert!(tree.parents().iter().all(|own| own.len() <= width));
            let of = |place: usize| {
                let own = tree.order()[place];
                tree.parents()[place].iter().map(|&parent| weights.get(own, tree.order()[parent])).sum::<f64>()
            };
            Ok((0..labels).map(of).sum::<f64>())
        };
        let all: f64 = (0..labels).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| weights.get(i, j)).sum();
        prop_assert!((held(labels - 1)? - all).abs() < 1e-9);
        prop_assert!((held(1)? - spanning(&weights)).abs() < 1e-9);
        prop_assert!(held(2)? >= held(1)? - 1e-9);
    }
}

/// The weight of a maximum spanning tree, by Kruskal's method.
fn spanning(weights: &DenseMatrix) -> f64 {
    let labels = weights.rows();
    let mut edges: Vec<(f64, usize, usize)> =
        (0..labels).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| (weights.get(i, j), i, j)).collect();
    edges.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut group: Vec<usize> = (0..labels).collect();
    let mut total = 0.0;
    for (weight, i, j) in edges {
        let (from, to) = (group[i], group[j]);
        if from != to {
            total += weight;
            group.iter_mut().filter(|own| **own == from).for_each(|own| *own = to);
        }
    }
    total
}

/// Nine labels in a square: rows of three, each with its neighbours. Three parents could hold all twelve pairs; growing finds a tree
/// that holds nearly all.
#[test]
fn a_grid_needs_as_many_parents_as_it_is_wide() {
    let mut weights = DenseMatrix::zeros(9, 9);
    for i in 0..9_usize {
        for j in 0..9_usize {
            let apart = (i / 3).abs_diff(j / 3) + (i % 3).abs_diff(j % 3);
            weights.row_mut(i)[j] = if apart == 1 { 1.0 } else { 0.0 };
        }
    }
    let held = |width: usize| {
        let tree = CliqueTree::heaviest(&weights, width, 0.5);
        let pair = |place: usize, parent: usize| weights.get(tree.order()[place], tree.order()[parent]);
        let of = |place: usize| tree.parents()[place].iter().map(|&parent| pair(place, parent)).sum::<f64>();
        (0..9).map(of).sum::<f64>()
    };
    assert_eq!(held(1), 8.0);
    assert!(held(3) >= 11.0 && held(4) == 12.0, "{} {}", held(3), held(4));
}

#[test]
fn what_is_no_tree_of_cliques_is_refused() {
    let of = |parents: Vec<Vec<usize>>| CliqueTree::new((0..parents.len()).collect(), parents);
    assert!(of(vec![vec![], vec![0], vec![1, 0], vec![2, 0]]).is_some());
    assert!(of(vec![vec![], vec![0], vec![1], vec![2, 0]]).is_none(), "parents that are in no clique");
    assert!(of(vec![vec![], vec![1]]).is_none(), "its own parent");
    assert!(of(vec![vec![], vec![0, 0]]).is_none(), "a parent twice");
    assert!(CliqueTree::new(vec![0, 0], vec![vec![], vec![]]).is_none(), "a label twice");
    assert!(CliqueTree::new(vec![0, 1], vec![vec![]]).is_none(), "a label without a list");
}
