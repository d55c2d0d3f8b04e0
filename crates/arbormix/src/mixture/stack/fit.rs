//! Learning the stacked mixture.

use rayon::prelude::*;

use super::experts::{Experts, Sample, Start};
use super::level::{Answers, Training};
use super::map::Choice;
use super::params::StackParams;
use super::pool::{Case, Evidence, Pool, Table};
use super::predict::Stack;
use super::{blend, weights};
use crate::data::splits::Folds;
use crate::data::{DataError, LabelSet, SeenSets};
use crate::error::{ParamError, Result};
use crate::features::FeatureParams;
use crate::learner::{FitReport, Learner, Predictor, TrainingSet};
use crate::logistic::{Design, Gate, Softmax, fit_gate};
use crate::matrix::Columns;
use crate::mixture::clusters;
use crate::progress::Progress;
use crate::tree::{constant_label_notes, require_observed};

/// The expert that each label set begins with.
struct Clusters {
    /// Of every class; none for rare sets that were not clustered.
    of_class: Vec<Option<usize>>,
    count: usize,
}

impl Clusters {
    fn new(seen: &SeenSets, most: usize, params: &StackParams) -> Clusters {
        let chosen = most_frequent(seen, params.tied.clustered_sets);
        let sets: Vec<Vec<bool>> = chosen.iter().map(|&class| seen.sets()[class].to_bools()).collect();
        let masses: Vec<f64> = chosen.iter().map(|&class| seen.masses()[class]).collect();
        let (assignment, count) = clusters::grouped(&sets.iter().collect::<Vec<_>>(), &masses, most, params.seed, 0);
        let mut of_class = vec![None; seen.sets().len()];
        chosen.iter().zip(assignment).for_each(|(&class, cluster)| of_class[class] = Some(cluster));
        Clusters { of_class, count }
    }

    /// First responsibilities of rows with these classes, n × K.
    fn responsibilities(&self, classes: &[usize], own_share: f64) -> Columns {
        let mut out = Columns::zeros(classes.len(), self.count);
        let even = 1.0 / self.count as f64;
        for (row, &class) in classes.iter().enumerate() {
            let own = self.of_class[class];
            let rest = if own.is_some() { 1.0 - own_share } else { 1.0 };
            (0..self.count).for_each(|k| out.column_mut(k)[row] = rest * even);
            if let Some(own) = own {
                out.column_mut(own)[row] += own_share;
            }
        }
        out
    }
}

/// The classes of most weight, at most so many, ascending.
fn most_frequent(seen: &SeenSets, most: usize) -> Vec<usize> {
    let mut classes: Vec<usize> = (0..seen.sets().len()).collect();
    classes.sort_by(|&a, &b| seen.masses()[b].total_cmp(&seen.masses()[a]).then(a.cmp(&b)));
    classes.truncate(most);
    classes.sort_unstable();
    classes
}

/// The training rows with the out-of-fold answers of level 0.
struct Stacking<'a> {
    params: &'a StackParams,
    labels: &'a [LabelSet],
    weights: Option<&'a [f64]>,
    seen: &'a SeenSets,
    /// Classes that are in the table.
    table: &'a [usize],
    clusters: &'a Clusters,
    design: &'a Design,
    answers: &'a Answers,
    progress: &'a dyn Progress,
}

/// What the rows of one fold were answered by models of the others.
struct HeldOut {
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

/// What held-out rows decided.
struct Joined {
    pool: Pool,
    weights: [f64; 3],
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

