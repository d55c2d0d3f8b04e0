//! The tree over the labels, and the search for the best one.

use serde::{Deserialize, Serialize};

use arbormix_matrix::DenseMatrix;

/// Weighted conditional log-likelihoods on held-out rows.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeScores {
    /// W(φ → i): label i from x alone.
    pub alone: Vec<f64>,
    /// W(j → i): label i (column) from x and label j (row), Eq. 11; −∞ for an edge that is no candidate. The diagonal is
    /// not used.
    pub given: DenseMatrix,
}

/// A forest over the labels: each has at most one parent, and there is no cycle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Vec<Option<usize>>", try_from = "Vec<Option<usize>>")]
pub struct Branching {
    parents: Vec<Option<usize>>,
    /// Labels, parents before children.
    order: Vec<usize>,
}

impl Branching {
    /// From the parent of each label; `None` if there is a cycle or a parent that does not exist.
    ///
    /// ```
    /// use arbormix_joint::tree::Branching;
    /// assert!(Branching::new(vec![None, Some(0), Some(1)]).is_some());
    /// assert!(Branching::new(vec![Some(1), Some(0)]).is_none());
    /// ```
    pub fn new(parents: Vec<Option<usize>>) -> Option<Branching> {
        let count = parents.len();
        let mut depth = vec![None; count];
        for label in 0..count {
            // Walk up to a label of known depth; a walk longer than the number of labels is a cycle.
            let mut path = Vec::new();
            let mut at = Some(label);
            while let Some(here) = at {
                if here >= count || path.len() > count {
                    return None;
                }
                if depth[here].is_some() {
                    break;
                }
                path.push(here);
                at = parents[here];
            }
            let first = at.and_then(|here| depth[here]).map_or(0, |depth: usize| depth + 1);
            for (next, &here) in (first..).zip(path.iter().rev()) {
                depth[here] = Some(next);
            }
        }
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by_key(|&label| depth[label]);
        Some(Branching { parents, order })
    }

    /// The forest without edges.
    pub fn isolated(count: usize) -> Branching {
        Branching { parents: vec![None; count], order: (0..count).collect() }
    }

    /// The forest that maximises the sum of its edge scores (Eq. 10): maximum branching by Chu-Liu and Edmonds.
    ///
    /// Only edges that gain more than `min_gain` over the label alone take part; ties go to no parent, then to the
    /// parent with the lower number.
    pub fn best(scores: &EdgeScores, min_gain: f64) -> Branching {
        let count = scores.alone.len();
        // Node 0 is a virtual root whose edges have gain 0: labels it reaches directly have no parent. Subtracting
        // each label's own score changes no comparison and makes "no parent" worth 0.
        let mut gains = vec![vec![f64::NEG_INFINITY; count + 1]; count + 1];
        for child in 0..count {
            gains[0][child + 1] = 0.0;
            for parent in 0..count {
                let gain = scores.given.get(parent, child) - scores.alone[child];
                if parent != child && gain > min_gain {
                    gains[parent + 1][child + 1] = gain;
                }
            }
        }
        let parents = spanning_arborescence(&gains);
        let parents = parents[1..].iter().map(|&parent| parent.checked_sub(1)).collect();
        Branching::new(parents).unwrap_or_else(|| Branching::isolated(count))
    }

    /// Number of labels.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Whether there are no labels.
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// Parent of each label.
    pub fn parents(&self) -> &[Option<usize>] {
        &self.parents
    }

    /// Labels, parents before children.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// Children of a label (`None`: the roots), ascending.
    pub fn children(&self, label: Option<usize>) -> Vec<usize> {
        (0..self.len()).filter(|&child| self.parents[child] == label).collect()
    }
}

impl From<Branching> for Vec<Option<usize>> {
    fn from(branching: Branching) -> Self {
        branching.parents
    }
}

impl TryFrom<Vec<Option<usize>>> for Branching {
    type Error = &'static str;

    fn try_from(parents: Vec<Option<usize>>) -> Result<Self, Self::Error> {
        Branching::new(parents).ok_or("the parents of a tree form a cycle or do not exist")
    }
}

/// Parent of every node in the spanning arborescence of largest weight rooted at node 0 (node 0 is its own parent).
///
/// `weights[u][v]` is the weight of u → v, −∞ where there is no edge. Every node takes its best incoming edge; each
/// cycle among these is contracted to one node, whose incoming edges are worth what they gain over the cycle edge
/// they replace; the smaller problem is solved the same way and expanded again. O(nodes³) at worst.
fn spanning_arborescence(weights: &[Vec<f64>]) -> Vec<usize> {
    let count = weights.len();
    let best_into = |v: usize| (1..count).fold(0, |best, u| if weights[u][v] > weights[best][v] { u } else { best });
    let mut parents: Vec<usize> = (0..count).map(|v| if v == 0 { 0 } else { best_into(v) }).collect();
    let (group, groups) = contract_cycles(&parents);
    if groups == count {
        return parents;
    }
    let in_cycle = |v: usize| v != 0 && group[v] == group[parents[v]];
    let mut smaller = vec![vec![f64::NEG_INFINITY; groups]; groups];
    let mut edge = vec![vec![(0, 0); groups]; groups]; // the edge u → v that an edge between groups stands for
    for v in 1..count {
        let replaced = if in_cycle(v) { weights[parents[v]][v] } else { 0.0 };
        for u in (0..count).filter(|&u| group[u] != group[v]) {
            let gain = weights[u][v] - replaced;
            if gain > smaller[group[u]][group[v]] {
                smaller[group[u]][group[v]] = gain;
                edge[group[u]][group[v]] = (u, v);
            }
        }
    }
    let solved = spanning_arborescence(&smaller);
    for (into, &from) in solved.iter().enumerate().skip(1) {
        let (u, v) = edge[from][into];
        parents[v] = u; // within a cycle this replaces one edge and so breaks it
    }
    parents
}

/// Group of each node, where the nodes of a cycle among the parent pointers form one group and every other node its
/// own; and the number of groups. Node 0 is the root and is group 0.
fn contract_cycles(parents: &[usize]) -> (Vec<usize>, usize) {
    let count = parents.len();
    let mut visited_by = vec![0; count];
    let mut cycle_of = vec![None; count];
    for start in 1..count {
        let mut at = start;
        while at != 0 && visited_by[at] == 0 {
            visited_by[at] = start;
            at = parents[at];
        }
        if at != 0 && visited_by[at] == start {
            let first = at;
            while cycle_of[at].is_none() {
                cycle_of[at] = Some(first);
                at = parents[at];
            }
        }
    }
    let mut group = vec![0; count];
    let mut group_of_cycle = vec![None; count];
    let mut groups = 0;
    for v in 0..count {
        group[v] = *cycle_of[v].map_or(&mut None, |cycle| &mut group_of_cycle[cycle]).get_or_insert(groups);
        groups = groups.max(group[v] + 1);
    }
    (group, groups)
}
