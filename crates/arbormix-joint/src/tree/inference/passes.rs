//! The two sweeps over a tree, for any way of adding and multiplying.
//!
//! A set's weight is the product of one weight per label, w(i, u, v) for the parent's value u and its own value v.
//! With sums these sweeps give probabilities, with maxima the best sets, with complex weights the distribution of the
//! number of labels. Nothing is ever divided by a message, because a message can be zero.

use crate::tree::Branching;

/// Numbers that are added (over the values of a label) and multiplied (over labels).
pub trait Semiring: Copy {
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
#[derive(Debug, Clone, Copy)]
pub struct Below<S> {
    /// `below[v]`: everything under the label when it is v.
    pub(crate) below: [S; 2],
    /// `message[u]`: the label and everything under it when its parent is u.
    pub(crate) message: [S; 2],
    /// `later[u]`: the messages of the siblings that stand after it in the tree's order, multiplied.
    later: [S; 2],
}

/// Results of the sweep from the leaves to the roots.
pub(crate) struct Upward<S> {
    /// At each label.
    pub(crate) at: Vec<Below<S>>,
    /// All sets.
    pub(crate) total: S,
}

/// Room for both sweeps over a tree, for who makes many of them.
#[derive(Debug)]
pub struct Room<S> {
    /// What the sweep to the roots finds.
    pub(crate) at: Vec<Below<S>>,
    /// `above[i][v]`: everything that is not under i, with yᵢ = v; then the messages of the children of i that stand
    /// before the label at hand, multiplied.
    down: Vec<([S; 2], [S; 2])>,
}

impl<S> Room<S> {
    pub(crate) fn new() -> Room<S> {
        Room { at: Vec::new(), down: Vec::new() }
    }

    /// What [`by_value_in`] found: all sets with yᵢ = v, of every label.
    pub(crate) fn values(&self) -> impl Iterator<Item = &[S; 2]> {
        self.down.iter().map(|(values, _)| values)
    }
}

/// The sweep to the roots.
pub(crate) fn upward<S: Semiring>(tree: &Branching, weight: impl Fn(usize, usize, usize) -> S) -> Upward<S> {
    let mut at = Vec::new();
    let total = upward_in(tree, weight, &mut at);
    Upward { at, total }
}

/// The sweep to the roots: all sets, and in `at` what it finds at each label.
// Inlined with the ways of adding and multiplying: those of several rows at once are then compiled for their caller's
// instruction set.
#[inline(always)]
pub(crate) fn upward_in<S: Semiring>(
    tree: &Branching,
    weight: impl Fn(usize, usize, usize) -> S,
    at: &mut Vec<Below<S>>,
) -> S {
    if at.len() == tree.len() {
        // Everything else is written before it is read.
        at.iter_mut().for_each(|at| at.below = [S::ONE; 2]);
    } else {
        at.clear();
        at.resize(tree.len(), Below { below: [S::ONE; 2], message: [S::ZERO; 2], later: [S::ONE; 2] });
    }
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
    total
}

/// All sets, and `out[i][v]`: all sets with yᵢ = v. O(d).
pub(crate) fn by_value<S: Semiring>(tree: &Branching, weight: impl Fn(usize, usize, usize) -> S) -> (S, Vec<[S; 2]>) {
    let mut room = Room::new();
    let total = by_value_in(tree, weight, &mut room);
    (total, room.values().copied().collect())
}

/// The same in a room, see [`Room::values`].
#[inline(always)]
pub(crate) fn by_value_in<S: Semiring>(
    tree: &Branching,
    weight: impl Fn(usize, usize, usize) -> S,
    room: &mut Room<S>,
) -> S {
    let total = upward_in(tree, &weight, &mut room.at);
    let Room { at, down } = room;
    if down.len() == tree.len() {
        down.iter_mut().for_each(|(_, earlier)| *earlier = [S::ONE; 2]);
    } else {
        down.clear();
        down.resize(tree.len(), ([S::ZERO; 2], [S::ONE; 2]));
    }
    let mut earlier_roots = S::ONE;
    for &i in tree.order() {
        let Below { message, later, .. } = at[i];
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
    for ((values, _), at) in down.iter_mut().zip(at) {
        *values = multiplied(*values, at.below);
    }
    total
}

#[inline(always)]
fn multiplied<S: Semiring>(left: [S; 2], right: [S; 2]) -> [S; 2] {
    [left[0].times(right[0]), left[1].times(right[1])]
}
