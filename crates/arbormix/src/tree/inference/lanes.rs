//! The best sets of one tree at several rows at once, a row per lane of vector registers.
//!
//! A lane has the bits of its row alone. Everything is inlined: who calls it inside a function that is compiled for the
//! instruction set found at run time gets vector instructions.

use super::passes::{Semiring, by_value, upward};
use crate::data::LabelSet;
use crate::tree::Branching;

/// `tables[v][i][u][row]` = log P(yᵢ = v | y_π(i) = u) at each of W rows.
pub(crate) type LaneTables<const W: usize> = [Vec<[[f64; W]; 2]>; 2];

/// One label set per row: `sets[word][row]`, see [`LabelSet::from_words`].
pub(crate) type LaneSets<const W: usize> = Vec<[u64; W]>;

/// Log-weights of which the largest counts, in each lane.
#[derive(Clone, Copy)]
struct Best<const W: usize>([f64; W]);

impl<const W: usize> Semiring for Best<W> {
    const ZERO: Self = Best([f64::NEG_INFINITY; W]);
    const ONE: Self = Best([0.0; W]);

    #[inline(always)]
    fn plus(mut self, other: Self) -> Self {
        for lane in 0..W {
            self.0[lane] = if other.0[lane] > self.0[lane] { other.0[lane] } else { self.0[lane] };
        }
        self
    }

    #[inline(always)]
    fn times(mut self, other: Self) -> Self {
        for lane in 0..W {
            self.0[lane] += other.0[lane];
        }
        self
    }
}

/// In each row one of two numbers: the second where the label is present in its set. Without branches.
#[inline(always)]
pub(crate) fn by_presence<const W: usize>(
    sets: &[[u64; W]],
    label: usize,
    absent: &[f64; W],
    present: &[f64; W],
) -> [f64; W] {
    let word = &sets[label / 64];
    let mut out = [0.0; W];
    for lane in 0..W {
        let mask = 0_u64.wrapping_sub(word[lane] >> (label % 64) & 1);
        out[lane] = f64::from_bits((present[lane].to_bits() & mask) | (absent[lane].to_bits() & !mask));
    }
    out
}

/// log P(yᵢ = v | y_π(i)), given the parent's value in each row's set.
#[inline(always)]
fn given_parent<const W: usize>(
    tree: &Branching,
    table: &[[[f64; W]; 2]],
    label: usize,
    sets: &[[u64; W]],
) -> [f64; W] {
    let [off, on] = &table[label];
    match tree.parents()[label] {
        Some(parent) => by_presence(sets, parent, off, on),
        None => *off,
    }
}

/// Every row's most probable set and its log-probability, as `best_set` has them. Ties prefer absence.
#[inline(always)]
pub(crate) fn best_sets<const W: usize>(tree: &Branching, tables: &LaneTables<W>) -> (LaneSets<W>, [f64; W]) {
    let up = upward(tree, |i, u, v| Best(tables[v][i][u]));
    let mut sets = vec![[0; W]; LabelSet::word_count(tree.len())];
    for &i in tree.order() {
        let [below_off, below_on] = up.at[i].below;
        let off = Best(given_parent(tree, &tables[0], i, &sets)).times(below_off).0;
        let on = Best(given_parent(tree, &tables[1], i, &sets)).times(below_on).0;
        let word = &mut sets[i / 64];
        for lane in 0..W {
            word[lane] |= u64::from(on[lane] > off[lane]) << (i % 64);
        }
    }
    (sets, up.total.0)
}

/// Every row's log P(y | x, T) of its set.
#[inline(always)]
pub(crate) fn log_probs<const W: usize>(tree: &Branching, tables: &LaneTables<W>, sets: &[[u64; W]]) -> [f64; W] {
    let mut sum = Best([0.0; W]);
    for i in 0..tree.len() {
        let off = given_parent(tree, &tables[0], i, sets);
        let on = given_parent(tree, &tables[1], i, sets);
        sum = sum.times(Best(by_presence(sets, i, &off, &on)));
    }
    sum.0
}

/// `out[i]`: in every row the largest log P(y | x, T) of the sets that differ from its own at label i.
#[inline(always)]
pub(crate) fn best_without<const W: usize>(
    tree: &Branching,
    tables: &LaneTables<W>,
    sets: &[[u64; W]],
) -> Vec<[f64; W]> {
    let (_, values) = by_value(tree, |i, u, v| Best(tables[v][i][u]));
    let mut out = vec![[0.0; W]; tree.len()];
    for (i, (out, [off, on])) in out.iter_mut().zip(&values).enumerate() {
        *out = by_presence(sets, i, &on.0, &off.0);
    }
    out
}
