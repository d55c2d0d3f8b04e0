//! Questions to one tree of cliques about one row, as to a label tree (`tree::inference`).

use super::CliqueTree;
use super::passes::{by_value, upward};
use crate::tree::inference::passes::Semiring;
use crate::tree::inference::{Best, Complex, Counts, Sum, counts_by};
use arbormix_base::random::Stream;
use arbormix_data::LabelSet;

/// By places, log P(label = v | parents) at 2 · (configuration of the parents) + v.
#[derive(Debug, Clone, PartialEq)]
pub struct CliqueTables(pub Vec<Vec<f64>>);

impl CliqueTables {
    /// Weights that are −∞ where a label's value is not allowed.
    fn allowed<'a>(&'a self, tree: &'a CliqueTree, allowed: &'a [[bool; 2]]) -> impl Fn(usize, usize, usize) -> f64 {
        move |place, above, value| {
            if allowed[tree.order[place]][value] { self.0[place][2 * above + value] } else { f64::NEG_INFINITY }
        }
    }

    /// The configuration of a place's parents in a set.
    fn above(tree: &CliqueTree, place: usize, set: &LabelSet) -> usize {
        let bits = tree.parents[place].iter().enumerate();
        bits.map(|(bit, &parent)| usize::from(set.get(tree.order[parent])) << bit).sum()
    }

    /// log P(y | x).
    pub fn log_prob(&self, tree: &CliqueTree, set: &LabelSet) -> f64 {
        let own = |(place, &label): (usize, &usize)| {
            self.0[place][2 * CliqueTables::above(tree, place, set) + usize::from(set.get(label))]
        };
        tree.order.iter().enumerate().map(own).sum()
    }

    /// A label's log-odds given its parents' values in a set.
    ///
    /// # Panics
    /// If there is no such label.
    pub fn log_odds(&self, tree: &CliqueTree, label: usize, set: &LabelSet) -> f64 {
        let place = tree.order.iter().position(|&other| other == label).expect("a label of the tree");
        let cell = 2 * CliqueTables::above(tree, place, set);
        self.0[place][cell + 1] - self.0[place][cell]
    }

    /// P(yᵢ = 1 | x) of every label: one pass from the first to the last, the distribution of a clique from that above it.
    pub fn marginals(&self, tree: &CliqueTree) -> Vec<f64> {
        let mut out = vec![0.0; tree.len()];
        let mut cliques: Vec<Vec<f64>> = Vec::with_capacity(tree.len());
        for (place, &label) in tree.order.iter().enumerate() {
            let mut parents = vec![0.0; 1 << tree.parents[place].len()];
            match tree.above[place] {
                None => parents[0] = 1.0,
                Some(above) => {
                    let cells = cliques[above].iter().zip(&tree.seen_from_above[place]);
                    cells.for_each(|(p, &seen)| parents[usize::from(seen)] += p);
                }
            }
            let own: Vec<f64> =
                self.0[place].iter().enumerate().map(|(cell, log)| parents[cell >> 1] * log.exp()).collect();
            // Rounding may add up to a little more than 1.
            out[label] = own.iter().skip(1).step_by(2).sum::<f64>().min(1.0);
            cliques.push(own);
        }
        out
    }

    /// The most probable set among the allowed ones and its log-probability. Ties prefer absence.
    pub fn best_set(&self, tree: &CliqueTree, allowed: &[[bool; 2]]) -> (LabelSet, f64) {
        let weight = self.allowed(tree, allowed);
        let up = upward(tree, |place, above, value| Best(weight(place, above, value)));
        let mut set = LabelSet::empty(tree.len());
        for (place, &label) in tree.order.iter().enumerate() {
            let cell = 2 * CliqueTables::above(tree, place, &set);
            let [off, on] = [0, 1].map(|value| up.inside[place][cell + value].0);
            // Where both values are impossible the set must still be an allowed one.
            set.set(label, allowed[label][1] && (!allowed[label][0] || on > off));
        }
        (set, up.total.0)
    }

    /// `out[i][v]` = max { log P(y) : y allowed, yᵢ = v }, −∞ where yᵢ = v is not allowed.
    pub fn max_marginals(&self, tree: &CliqueTree, allowed: &[[bool; 2]]) -> Vec<[f64; 2]> {
        let weight = self.allowed(tree, allowed);
        let (_, values) = by_value(tree, |place, above, value| Best(weight(place, above, value)));
        by_label(tree, values.into_iter().map(|values| values.map(|best| best.0)))
    }

    /// log P(every label has an allowed value), −∞ if that is impossible.
    pub fn log_mass(&self, tree: &CliqueTree, allowed: &[[bool; 2]]) -> f64 {
        let weight = self.allowed(tree, allowed);
        upward(tree, |place, above, value| Sum(weight(place, above, value))).total.0
    }

    /// The log-probability of what is allowed, and the tables of P(y | allowed, x).
    pub fn given(&self, tree: &CliqueTree, allowed: &[[bool; 2]]) -> (f64, CliqueTables) {
        let weight = self.allowed(tree, allowed);
        let up = upward(tree, |place, above, value| Sum(weight(place, above, value)));
        let table = |place: usize| {
            let sides = up.inside[place].as_chunks::<2>().0.iter().zip(&up.message[place]);
            let side = |([off, on], message): (&[Sum; 2], &Sum)| {
                if message.0 == f64::NEG_INFINITY {
                    // The parents cannot have these values, so nothing depends on this side; it must only be a distribution.
                    let absent = allowed[tree.order[place]][0];
                    return if absent { [0.0, f64::NEG_INFINITY] } else { [f64::NEG_INFINITY, 0.0] };
                }
                [off.0 - message.0, on.0 - message.0]
            };
            sides.flat_map(side).collect()
        };
        (up.total.0, CliqueTables((0..tree.len()).map(table).collect()))
    }

    /// The distribution of |y ∩ group|.
    pub fn counts(&self, tree: &CliqueTree, group: &LabelSet) -> Counts {
        let probability: Vec<Vec<f64>> = self.0.iter().map(|own| own.iter().map(|log| log.exp()).collect()).collect();
        counts_by(tree.len(), group, |root| {
            let (total, values) = by_value(tree, |place, above, value| {
                let plain = Complex::from(probability[place][2 * above + value]);
                if value == 1 && group.get(tree.order[place]) { plain.times(root) } else { plain }
            });
            (total, by_label(tree, values.into_iter()))
        })
    }

    /// Draws a label set: each label given its parents' values.
    pub fn sample(&self, tree: &CliqueTree, stream: &mut Stream) -> LabelSet {
        let mut set = LabelSet::empty(tree.len());
        for (place, &label) in tree.order.iter().enumerate() {
            let on = self.0[place][2 * CliqueTables::above(tree, place, &set) + 1].exp();
            set.set(label, stream.uniform() < on);
        }
        set
    }
}

/// What is known by places, by labels.
fn by_label<T: Copy>(tree: &CliqueTree, values: impl Iterator<Item = [T; 2]>) -> Vec<[T; 2]> {
    let values: Vec<[T; 2]> = values.collect();
    let mut out = values.clone();
    tree.order.iter().zip(values).for_each(|(&label, value)| out[label] = value);
    out
}
