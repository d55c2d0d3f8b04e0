//! The proofs that need no search, of all rows of a block at once.

use pulp::{Arch, NullaryFnOnce};

use super::{Answers, Block};
use crate::joint::map::MARGIN;
use crate::tree::inference::lanes::{Lanes, Masks, ROWS, best_sets, best_without, either, log_probs, mask};
use arbormix_learn::logistic::exponential::{exp_in_place, log_sigmoids_in_place};

/// One step towards the proofs of a block's rows, with the instructions found at run time.
struct Step<'b, 'a> {
    block: &'b mut Block<'a>,
    /// Whether it is the first one: log-odds are in the place of the tables.
    first: bool,
}

impl NullaryFnOnce for Step<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Step { block, first } = self;
        if first {
            for [absent, present] in &mut block.tables {
                log_sigmoids_in_place(absent.as_flattened_mut(), present.as_flattened_mut());
            }
            block.wanting = [true; ROWS];
        } else if !block.close_labels() {
            return;
        }
        block.find_own_sets(first);
        block.offer_own_sets();
        block.prove_by_rest();
        for lane in 0..ROWS {
            block.current[lane] |= block.wanting[lane];
        }
    }
}

impl Block<'_> {
    /// Makes the tables of the log-odds, and tries proofs 1 and 2.
    pub(crate) fn begin(&mut self, answers: &mut Answers) {
        Arch::new().dispatch(Step { block: self, first: true });
        self.answer(answers);
    }

    /// Tries all proofs until no more than so many rows are without an answer.
    pub(crate) fn go_on_until(&mut self, few: usize, answers: &mut Answers) {
        while self.open() > few {
            Arch::new().dispatch(Step { block: self, first: false });
            self.answer(answers);
        }
    }
}

/// Whether two rows' sets are the same.
#[inline(always)]
fn same(left: &[Masks], right: &[Masks]) -> Masks {
    let mut differ = [0; ROWS];
    for (left, right) in left.iter().zip(right) {
        for lane in 0..ROWS {
            differ[lane] |= left[lane] ^ right[lane];
        }
    }
    differ.map(|bits| mask(bits == 0))
}

/// Whether a row's left set stands before its right one in the order of [`LabelSet`](arbormix_data::LabelSet)s.
#[inline(always)]
fn smaller(left: &[Masks], right: &[Masks]) -> Masks {
    let (mut out, mut alike) = ([0; ROWS], [u64::MAX; ROWS]);
    for (left, right) in left.iter().zip(right) {
        for lane in 0..ROWS {
            out[lane] |= alike[lane] & right[lane] & !left[lane];
            alike[lane] &= !(left[lane] ^ right[lane]);
        }
    }
    out
}

