//! Level 2: exponents and weights, fitted to rows that level 1 has not seen.

use rayon::prelude::*;

use super::experts::{Experts, Fitted, Penalties, RowTrees, Sample, Start};
use super::level::Answers;
use super::params::StackParams;
use super::pool::{Case, Evidence, Pool, Table};
use super::starts::Clusters;
use super::{blend, weights};
use crate::data::splits::Folds;
use crate::data::{LabelSet, SeenSets};
use crate::error::{Error, Result};
use crate::logistic::{Design, Gate, fit_gate};
use crate::matrix::Columns;
use crate::progress::Progress;

/// The training rows with the out-of-fold answers of level 0.
pub(super) struct Stacking<'a> {
    pub(super) params: &'a StackParams,
    pub(super) labels: &'a [LabelSet],
    pub(super) weights: Option<&'a [f64]>,
    pub(super) seen: &'a SeenSets,
    /// Classes that are in the table.
    pub(super) table: &'a [usize],
    pub(super) clusters: &'a Clusters,
    pub(super) design: &'a Design,
    pub(super) answers: &'a Answers,
    pub(super) progress: &'a dyn Progress,
}

/// What the rows of one fold were answered by models of the others.
pub(super) struct HeldOut {
    log_counts: Vec<f64>,
    rows: Vec<HeldOutRow>,
}

struct HeldOutRow {
    evidence: Vec<Evidence>,
    /// The row's own set, if the other folds have it in the table.
    own: Option<usize>,
    /// Log-probability of the row's own set by the tied trees and by the stacked tree.
    trees: [f64; 2],
    weight: f64,
}

/// Rows that experts are asked about, and what level 0 says about them.
struct HeldRows<'a> {
    rows: &'a [usize],
    sample: Sample,
}

impl HeldRows<'_> {
    fn answers<'f>(&self, fitted: &'f Fitted) -> TreeAnswers<'f> {
        TreeAnswers {
            experts: &fitted.experts,
            blended: blend::blended(&fitted.experts.blend, &self.sample.logits, &self.sample.forest),
            log_gate: fitted.gate.log_weights(&self.sample.design.block(None, &[])),
        }
    }
}

/// What fitted experts see of held rows: l̃ (n × d) and log g (n × K).
struct TreeAnswers<'f> {
    experts: &'f Experts,
    blended: Columns,
    log_gate: Columns,
}

impl TreeAnswers<'_> {
    /// The experts at one of the rows.
    fn trees(&self, place: usize) -> RowTrees<'_> {
        let odds: Vec<f64> = (0..self.blended.cols()).map(|label| self.blended.get(place, label)).collect();
        let gate = (0..self.log_gate.cols()).map(|k| self.log_gate.get(place, k)).collect();
        self.experts.row(&odds, gate)
    }
}

/// What held-out rows decided.
pub(super) struct Joined {
    pub(super) pool: Pool,
    pub(super) weights: [f64; 3],
    /// Per held-out row.
    log_likelihood: f64,
}

