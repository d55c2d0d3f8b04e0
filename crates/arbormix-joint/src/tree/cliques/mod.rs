//! Trees of cliques: a label may have several parents, and every question stays exact.
//!
//! Labels stand in an order, and each has up to w parents before it, which must all be in the *clique* of one of them: a label
//! and its parents. Then cliques are a tree (a junction tree; with w parents each, the graph is a w-tree): the clique of label i hangs
//! at that of its latest parent, and messages are tables over a label's parents, 2^w numbers. A label tree is the case w = 1.
//!
//! - [`CliqueTree`]: the labels, their parents, and how the cliques hang together
//! - `inference`: questions to one row; `passes`: the two sweeps that they share
//! - `widest`: the tree of cliques that holds most of given weights between labels

mod inference;
mod passes;
#[cfg(test)]
pub(crate) mod tests;
mod widest;

pub use inference::CliqueTables;

/// Labels with their parents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CliqueTree {
    /// Labels, parents before children.
    order: Vec<usize>,
    /// By places in the order: the parents' places. Bit b of a configuration is the value of parent b.
    parents: Vec<Vec<usize>>,
    /// By places: the place whose clique holds all parents, their latest; none without parents.
    above: Vec<Option<usize>>,
    /// By places: for every configuration of the clique above (twice that of its parents, plus its own value), the
    /// configuration of the parents.
    seen_from_above: Vec<Vec<u16>>,
}

/// Parents of a label at most.
pub const MOST_PARENTS: usize = 12;

impl CliqueTree {
    /// From labels in an order and the places of their parents; `None` if a label is missing, if a parent does not stand before
    /// its label, if one has more than [`MOST_PARENTS`], or if its parents are not in one clique.
    ///
    /// ```
    /// use arbormix_joint::tree::CliqueTree;
    /// // The third label has both others as parents: they are the clique of the second.
    /// assert!(CliqueTree::new(vec![2, 0, 1], vec![vec![], vec![0], vec![0, 1]]).is_some());
    /// // Its parents have nothing to do with each other.
    /// assert!(CliqueTree::new(vec![2, 0, 1], vec![vec![], vec![], vec![0, 1]]).is_none());
    /// ```
    pub fn new(order: Vec<usize>, parents: Vec<Vec<usize>>) -> Option<CliqueTree> {
        let labels = order.len();
        let mut all = order.clone();
        all.sort_unstable();
        if parents.len() != labels || all.iter().enumerate().any(|(place, &label)| place != label) {
            return None;
        }
        let (mut above, mut seen_from_above) = (Vec::with_capacity(labels), Vec::with_capacity(labels));
        for (place, own) in parents.iter().enumerate() {
            let latest = own.iter().copied().max();
            let distinct = (1..own.len()).all(|at| !own[..at].contains(&own[at]));
            if own.len() > MOST_PARENTS || !distinct || latest.is_some_and(|latest| latest >= place) {
                return None;
            }
            above.push(latest);
            // Bit of every parent in the configurations of the clique above.
            let bit = |&parent: &usize, latest: usize| {
                let among = parents[latest].iter().position(|&other| other == parent).map(|bit| bit + 1);
                if parent == latest { Some(0) } else { among }
            };
            let Some(latest) = latest else {
                seen_from_above.push(Vec::new());
                continue;
            };
            let bits: Vec<usize> = own.iter().map(|parent| bit(parent, latest)).collect::<Option<_>>()?;
            let seen = |whole: usize| {
                bits.iter().enumerate().map(|(own, bit)| (((whole >> bit) & 1) << own) as u16).sum::<u16>()
            };
            seen_from_above.push((0..2 << parents[latest].len()).map(seen).collect());
        }
        Some(CliqueTree { order, parents, above, seen_from_above })
    }

    /// Number of labels.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether there are no labels.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Labels, parents before children.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// The parents of a label.
    pub fn parents_of(&self, label: usize) -> impl Iterator<Item = usize> {
        let place = self.order.iter().position(|&other| other == label);
        place.into_iter().flat_map(|place| self.parents[place].iter().map(|&parent| self.order[parent]))
    }

    /// The places of the parents, by places in the order.
    pub fn parents(&self) -> &[Vec<usize>] {
        &self.parents
    }
}
