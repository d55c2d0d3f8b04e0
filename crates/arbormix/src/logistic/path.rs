//! The choice of the cost C by cross-validation along a warm-started path.

use rayon::prelude::*;

use super::design::{Block, Coefficients, Design};
use super::fit::{Problem, solve};
use super::loss::log_probability;
use super::params::{Criterion, LogisticParams};
use crate::error::Result;
use crate::progress::Progress;
use crate::random::Stream;

/// No held-out row counts for less than log 10⁻¹²: one row must not decide a choice.
pub(crate) const LOG_FLOOR: f64 = -27.631_021_115_928_547;

/// How far a fold's held-out log-likelihood may fall below its best before the path ends there: a share of the best, and
/// so many nats. Larger costs fit the training rows ever closer; where that has cost so much it does not come to pay again,
/// and the largest costs take the longest.
const FALL_SHARE: f64 = 0.01;
const FALL_NATS: f64 = 1.0;

/// Fold of each row in the choice of C: a seeded shuffle, the same for all regressions of a fit.
pub fn cost_folds(rows: usize, folds: usize, seed: u64) -> Vec<usize> {
    let mut fold_of = vec![0; rows];
    for (place, row) in Stream::new(seed, "cost-folds", 0).permutation(rows).into_iter().enumerate() {
        fold_of[row] = place % folds;
    }
    fold_of
}

/// One regression whose cost is sought.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// Its targets, of full length N.
    pub values: &'a [bool],
    /// Weights of the rows, of full length N, or all 1.
    pub weights: Option<&'a [f64]>,
    /// How many of the leading coordinates it sees, see [`Problem::coordinates`].
    pub coordinates: Option<usize>,
}

impl<'a> Target<'a> {
    /// A regression that sees all coordinates.
    pub fn new(values: &'a [bool], weights: Option<&'a [f64]>) -> Target<'a> {
        Target { values, weights, coordinates: None }
    }

    /// The regression with this cost.
    pub fn problem(&self, cost: f64, start: Option<&'a Coefficients>) -> Problem<'a> {
        Problem { targets: self.values, weights: self.weights, cost, start, coordinates: self.coordinates }
    }
}

/// The cost of each target from `params.costs`: the one with the largest held-out log-likelihood (or whatever
/// `params.criterion` says), ties to the smaller.
///
/// `rows` (`None`: all) are divided by `fold_of[row]`; for each fold the path is solved on the other folds from the
/// smallest cost upwards, each solution starting at the previous one. It ends where a fold's held-out log-likelihood has
/// fallen clearly: a cost that some fold has not come to is not chosen. Slices have the full length N.
pub fn choose_costs(
    design: &Design,
    rows: Option<&[usize]>,
    extras: &[&[f64]],
    targets: &[Target<'_>],
    fold_of: &[usize],
    params: &LogisticParams,
    progress: &dyn Progress,
) -> Result<Vec<f64>> {
    if params.costs.len() == 1 {
        return Ok(vec![params.costs[0]; targets.len()]);
    }
    let all: Vec<usize>;
    let rows = match rows {
        Some(rows) => rows,
        None => {
            all = (0..design.rows()).collect();
            &all
        }
    };
    // scores[fold][cost][target]
    let scores: Vec<Vec<Vec<f64>>> = (0..params.folds)
        .into_par_iter()
        .map(|fold| {
            let (held, train): (Vec<usize>, Vec<usize>) = rows.iter().partition(|&&row| fold_of[row] == fold);
            let (train, held) = (design.block(Some(&train), extras), design.block(Some(&held), extras));
            path_scores(&train, &held, targets, params, progress)
        })
        .collect::<Result<_>>()?;
    Ok((0..targets.len())
        .map(|p| {
            let total = |cost: usize| scores.iter().map(|fold| fold[cost][p]).sum::<f64>();
            let better = |best: usize, cost| if total(cost) > total(best) { cost } else { best };
            params.costs[(1..params.costs.len()).fold(0, better)]
        })
        .collect())
}

/// By cost and target what a fold's held-out rows say of regressions on the others; −∞ after the end of a target's path.
fn path_scores(
    train: &Block<'_>,
    held: &Block<'_>,
    targets: &[Target<'_>],
    params: &LogisticParams,
    progress: &dyn Progress,
) -> Result<Vec<Vec<f64>>> {
    let mut open: Vec<usize> = (0..targets.len()).collect();
    let mut best = vec![f64::NEG_INFINITY; targets.len()];
    let mut starts: Vec<Option<Coefficients>> = vec![None; targets.len()];
    let mut path = Vec::with_capacity(params.costs.len());
    for &cost in &params.costs {
        let problems: Vec<Problem<'_>> = open.iter().map(|&t| targets[t].problem(cost, starts[t].as_ref())).collect();
        let solutions = solve(train, &problems, &params.solver.for_selection(), progress)?;
        let coefficients: Vec<&Coefficients> = solutions.iter().map(|solution| &solution.coefficients).collect();
        let mut scores = vec![f64::NEG_INFINITY; targets.len()];
        held.visit_rough_margins(&coefficients, |place, margins| {
            let target = &targets[open[place]];
            let row_score = |(local, &z): (usize, &f64)| {
                let row = held.row(local);
                let score = match params.criterion {
                    Criterion::Likelihood => log_probability(z, target.values[row]).max(LOG_FLOOR),
                    Criterion::Accuracy => f64::from((z >= 0.0) == target.values[row]),
                };
                target.weights.map_or(1.0, |w| w[row]) * score
            };
            scores[open[place]] = margins.iter().enumerate().map(row_score).sum::<f64>();
        });
        for (&t, solution) in open.iter().zip(solutions) {
            starts[t] = Some(solution.coefficients);
            best[t] = best[t].max(scores[t]);
        }
        let has_fallen = |t: usize| scores[t] < best[t] - (FALL_SHARE * best[t].abs() + FALL_NATS);
        open.retain(|&t| params.criterion == Criterion::Accuracy || !has_fallen(t));
        path.push(scores);
    }
    Ok(path)
}