/// What follows runs inside [`Step`].
impl Block<'_> {
    #[inline(always)]
    fn find_own_sets(&mut self, first: bool) {
        let labels = self.labels();
        let tables = self.tables.chunks_exact(labels).zip(self.own.chunks_exact_mut(labels));
        for ((tree, (tables, own)), values) in self.trees.iter().zip(tables).zip(&mut self.own_values) {
            *values = best_sets(tree, tables, &mut self.room, own);
        }
        if first {
            for (values, gate) in self.own_values.iter().zip(&self.log_gate) {
                for lane in 0..ROWS {
                    self.top[lane] = self.top[lane].max(gate[lane] + values[lane]);
                }
            }
        }
    }

    /// Keeps the better of the experts' own sets and the best so far; ties go to the smaller set.
    #[inline(always)]
    fn offer_own_sets(&mut self) {
        let (experts, labels) = (self.trees.len(), self.labels());
        let own = |place: usize| place * labels..(place + 1) * labels;
        // log Sₖ of all sets, then their exponentials together.
        self.offered.clear();
        for place in 0..experts {
            let sets = &self.own[own(place)];
            // Experts agree more often than not.
            if (0..place).any(|earlier| self.own[own(earlier)] == *sets) {
                continue;
            }
            let logs = &mut self.logs[self.offered.len() * experts..];
            let tables = self.tables.chunks_exact(labels);
            for (((tree, tables), gate), log) in self.trees.iter().zip(tables).zip(&self.log_gate).zip(logs) {
                let values = log_probs(tree, tables, sets);
                for lane in 0..ROWS {
                    log[lane] = gate[lane] + values[lane];
                }
            }
            self.offered.push(place);
        }
        let terms = &mut self.terms[..self.offered.len() * experts];
        for (term, log) in terms.iter_mut().zip(&self.logs) {
            for lane in 0..ROWS {
                term[lane] = log[lane] - self.top[lane];
            }
        }
        exp_in_place(terms.as_flattened_mut());
        let offers = terms.chunks_exact(experts).zip(self.logs.chunks_exact(experts));
        for (&place, (terms, logs)) in self.offered.iter().zip(offers) {
            let sets = &self.own[own(place)];
            let mut shares = [0.0; ROWS];
            for term in terms {
                for lane in 0..ROWS {
                    shares[lane] += term[lane];
                }
            }
            let before = smaller(sets, &self.best);
            let mut better = [0; ROWS];
            for lane in 0..ROWS {
                let ties = mask(shares[lane] == self.shares[lane]);
                better[lane] = mask(shares[lane] > self.shares[lane]) | (ties & before[lane]);
                // What a row learns must not depend on its neighbours' wants.
                better[lane] &= mask(self.wanting[lane]);
            }
            if better == [0; ROWS] {
                continue;
            }
            self.shares = either(&better, &self.shares, &shares);
            for (best, log) in self.best_logs.iter_mut().zip(logs) {
                *best = either(&better, best, log);
            }
            for (best, set) in self.best.iter_mut().zip(sets) {
                for lane in 0..ROWS {
                    best[lane] = (set[lane] & better[lane]) | (best[lane] & !better[lane]);
                }
            }
        }
    }

    /// Proofs 1 and 2.
    #[inline(always)]
    fn prove_by_rest(&mut self) {
        let labels = self.labels();
        let (pairs, _) = self.terms.as_chunks_mut::<2>();
        let pairs = &mut pairs[..self.trees.len()];
        for (([own, share], values), gate) in pairs.iter_mut().zip(&self.own_values).zip(&self.log_gate) {
            for lane in 0..ROWS {
                own[lane] = values[lane];
                share[lane] = gate[lane] + values[lane] - self.top[lane];
            }
        }
        exp_in_place(pairs.as_flattened_mut().as_flattened_mut());
        let (mut agreed, mut others) = ([u64::MAX; ROWS], [0.0; ROWS]);
        let first = &self.own[..labels];
        for ([own, share], sets) in pairs.iter().zip(self.own.chunks_exact(labels)) {
            let (among_each_other, with_best) = (same(sets, first), same(sets, &self.best));
            for lane in 0..ROWS {
                agreed[lane] &= among_each_other[lane];
                // An expert that gives the best set most of its mass has little left for another.
                let rest = (1.0 - own[lane]) / own[lane];
                let least = (with_best[lane] != 0) & (own[lane] > 0.5);
                others[lane] += share[lane] * if least { rest } else { 1.0 };
            }
        }
        for lane in 0..ROWS {
            self.proven[lane] |= self.wanting[lane] & ((agreed[lane] != 0) | (others[lane] <= self.shares[lane]));
        }
    }

    /// Proof 3; whether rows that it does not prove want to know their experts' own sets.
    #[inline(always)]
    fn close_labels(&mut self) -> bool {
        let labels = self.labels();
        self.sums.fill([0.0; ROWS]);
        for ((tree, tables), gate) in self.trees.iter().zip(self.tables.chunks_exact(labels)).zip(&self.log_gate) {
            let terms = &mut self.terms[..labels];
            best_without(tree, tables, &self.best, &mut self.room, terms);
            for term in terms.iter_mut() {
                for lane in 0..ROWS {
                    term[lane] = gate[lane] + term[lane] - self.top[lane];
                }
            }
            exp_in_place(terms.as_flattened_mut());
            for (sum, term) in self.sums.iter_mut().zip(terms) {
                for lane in 0..ROWS {
                    sum[lane] += term[lane];
                }
            }
        }
        let mut limits: Lanes = self.shares;
        limits.iter_mut().for_each(|share| *share *= 1.0 + MARGIN);
        let (mut all, mut any) = ([u64::MAX; ROWS], [0; ROWS]);
        for (others, closed) in self.sums.iter().zip(&mut self.closed) {
            for lane in 0..ROWS {
                let closes = mask(others[lane] <= limits[lane]);
                all[lane] &= closes;
                any[lane] |= closes & !closed[lane];
                closed[lane] |= closes;
            }
        }
        let mut closed_some = false;
        for lane in 0..ROWS {
            self.proven[lane] |= all[lane] != 0;
            let open = self.rows[lane].is_some() & !self.proven[lane];
            let stays = any[lane] == 0;
            closed_some |= open & !stays;
            self.stuck[lane] = open & stays & self.current[lane];
            self.wanting[lane] = open & stays & !self.current[lane];
            self.current[lane] &= stays;
        }
        if closed_some {
            self.rule_out_closed();
        }
        self.wanting.contains(&true)
    }

    /// Makes the values that closed labels cannot have impossible.
    #[inline(always)]
    fn rule_out_closed(&mut self) {
        const IMPOSSIBLE: Lanes = [f64::NEG_INFINITY; ROWS];
        for (label, (closed, best)) in self.closed.iter().zip(&self.best).enumerate() {
            if *closed == [0; ROWS] {
                continue;
            }
            let mut cannot_be = [[0; ROWS]; 2];
            for lane in 0..ROWS {
                (cannot_be[0][lane], cannot_be[1][lane]) = (closed[lane] & best[lane], closed[lane] & !best[lane]);
            }
            for tables in self.tables.chunks_exact_mut(self.sums.len()) {
                for (table, cannot_be) in tables[label].iter_mut().zip(&cannot_be) {
                    for side in table {
                        *side = either(cannot_be, side, &IMPOSSIBLE);
                    }
                }
            }
        }
    }
}
