//! Regressions to solve, and their solutions.

use std::cell::Cell;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::design::{Block, Coefficients};
use super::loss::{smoothed_log_odds, softplus};
use super::newton::Newton;
use super::params::SolverParams;
use arbormix_base::progress::Cancelled;
use arbormix_base::progress::Progress;
use arbormix_matrix::TILE;

/// Problems solved together at most where rows are dense or many: a tile of sparse rows in single precision. Memory is about
/// eight numbers per row and problem in flight.
pub const BATCH: usize = 2 * TILE;
/// Problems solved together at most where rows are sparse and few. Some problems take several times the steps of others, and
/// a tile costs the same however few are left in it: of many problems, those that are left still fill tiles.
pub const SPARSE_BATCH: usize = 4 * BATCH;
/// Rows times problems that may be solved together beyond [`BATCH`].
const FEW_CELLS: usize = 1 << 20;
/// Problems in a batch of dense rows at least: fewer would not keep the kernels busy.
const LEAST_DENSE: usize = 3;
/// Tolerances from which on directions are sought in single precision: they then have about six digits, of which a step
/// uses one or two.
pub(crate) const ROUGH_DIRECTIONS: f64 = 1e-7;
/// Tolerances from which on everything but sums of losses is in single precision: margins and gradients have about six
/// digits, of which a comparison on held-out rows uses fewer.
const ROUGH_THROUGHOUT: f64 = 1e-5;
/// Rows up to which sums over all of them keep enough digits in single precision.
const ROUGH_ROWS: usize = 200_000;

thread_local! {
    /// [`BATCH`], or fewer on the threads of a pool that has a bound on memory.
    static TOGETHER: Cell<usize> = const { Cell::new(BATCH) };
}

/// Problems that this thread solves together at most.
pub fn solved_together() -> usize {
    TOGETHER.get()
}

/// Lets this thread solve fewer problems together, to save memory; solutions stay the same.
pub fn solve_fewer_together(problems: usize) {
    TOGETHER.set(problems.clamp(1, BATCH));
}

/// One logistic regression on the rows of a block; slices have the full length N of the design.
#[derive(Debug, Clone, Copy)]
pub struct Problem<'a> {
    /// Targets.
    pub targets: &'a [bool],
    /// Weights sₙ ≥ 0, or all 1.
    pub weights: Option<&'a [f64]>,
    /// Of a label's values and one of them: the rows on which the label has it are those that count (`None`: all). So
    /// problems that see part of a block's rows need no weights of their own.
    pub only: Option<(&'a [bool], bool)>,
    /// Cost C.
    pub cost: f64,
    /// Where to start; `None` or a constant start at the best bias alone.
    pub start: Option<&'a Coefficients>,
    /// How many of the leading coordinates take part (`None`: all); the weights of the others stay 0. So problems that
    /// see fewer of the extra columns share a batch with those that see all.
    pub coordinates: Option<usize>,
}

impl Problem<'_> {
    /// The weight of a row of the design.
    #[inline]
    pub(crate) fn weight(&self, row: usize) -> f64 {
        match self.only {
            Some((values, value)) if values[row] != value => 0.0,
            _ => self.weights.map_or(1.0, |weights| weights[row]),
        }
    }
}

/// A solved problem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Solution {
    /// What was learned.
    pub coefficients: Coefficients,
    /// f(w), see [`super::loss`].
    pub objective: f64,
    /// ‖∇f(w)‖ (see [`SolverParams::tolerance`] for a free bias).
    pub gradient_norm: f64,
    /// Newton steps taken.
    pub iterations: usize,
    /// Whether ‖∇f(w)‖² ≤ 2 · tolerance · f(w) was reached.
    pub converged: bool,
}

