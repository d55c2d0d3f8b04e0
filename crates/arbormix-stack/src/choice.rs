//! What the rows of the first held-out fold choose: the gate's penalty, the tied trees' intercepts, and whether a chain takes the
//! stacked tree's place.

use rayon::prelude::*;

use super::experts::{Chosen, Ground, Intercepts, Sample};
use super::held_out::{Division, HeldOut, Joined, Stacking};
use arbormix_data::splits::Folds;
use arbormix_joint::joint::Expert;
use arbormix_joint::{Error, Result};
use arbormix_learn::logistic::{Gate, fit_gate};
use arbormix_matrix::Columns;

/// Standard errors by which other intercepts of the tied trees must be ahead of the plainest ones, and held-out rows at least. (Less
/// is asked than of a simpler method in a race: here all see the same rows.)
const CLEAR_LEAD: f64 = 2.0;
const LEAST_HELD: usize = 10;
/// Factors are not tried where the label-set expert has this share of the mixture: they speak of sets that were not seen.
const MOST: f64 = 0.5;

/// Standard errors by which a chain must be ahead of the stacked tree: fewer, since it is fitted to the same log-odds and is hardly ever much
/// worse.
const CHAIN_LEAD: f64 = 1.0;
/// Labels from which on a chain differs from a tree.
const LEAST_CHAIN: usize = 3;

impl Stacking<'_> {
    /// The gate's penalty by which the clusters of held-out rows are predicted best, and the gate it gives.
    ///
    /// From the largest penalty down, each fit starting at the last, until the next is worse.
    fn penalty(&self, train: &Sample, start: &Columns, held: &[usize]) -> Result<(f64, Gate)> {
        let block = train.design.block(None, &[]);
        let mut penalties = self.params.gate.penalties.clone();
        penalties.sort_by(|a, b| b.total_cmp(a));
        let uniform = Gate::uniform(&block, self.clusters.count);
        if penalties.len() == 1 || self.clusters.count == 1 {
            return Ok((penalties[0], uniform));
        }
        let held_design = self.design.with_rows(held);
        let held_block = held_design.block(None, &[]);
        let score = |gate: &Gate| {
            let logs = gate.log_weights(&held_block);
            let own = |(place, &row): (usize, &usize)| {
                let cluster = self.clusters.of_class[self.seen.class_of()[row]];
                cluster.map_or(0.0, |cluster| self.weight(row) * logs.get(place, cluster))
            };
            held.iter().enumerate().map(own).sum::<f64>()
        };
        let fitted = |penalty: f64, from: &Gate| {
            let params = self.params.gate.with(penalty);
            Ok::<_, Error>(fit_gate(&block, start, Some(&train.weights), from, &params, self.progress)?.gate)
        };
        let mut best = (penalties[0], fitted(penalties[0], &uniform)?);
        let mut best_score = score(&best.1);
        for &penalty in &penalties[1..] {
            let gate = fitted(penalty, &best.1)?;
            let reached = score(&gate);
            if reached <= best_score {
                break;
            }
            (best, best_score) = ((penalty, gate), reached);
        }
        Ok(best)
    }

    /// What level 1 without the first fold, whose rows choose, says about them; what they chose, and where the gate began.
    ///
    /// The penalty of the intercepts is the largest, unless a smaller one makes the fold's rows clearly more likely once everything
    /// is joined. (Alone, tied trees would be better with freer intercepts than beside a forest, which knows the label sets
    /// already. And the answers of level 0 to new rows are better than those it is fitted to here, which come from
    /// fewer rows and trees, so that less is left for the intercepts to mend.) Factors must be as clearly ahead of what was
    /// chosen so far; they are tried where sets that were seen say little. At last the chain is tried, of which less of a lead is asked.
    pub(crate) fn first_held_out(&self, folds: &Folds) -> Result<(HeldOut, Chosen, Gate)> {
        let division = self.division(folds, 0);
        let (penalty, gate) = self.penalty(&division.sample, &division.responsibilities, &division.held)?;
        let ground = self.ground(&division)?;
        let mut ridges = self.params.tied.intercept_ridges.clone();
        ridges.sort_by(|a, b| b.total_cmp(a));
        let answered = |intercepts: Intercepts| {
            let chosen = Chosen { gate: penalty, intercepts, chain: false };
            Ok::<_, Error>((self.answered(&division, &ground, gate.clone(), chosen)?, chosen))
        };
        let first = answered(Intercepts::Free(ridges[0]))?;
        let mut best = (self.joined(std::slice::from_ref(&first.0)), first);
        // Whether other intercepts are clearly ahead, and then the best.
        let tried = |intercepts: Intercepts, best: &mut (Joined, (HeldOut, Chosen))| {
            let next = answered(intercepts)?;
            let reached = self.joined(std::slice::from_ref(&next.0));
            let is_ahead = reached.lead(&best.0) >= CLEAR_LEAD;
            if is_ahead {
                *best = (reached, next);
            }
            Ok::<_, Error>(is_ahead)
        };
        if division.held.len() >= LEAST_HELD {
            for &ridge in &ridges[1..] {
                if !tried(Intercepts::Free(ridge), &mut best)? {
                    break;
                }
            }
            let labels = self.answers.logits.cols();
            let factors = self.params.factors(labels);
            if let Some(factors) = factors.filter(|_| best.0.weights[0] < MOST) {
                tried(factors, &mut best)?;
            }
            if labels >= LEAST_CHAIN && self.params.chain.width_of(labels) > 1 {
                let (reached, (held, chosen)) = &mut best;
                let mut stacked = self.chained(&division, &ground)?;
                held.swap_stacked(&mut stacked);
                chosen.chain = self.joined(std::slice::from_ref(held)).lead(reached) >= CHAIN_LEAD;
                if !chosen.chain {
                    held.swap_stacked(&mut stacked);
                }
            }
        }
        let (_, (held, chosen)) = best;
        Ok((held, chosen, gate))
    }

    /// What the chain of a division says about the rows that are held out: log-probabilities of their own sets, and marginals.
    fn chained(&self, division: &Division, ground: &Ground) -> Result<Vec<(f64, Vec<f64>)>> {
        let chain = ground.chain(&division.sample, self.params, self.progress)?;
        let blended = ground.blended(&division.held_sample);
        let answer = |(place, &row): (usize, &usize)| {
            let odds: Vec<f64> = (0..blended.cols()).map(|label| blended.get(place, label)).collect();
            let expert = chain.row(&odds);
            (expert.log_prob(&self.labels[row]), expert.marginals())
        };
        Ok(division.held.par_iter().enumerate().map(answer).collect())
    }
}

impl HeldOut {
    /// Puts other answers in the place of the stacked tree's, and these where the others were.
    fn swap_stacked(&mut self, others: &mut [(f64, Vec<f64>)]) {
        for (row, (log, marginals)) in self.rows.iter_mut().zip(others) {
            std::mem::swap(&mut row.trees[1], log);
            std::mem::swap(&mut row.marginals[1], marginals);
        }
    }
}
