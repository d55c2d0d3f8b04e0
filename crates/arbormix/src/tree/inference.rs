//! Questions to one tree about one row.
//!
//! A row's tree is given by its [`Branching`] and one [`Table`] per label: `table[u][v]` = log P(yᵢ = v | y_π(i) = u, x).
//! A label without a parent uses `table[0]`. Everything is in log space.

use super::branching::Branching;
use crate::data::LabelSet;

/// `table[u][v]` = log P(label = v | parent = u).
pub type Table = [[f64; 2]; 2];

/// Which values each label may take: `allowed[i][v]`.
pub type Allowed = Vec<[bool; 2]>;

/// Every label may take both values.
pub fn unrestricted(labels: usize) -> Allowed {
    vec![[true; 2]; labels]
}

fn parent_value(tree: &Branching, label: usize, set: &LabelSet) -> usize {
    tree.parents()[label].map_or(0, |parent| usize::from(set.get(parent)))
}

/// log P(y | x, T) = Σᵢ log P(yᵢ | x, y_π(i)) (Eq. 3).
pub fn log_prob(tree: &Branching, tables: &[Table], set: &LabelSet) -> f64 {
    (0..tree.len()).map(|i| tables[i][parent_value(tree, i, set)][usize::from(set.get(i))]).sum()
}

/// P(yᵢ = 1 | x) of every label: one pass from the roots to the leaves.
pub fn marginals(tree: &Branching, tables: &[Table]) -> Vec<f64> {
    let mut on = vec![0.0; tree.len()];
    for &i in tree.order() {
        let given = |u: usize| tables[i][u][1].exp();
        on[i] = match tree.parents()[i] {
            None => given(0),
            Some(parent) => (1.0 - on[parent]) * given(0) + on[parent] * given(1),
        };
    }
    on
}

/// Results of the upward max-sum pass.
struct Upward {
    /// `below[i][v]`: best log-probability of everything under i when yᵢ = v.
    below: Vec<[f64; 2]>,
    /// `message[i][u]`: best of i and everything under it when its parent is u.
    message: Vec<[f64; 2]>,
}

fn upward(tree: &Branching, tables: &[Table], allowed: &[[bool; 2]]) -> Upward {
    let mut below = vec![[0.0; 2]; tree.len()];
    let mut message = vec![[f64::NEG_INFINITY; 2]; tree.len()];
    for &i in tree.order().iter().rev() {
        for u in 0..2 {
            for v in (0..2).filter(|&v| allowed[i][v]) {
                message[i][u] = f64::max(message[i][u], tables[i][u][v] + below[i][v]);
            }
        }
        if let Some(parent) = tree.parents()[i] {
            for u in 0..2 {
                below[parent][u] += message[i][u];
            }
        }
    }
    Upward { below, message }
}

/// The most probable set among the allowed ones and its log-probability: max-sum, O(d). Ties prefer absence.
///
/// Each label must have an allowed value.
pub fn best_set(tree: &Branching, tables: &[Table], allowed: &[[bool; 2]]) -> (LabelSet, f64) {
    let up = upward(tree, tables, allowed);
    let mut set = LabelSet::empty(tree.len());
    let mut total = 0.0;
    for &i in tree.order() {
        let u = parent_value(tree, i, &set);
        let value = |v: usize| if allowed[i][v] { tables[i][u][v] + up.below[i][v] } else { f64::NEG_INFINITY };
        set.set(i, value(1) > value(0));
        if tree.parents()[i].is_none() {
            total += up.message[i][0];
        }
    }
    (set, total)
}

/// Max-marginals: `out[i][v]` = max { log P(y) : y allowed, yᵢ = v }, −∞ where yᵢ = v is not allowed.
///
/// One upward and one downward pass, O(d).
pub fn max_marginals(tree: &Branching, tables: &[Table], allowed: &[[bool; 2]]) -> Vec<[f64; 2]> {
    let up = upward(tree, tables, allowed);
    let total: f64 = (0..tree.len()).filter(|&i| tree.parents()[i].is_none()).map(|i| up.message[i][0]).sum();
    // above[i][v]: best of everything not under i, with yᵢ = v.
    let mut above = vec![[f64::NEG_INFINITY; 2]; tree.len()];
    for &i in tree.order() {
        for v in (0..2).filter(|&v| allowed[i][v]) {
            above[i][v] = match tree.parents()[i] {
                None => tables[i][0][v] + (total - up.message[i][0]),
                Some(parent) => (0..2)
                    .map(|u| above[parent][u] + (up.below[parent][u] - up.message[i][u]) + tables[i][u][v])
                    .fold(f64::NEG_INFINITY, f64::max),
            };
        }
    }
    (0..tree.len()).map(|i| [above[i][0] + up.below[i][0], above[i][1] + up.below[i][1]]).collect()
}

/// The `count` best sets, best first, of any distribution whose best set under restrictions can be found.
///
/// `best(allowed)` gives the most probable allowed set and its log-probability. Lawler's partition: what is left after
/// removing a set from its subspace splits by the first label that differs from it. Ties go to the smaller set.
pub fn best_sets(
    labels: usize,
    count: usize,
    mut best: impl FnMut(&[[bool; 2]]) -> (LabelSet, f64),
) -> Vec<(LabelSet, f64)> {
    if count == 0 {
        return Vec::new();
    }
    let mut open = vec![(best(&unrestricted(labels)), unrestricted(labels))];
    let mut found = Vec::new();
    while found.len() < count && !open.is_empty() {
        let better = |a: &(LabelSet, f64), b: &(LabelSet, f64)| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0));
        let at = (1..open.len()).fold(0, |at, i| if better(&open[i].0, &open[at].0).is_lt() { i } else { at });
        let (top, mut space) = open.swap_remove(at);
        if found.len() + 1 < count {
            for label in 0..labels {
                let value = usize::from(top.0.get(label));
                if space[label] == [true; 2] {
                    space[label][value] = false;
                    open.push((best(&space), space.clone()));
                }
                space[label] = [value == 0, value == 1];
            }
        }
        found.push(top);
    }
    found
}