/// Solves a batch of problems that share the rows of `block`.
///
/// A problem whose weighted targets are all alike has no finite optimum without the penalty; it gets the constant
/// log-odds of the smoothed rate ([`smoothed_log_odds`]) instead. Problems do not influence each other: the result
/// for a batch is that of the problems one by one. Stops at the next product once `progress` says so: on large data one
/// batch takes minutes.
pub fn solve(
    block: &Block<'_>,
    problems: &[Problem<'_>],
    params: &SolverParams,
    progress: &dyn Progress,
) -> Result<Vec<Solution>, Cancelled> {
    run(block, problems, params, true, progress)
}

/// As [`solve`], for a few steps on the way to something else (an M-step): in single precision wherever directions are (up
/// to 200,000 rows), and without the products that would say how good the last step was. Gradient norms are those before
/// it, so that `converged` only tells who had converged earlier.
pub fn improve(
    block: &Block<'_>,
    problems: &[Problem<'_>],
    params: &SolverParams,
    progress: &dyn Progress,
) -> Result<Vec<Solution>, Cancelled> {
    run(block, problems, params, false, progress)
}

fn run(
    block: &Block<'_>,
    problems: &[Problem<'_>],
    params: &SolverParams,
    verified: bool,
    progress: &dyn Progress,
) -> Result<Vec<Solution>, Cancelled> {
    let mut solutions: Vec<Option<Solution>> = problems.iter().map(|problem| constant(block, problem)).collect();
    let open: Vec<usize> = (0..problems.len()).filter(|&p| solutions[p].is_none()).collect();
    // Batches may be cut anywhere; so few regressions as one batch would leave threads idle.
    let least = if block.operator.is_sparse() { TILE } else { LEAST_DENSE };
    let most = match TOGETHER.get() {
        BATCH if block.operator.is_sparse() => (FEW_CELLS / block.len().max(1)).clamp(BATCH, SPARSE_BATCH),
        most => most,
    };
    let batch = open.len().div_ceil(rayon::current_num_threads()).clamp(least.min(most), most);
    let rough_from = if verified { ROUGH_THROUGHOUT } else { ROUGH_DIRECTIONS };
    let solved: Vec<Vec<Solution>> = open
        .par_chunks(batch)
        .map(|batch| {
            let problems: Vec<&Problem<'_>> = batch.iter().map(|&p| &problems[p]).collect();
            let operator = &block.operator;
            if params.tolerance >= rough_from
                && block.len() <= ROUGH_ROWS
                && let Some(rows) = operator.single()
            {
                return Newton::new(block, rows, Some(rows), &problems, params, progress).run(verified);
            }
            // In this order: single precision may share what double precision has stored.
            let double = operator.double();
            let single = if params.tolerance >= ROUGH_DIRECTIONS { operator.single() } else { None };
            Newton::new(block, double, single, &problems, params, progress).run(verified)
        })
        .collect::<Result<_, Cancelled>>()?;
    open.iter().zip(solved.into_iter().flatten()).for_each(|(&p, solution)| solutions[p] = Some(solution));
    Ok(solutions.into_iter().flatten().collect())
}

/// The smoothed constant if all targets with positive weight are alike.
fn constant(block: &Block<'_>, problem: &Problem<'_>) -> Option<Solution> {
    let weight = |row: usize| problem.weight(row);
    let mut counted = (0..block.len()).map(|local| block.row(local)).filter(|&row| weight(row) > 0.0);
    let target = counted.next().is_some_and(|row| problem.targets[row]);
    if counted.any(|row| problem.targets[row] != target) {
        return None;
    }
    let total: f64 = (0..block.len()).map(|local| weight(block.row(local))).sum();
    let positive = if target { total } else { 0.0 };
    let log_odds = smoothed_log_odds(positive, total);
    let loss = positive * softplus(-log_odds) + (total - positive) * softplus(log_odds);
    Some(Solution {
        coefficients: Coefficients::Constant(log_odds),
        objective: problem.cost * loss,
        gradient_norm: 0.0,
        iterations: 0,
        converged: true,
    })
}
