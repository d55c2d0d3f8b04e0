//! The choice of the cost C by cross-validation along a warm-started path.

use rayon::prelude::*;

use super::design::{Block, Coefficients, Design};
use super::fit::{Problem, solve};
use super::loss::log_likelihood;
use super::params::{Criterion, LogisticParams};
use arbormix_base::progress::Cancelled;
use arbormix_base::progress::Progress;
use arbormix_base::random::Stream;

/// The log-likelihood of a held-out row is at least log 10⁻¹², so that a single row cannot decide a choice.
pub const LOG_FLOOR: f64 = -27.631_021_115_928_547;

/// The path ends when the held-out log-likelihood of all folds has fallen below its best by this fraction of it and by
/// this many nats. Larger costs only fit the training rows more closely, and the largest take the longest.
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

/// One regression whose cost is chosen.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// Its targets, of full length N.
    pub values: &'a [bool],
    /// Weights of the rows, of full length N, or all 1.
    pub weights: Option<&'a [f64]>,
    /// Number of leading coordinates that take part, see [`Problem::coordinates`].
    pub coordinates: Option<usize>,
}

impl<'a> Target<'a> {
    /// A regression with all coordinates.
    pub fn new(values: &'a [bool], weights: Option<&'a [f64]>) -> Target<'a> {
        Target { values, weights, coordinates: None }
    }

    /// The regression with this cost.
    pub fn problem(&self, cost: f64, start: Option<&'a Coefficients>) -> Problem<'a> {
        Problem { targets: self.values, weights: self.weights, only: None, cost, start, coordinates: self.coordinates }
    }
}

/// Chooses the cost of each target from `params.costs`: the one with the largest held-out log-likelihood (or by
/// `params.criterion`); ties go to the smaller cost.
///
/// `rows` (`None`: all) are divided by `fold_of[row]`; the path is solved on the rows outside of each fold from the smallest
/// cost upwards, each solution starting at the previous one. A target's path ends where its held-out log-likelihood has
/// fallen clearly. Slices have the full length N.
pub fn choose_costs(
    design: &Design,
    rows: Option<&[usize]>,
    extras: &[&[f64]],
    targets: &[Target<'_>],
    fold_of: &[usize],
    params: &LogisticParams,
    progress: &dyn Progress,
) -> Result<Vec<f64>, Cancelled> {
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
    let divisions: Vec<(Vec<usize>, Vec<usize>)> =
        (0..params.folds).map(|fold| rows.iter().partition(|&&row| fold_of[row] != fold)).collect();
    let mut folds: Vec<Fold<'_>> = divisions
        .iter()
        .map(|(train, held)| Fold {
            train: design.block(Some(train), extras),
            held: design.block(Some(held), extras),
            starts: vec![None; targets.len()],
        })
        .collect();
    let mut open: Vec<usize> = (0..targets.len()).collect();
    let mut best = vec![(f64::NEG_INFINITY, params.costs[0]); targets.len()];
    for &cost in &params.costs {
        let scores: Vec<Vec<f64>> = folds
            .par_iter_mut()
            .map(|fold| fold.scores(cost, &open, targets, params, progress))
            .collect::<Result<_, Cancelled>>()?;
        let totals: Vec<f64> = (0..open.len()).map(|place| scores.iter().map(|fold| fold[place]).sum()).collect();
        for (&target, &total) in open.iter().zip(&totals) {
            if total > best[target].0 {
                best[target] = (total, cost);
            }
        }
        if params.criterion == Criterion::Likelihood {
            let best = |target: usize| best[target].0;
            let has_fallen =
                |target: usize, total: f64| total < best(target) - (FALL_SHARE * best(target).abs() + FALL_NATS);
            let still = open.iter().zip(&totals).filter(|&(&target, &total)| !has_fallen(target, total));
            open = still.map(|(&target, _)| target).collect();
        }
    }
    Ok(best.into_iter().map(|(_, cost)| cost).collect())
}

/// One fold, the rows outside of it, and the start for the next cost.
struct Fold<'a> {
    train: Block<'a>,
    held: Block<'a>,
    starts: Vec<Option<Coefficients>>,
}

impl Fold<'_> {
    /// The criterion on this fold for the regression of each open target, fitted on the other rows.
    fn scores(
        &mut self,
        cost: f64,
        open: &[usize],
        targets: &[Target<'_>],
        params: &LogisticParams,
        progress: &dyn Progress,
    ) -> Result<Vec<f64>, Cancelled> {
        let problem = |&t: &usize| targets[t].problem(cost, self.starts[t].as_ref());
        let problems: Vec<Problem<'_>> = open.iter().map(problem).collect();
        let solutions = solve(&self.train, &problems, &params.solver.for_selection(), progress)?;
        let coefficients: Vec<&Coefficients> = solutions.iter().map(|solution| &solution.coefficients).collect();
        let mut scores = vec![0.0; open.len()];
        self.held.visit_rough_margins(&coefficients, |place, margins| {
            let target = &targets[open[place]];
            let signed = self.held.signed(target.values, |row| target.weights.map_or(1.0, |weights| weights[row]));
            scores[place] = match params.criterion {
                Criterion::Likelihood => log_likelihood(&signed, margins, LOG_FLOOR),
                Criterion::Accuracy => {
                    let right = |(a, z): (&f64, &f64)| if (*z >= 0.0) == (*a > 0.0) { a.abs() } else { 0.0 };
                    signed.iter().zip(margins).map(right).sum()
                }
            };
        });
        for (&t, solution) in open.iter().zip(solutions) {
            self.starts[t] = Some(solution.coefficients);
        }
        Ok(scores)
    }
}