    fn sample(&self, rows: &[usize]) -> Sample {
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
    fn penalty(&self, train: &Sample, start: &Columns, held: &[usize]) -> (f64, Gate) {
        let block = train.design.block(None, &[]);
        let mut penalties = self.params.gate.penalties.clone();
        penalties.sort_by(|a, b| b.total_cmp(a));
        let uniform = Gate::uniform(&block, self.clusters.count);
        if penalties.len() == 1 || self.clusters.count == 1 {
            return (penalties[0], uniform);
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
            fit_gate(&block, start, Some(&train.weights), from, &self.params.gate.with(penalty)).gate
        };
        let mut best = (penalties[0], fitted(penalties[0], &uniform));
        let mut best_score = score(&best.1);
        for &penalty in &penalties[1..] {
            let gate = fitted(penalty, &best.1);
            let reached = score(&gate);
            if reached <= best_score {
                break;
            }
            (best, best_score) = ((penalty, gate), reached);
        }
        best
    }

    /// Fits level 1 without a fold and asks it about that fold; also gives where the gate began.
    fn held_out(&self, folds: &Folds, fold: usize, penalty: Option<f64>) -> Result<(HeldOut, f64, Gate)> {
        let (train, held) = (folds.train(fold), folds.test(fold));
        let sample = self.sample(&train);
        let responsibilities = self.clusters.responsibilities(&self.classes(&train), self.params.tied.own_share);
        let (penalty, first) = match penalty {
            Some(penalty) => (penalty, Gate::uniform(&sample.design.block(None, &[]), self.clusters.count)),
            None => self.penalty(&sample, &responsibilities, &held),
        };
        let start = Start { responsibilities: &responsibilities, gate: first.clone(), penalty };
        let fitted = Experts::fit(&sample, start, self.params, self.progress)?;
        let mut masses = vec![0.0; self.seen.sets().len()];
        train.iter().for_each(|&row| masses[self.seen.class_of()[row]] += self.weight(row));
        let present: Vec<usize> = self.table.iter().copied().filter(|&class| masses[class] > 0.0).collect();
        let log_counts: Vec<f64> = present.iter().map(|&class| (masses[class] + 0.5).ln()).collect();
        let sets = present.iter().map(|&class| &self.seen.sets()[class]);
        let tree = &fitted.experts.tree.branching;
        let table = Table::new(&present, masses.len(), sets, log_counts, tree, self.params.pool.floors());
        let held_sample = self.sample(&held);
        let blended = blend::blended(&fitted.experts.blend, &held_sample.logits, &held_sample.forest);
        let log_gate = fitted.gate.log_weights(&held_sample.design.block(None, &[]));
        let answer = |place: usize| {
            let row = held[place];
            let odds: Vec<f64> = (0..blended.cols()).map(|label| blended.get(place, label)).collect();
            let gate = (0..log_gate.cols()).map(|k| log_gate.get(place, k)).collect();
            let trees = fitted.experts.row(&odds, gate);
            let set = &self.labels[row];
            HeldOutRow {
                evidence: table.evidence(&self.answers.shares[row], &trees),
                own: table.place(self.seen.class_of()[row]),
                trees: [trees.tied_log_prob(set), trees.tree_log_prob(set)],
                weight: self.weight(row),
            }
        };
        let rows = (0..held.len()).into_par_iter().map(answer).collect();
        Ok((HeldOut { log_counts: table.log_counts, rows }, penalty, first))
    }

    /// The exponents of the pool and the weights of the parts, by rows that were held out, and how likely these are then.
    fn joined(&self, held: &[HeldOut]) -> Joined {
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

impl StackParams {
    /// Experts at most: so many that rows × labels × experts stay within bounds.
    fn most_experts(&self, rows: usize, labels: usize) -> usize {
        self.tied.experts.min(self.tied.cells / (rows * labels).max(1)).max(1)
    }

    /// Folds that level 1 is held out on: until they have rows enough.
    fn held_out_folds(&self, rows: usize, folds: usize) -> usize {
        (self.held_out_rows * folds).div_ceil(rows).clamp(1, folds)
    }

    fn fit(&self, data: &TrainingSet<'_>, progress: &dyn Progress) -> Result<(Stack, FitReport)> {
        let rows = data.labels.rows();
        if rows < 2 {
            let remedy = "; each must be answered by a model of others";
            return Err(DataError::TooFew { what: "rows of positive weight", found: rows, needed: 2, remedy }.into());
        }
        let mut notes = constant_label_notes(data);
        let labels: Vec<Vec<bool>> = (0..data.labels.count()).map(|label| data.labels.column(label)).collect();
        let (solver, seed) = (self.logistic.solver, self.seed);
        let choice = Choice { features: data.features, labels: &labels, weights: data.weights, solver, seed };
        let (map, reasons) = choice.map(&self.map, progress)?;
        notes.extend(reasons);
        let design = Design::new(&map.encode(data.features), self.logistic.bias);
        let seen = SeenSets::new(data.labels, data.weights);
        let level = Training {
            features: data.features,
            design: &design,
            labels: &labels,
            seen: &seen,
            weights: data.weights,
            params: self,
        };
        progress.check()?;
        let costs = level.costs();
        let folds = Folds::shuffled(rows, self.folds.min(rows), seed)?;
        let answers = level.out_of_fold(&folds, &costs, progress)?;
        let most = self.most_experts(rows, labels.len());
        let table = most_frequent(&seen, self.pool.sets);
        notes.extend(self.limits(&seen, most, table.len()));
        let clusters = Clusters::new(&seen, most, self);
        let stacking = Stacking {
            params: self,
            labels: data.labels.sets(),
            weights: data.weights,
            seen: &seen,
            table: &table,
            clusters: &clusters,
            design: &design,
            answers: &answers,
            progress,
        };
        let used = self.held_out_folds(rows, folds.count());
        progress.begin("fitting the experts", used + 1);
        let (first, penalty, gate) = stacking.held_out(&folds, 0, None)?;
        progress.advance(1);
        let others = (1..used).into_par_iter().map(|fold| {
            let held = stacking.held_out(&folds, fold, Some(penalty))?.0;
            progress.advance(1);
            Ok(held)
        });
        let mut held = vec![first];
        held.extend(others.collect::<Result<Vec<_>>>()?);
        let joined = stacking.joined(&held);
        let all: Vec<usize> = (0..rows).collect();
        let responsibilities = clusters.responsibilities(seen.class_of(), self.tied.own_share);
        let start = Start { responsibilities: &responsibilities, gate, penalty };
        let fitted = Experts::fit(&stacking.sample(&all), start, self, progress)?;
        let gate = Softmax::new(&fitted.gate, &design);
        let (level, converged) = level.fit(map, &costs, progress)?;
        if !converged {
            notes.push("a logistic regression reached its iteration limit (logistic.solver.max_iterations)".into());
        }
        notes.push(joined.reason(penalty, clusters.count));
        let model = Stack::new(self, level, &seen, table, fitted.experts, gate, joined.pool, joined.weights);
        Ok((model, FitReport { converged, notes, trace: fitted.trace }))
    }

    /// Says which limits the data meets.
    fn limits(&self, seen: &SeenSets, most: usize, table: usize) -> Vec<String> {
        let sets = seen.sets().len();
        let mut notes = Vec::new();
        if most < self.tied.experts && most < sets {
            notes.push(format!(
                "{most} tied trees instead of {}: more would be over {} cells (tied.cells)",
                self.tied.experts.min(sets),
                self.tied.cells
            ));
        }
        if table < sets {
            notes.push(format!(
                "the {table} most frequent of {sets} label sets are in the label-set expert's table (pool.sets); \
                 the others are left to the trees"
            ));
        }
        notes
    }
}

impl Joined {
    /// For people.
    fn reason(&self, penalty: f64, experts: usize) -> String {
        let ([forest, tied, count], [sets, trees, tree]) = (self.pool.0, self.weights);
        format!(
            "log-likelihood {:.4} per held-out row, with weight {sets:.3} of the label-set expert (exponents {forest:.2} of \
             the forest, {tied:.2} of the tied trees, {count:.2} of the number of rows), {trees:.3} of {experts} tied trees \
             (gate penalty {penalty}), {tree:.3} of the stacked tree",
            self.log_likelihood
        )
    }
}

impl Learner for StackParams {
    fn method(&self) -> &'static str {
        "stack"
    }

    fn params(&self) -> serde_json::Value {
        serde_json::to_value(self).expect("parameters are plain data")
    }

    fn validate(&self) -> Result<(), ParamError> {
        self.check()
    }

    fn features(&self) -> &FeatureParams {
        &self.features
    }

    fn learn(&self, data: &TrainingSet<'_>, progress: &dyn Progress) -> Result<(Box<dyn Predictor>, FitReport)> {
        require_observed(data, self.method())?;
        // Rows of weight 0 take no part in anything, the folds and the list of label sets included.
        let kept = |weights: &[f64]| (0..weights.len()).filter(|&row| weights[row] > 0.0).collect::<Vec<_>>();
        let (model, report) = match data.weights {
            Some(weights) if weights.contains(&0.0) => {
                let rows = kept(weights);
                let weights: Vec<f64> = rows.iter().map(|&row| weights[row]).collect();
                let (features, labels) = (data.features.select_rows(&rows), data.labels.select_rows(&rows));
                let rest = TrainingSet { features: &features, labels: &labels, weights: Some(&weights), ..*data };
                self.fit(&rest, progress)?
            }
            _ => self.fit(data, progress)?,
        };
        Ok((Box::new(model), report))
    }
}
