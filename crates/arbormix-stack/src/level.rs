//! Level 0: logistic regressions of the labels on φ, and a forest over the label sets.

use super::map::Map;
use super::params::StackParams;
use arbormix_base::progress::Progress;
use arbormix_base::random::Stream;
use arbormix_data::splits::Folds;
use arbormix_data::{LabelSet, SeenSets};
use arbormix_joint::Result;
use arbormix_learn::forest::{Forest, Shares};
use arbormix_learn::logistic::loss::clamped_log_odds;
use arbormix_learn::logistic::{Coefficients, Design, Target, choose_costs, cost_folds, solve};
use arbormix_matrix::{Columns, Matrix};

/// Rows × trees of a fold's forest from which on it has fewer trees.
const TREE_ROWS: usize = 700_000;

impl StackParams {
    /// Trees of each forest whose answers are out-of-fold.
    ///
    /// Few trees make noisy answers, and what stands above trusts them less than all forests together deserve. The more label sets there
    /// are, the smaller are their shares, and the more trees it takes to tell these apart; the more rows, the longer each takes.
    pub fn trees_of_fold(&self, rows: usize, sets: usize) -> usize {
        let trees = self.held_out_trees;
        let wanted = (sets + sets / 2).clamp(trees, trees.saturating_add(trees / 2));
        wanted.min((TREE_ROWS / rows.max(1)).max(trees.div_ceil(2)))
    }
}

/// The rows that level 0 learns from.
pub(crate) struct Training<'a> {
    pub(crate) features: &'a Matrix,
    /// φ of the rows.
    pub(crate) design: &'a Design,
    /// One column per label.
    pub(crate) labels: &'a [Vec<bool>],
    pub(crate) seen: &'a SeenSets,
    pub(crate) weights: Option<&'a [f64]>,
    pub(crate) params: &'a StackParams,
}

/// What level 0 says about some rows.
pub(crate) struct Answers {
    /// p_T(s | x) by class.
    pub(crate) shares: Vec<Shares>,
    /// Log-odds by the regressions, n × d.
    pub(crate) logits: Columns,
    /// Log-odds by the forest, n × d.
    pub(crate) forest: Columns,
}

/// A fitted level 0.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Level {
    pub(crate) map: Map,
    pub(crate) forest: Forest,
    /// Weights of the regressions, r × d.
    pub(crate) weights: Columns,
    pub(crate) biases: Vec<f64>,
}

