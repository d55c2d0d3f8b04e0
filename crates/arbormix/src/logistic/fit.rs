//! The batched solver: truncated Newton with preconditioned conjugate gradients.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::conjugate::{self, Direction};
use super::design::{Block, Coefficients, dot};
use super::loss::{evaluate, smoothed_log_odds, softplus};
use super::params::SolverParams;
use crate::error::{Error, Result};
use crate::matrix::{Columns, Operator, TILE};
use crate::progress::Progress;

/// Problems solved together: two tiles of the kernels. More would gain nothing, fewer batches could not share the work
/// among threads. Memory is about eight numbers per row and problem in flight.
const BATCH: usize = 2 * TILE;
/// Share of the predicted decrease that a step must deliver (Armijo).
const SUFFICIENT: f64 = 1e-4;
/// Halvings of a step at most; after that rounding hides any decrease.
const MAX_HALVINGS: usize = 40;

/// One logistic regression on the rows of a block; slices have the full length N of the design.
#[derive(Debug, Clone, Copy)]
pub struct Problem<'a> {
    /// Targets.
    pub targets: &'a [bool],
    /// Weights sₙ ≥ 0, or all 1.
    pub weights: Option<&'a [f64]>,
    /// Cost C.
    pub cost: f64,
    /// Where to start; `None` or a constant start at 0.
    pub start: Option<&'a Coefficients>,
    /// How many of the leading coordinates take part (`None`: all); the weights of the others stay 0. So problems that
    /// see fewer of the extra columns share a batch with those that see all.
    pub coordinates: Option<usize>,
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
) -> Result<Vec<Solution>> {
    let mut solutions: Vec<Option<Solution>> = problems.iter().map(|problem| constant(block, problem)).collect();
    let open: Vec<usize> = (0..problems.len()).filter(|&p| solutions[p].is_none()).collect();
    let solved: Vec<Vec<Solution>> = open
        .par_chunks(BATCH)
        .map(|batch| {
            let problems: Vec<&Problem<'_>> = batch.iter().map(|&p| &problems[p]).collect();
            Newton::new(block, &problems, params, progress).run()
        })
        .collect::<Result<_>>()?;
    open.iter().zip(solved.into_iter().flatten()).for_each(|(&p, solution)| solutions[p] = Some(solution));
    Ok(solutions.into_iter().flatten().collect())
}

/// The smoothed constant if all targets with positive weight are alike.
fn constant(block: &Block<'_>, problem: &Problem<'_>) -> Option<Solution> {
    let (mut positive, mut total) = (0.0, 0.0);
    let (mut some_on, mut some_off) = (false, false);
    for local in 0..block.len() {
        let n = block.row(local);
        let weight = problem.weights.map_or(1.0, |weights| weights[n]);
        if weight > 0.0 {
            total += weight;
            if problem.targets[n] {
                positive += weight;
                some_on = true;
            } else {
                some_off = true;
            }
        }
    }
    if some_on && some_off {
        return None;
    }
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

/// State of the problems of one batch that have not converged; all matrices have one column per such problem.
struct Newton<'a> {
    block: &'a Block<'a>,
    operator: &'a Operator,
    ridge: std::borrow::Cow<'a, [f64]>,
    params: &'a SolverParams,
    progress: &'a dyn Progress,
    /// Signed weights aₙ = C sₙ yₙ, rows × P.
    signed: Columns,
    /// w, coordinates × P.
    weights: Columns,
    /// z = X w, rows × P.
    margins: Columns,
    residual: Columns,
    curvature: Columns,
    objective: Vec<f64>,
    /// ‖∇f‖ where the problem started.
    first_norm: Vec<f64>,
    /// Leading columns of the operator that take part in each problem.
    width: Vec<usize>,
    /// Position in the batch of each column.
    member: Vec<usize>,
    solutions: Vec<Option<Solution>>,
}

