//! The best sets of one tree at several rows at once, a row per lane of vector registers.
//!
//! A lane has the bits of its row alone. Everything is inlined: who calls it inside a function that is compiled for the
//! instruction set found at run time gets vector instructions. Nothing is allocated.

use super::passes::{Room, Semiring, by_value_in, upward_in};
use crate::tree::Branching;

/// Rows that are worked on side by side.
pub const ROWS: usize = 8;

/// A number per row.
pub type Lanes = [f64; ROWS];

/// Which rows something is true of: all bits of a row's number are set, or none.
pub type Masks = [u64; ROWS];

/// `table[v][u][row]` = log P(yᵢ = v | y_π(i) = u) of one label.
pub type LaneTable = [[Lanes; 2]; 2];

/// Log-weights of which the largest counts, in each lane.
#[derive(Debug, Clone, Copy)]
pub struct Best(Lanes);

/// Room for the sweeps over trees.
pub type LaneRoom = Room<Best>;

/// Room that grows with the first tree.
pub fn room() -> LaneRoom {
    Room::new()
}

impl Semiring for Best {
    const ZERO: Self = Best([f64::NEG_INFINITY; ROWS]);
    const ONE: Self = Best([0.0; ROWS]);

    #[inline(always)]
    fn plus(mut self, other: Self) -> Self {
        for lane in 0..ROWS {
            self.0[lane] = if other.0[lane] > self.0[lane] { other.0[lane] } else { self.0[lane] };
        }
        self
    }

    #[inline(always)]
    fn times(mut self, other: Self) -> Self {
        for lane in 0..ROWS {
            self.0[lane] += other.0[lane];
        }
        self
    }
}

/// All bits if it is so, none if not.
#[inline(always)]
pub fn mask(so: bool) -> u64 {
    0_u64.wrapping_sub(u64::from(so))
}

/// In each row one of two numbers, the second where the mask is set. Without branches.
#[inline(always)]
pub fn either(masks: &Masks, unset: &Lanes, set: &Lanes) -> Lanes {
    let mut out = [0.0; ROWS];
    for lane in 0..ROWS {
        out[lane] = f64::from_bits((set[lane].to_bits() & masks[lane]) | (unset[lane].to_bits() & !masks[lane]));
    }
    out
}

/// log P(yᵢ = v | y_π(i)) from its two cases, given the parent's value in each row's set.
#[inline(always)]
fn given_parent(parent: Option<usize>, [off, on]: &[Lanes; 2], sets: &[Masks]) -> Lanes {
    match parent {
        Some(parent) => either(&sets[parent], off, on),
        None => *off,
    }
}

/// Every row's most probable set, into `sets[label][row]`, and its log-probability, as `best_set` has them. Ties prefer
/// absence.
#[inline(always)]
pub fn best_sets(tree: &Branching, tables: &[LaneTable], room: &mut LaneRoom, sets: &mut [Masks]) -> Lanes {
    let total = upward_in(tree, |i, u, v| Best(tables[i][v][u]), &mut room.at);
    for &i in tree.order() {
        let (parent, [below_off, below_on]) = (tree.parents()[i], room.at[i].below);
        let off = Best(given_parent(parent, &tables[i][0], sets)).times(below_off).0;
        let on = Best(given_parent(parent, &tables[i][1], sets)).times(below_on).0;
        for lane in 0..ROWS {
            sets[i][lane] = mask(on[lane] > off[lane]);
        }
    }
    total.0
}

/// Every row's log P(y | x, T) of its set.
#[inline(always)]
pub fn log_probs(tree: &Branching, tables: &[LaneTable], sets: &[Masks]) -> Lanes {
    let mut sum = Best([0.0; ROWS]);
    for ((table, &parent), own) in tables.iter().zip(tree.parents()).zip(sets) {
        let off = given_parent(parent, &table[0], sets);
        let on = given_parent(parent, &table[1], sets);
        sum = sum.times(Best(either(own, &off, &on)));
    }
    sum.0
}

/// `out[i]`: in every row the largest log P(y | x, T) of the sets that differ from its own at label i.
#[inline(always)]
pub fn best_without(tree: &Branching, tables: &[LaneTable], sets: &[Masks], room: &mut LaneRoom, out: &mut [Lanes]) {
    by_value_in(tree, |i, u, v| Best(tables[i][v][u]), room);
    for ((out, [off, on]), own) in out.iter_mut().zip(room.values()).zip(sets) {
        *out = either(own, &on.0, &off.0);
    }
}
