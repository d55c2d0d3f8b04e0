//! Level 2: exponents and weights, fitted to rows that level 1 has not seen.

use rayon::prelude::*;

use super::experts::{Experts, Fitted, Ground, Intercepts, Penalties, RowTrees, Sample, Start};
use super::level::Answers;
use super::params::StackParams;
use super::pool::{Case, Evidence, Pool, Table};
use super::starts::Clusters;
use super::{blend, weights};
use crate::data::splits::Folds;
use crate::data::{LabelSet, SeenSets};
use crate::error::{Error, Result};
use crate::logistic::{Design, Gate, fit_gate};
use crate::matrix::{Columns, DenseMatrix};
use crate::out_of_fold::HeldOutMarginals;
use crate::paired;
use crate::progress::Progress;

/// Standard errors by which other intercepts of the tied trees must be ahead of the plainest ones, and held-out rows at least. (Less
/// is asked than of a simpler method in a race: here all see the same rows.)
const CLEAR_LEAD: f64 = 2.0;
const LEAST_HELD: usize = 10;
/// Factors are not tried where the label-set expert has this share of the mixture: they speak of sets that were not seen.
const MOST: f64 = 0.5;

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
    /// Classes in the table of the others, ascending.
    classes: Vec<usize>,
    log_counts: Vec<f64>,
    rows: Vec<HeldOutRow>,
}

struct HeldOutRow {
    /// Its place among all rows.
    row: usize,
    evidence: Vec<Evidence>,
    /// The row's own set, if the other folds have it in the table.
    own: Option<usize>,
    /// Log-probability of the row's own set by the tied trees and by the stacked tree.
    trees: [f64; 2],
    /// P(yᵢ = 1 | x) by the tied trees and by the stacked tree.
    marginals: [Vec<f64>; 2],
    weight: f64,
}

/// Level 1 without a fold, with what it needs to answer that fold's rows.
pub(super) struct Witness {
    experts: Experts,
    /// Classes in the table, ascending.
    pub(super) classes: Vec<usize>,
    pub(super) table: Table,
    blended: Columns,
    log_gate: Columns,
}

impl Witness {
    /// The trees at a row, by its place in the fold.
    pub(super) fn trees(&self, place: usize) -> RowTrees<'_> {
        let odds: Vec<f64> = (0..self.blended.cols()).map(|label| self.blended.get(place, label)).collect();
        let gate = (0..self.log_gate.cols()).map(|k| self.log_gate.get(place, k)).collect();
        self.experts.row(&odds, gate)
    }
}

/// Rows that level 1 learns from and rows that it is asked about, with what level 0 says about both.
pub(super) struct Division {
    train: Vec<usize>,
    pub(super) held: Vec<usize>,
    pub(super) sample: Sample,
    held_sample: Sample,
    /// Where the tied trees begin.
    responsibilities: Columns,
}

/// What held-out rows decided.
pub(super) struct Joined {
    pub(super) pool: Pool,
    pub(super) weights: [f64; 3],
    /// Of every held-out row's own set, and the rows' weights.
    log_likelihoods: Vec<f64>,
    row_weights: Vec<f64>,
}