impl Stacking<'_> {
    fn weight(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[row])
    }

    fn classes(&self, rows: &[usize]) -> Vec<usize> {
        rows.iter().map(|&row| self.seen.class_of()[row]).collect()
    }

    pub(super) fn sample(&self, rows: &[usize]) -> Sample {
        let pick = |columns: &Columns| {
            let mut out = Columns::zeros(rows.len(), columns.cols());
            for label in 0..columns.cols() {
                let from = columns.column(label);
                out.column_mut(label).iter_mut().zip(rows).for_each(|(cell, &row)| *cell = from[row]);
            }
            out
        };
        let sets: Vec<&LabelSet> = rows.iter().map(|&row| &self.labels[row]).collect();
        let weights = rows.iter().map(|&row| self.weight(row)).collect();
        let (logits, forest) = (pick(&self.answers.logits), pick(&self.answers.forest));
        Sample::new(self.design.with_rows(rows), logits, forest, &sets, weights)
    }

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

    /// The experts with the penalty of their intercepts by which the tied trees make held-out rows most likely.
    ///
    /// From the largest penalty down, until the next is worse.
    fn best_experts(&self, sample: &Sample, start: &Start<'_>, held: &HeldRows<'_>) -> Result<(Fitted, f64)> {
        let mut ridges = self.params.tied.intercept_ridges.clone();
        ridges.sort_by(|a, b| b.total_cmp(a));
        let fitted = |ridge: f64| {
            let start = Start { penalties: Penalties { intercepts: ridge, ..start.penalties }, ..start.clone() };
            Experts::fit(sample, start, self.params, self.progress)
        };
        let mut best = (fitted(ridges[0])?, ridges[0]);
        // With a single expert the penalty only says how far it may leave the blended log-odds.
        if ridges.len() == 1 || self.clusters.count == 1 {
            return Ok(best);
        }
        let score = |fitted: &Fitted| -> f64 {
            let answers = held.answers(fitted);
            let of = |place: usize| {
                let row = held.rows[place];
                self.weight(row) * answers.trees(place).tied_log_prob(&self.labels[row])
            };
            (0..held.rows.len()).into_par_iter().map(of).collect::<Vec<f64>>().iter().sum()
        };
        let mut best_score = score(&best.0);
        for &ridge in &ridges[1..] {
            let next = fitted(ridge)?;
            let reached = score(&next);
            if reached <= best_score {
                break;
            }
            (best, best_score) = ((next, ridge), reached);
        }
        Ok(best)
    }

    /// Fits level 1 without a fold and asks it about that fold; also gives the penalties, chosen by that fold if they are not
    /// given, and where the gate began.
    pub(super) fn held_out(
        &self,
        folds: &Folds,
        fold: usize,
        penalties: Option<Penalties>,
    ) -> Result<(HeldOut, Penalties, Gate)> {
        let (train, held) = (folds.train(fold), folds.test(fold));
        let sample = self.sample(&train);
        let held_rows = HeldRows { rows: &held, sample: self.sample(&held) };
        let responsibilities = self.clusters.responsibilities(&self.classes(&train), self.params.tied.own_share);
        let (fitted, penalties, first) = match penalties {
            Some(penalties) => {
                let gate = Gate::uniform(&sample.design.block(None, &[]), self.clusters.count);
                let start = Start { responsibilities: &responsibilities, gate: gate.clone(), penalties };
                (Experts::fit(&sample, start, self.params, self.progress)?, penalties, gate)
            }
            None => {
                let (penalty, gate) = self.penalty(&sample, &responsibilities, &held)?;
                let penalties = Penalties { gate: penalty, intercepts: self.params.tied.intercept_ridges[0] };
                let start = Start { responsibilities: &responsibilities, gate: gate.clone(), penalties };
                let (fitted, intercepts) = self.best_experts(&sample, &start, &held_rows)?;
                (fitted, Penalties { intercepts, ..penalties }, gate)
            }
        };
        let mut masses = vec![0.0; self.seen.sets().len()];
        train.iter().for_each(|&row| masses[self.seen.class_of()[row]] += self.weight(row));
        let present: Vec<usize> = self.table.iter().copied().filter(|&class| masses[class] > 0.0).collect();
        let log_counts: Vec<f64> = present.iter().map(|&class| (masses[class] + 0.5).ln()).collect();
        let sets = present.iter().map(|&class| &self.seen.sets()[class]);
        let tree = &fitted.experts.tree.branching;
        let table = Table::new(&present, masses.len(), sets, log_counts, tree, self.params.pool.floors());
        let answers = held_rows.answers(&fitted);
        let answer = |place: usize| {
            let row = held[place];
            let trees = answers.trees(place);
            let set = &self.labels[row];
            HeldOutRow {
                evidence: table.evidence(&self.answers.shares[row], &trees),
                own: table.place(self.seen.class_of()[row]),
                trees: [trees.tied_log_prob(set), trees.tree_log_prob(set)],
                weight: self.weight(row),
            }
        };
        let rows = (0..held.len()).into_par_iter().map(answer).collect();
        Ok((HeldOut { log_counts: table.log_counts, rows }, penalties, first))
    }

    /// The exponents of the pool and the weights of the parts, by rows that were held out, and how likely these are then.
    pub(super) fn joined(&self, held: &[HeldOut]) -> Joined {
        // A set that the other folds do not have is no case for the pool: the table cannot hold it.
        let cases: Vec<Case<'_>> = held
            .iter()
            .flat_map(|fold| {
                fold.rows.iter().filter_map(|row| {
                    let (evidence, log_counts, weight) = (&*row.evidence, &*fold.log_counts, row.weight);
                    row.own.map(|own| Case { evidence, log_counts, own, weight })
                })
            })
            .collect();
        let pool = Pool::fit(&cases, self.params.pool.ridge);
        let logs = |fold: &HeldOut, row: &HeldOutRow| {
            let own = |own: usize| pool.log_probabilities(&row.evidence, &fold.log_counts)[own];
            ([row.own.map_or(f64::NEG_INFINITY, own), row.trees[0], row.trees[1]], row.weight)
        };
        let rows: Vec<_> = held.iter().flat_map(|fold| fold.rows.iter().map(move |row| logs(fold, row))).collect();
        let weights = weights::fit(&rows);
        Joined { pool, weights, log_likelihood: weights::mean_log_likelihood(&rows, weights) }
    }
}

impl Joined {
    /// For people.
    pub(super) fn reason(&self, penalties: Penalties, experts: usize) -> String {
        let ([forest, tied, count], [sets, trees, tree]) = (self.pool.0, self.weights);
        let Penalties { gate, intercepts } = penalties;
        format!(
            "log-likelihood {:.4} per held-out row, with weight {sets:.3} of the label-set expert (exponents {forest:.2} of \
             the forest, {tied:.2} of the tied trees, {count:.2} of the number of rows), {trees:.3} of {experts} tied trees \
             (gate penalty {gate}, of their intercepts {intercepts}), {tree:.3} of the stacked tree",
            self.log_likelihood
        )
    }
}