impl<'a> Newton<'a> {
    fn new(
        block: &'a Block<'_>,
        problems: &[&Problem<'_>],
        params: &'a SolverParams,
        progress: &'a dyn Progress,
    ) -> Newton<'a> {
        let operator: &Operator = &block.operator;
        let (n, r, count) = (block.len(), operator.matrix().cols(), problems.len());
        let mut signed = Columns::zeros(n, count);
        let mut weights = Columns::zeros(r, count);
        let mut warm = false;
        for (p, problem) in problems.iter().enumerate() {
            for (local, a) in signed.column_mut(p).iter_mut().enumerate() {
                let row = block.row(local);
                let weight = problem.cost * problem.weights.map_or(1.0, |weights| weights[row]);
                *a = if problem.targets[row] { weight } else { -weight };
            }
            if let Some(Coefficients::Linear(start)) = problem.start {
                weights.column_mut(p).copy_from_slice(&block.restrict(start));
                warm = true;
            }
        }
        let margins = if warm { operator.product(&weights) } else { Columns::zeros(n, count) };
        let mut newton = Newton {
            block,
            operator,
            ridge: block.ridge(),
            params,
            progress,
            width: problems
                .iter()
                .map(|p| block.columns_within(p.coordinates.unwrap_or(block.coordinates())))
                .collect(),
            residual: Columns::zeros(n, count),
            curvature: Columns::zeros(n, count),
            objective: vec![0.0; count],
            first_norm: vec![0.0; count],
            member: (0..count).collect(),
            solutions: vec![None; count],
            signed,
            weights,
            margins,
        };
        for p in 0..count {
            let loss = evaluate(
                newton.signed.column(p),
                newton.margins.column(p),
                newton.residual.column_mut(p),
                newton.curvature.column_mut(p),
            );
            newton.objective[p] = loss + newton.penalty(newton.weights.column(p));
        }
        newton
    }

    fn run(mut self) -> Result<Vec<Solution>> {
        for iteration in 0.. {
            let gradient = self.gradient();
            let norms: Vec<f64> = (0..gradient.cols()).map(|p| self.distance(p, gradient.column(p))).collect();
            if iteration == 0 {
                self.first_norm.clone_from(&norms);
            }
            let last = iteration == self.params.max_iterations;
            let done = |p: usize| last || norms[p] <= self.goal(p);
            let (finished, open): (Vec<usize>, Vec<usize>) = (0..norms.len()).partition(|&p| done(p));
            for &p in &finished {
                self.finish(p, norms[p], iteration);
            }
            if open.is_empty() {
                break;
            }
            let mut gradient = gradient;
            gradient.keep(&open);
            self.keep(&open);
            let norms: Vec<f64> = open.iter().map(|&p| norms[p]).collect();
            let stuck = self.step(&gradient, &norms)?;
            if !stuck.is_empty() {
                for &p in &stuck {
                    self.finish(p, norms[p], iteration + 1);
                }
                let rest: Vec<usize> = (0..self.member.len()).filter(|p| !stuck.contains(p)).collect();
                self.keep(&rest);
                if rest.is_empty() {
                    break;
                }
            }
        }
        Ok(self.solutions.into_iter().flatten().collect())
    }

    /// ∇f = ridge ∘ w − Xᵀ residual.
    fn gradient(&self) -> Columns {
        let mut gradient = self.operator.transposed_product(&self.residual);
        for p in 0..gradient.cols() {
            let weights = self.weights.column(p);
            let column = gradient.column_mut(p);
            for (j, g) in column.iter_mut().enumerate() {
                *g = self.ridge[j] * weights[j] - *g;
            }
            column[self.width[p]..].fill(0.0);
        }
        gradient
    }

    /// One damped Newton step for every problem; returns those that can decrease no further.
    fn step(&mut self, gradient: &Columns, norms: &[f64]) -> Result<Vec<usize>> {
        // Rough systems far from the optimum, finer ones near it, never finer than the goal needs.
        let accuracy: Vec<f64> = (0..norms.len())
            .map(|p| {
                let forcing = (norms[p] / self.first_norm[p]).sqrt().min(0.25);
                forcing.max(0.3 * self.goal(p) / norms[p])
            })
            .collect();
        let mut diagonal = self.operator.squares_transposed_product(&self.curvature);
        for p in 0..diagonal.cols() {
            for (j, h) in diagonal.column_mut(p).iter_mut().enumerate() {
                *h = (*h + self.ridge[j]).max(f64::MIN_POSITIVE);
            }
        }
        let mut down = gradient.clone();
        down.values_mut().iter_mut().for_each(|g| *g = -*g);
        let nowhere = Columns::zeros(self.margins.rows(), norms.len());
        let hessian = |v: &Columns, systems: &[usize]| {
            self.progress.check()?;
            Ok::<_, Error>(self.hessian(v, systems))
        };
        let Direction { solution, along } =
            conjugate::solve(hessian, nowhere, &diagonal, &down, &accuracy, conjugate::NEWTON_STEPS)?;
        Ok((0..solution.cols())
            .filter(|&p| !self.search(p, gradient.column(p), solution.column(p), along.column(p)))
            .collect())
    }

