//! What tests of several crates compare answers with.

use arbormix_base::random::Stream;
use arbormix_data::LabelSet;
use arbormix_learn::logistic::loss::{log_sigmoid, log_sum_exp};
use arbormix_matrix::DenseMatrix;

use crate::joint::{Expert, RowCliques, RowExpert, RowMixture, RowSets};
use crate::tree::inference::Table;
use crate::tree::{Branching, CliqueTables, CliqueTree};

/// All 2^d label sets: the naive answer to every question is a sum or a maximum over them.
pub fn all_sets(labels: usize) -> Vec<LabelSet> {
    let set = |code: u32| LabelSet::from_bools(&(0..labels).map(|i| code >> i & 1 == 1).collect::<Vec<_>>());
    (0..1 << labels).map(set).collect()
}

/// All label sets with their probabilities.
pub fn enumerated(mixture: &RowMixture<'_>) -> Vec<(LabelSet, f64)> {
    let sets = all_sets(mixture.labels()).into_iter();
    sets.map(|set| (set.clone(), mixture.log_prob(&set).exp())).collect()
}

/// What a mixture is made of.
#[derive(Debug, Clone)]
pub struct Parts {
    /// Label trees with their tables.
    pub trees: Vec<(Branching, Vec<Table>)>,
    /// A tree of cliques with its tables.
    pub cliques: (CliqueTree, CliqueTables),
    /// All label sets, ascending.
    pub sets: Vec<LabelSet>,
    /// The probabilities of some of them.
    pub shares: Vec<(u32, f64)>,
    /// Of the trees, the table of sets and the tree of cliques.
    pub scores: Vec<f64>,
}

impl Parts {
    /// Random parts: up to `labels` labels, 5 trees, a table of a third of the sets and a tree of cliques, some of which have
    /// almost no weight.
    pub fn random(labels: usize, seed: u64) -> Parts {
        let mut stream = Stream::new(seed, "parts-of-a-mixture", 0);
        let (labels, count) = (1 + stream.below(labels), 1 + stream.below(5));
        let trees = (0..count).map(|_| random_tree(labels, &mut stream)).collect();
        let cliques = random_cliques(labels, &mut stream);
        let mut sets = all_sets(labels);
        sets.sort();
        let mut masses: Vec<f64> =
            sets.iter().map(|_| if stream.below(3) == 0 { 0.01 + stream.uniform() } else { 0.0 }).collect();
        masses[0] += 0.01; // a distribution needs a set
        let total: f64 = masses.iter().sum();
        let shares = (0..).zip(masses).map(|(set, mass)| (set, mass / total)).collect();
        let score = |_| if stream.below(4) == 0 { -1000.0 } else { 6.0 * stream.uniform() - 3.0 };
        Parts { trees, cliques, sets, shares, scores: (0..count + 2).map(score).collect() }
    }
}

/// Log-probabilities of a label that is absent and present, from log-odds between −4 and 4 of which some are certain.
fn random_side(stream: &mut Stream) -> [f64; 2] {
    let odds = if stream.below(8) == 0 { 800.0 } else { 4.0 } * (2.0 * stream.uniform() - 1.0);
    [log_sigmoid(-odds), log_sigmoid(odds)]
}

fn random_tree(labels: usize, stream: &mut Stream) -> (Branching, Vec<Table>) {
    let order = stream.permutation(labels);
    let mut parents = vec![None; labels];
    for (place, &label) in order.iter().enumerate().skip(1) {
        if stream.below(4) > 0 {
            parents[label] = Some(order[stream.below(place)]);
        }
    }
    let tree = Branching::new(parents).expect("parents come earlier in the order");
    let tables = (0..labels).map(|_| [random_side(stream), random_side(stream)]).collect();
    (tree, tables)
}

fn random_cliques(labels: usize, stream: &mut Stream) -> (CliqueTree, CliqueTables) {
    let mut weights = DenseMatrix::zeros(labels, labels);
    for i in 0..labels {
        for j in 0..i {
            let weight = if stream.below(3) == 0 { 0.0 } else { stream.uniform() };
            weights.row_mut(i)[j] = weight;
            weights.row_mut(j)[i] = weight;
        }
    }
    let tree = CliqueTree::heaviest(&weights, stream.below(5), 0.3);
    let table = |parents: &Vec<usize>| (0..1 << parents.len()).flat_map(|_| random_side(stream)).collect();
    let tables = CliqueTables(tree.parents().iter().map(table).collect());
    (tree, tables)
}

/// The mixture that is made of these parts.
pub fn assembled(parts: &Parts) -> RowMixture<'_> {
    let total = log_sum_exp(&parts.scores);
    let mut experts: Vec<RowExpert<'_>> =
        parts.trees.iter().map(|(tree, tables)| RowExpert::tree(tree, tables.clone())).collect();
    let labels = experts[0].labels();
    experts.push(RowExpert::Sets(RowSets::new(labels, &parts.sets, parts.shares.clone())));
    let (tree, tables) = &parts.cliques;
    experts.push(RowExpert::Cliques(RowCliques { tree, tables: tables.clone() }));
    RowMixture { log_gate: parts.scores.iter().map(|score| score - total).collect(), experts }
}