impl Stacking<'_> {
    fn weight(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[row])
    }

    fn classes(&self, rows: &[usize]) -> Vec<usize> {
        rows.iter().map(|&row| self.seen.class_of()[row]).collect()
    }

    pub(super) fn sample(&self, rows: &[usize]) -> Sample {
        let sets: Vec<&LabelSet> = rows.iter().map(|&row| &self.labels[row]).collect();
        let weights = rows.iter().map(|&row| self.weight(row)).collect();
        let (logits, forest) = (self.answers.logits.select_rows(rows), self.answers.forest.select_rows(rows));
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

    /// One fold of the rows and the others.
    pub(super) fn division(&self, folds: &Folds, fold: usize) -> Division {
        let (train, held) = (folds.train(fold), folds.test(fold));
        let responsibilities = self.clusters.responsibilities(&self.classes(&train), self.params.tied.own_share);
        Division { sample: self.sample(&train), held_sample: self.sample(&held), responsibilities, train, held }
    }

    /// Fits level 1 without a fold, with given penalties, and asks it about that fold.
    pub(super) fn held_out(&self, folds: &Folds, fold: usize, penalties: Penalties) -> Result<HeldOut> {
        let division = self.division(folds, fold);
        let gate = Gate::uniform(&division.sample.design.block(None, &[]), self.clusters.count);
        self.answered(&division, &self.ground(&division)?, gate, penalties)
    }

    pub(super) fn ground(&self, division: &Division) -> Result<Ground> {
        Ground::fit(&division.sample, self.params, self.progress)
    }

    /// The same for the first fold, which chooses the penalties. Also gives them, and where the gate began.
    ///
    /// The penalty of the intercepts is the largest, unless a smaller one makes the fold's rows clearly more likely once everything
    /// is joined. (Alone, tied trees would be better with freer intercepts than beside a forest, which knows the label sets
    /// already. And the answers of level 0 to new rows are better than those it is fitted to here, which come from
    /// fewer rows and trees, so that less is left for the intercepts to mend.) Factors must be as clearly ahead of what was
    /// chosen so far; they are tried where sets that were seen say little.
    pub(super) fn first_held_out(&self, folds: &Folds) -> Result<(HeldOut, Penalties, Gate)> {
        let division = self.division(folds, 0);
        let (penalty, gate) = self.penalty(&division.sample, &division.responsibilities, &division.held)?;
        let ground = self.ground(&division)?;
        let mut ridges = self.params.tied.intercept_ridges.clone();
        ridges.sort_by(|a, b| b.total_cmp(a));
        let answered = |intercepts: Intercepts| {
            let penalties = Penalties { gate: penalty, intercepts };
            Ok::<_, Error>((self.answered(&division, &ground, gate.clone(), penalties)?, penalties))
        };
        let first = answered(Intercepts::Free(ridges[0]))?;
        let mut best = (self.joined(std::slice::from_ref(&first.0)), first);
        // Whether other intercepts are clearly ahead, and then the best.
        let tried = |intercepts: Intercepts, best: &mut (Joined, (HeldOut, Penalties))| {
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
            let factors = self.params.factors(self.answers.logits.cols());
            if let Some(factors) = factors.filter(|_| best.0.weights[0] < MOST) {
                tried(factors, &mut best)?;
            }
        }
        let (_, (held, penalties)) = best;
        Ok((held, penalties, gate))
    }

    /// Fits level 1 to the rows of a division and asks it about the others.
    fn answered(&self, division: &Division, ground: &Ground, gate: Gate, penalties: Penalties) -> Result<HeldOut> {
        let witness = self.witness(division, ground, gate, penalties)?;
        let answer = |(place, &row): (usize, &usize)| {
            let (trees, set) = (witness.trees(place), &self.labels[row]);
            HeldOutRow {
                row,
                evidence: witness.table.evidence(&self.answers.shares[row], &trees),
                own: witness.table.place(self.seen.class_of()[row]),
                trees: [trees.tied_log_prob(set), trees.tree_log_prob(set)],
                marginals: trees.marginals(),
                weight: self.weight(row),
            }
        };
        let rows = division.held.par_iter().enumerate().map(answer).collect();
        Ok(HeldOut { classes: witness.classes, log_counts: witness.table.log_counts, rows })
    }

    /// Fits level 1 to the rows of a division.
    pub(super) fn witness(
        &self,
        division: &Division,
        ground: &Ground,
        gate: Gate,
        penalties: Penalties,
    ) -> Result<Witness> {
        let Division { train, sample, held_sample, responsibilities, .. } = division;
        let start = Start { responsibilities, gate, penalties };
        let Fitted { experts, gate, .. } = ground.experts(sample, start, self.params, self.progress)?;
        let mut masses = vec![0.0; self.seen.sets().len()];
        train.iter().for_each(|&row| masses[self.seen.class_of()[row]] += self.weight(row));
        let classes: Vec<usize> = self.table.iter().copied().filter(|&class| masses[class] > 0.0).collect();
        let log_counts: Vec<f64> = classes.iter().map(|&class| (masses[class] + 0.5).ln()).collect();
        let sets = classes.iter().map(|&class| &self.seen.sets()[class]);
        let tree = &experts.tree.branching;
        let table = Table::new(&classes, masses.len(), sets, log_counts, tree, self.params.pool.floors());
        let blended = blend::blended(&experts.blend, &held_sample.logits, &held_sample.forest);
        let log_gate = gate.log_weights(&held_sample.design.block(None, &[]));
        Ok(Witness { experts, classes, table, blended, log_gate })
    }

    /// P(yᵢ = 1 | x) = w₁ Σ_s g(s | x) sᵢ + w₂ Σ_k h_k(x) P(yᵢ = 1 | x, T_k) + w₃ P(yᵢ = 1 | x, T) of the rows that were held out.
    pub(super) fn marginals(&self, held: &[HeldOut], joined: &Joined) -> HeldOutMarginals {
        let [sets, tied, tree] = joined.weights;
        let of_row = |fold: &HeldOut, row: &HeldOutRow| -> Vec<f64> {
            let [of_tied, of_tree] = &row.marginals;
            let mut out: Vec<f64> = of_tied.iter().zip(of_tree).map(|(p, q)| tied * p + tree * q).collect();
            let logs = joined.pool.log_probabilities(&row.evidence, &fold.log_counts);
            for (&class, log) in fold.classes.iter().zip(logs) {
                let share = sets * log.exp();
                self.seen.sets()[class].members().for_each(|label| out[label] += share);
            }
            out
        };
        let rows: Vec<(&HeldOut, &HeldOutRow)> =
            held.iter().flat_map(|fold| fold.rows.iter().map(move |row| (fold, row))).collect();
        let cells: Vec<Vec<f64>> = rows.par_iter().map(|(fold, row)| of_row(fold, row)).collect();
        let labels = self.answers.logits.cols();
        HeldOutMarginals {
            rows: rows.iter().map(|(_, row)| row.row).collect(),
            marginals: DenseMatrix::new(rows.len(), labels, cells.concat()),
        }
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
        let log_likelihoods = weights::log_likelihoods(&rows, weights);
        Joined { pool, weights, log_likelihoods, row_weights: rows.iter().map(|(_, weight)| *weight).collect() }
    }
}

