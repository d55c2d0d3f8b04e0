//! The two sweeps over a tree of cliques, for any way of adding and multiplying; see those over a label tree
//! (`tree::inference::passes`).
//!
//! A clique's configuration is twice that of the label's parents, plus the label's own value.

use super::CliqueTree;
use crate::tree::inference::passes::Semiring;

/// Results of the sweep from the last label to the first, by places.
pub(crate) struct Upward<S> {
    /// The label's weight and everything that hangs at its clique, by configurations of the clique.
    pub(crate) inside: Vec<Vec<S>>,
    /// The same without the label's value: by configurations of its parents.
    pub(crate) message: Vec<Vec<S>>,
    /// Weight and messages of the clique above, of those that hang there and stand after this one: by its configurations.
    later: Vec<Vec<S>>,
    /// All sets.
    pub(crate) total: S,
}

/// Adds up over the values of a label what its weight `w(place, parents, value)` and the cliques below it say.
pub(crate) fn upward<S: Semiring>(tree: &CliqueTree, weight: impl Fn(usize, usize, usize) -> S) -> Upward<S> {
    let labels = tree.len();
    let weights = |place: usize| {
        let cells = 2_usize << tree.parents[place].len();
        (0..cells).map(|cell| weight(place, cell >> 1, cell & 1)).collect::<Vec<S>>()
    };
    let mut inside: Vec<Vec<S>> = (0..labels).map(weights).collect();
    let mut message = vec![Vec::new(); labels];
    let mut later = vec![Vec::new(); labels];
    let mut total = S::ONE;
    for place in (0..labels).rev() {
        message[place] = inside[place].as_chunks().0.iter().map(|[off, on]: &[S; 2]| off.plus(*on)).collect();
        match tree.above[place] {
            None => total = total.times(message[place][0]),
            Some(above) => {
                later[place].clone_from(&inside[above]);
                for (cell, &seen) in inside[above].iter_mut().zip(&tree.seen_from_above[place]) {
                    *cell = cell.times(message[place][usize::from(seen)]);
                }
            }
        }
    }
    Upward { inside, message, later, total }
}

/// All sets, and `out[place][v]`: all sets in which the label at a place is v.
pub(crate) fn by_value<S: Semiring>(tree: &CliqueTree, weight: impl Fn(usize, usize, usize) -> S) -> (S, Vec<[S; 2]>) {
    let labels = tree.len();
    let up = upward(tree, weight);
    let mut roots_after = vec![S::ONE; labels + 1];
    for place in (0..labels).rev() {
        let own = if tree.above[place].is_none() { up.message[place][0] } else { S::ONE };
        roots_after[place] = roots_after[place + 1].times(own);
    }
    // By configurations of a label's parents: everything that is neither in its clique nor below it.
    let mut outside: Vec<Vec<S>> = Vec::with_capacity(labels);
    // By configurations of its clique: the messages from below that stand before the one at hand.
    let mut earlier: Vec<Vec<S>> = tree.parents.iter().map(|own| vec![S::ONE; 2 << own.len()]).collect();
    let mut roots_before = S::ONE;
    for place in 0..labels {
        let mut own = vec![S::ZERO; 1 << tree.parents[place].len()];
        match tree.above[place] {
            None => {
                own[0] = roots_before.times(roots_after[place + 1]);
                roots_before = roots_before.times(up.message[place][0]);
            }
            Some(above) => {
                let (outside, earlier) = (&outside[above], &mut earlier[above]);
                for (cell, &seen) in tree.seen_from_above[place].iter().enumerate() {
                    let to = usize::from(seen);
                    own[to] = own[to].plus(outside[cell >> 1].times(earlier[cell]).times(up.later[place][cell]));
                    earlier[cell] = earlier[cell].times(up.message[place][to]);
                }
            }
        }
        outside.push(own);
    }
    let values = |place: usize| {
        let mut out = [S::ZERO; 2];
        for (cell, inside) in up.inside[place].iter().enumerate() {
            out[cell & 1] = out[cell & 1].plus(outside[place][cell >> 1].times(*inside));
        }
        out
    };
    (up.total, (0..labels).map(values).collect())
}
