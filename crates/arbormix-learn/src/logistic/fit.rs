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

/// Most problems that are solved together if rows are dense or many: a tile of sparse rows in single precision. They
/// need about eight numbers of memory per row and problem.
pub const BATCH: usize = 2 * TILE;
/// Most problems that are solved together if rows are sparse and few. Some problems need several times the steps of
/// others, and a tile costs the same when few problems are left. With many problems the remaining ones still fill
/// tiles.
pub const SPARSE_BATCH: usize = 4 * BATCH;
/// Most rows times problems for a batch larger than [`BATCH`].
const FEW_CELLS: usize = 1 << 20;
/// Fewest problems in a batch of dense rows: fewer would not keep the kernels busy.
const MIN_DENSE_BATCH: usize = 3;
/// From this tolerance on, directions are computed in single precision: they have about six digits, and a step uses one
/// or two.
pub(crate) const SINGLE_DIRECTIONS: f64 = 1e-7;
/// From this tolerance on, everything but sums of losses is in single precision: margins and gradients have about six
/// digits, more than a comparison on held-out rows needs.
const SINGLE_PRECISION: f64 = 1e-5;
/// Most rows for which sums over all rows have enough digits in single precision.
const SINGLE_PRECISION_ROWS: usize = 200_000;

thread_local! {
    /// [`BATCH`], or fewer on threads of a pool with a memory bound.
    static TOGETHER: Cell<usize> = const { Cell::new(BATCH) };
}

/// Most problems that this thread solves together.
pub fn solved_together() -> usize {
    TOGETHER.get()
}

/// Lets this thread solve fewer problems together to save memory. Solutions stay the same.
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
    /// The values of a label and one of them: only rows on which the label has that value count (`None`: all rows). So
    /// problems on a part of the rows need no weights of their own.
    pub only: Option<(&'a [bool], bool)>,
    /// Cost C.
    pub cost: f64,
    /// Where to start; `None` or a constant start at the best bias alone.
    pub start: Option<&'a Coefficients>,
    /// Number of leading coordinates that take part (`None`: all); the weights of the others stay 0. So problems with
    /// fewer extra columns share a batch with those that have all.
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
/// A problem with constant weighted targets has no finite optimum without the penalty; it gets the constant log-odds of
/// the smoothed rate ([`smoothed_log_odds`]) instead. Problems do not influence each other: a batch gives the same
/// result as its problems one by one. Cancellation takes effect at the next product, because one batch takes minutes on
/// large data.
pub fn solve(
    block: &Block<'_>,
    problems: &[Problem<'_>],
    params: &SolverParams,
    progress: &dyn Progress,
) -> Result<Vec<Solution>, Cancelled> {
    run(block, problems, params, true, progress)
}

/// Like [`solve`], for a few steps of an outer algorithm (an M-step). It uses single precision wherever directions do
/// (up to 200,000 rows), and skips the products that would evaluate the last step. Gradient norms are those before the
/// last step, so `converged` only says which problems had converged earlier.
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
    // Batches may be split anywhere; a single batch would leave threads idle.
    let least = if block.operator.is_sparse() { TILE } else { MIN_DENSE_BATCH };
    let most = match TOGETHER.get() {
        BATCH if block.operator.is_sparse() => (FEW_CELLS / block.len().max(1)).clamp(BATCH, SPARSE_BATCH),
        most => most,
    };
    let batch = open.len().div_ceil(rayon::current_num_threads()).clamp(least.min(most), most);
    let rough_from = if verified { SINGLE_PRECISION } else { SINGLE_DIRECTIONS };
    let solved: Vec<Vec<Solution>> = open
        .par_chunks(batch)
        .map(|batch| {
            let problems: Vec<&Problem<'_>> = batch.iter().map(|&p| &problems[p]).collect();
            let operator = &block.operator;
            if params.tolerance >= rough_from
                && block.len() <= SINGLE_PRECISION_ROWS
                && let Some(rows) = operator.single()
            {
                return Newton::new(block, rows, Some(rows), &problems, params, progress).run(verified);
            }
            // In this order, because single precision may share the cells of double precision.
            let double = operator.double();
            let single = if params.tolerance >= SINGLE_DIRECTIONS { operator.single() } else { None };
            Newton::new(block, double, single, &problems, params, progress).run(verified)
        })
        .collect::<Result<_, Cancelled>>()?;
    open.iter().zip(solved.into_iter().flatten()).for_each(|(&p, solution)| solutions[p] = Some(solution));
    Ok(solutions.into_iter().flatten().collect())
}

/// The smoothed constant if all targets with positive weight are equal.
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
