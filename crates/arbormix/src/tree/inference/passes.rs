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

/// What the sweep from the leaves to the roots finds at one label.
#[derive(Clone, Copy)]
pub(super) struct Below<S> {
    /// `below[v]`: everything under the label when it is v.
    pub(super) below: [S; 2],
    /// `message[u]`: the label and everything under it when its parent is u.
    pub(super) message: [S; 2],
    /// `later[u]`: the messages of the siblings that stand after it in the tree's order, multiplied.
    later: [S; 2],
}

/// Results of the sweep from the leaves to the roots.
pub(super) struct Upward<S> {
    /// At each label.
    pub(super) at: Vec<Below<S>>,
    /// All sets.
    pub(super) total: S,
}

// Inlined with the ways of adding and multiplying: those of several rows at once are then compiled for their caller's
// instruction set.
#[inline(always)]
pub(super) fn upward<S: Semiring>(tree: &Branching, weight: impl Fn(usize, usize, usize) -> S) -> Upward<S> {
    let mut at = vec![Below { below: [S::ONE; 2], message: [S::ZERO; 2], later: [S::ONE; 2] }; tree.len()];
    let mut total = S::ONE;
    for &i in tree.order().iter().rev() {
        let [off, on] = at[i].below;
        let given = |u: usize| weight(i, u, 0).times(off).plus(weight(i, u, 1).times(on));
        let message = [given(0), given(1)];
        at[i].message = message;
        match tree.parents()[i] {
            None => {
                at[i].later = [total; 2];
                total = total.times(message[0]);
            }
            Some(parent) => {
                at[i].later = at[parent].below;
                at[parent].below = multiplied(at[parent].below, message);
            }
        }
    }
    Upward { at, total }
}

/// All sets, and `out[i][v]`: all sets with yᵢ = v. O(d).
#[inline(always)]
pub(super) fn by_value<S: Semiring>(tree: &Branching, weight: impl Fn(usize, usize, usize) -> S) -> (S, Vec<[S; 2]>) {
    let up = upward(tree, &weight);
    // above[i][v]: everything that is not under i, with yᵢ = v; then the messages of the children of i that stand
    // before the label at hand, multiplied.
    let mut down = vec![([S::ZERO; 2], [S::ONE; 2]); tree.len()];
    let mut earlier_roots = S::ONE;
    for &i in tree.order() {
        let Below { message, later, .. } = up.at[i];
        down[i].0 = match tree.parents()[i] {
            None => {
                let others = earlier_roots.times(later[0]);
                earlier_roots = earlier_roots.times(message[0]);
                [others.times(weight(i, 0, 0)), others.times(weight(i, 0, 1))]
            }
            Some(parent) => {
                let (above, earlier) = &mut down[parent];
                let others = multiplied(*above, multiplied(*earlier, later));
                *earlier = multiplied(*earlier, message);
                let value = |v: usize| others[0].times(weight(i, 0, v)).plus(others[1].times(weight(i, 1, v)));
                [value(0), value(1)]
            }
        };
    }
    let values = down.into_iter().zip(&up.at).map(|((above, _), at)| multiplied(above, at.below)).collect();
    (up.total, values)
}

#[inline(always)]
fn multiplied<S: Semiring>(left: [S; 2], right: [S; 2]) -> [S; 2] {
    [left[0].times(right[0]), left[1].times(right[1])]
}
