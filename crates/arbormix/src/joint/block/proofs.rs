//! The proofs that need no search, of all rows of a block at once.

use pulp::NullaryFnOnce;

use super::Block;
use crate::joint::map::MARGIN;
use crate::logistic::exponential::{exp_in_place, exp_of_negative, log_sigmoids_in_place};
use crate::tree::inference::lanes::{best_sets, best_without, log_probs};

/// Proves what can be proven without a search, with the instructions found at run time. A block begins with log-odds in
/// the place of its tables.
pub(super) struct Proofs<'b, 'a, const W: usize>(pub(super) &'b mut Block<'a, W>);

impl<const W: usize> NullaryFnOnce for Proofs<'_, '_, W> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let block = self.0;
        for [absent, present] in &mut block.tables {
            let (absent, present) = (absent.as_flattened_mut(), present.as_flattened_mut());
            log_sigmoids_in_place(absent.as_flattened_mut(), present.as_flattened_mut());
        }
        loop {
            block.find_own_sets();
            block.offer_own_sets();
            block.prove_by_rest();
            if !block.proven.contains(&false) || !block.close_labels() {
                return;
            }
        }
    }
}

/// Whether two rows' sets are the same.
#[inline(always)]
fn same<const W: usize>(left: &[[u64; W]], right: &[[u64; W]]) -> [bool; W] {
    let mut out = [true; W];
    for (left, right) in left.iter().zip(right) {
        for lane in 0..W {
            out[lane] &= left[lane] == right[lane];
        }
    }
    out
}

/// What follows runs inside [`Proofs`].
impl<const W: usize> Block<'_, W> {
    #[inline(always)]
    fn find_own_sets(&mut self) {
        let first = self.own.is_empty();
        self.own.clear();
        for (tree, tables) in self.trees.iter().zip(&self.tables) {
            self.own.push(best_sets(tree, tables));
        }
        if first {
            for ((_, values), gate) in self.own.iter().zip(&self.log_gate) {
                for lane in 0..W {
                    self.top[lane] = self.top[lane].max(gate[lane] + values[lane]);
                }
            }
        }
    }

    /// Adds expert k's shares of some sets, from their log-probabilities there.
    #[inline(always)]
    fn add_shares(&self, k: usize, log_probs: &[[f64; W]], sums: &mut [[f64; W]], terms: &mut [[f64; W]]) {
        for (term, log_prob) in terms.iter_mut().zip(log_probs) {
            for lane in 0..W {
                term[lane] = self.log_gate[k][lane] + log_prob[lane] - self.top[lane];
            }
        }
        exp_in_place(terms.as_flattened_mut());
        for (sum, term) in sums.iter_mut().zip(terms) {
            for lane in 0..W {
                sum[lane] += term[lane];
            }
        }
    }

    /// Keeps the better of the experts' own sets and the best so far; ties go to the smaller set.
    #[inline(always)]
    fn offer_own_sets(&mut self) {
        for place in 0..self.own.len() {
            let sets = &self.own[place].0;
            // Experts agree more often than not.
            if self.own[..place].iter().any(|(earlier, _)| earlier == sets) {
                continue;
            }
            let (mut shares, mut terms) = ([[0.0; W]], [[0.0; W]]);
            for (k, (own_sets, own_values)) in self.own.iter().enumerate() {
                let agree = same(sets, own_sets);
                let mut logs = *own_values;
                if agree.contains(&false) {
                    let values = log_probs(self.trees[k], &self.tables[k], sets);
                    for lane in 0..W {
                        logs[lane] = if agree[lane] { logs[lane] } else { values[lane] };
                    }
                }
                self.add_shares(k, &[logs], &mut shares, &mut terms);
            }
            let [shares] = shares;
            for lane in 0..W {
                let best = self.shares[lane];
                let better =
                    shares[lane] > best || (shares[lane] == best && self.set(sets, lane) < self.set(&self.best, lane));
                if better && !self.proven[lane] {
                    self.shares[lane] = shares[lane];
                    self.best.iter_mut().zip(sets).for_each(|(to, from)| to[lane] = from[lane]);
                }
            }
        }
    }

    /// Proofs 1 and 2.
    #[inline(always)]
    fn prove_by_rest(&mut self) {
        let mut agreed = [true; W];
        let mut others = [0.0; W];
        for ((sets, values), log_gate) in self.own.iter().zip(&self.log_gate) {
            let (among_each_other, with_best) = (same(sets, &self.own[0].0), same(sets, &self.best));
            for lane in 0..W {
                agreed[lane] &= among_each_other[lane];
                // An expert that gives the best set most of its mass has little left for another.
                let own = exp_of_negative(values[lane]);
                let rest = if with_best[lane] && own > 0.5 { (1.0 - own) / own } else { 1.0 };
                others[lane] += exp_of_negative(log_gate[lane] + values[lane] - self.top[lane]) * rest;
            }
        }
        for lane in 0..W {
            self.proven[lane] |= agreed[lane] | (others[lane] <= self.shares[lane]);
        }
    }

    /// Proof 3; whether it has closed a label of a row that is not proven.
    #[inline(always)]
    fn close_labels(&mut self) -> bool {
        let mut others = vec![[0.0; W]; self.labels()];
        let mut terms = others.clone();
        for (k, tree) in self.trees.iter().enumerate() {
            let log_probs = best_without(tree, &self.tables[k], &self.best);
            self.add_shares(k, &log_probs, &mut others, &mut terms);
        }
        let mut limits = self.shares;
        limits.iter_mut().for_each(|share| *share *= 1.0 + MARGIN);
        let (mut all, mut any) = ([true; W], [false; W]);
        for (label, others) in others.iter().enumerate() {
            let (closed, bit) = (&mut self.closed[label / 64], label % 64);
            for lane in 0..W {
                let closes = others[lane] <= limits[lane];
                all[lane] &= closes;
                any[lane] |= closes & (closed[lane] >> bit & 1 == 0);
                closed[lane] |= u64::from(closes) << bit;
            }
        }
        let mut goes_on = false;
        for lane in 0..W {
            self.proven[lane] |= all[lane];
            goes_on |= any[lane] & !self.proven[lane];
        }
        if goes_on {
            self.rule_out_closed();
        }
        goes_on
    }

    /// Makes the values that closed labels cannot have impossible.
    #[inline(always)]
    fn rule_out_closed(&mut self) {
        const IMPOSSIBLE: u64 = f64::NEG_INFINITY.to_bits();
        for label in 0..self.labels() {
            let (word, bit) = (label / 64, label % 64);
            let mut cannot_be = [[0; W]; 2];
            for lane in 0..W {
                let closed = 0_u64.wrapping_sub(self.closed[word][lane] >> bit & 1);
                let present = 0_u64.wrapping_sub(self.best[word][lane] >> bit & 1);
                (cannot_be[0][lane], cannot_be[1][lane]) = (closed & present, closed & !present);
            }
            for tables in &mut self.tables {
                for (table, cannot_be) in tables.iter_mut().zip(&cannot_be) {
                    for side in &mut table[label] {
                        for lane in 0..W {
                            let kept = side[lane].to_bits() & !cannot_be[lane];
                            side[lane] = f64::from_bits(kept | (IMPOSSIBLE & cannot_be[lane]));
                        }
                    }
                }
            }
        }
    }
}
