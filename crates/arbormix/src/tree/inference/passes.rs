//! The two sweeps over a tree, for any way of adding and multiplying.
//!
//! A set's weight is the product of one weight per label, w(i, u, v) for the parent's value u and its own value v.
//! With sums these sweeps give probabilities, with maxima the best sets, with complex weights the distribution of the
//! number of labels. Nothing is ever divided by a message, because a message can be zero.

use crate::tree::Branching;

/// Numbers that are added (over the values of a label) and multiplied (over labels).
pub(super) trait Semiring: Copy {
    /// Changes nothing when added; anything times it is it.
    const ZERO: Self;
    /// Changes nothing when multiplied.
    const ONE: Self;
    /// The sum.
    fn plus(self, other: Self) -> Self;
    /// The product.
    fn times(self, other: Self) -> Self;
}

/// Results of the sweep from the leaves to the roots.
pub(super) struct Upward<S> {
    /// `below[i][v]`: everything under i when yᵢ = v.
    pub(super) below: Vec<[S; 2]>,
    /// `message[i][u]`: i and everything under it when its parent is u.
    pub(super) message: Vec<[S; 2]>,
    /// `later[i][u]`: the messages of the siblings that stand after i in the tree's order, multiplied.
    later: Vec<[S; 2]>,
    /// All sets.
    pub(super) total: S,
}

pub(super) fn upward<S: Semiring>(tree: &Branching, weight: impl Fn(usize, usize, usize) -> S) -> Upward<S> {
    let mut below = vec![[S::ONE; 2]; tree.len()];
    let mut message = vec![[S::ZERO; 2]; tree.len()];
    let mut later = vec![[S::ONE; 2]; tree.len()];
    let mut total = S::ONE;
    for &i in tree.order().iter().rev() {
        message[i] = [0, 1].map(|u| weight(i, u, 0).times(below[i][0]).plus(weight(i, u, 1).times(below[i][1])));
        match tree.parents()[i] {
            None => {
                later[i] = [total; 2];
                total = total.times(message[i][0]);
            }
            Some(parent) => {
                later[i] = below[parent];
                below[parent] = multiplied(below[parent], message[i]);
            }
        }
    }
    Upward { below, message, later, total }
}

/// All sets, and `out[i][v]`: all sets with yᵢ = v. O(d).
pub(super) fn by_value<S: Semiring>(tree: &Branching, weight: impl Fn(usize, usize, usize) -> S) -> (S, Vec<[S; 2]>) {
    let up = upward(tree, &weight);
    // above[i][v]: everything that is not under i, with yᵢ = v.
    let mut above = vec![[S::ZERO; 2]; tree.len()];
    // The messages of the siblings that stand before the label at hand, multiplied.
    let mut earlier = vec![[S::ONE; 2]; tree.len()];
    let mut earlier_roots = S::ONE;
    for &i in tree.order() {
        above[i] = match tree.parents()[i] {
            None => {
                let others = earlier_roots.times(up.later[i][0]);
                earlier_roots = earlier_roots.times(up.message[i][0]);
                [0, 1].map(|v| others.times(weight(i, 0, v)))
            }
            Some(parent) => {
                let others = multiplied(above[parent], multiplied(earlier[parent], up.later[i]));
                earlier[parent] = multiplied(earlier[parent], up.message[i]);
                [0, 1].map(|v| others[0].times(weight(i, 0, v)).plus(others[1].times(weight(i, 1, v))))
            }
        };
    }
    let values = above.into_iter().zip(&up.below).map(|(above, &below)| multiplied(above, below)).collect();
    (up.total, values)
}

fn multiplied<S: Semiring>(left: [S; 2], right: [S; 2]) -> [S; 2] {
    [left[0].times(right[0]), left[1].times(right[1])]
}
