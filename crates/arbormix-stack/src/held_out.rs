//! Level 2: exponents and weights, fitted to rows that level 1 has not seen.

use rayon::prelude::*;

use super::experts::{Chosen, Experts, Fitted, Ground, Intercepts, RowTrees, Sample, Start};
use super::level::Answers;
use super::params::StackParams;
use super::pool::{Case, Evidence, Pool, Table};
use super::starts::Clusters;
use super::{blend, weights};
use arbormix_base::paired;
use arbormix_base::progress::Progress;
use arbormix_data::splits::Folds;
use arbormix_data::{LabelSet, SeenSets};
use arbormix_joint::Result;
use arbormix_joint::joint::Expert;
use arbormix_joint::learner::HeldOutMarginals;
use arbormix_learn::logistic::{Design, Gate};
use arbormix_matrix::{Columns, DenseMatrix};

/// The training rows with the out-of-fold answers of level 0.
pub(crate) struct Stacking<'a> {
    pub(crate) params: &'a StackParams,
    pub(crate) labels: &'a [LabelSet],
    pub(crate) weights: Option<&'a [f64]>,
    pub(crate) seen: &'a SeenSets,
    /// Classes that are in the table.
    pub(crate) table: &'a [usize],
    pub(crate) clusters: &'a Clusters,
    pub(crate) design: &'a Design,
    pub(crate) answers: &'a Answers,
    pub(crate) progress: &'a dyn Progress,
}

/// What the rows of one fold were answered by models of the others.
pub(crate) struct HeldOut {
    /// Classes in the table of the others, ascending.
    classes: Vec<usize>,
    log_counts: Vec<f64>,
    pub(crate) rows: Vec<HeldOutRow>,
}

pub(crate) struct HeldOutRow {
    /// Its place among all rows.
    row: usize,
    evidence: Vec<Evidence>,
    /// The row's own set, if the other folds have it in the table.
    own: Option<usize>,
    /// Log-probability of the row's own set by the tied trees and by the stacked tree or chain.
    pub(crate) trees: [f64; 2],
    /// P(yᵢ = 1 | x) by the tied trees and by the stacked tree or chain.
    pub(crate) marginals: [Vec<f64>; 2],
    weight: f64,
}

/// Level 1 without a fold, with what it needs to answer that fold's rows.
pub(crate) struct Witness {
    experts: Experts,
    /// Classes in the table, ascending.
    pub(crate) classes: Vec<usize>,
    pub(crate) table: Table,
    blended: Columns,
    log_gate: Columns,
}

impl Witness {
    /// The trees at a row, by its place in the fold.
    pub(crate) fn trees(&self, place: usize) -> RowTrees<'_> {
        let odds: Vec<f64> = (0..self.blended.cols()).map(|label| self.blended.get(place, label)).collect();
        let gate = (0..self.log_gate.cols()).map(|k| self.log_gate.get(place, k)).collect();
        self.experts.row(&odds, gate)
    }
}

/// Rows that level 1 learns from and rows that it is asked about, with what level 0 says about both.
pub(crate) struct Division {
    train: Vec<usize>,
    pub(crate) held: Vec<usize>,
    pub(crate) sample: Sample,
    pub(crate) held_sample: Sample,
    /// Where the tied trees begin.
    pub(crate) responsibilities: Columns,
}

/// What held-out rows decided.
pub(crate) struct Joined {
    pub(crate) pool: Pool,
    pub(crate) weights: [f64; 3],
    /// Of every held-out row's own set, and the rows' weights.
    log_likelihoods: Vec<f64>,
    row_weights: Vec<f64>,
}

impl Stacking<'_> {
    pub(crate) fn weight(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[row])
    }

    fn classes(&self, rows: &[usize]) -> Vec<usize> {
        rows.iter().map(|&row| self.seen.class_of()[row]).collect()
    }

    pub(crate) fn sample(&self, rows: &[usize]) -> Sample {
        let sets: Vec<&LabelSet> = rows.iter().map(|&row| &self.labels[row]).collect();
        let weights = rows.iter().map(|&row| self.weight(row)).collect();
        let (logits, forest) = (self.answers.logits.select_rows(rows), self.answers.forest.select_rows(rows));
        Sample::new(self.design.with_rows(rows), logits, forest, &sets, weights)
    }

    /// One fold of the rows and the others.
    pub(crate) fn division(&self, folds: &Folds, fold: usize) -> Division {
        let (train, held) = (folds.train(fold), folds.test(fold));
        let responsibilities = self.clusters.responsibilities(&self.classes(&train), self.params.tied.own_share);
        Division { sample: self.sample(&train), held_sample: self.sample(&held), responsibilities, train, held }
    }

    /// Fits level 1 without a fold, as was chosen, and asks it about that fold.
    pub(crate) fn held_out(&self, folds: &Folds, fold: usize, chosen: Chosen) -> Result<HeldOut> {
        let division = self.division(folds, fold);
        let gate = Gate::uniform(&division.sample.design.block(None, &[]), self.clusters.count);
        self.answered(&division, &self.ground(&division)?, gate, chosen)
    }

    pub(crate) fn ground(&self, division: &Division) -> Result<Ground> {
        Ground::fit(&division.sample, self.params, self.progress)
    }

    /// Fits level 1 to the rows of a division and asks it about the others.
    pub(crate) fn answered(&self, division: &Division, ground: &Ground, gate: Gate, chosen: Chosen) -> Result<HeldOut> {
        let witness = self.witness(division, ground, gate, chosen)?;
        let answer = |(place, &row): (usize, &usize)| {
            let (trees, set) = (witness.trees(place), &self.labels[row]);
            HeldOutRow {
                row,
                evidence: witness.table.evidence(&self.answers.shares[row], &trees),
                own: witness.table.place(self.seen.class_of()[row]),
                trees: [trees.tied_log_prob(set), trees.stacked.log_prob(set)],
                marginals: trees.marginals(),
                weight: self.weight(row),
            }
        };
        let rows = division.held.par_iter().enumerate().map(answer).collect();
        Ok(HeldOut { classes: witness.classes, log_counts: witness.table.log_counts, rows })
    }

    /// Fits level 1 to the rows of a division.
    pub(crate) fn witness(&self, division: &Division, ground: &Ground, gate: Gate, chosen: Chosen) -> Result<Witness> {
        let Division { train, sample, held_sample, responsibilities, .. } = division;
        let start = Start { responsibilities, gate, chosen };
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
    pub(crate) fn marginals(&self, held: &[HeldOut], joined: &Joined) -> HeldOutMarginals {
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
    pub(crate) fn joined(&self, held: &[HeldOut]) -> Joined {
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
    pub(crate) fn lead(&self, other: &Joined) -> f64 {
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
    pub(crate) fn reason(&self, chosen: Chosen, experts: usize) -> String {
        let ([forest, tied, count], [sets, trees, tree]) = (self.pool.0, self.weights);
        let kind = match chosen.intercepts {
            Intercepts::Free(ridge) => format!("gate penalty {}, of their intercepts {ridge}", chosen.gate),
            Intercepts::Factors { .. } => "their intercepts follow factors".to_string(),
        };
        let stacked = if chosen.chain { "chain" } else { "tree" };
        format!(
            "log-likelihood {:.4} per held-out row, with weight {sets:.3} of the label-set expert (exponents {forest:.2} of \
             the forest, {tied:.2} of the tied trees, {count:.2} of the number of rows), {trees:.3} of {experts} tied trees \
             ({kind}), {tree:.3} of the stacked {stacked}",
            self.mean_log_likelihood()
        )
    }
}