impl Training<'_> {
    fn targets(&self) -> Vec<Target<'_>> {
        self.labels.iter().map(|values| Target::new(values, self.weights)).collect()
    }

    /// The cost C of every label's regression, by cross-validation.
    pub(crate) fn costs(&self, progress: &dyn Progress) -> Result<Vec<f64>> {
        let logistic = &self.params.logistic;
        let folds = cost_folds(self.design.rows(), logistic.folds, self.params.seed);
        Ok(choose_costs(self.design, None, &[], &self.targets(), &folds, logistic, progress)?)
    }

    /// The regressions on some rows (`None`: all), and whether all of them converged.
    fn regressions(
        &self,
        rows: Option<&[usize]>,
        costs: &[f64],
        progress: &dyn Progress,
    ) -> Result<(Vec<Coefficients>, bool)> {
        let targets = self.targets();
        let problems: Vec<_> = targets.iter().zip(costs).map(|(target, cost)| target.problem(*cost, None)).collect();
        let solutions = solve(&self.design.block(rows, &[]), &problems, &self.params.logistic.solver, progress)?;
        let converged = solutions.iter().all(|solution| solution.converged);
        Ok((solutions.into_iter().map(|solution| solution.coefficients).collect(), converged))
    }

    fn forest(&self, rows: &[usize], trees: usize, seed: u64, progress: &dyn Progress) -> Result<Forest> {
        let params = self.params.forest.clone().trees(trees);
        let classes: Vec<usize> = rows.iter().map(|&row| self.seen.class_of()[row]).collect();
        let weights: Option<Vec<f64>> = self.weights.map(|weights| rows.iter().map(|&row| weights[row]).collect());
        let features = self.features.select_rows(rows);
        Ok(params.grow(&features, &classes, self.seen.sets().len(), weights.as_deref(), seed, progress)?)
    }

    /// The answers to every row of a level that was fitted to the other folds, and the forests that gave them.
    pub(crate) fn out_of_fold(
        &self,
        folds: &Folds,
        costs: &[f64],
        progress: &dyn Progress,
    ) -> Result<(Answers, Vec<Forest>)> {
        let (rows, labels) = (self.design.rows(), self.labels.len());
        let mut shares = vec![Shares::new(); rows];
        let mut logits = Columns::zeros(rows, labels);
        let mut forests = Vec::with_capacity(folds.count());
        for fold in 0..folds.count() {
            progress.check()?;
            let (train, held) = (folds.train(fold), folds.test(fold));
            // The forests answer together at last, so no two may draw alike.
            let seed = Stream::new(self.params.seed, "forest-of-fold", fold as u64).bits();
            let forest =
                self.forest(&train, self.params.trees_of_fold(rows, self.seen.sets().len()), seed, progress)?;
            let own = forest.shares(&self.features.select_rows(&held));
            held.iter().zip(own).for_each(|(&row, own)| shares[row] = own);
            forests.push(forest);
            let (coefficients, _) = self.regressions(Some(&train), costs, progress)?;
            let margins = self.design.block(Some(&held), &[]).margins(&coefficients.iter().collect::<Vec<_>>());
            for label in 0..labels {
                let column = logits.column_mut(label);
                held.iter().zip(margins.column(label)).for_each(|(&row, margin)| column[row] = *margin);
            }
        }
        let forest = log_odds(&shares, self.seen.sets(), labels, self.params.blend.clip);
        Ok((Answers { shares, logits, forest }, forests))
    }

    /// Level 0 of all rows, and whether its regressions converged.
    ///
    /// The out-of-fold forests together are its forest: what stands above has learned from answers like those it will
    /// get, and no tree is grown twice. With `refit_forest` another one is grown on all rows.
    pub(crate) fn fit(
        &self,
        map: Map,
        costs: &[f64],
        forests: Vec<Forest>,
        progress: &dyn Progress,
    ) -> Result<(Level, bool)> {
        let all: Vec<usize> = (0..self.design.rows()).collect();
        let kept = if self.params.refit_forest { None } else { Forest::of_all(forests) };
        let forest = match kept {
            Some(forest) => forest,
            None => self.forest(&all, self.params.forest.trees, self.params.seed, progress)?,
        };
        let (coefficients, converged) = self.regressions(None, costs, progress)?;
        let mapped: Vec<_> = coefficients.iter().map(|own| self.design.to_features(own)).collect();
        let weights = Columns::from_columns(map.feature_count(), mapped.iter().map(|own| own.weights.as_slice()));
        let biases = mapped.iter().map(|own| own.bias).collect();
        Ok((Level { map, forest, weights, biases }, converged))
    }
}

impl Level {
    /// What it says about rows, of which φ is given too; `sets` are the forest's classes.
    pub(crate) fn answers(&self, features: &Matrix, mapped: &Matrix, sets: &[LabelSet], clip: f64) -> Answers {
        let shares = self.forest.shares(features);
        let mut logits = mapped.product(&self.weights);
        for (label, bias) in self.biases.iter().enumerate() {
            logits.column_mut(label).iter_mut().for_each(|logit| *logit += bias);
        }
        let forest = log_odds(&shares, sets, self.biases.len(), clip);
        Answers { shares, logits, forest }
    }
}

/// logit of the share of sets that have a label, kept `clip` away from 0 and 1, n × d.
fn log_odds(shares: &[Shares], sets: &[LabelSet], labels: usize, clip: f64) -> Columns {
    let mut out = Columns::zeros(shares.len(), labels);
    let mut marginals = vec![0.0; labels];
    for (row, shares) in shares.iter().enumerate() {
        marginals.fill(0.0);
        for &(class, share) in shares {
            sets[class as usize].members().for_each(|label| marginals[label] += share);
        }
        for (label, p) in marginals.iter().enumerate() {
            out.column_mut(label)[row] = clamped_log_odds(*p, clip);
        }
    }
    out
}