    /// ∇²f · v = ridge ∘ v + Xᵀ (curvature ∘ X v), and X v.
    fn hessian(&self, v: &Columns, systems: &[usize]) -> (Columns, Columns) {
        let curvature: Vec<&[f64]> = systems.iter().map(|&p| self.curvature.column(p)).collect();
        let (mut out, inner) = self.operator.curved_product(v, &curvature);
        for (slot, &p) in systems.iter().enumerate() {
            let direction = v.column(slot);
            let column = out.column_mut(slot);
            for (j, h) in column.iter_mut().enumerate() {
                *h += self.ridge[j] * direction[j];
            }
            column[self.width[p]..].fill(0.0);
        }
        (out, inner)
    }

    /// Halves the step until the objective decreases enough; margins move along, so no product is needed.
    fn search(&mut self, p: usize, gradient: &[f64], direction: &[f64], along: &[f64]) -> bool {
        let slope = dot(gradient, direction);
        if slope >= 0.0 {
            return false;
        }
        let weights = self.weights.column(p).to_vec();
        let margins = self.margins.column(p).to_vec();
        let mut length = 1.0;
        for _ in 0..MAX_HALVINGS {
            let moved: Vec<f64> = weights.iter().zip(direction).map(|(w, d)| w + length * d).collect();
            let target = self.margins.column_mut(p);
            for n in 0..target.len() {
                target[n] = margins[n] + length * along[n];
            }
            let loss = evaluate(
                self.signed.column(p),
                self.margins.column(p),
                self.residual.column_mut(p),
                self.curvature.column_mut(p),
            );
            let objective = loss + self.penalty(&moved);
            if objective <= self.objective[p] + SUFFICIENT * length * slope {
                self.weights.column_mut(p).copy_from_slice(&moved);
                self.objective[p] = objective;
                return true;
            }
            length *= 0.5;
        }
        self.margins.column_mut(p).copy_from_slice(&margins);
        false
    }

    /// ‖∇f‖, with the slope of a free bias measured by its own curvature: there the penalty gives none.
    fn distance(&self, p: usize, gradient: &[f64]) -> f64 {
        let bend = self.curvature.column(p).iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let square = |(g, ridge): (&f64, &f64)| if *ridge > 0.0 { g * g } else { g * g / bend };
        gradient.iter().zip(&*self.ridge).map(square).sum::<f64>().sqrt()
    }

    /// The gradient norm at which a problem has converged.
    fn goal(&self, p: usize) -> f64 {
        (2.0 * self.params.tolerance * self.objective[p]).sqrt()
    }

    fn penalty(&self, weights: &[f64]) -> f64 {
        0.5 * weights.iter().zip(&*self.ridge).map(|(w, ridge)| ridge * w * w).sum::<f64>()
    }

    fn finish(&mut self, p: usize, gradient_norm: f64, iterations: usize) {
        self.solutions[self.member[p]] = Some(Solution {
            coefficients: Coefficients::Linear(self.block.expand(self.weights.column(p))),
            objective: self.objective[p],
            gradient_norm,
            iterations,
            converged: gradient_norm <= self.goal(p),
        });
    }

    /// Drops all problems but the listed ones.
    fn keep(&mut self, problems: &[usize]) {
        if problems.len() == self.member.len() {
            return;
        }
        for block in [&mut self.signed, &mut self.weights, &mut self.margins, &mut self.residual, &mut self.curvature] {
            block.keep(problems);
        }
        for values in [&mut self.objective, &mut self.first_norm] {
            *values = problems.iter().map(|&p| values[p]).collect();
        }
        for places in [&mut self.member, &mut self.width] {
            *places = problems.iter().map(|&p| places[p]).collect();
        }
    }
}