impl Joined {
    /// By how many standard errors held-out rows are more likely than by others.
    fn lead(&self, other: &Joined) -> f64 {
        let gains: Vec<f64> =
            self.log_likelihoods.iter().zip(&other.log_likelihoods).map(|(own, old)| own - old).collect();
        paired::lead(&gains, |row| self.row_weights[row])
    }

    /// Mean of the held-out rows' log-likelihoods.
    fn mean_log_likelihood(&self) -> f64 {
        let rows = self.log_likelihoods.iter().zip(&self.row_weights);
        rows.map(|(log, weight)| log * weight).sum::<f64>() / self.row_weights.iter().sum::<f64>()
    }

    /// For people.
    pub(super) fn reason(&self, penalties: Penalties, experts: usize) -> String {
        let ([forest, tied, count], [sets, trees, tree]) = (self.pool.0, self.weights);
        let kind = match penalties.intercepts {
            Intercepts::Free(ridge) => format!("gate penalty {}, of their intercepts {ridge}", penalties.gate),
            Intercepts::Factors { .. } => "their intercepts follow factors".to_string(),
        };
        format!(
            "log-likelihood {:.4} per held-out row, with weight {sets:.3} of the label-set expert (exponents {forest:.2} of \
             the forest, {tied:.2} of the tied trees, {count:.2} of the number of rows), {trees:.3} of {experts} tied trees \
             ({kind}), {tree:.3} of the stacked tree",
            self.mean_log_likelihood()
        )
    }
}
