//! The batched solver: truncated Newton with preconditioned conjugate gradients.

use super::conjugate::{self, Direction};
use super::design::{Block, Coefficients, dot};
use super::exponential::Exponential;
use super::fit::{Problem, Solution};
use super::loss::{evaluate, sigmoid};
use super::params::SolverParams;
use arbormix_base::progress::Cancelled;
use arbormix_base::progress::Progress;
use arbormix_matrix::{BothWays, Columns, Real, Tiled};

/// Fraction of the predicted decrease that a step must achieve (Armijo).
const SUFFICIENT_DECREASE: f64 = 1e-4;
/// Most halvings of a step; after that rounding hides any decrease.
const MAX_HALVINGS: usize = 40;
/// Most steps to the best bias, each of length at most 1: a start need not be exact.
const BIAS_STEPS: usize = 12;

/// The best bias b without features: minimises Σ |aₙ| softplus(∓b) + ½ ridge b² by Newton's method.
fn best_bias<T: Real>(signed: &[T], ridge: f64) -> f64 {
    let total = |part: fn(f64) -> f64| signed.iter().map(|a| part(a.wide())).sum::<f64>();
    let (positive, negative) = (total(|a| a.max(0.0)), total(|a| (-a).max(0.0)));
    let mut bias = 0.0;
    for _ in 0..BIAS_STEPS {
        let p = sigmoid(bias);
        let slope = negative * p - positive * (1.0 - p) + ridge * bias;
        let bend = (positive + negative) * p * (1.0 - p) + ridge;
        if bend > 0.0 {
            // Where the loss is nearly linear, a full step would go too far.
            bias -= (slope / bend).clamp(-1.0, 1.0);
        }
    }
    bias
}

/// State of the problems of one batch that have not converged; all matrices have one column per such problem.
///
/// Margins and gradients have the precision T. Objectives and weights have double precision.
pub(crate) struct Newton<'a, T: Tiled> {
    block: &'a Block<'a>,
    rows: &'a BothWays<T>,
    /// The rows in single precision, if directions may be computed in it.
    rough: Option<&'a BothWays<f32>>,
    ridge: std::borrow::Cow<'a, [f64]>,
    params: &'a SolverParams,
    progress: &'a dyn Progress,
    /// Signed weights aₙ = C sₙ yₙ, rows × P.
    signed: Columns<T>,
    /// w, coordinates × P.
    weights: Columns,
    /// z = X w, rows × P.
    margins: Columns<T>,
    residual: Columns<T>,
    curvature: Columns<T>,
    objective: Vec<f64>,
    /// ‖∇f‖ where the problem started, and before the last step.
    first_norm: Vec<f64>,
    last_norm: Vec<f64>,
    /// Leading columns of the operator that take part in each problem.
    width: Vec<usize>,
    /// Position in the batch of each column.
    member: Vec<usize>,
    solutions: Vec<Option<Solution>>,
}

impl<'a, T: Tiled + Exponential> Newton<'a, T> {
    pub(crate) fn new(
        block: &'a Block<'_>,
        rows: &'a BothWays<T>,
        rough: Option<&'a BothWays<f32>>,
        problems: &[&Problem<'_>],
        params: &'a SolverParams,
        progress: &'a dyn Progress,
    ) -> Newton<'a, T> {
        let (n, r, count) = (block.len(), block.operator.cols(), problems.len());
        let mut signed = Columns::zeros(n, count);
        let mut weights = Columns::zeros(r, count);
        let mut margins = Columns::zeros(n, count);
        let bias_weights: Vec<T> = block.bias().iter().map(|&b| T::of(b)).collect();
        let ones = rows.product(&[&bias_weights]);
        for (p, problem) in problems.iter().enumerate() {
            let own = block.signed(problem.targets, |row| problem.weight(row));
            signed.column_mut(p).iter_mut().zip(own).for_each(|(a, weight)| *a = T::of(problem.cost * weight));
            match problem.start {
                Some(Coefficients::Linear(start)) => weights.column_mut(p).copy_from_slice(&block.restrict(start)),
                _ => {
                    let bias = best_bias(signed.column(p), block.bias_ridge());
                    weights.column_mut(p).iter_mut().zip(&*block.bias()).for_each(|(w, b)| *w = bias * b);
                    // Not the bias itself: axes that were left out may have a part of it.
                    let moved = ones.column(0).iter().map(|one| T::of(bias * one.wide()));
                    margins.column_mut(p).iter_mut().zip(moved).for_each(|(z, moved)| *z = moved);
                }
            }
        }
        let linear = |p: &usize| matches!(problems[*p].start, Some(Coefficients::Linear(_)));
        let warm: Vec<usize> = (0..count).filter(linear).collect();
        let starts = Columns::from_columns(r, warm.iter().map(|&p| weights.column(p))).to_precision();
        let products = rows.product(&starts.all());
        warm.iter().enumerate().for_each(|(at, &p)| margins.column_mut(p).copy_from_slice(products.column(at)));
        let mut newton = Newton {
            block,
            rows,
            rough,
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
            last_norm: vec![0.0; count],
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

    /// Steps until all problems have converged, or up to the step limit. If `verified`, objectives and gradient norms
    /// of the solutions are computed at their final weights.
    pub(crate) fn run(mut self, verified: bool) -> Result<Vec<Solution>, Cancelled> {
        for iteration in 0.. {
            let all: Vec<usize> = (0..self.member.len()).collect();
            let last = iteration == self.params.max_iterations;
            if last && !verified {
                all.iter().for_each(|&p| self.finish(p, self.last_norm[p], iteration));
                break;
            }
            let mut gradient = self.gradient(&all);
            let mut norms: Vec<f64> = all.iter().map(|&p| self.distance(p, gradient.column(p))).collect();
            if iteration == 0 {
                self.first_norm.clone_from(&norms);
            }
            let near: Vec<usize> = all.into_iter().filter(|&p| last || norms[p] <= self.goal(p)).collect();
            if verified && self.settle(&near) {
                let exact = self.gradient(&near);
                for (at, &p) in near.iter().enumerate() {
                    gradient.column_mut(p).copy_from_slice(exact.column(at));
                    norms[p] = self.distance(p, exact.column(at));
                }
            }
            let done = |p: usize| last || norms[p] <= self.goal(p);
            let (finished, open): (Vec<usize>, Vec<usize>) = (0..norms.len()).partition(|&p| done(p));
            for &p in &finished {
                self.finish(p, norms[p], iteration);
            }
            if open.is_empty() {
                break;
            }
            gradient.keep(&open);
            self.keep(&open);
            self.last_norm = open.iter().map(|&p| norms[p]).collect();
            let stuck = self.step(&gradient)?;
            if !stuck.is_empty() {
                if verified {
                    self.settle(&stuck);
                    let exact = self.gradient(&stuck);
                    for (at, &p) in stuck.iter().enumerate() {
                        self.last_norm[p] = self.distance(p, exact.column(at));
                    }
                }
                stuck.iter().for_each(|&p| self.finish(p, self.last_norm[p], iteration + 1));
                let rest: Vec<usize> = (0..self.member.len()).filter(|p| !stuck.contains(p)).collect();
                self.keep(&rest);
                if rest.is_empty() {
                    break;
                }
            }
        }
        Ok(self.solutions.into_iter().flatten().collect())
    }

    /// ∇f = ridge ∘ w − Xᵀ residual of some problems.
    fn gradient(&self, problems: &[usize]) -> Columns {
        let residuals: Vec<&[T]> = problems.iter().map(|&p| self.residual.column(p)).collect();
        let mut gradient = self.rows.transposed_product(&residuals).to_precision::<f64>();
        for (at, &p) in problems.iter().enumerate() {
            let weights = self.weights.column(p);
            let column = gradient.column_mut(at);
            for (j, g) in column.iter_mut().enumerate() {
                *g = self.ridge[j] * weights[j] - *g;
            }
            column[self.width[p]..].fill(0.0);
        }
        gradient
    }

    /// One damped Newton step for every problem; returns the problems that cannot decrease further.
    fn step(&mut self, gradient: &Columns) -> Result<Vec<usize>, Cancelled> {
        // Low accuracy far from the optimum, higher near it, but never higher than the tolerance needs.
        let norms = self.last_norm.iter().enumerate();
        let accuracy: Vec<f64> = norms
            .map(|(p, norm)| {
                let forcing = (norm / self.first_norm[p]).sqrt().min(0.25);
                forcing.max(0.3 * self.goal(p) / norm)
            })
            .collect();
        let Direction { solution, along } = match self.rough {
            Some(rows) => self.direction(rows, gradient, &accuracy)?,
            None => self.direction(self.rows, gradient, &accuracy)?,
        };
        Ok((0..solution.cols())
            .filter(|&p| !self.search(p, gradient.column(p), solution.column(p), along.column(p)))
            .collect())
    }

    /// Approximate solutions d of ∇²f d = −∇f, and X d.
    fn direction<U: Tiled>(
        &self,
        rows: &BothWays<U>,
        gradient: &Columns,
        accuracy: &[f64],
    ) -> Result<Direction, Cancelled> {
        let mut down = gradient.clone();
        down.values_mut().iter_mut().for_each(|g| *g = -*g);
        let hessian = |v: &[&[U]], systems: &[usize]| {
            self.progress.check()?;
            Ok::<_, Cancelled>(self.hessian(rows, v, systems))
        };
        let diagonal = self.diagonal(rows);
        conjugate::solve(hessian, self.block.len(), &diagonal, &down, accuracy, conjugate::NEWTON_STEPS)
    }

    /// Approximate diagonals of ∇²f. In principal axes the mean curvature of the rows is good enough and saves a
    /// product.
    fn diagonal<U: Tiled>(&self, rows: &BothWays<U>) -> Columns<U> {
        let count = self.member.len();
        let mut diagonal = match self.block.spread() {
            Some(spread) => {
                let mut diagonal = Columns::zeros(spread.len(), count);
                for p in 0..count {
                    let bend = self.bend(p);
                    diagonal.column_mut(p).iter_mut().zip(spread).for_each(|(h, s)| *h = U::of(bend * s));
                }
                diagonal
            }
            None => rows.squares_transposed_product(&self.curvature.to_precision().all()),
        };
        for p in 0..count {
            for (j, h) in diagonal.column_mut(p).iter_mut().enumerate() {
                let whole = *h + U::of(self.ridge[j]);
                *h = if whole > U::TINY { whole } else { U::TINY };
            }
        }
        diagonal
    }

    /// ∇²f · v = ridge ∘ v + Xᵀ (curvature ∘ X v), and X v.
    fn hessian<U: Tiled>(&self, rows: &BothWays<U>, v: &[&[U]], systems: &[usize]) -> (Columns<U>, Columns<U>) {
        let curvature: Vec<&[T]> = systems.iter().map(|&p| self.curvature.column(p)).collect();
        let (mut out, inner) = rows.curved_product(v, &curvature);
        for (slot, &p) in systems.iter().enumerate() {
            let column = out.column_mut(slot);
            for (j, h) in column.iter_mut().enumerate() {
                *h += U::of(self.ridge[j]) * v[slot][j];
            }
            column[self.width[p]..].fill(U::ZERO);
        }
        (out, inner)
    }

    /// Halves the step until the objective decreases enough. Margins move along the step, so no product is needed.
    fn search(&mut self, p: usize, gradient: &[f64], direction: &[f64], along: &[f64]) -> bool {
        let slope = dot(gradient, direction);
        if slope.is_nan() || slope >= 0.0 {
            return false;
        }
        let weights = self.weights.column(p).to_vec();
        let margins = self.margins.column(p).to_vec();
        let mut length = 1.0;
        for _ in 0..MAX_HALVINGS {
            let moved: Vec<f64> = weights.iter().zip(direction).map(|(w, d)| w + length * d).collect();
            let target = self.margins.column_mut(p);
            for n in 0..target.len() {
                target[n] = T::of(margins[n].wide() + length * along[n]);
            }
            let loss = evaluate(
                self.signed.column(p),
                self.margins.column(p),
                self.residual.column_mut(p),
                self.curvature.column_mut(p),
            );
            let objective = loss + self.penalty(&moved);
            if objective <= self.objective[p] + SUFFICIENT_DECREASE * length * slope {
                self.weights.column_mut(p).copy_from_slice(&moved);
                self.objective[p] = objective;
                return true;
            }
            length *= 0.5;
        }
        self.margins.column_mut(p).copy_from_slice(&margins);
        false
    }

    /// Recomputes margins, and what follows from them, from the weights. Approximate directions have moved the margins
    /// with few digits, but results must hold for the final weights. Returns `false` if nothing was
    /// recomputed, because the margins are as exact as the precision allows.
    fn settle(&mut self, problems: &[usize]) -> bool {
        if self.rough.is_none() || size_of::<T>() < size_of::<f64>() || problems.is_empty() {
            return false;
        }
        let weights = Columns::from_columns(self.weights.rows(), problems.iter().map(|&p| self.weights.column(p)));
        let margins = self.rows.product(&weights.to_precision().all());
        for (at, &p) in problems.iter().enumerate() {
            self.margins.column_mut(p).copy_from_slice(margins.column(at));
            let (residual, curvature) = (self.residual.column_mut(p), self.curvature.column_mut(p));
            let loss = evaluate(self.signed.column(p), margins.column(at), residual, curvature);
            self.objective[p] = loss + self.penalty(self.weights.column(p));
        }
        true
    }

    /// The sum of the rows' curvatures.
    fn bend(&self, p: usize) -> f64 {
        conjugate::total(self.curvature.column(p))
    }

    /// ‖∇f‖, with the slope of a free bias scaled by its own curvature, because it has no penalty.
    fn distance(&self, p: usize, gradient: &[f64]) -> f64 {
        let bend = self.bend(p).max(f64::MIN_POSITIVE);
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
        self.weights.keep(problems);
        for block in [&mut self.signed, &mut self.margins, &mut self.residual, &mut self.curvature] {
            block.keep(problems);
        }
        for values in [&mut self.objective, &mut self.first_norm, &mut self.last_norm] {
            *values = problems.iter().map(|&p| values[p]).collect();
        }
        for places in [&mut self.member, &mut self.width] {
            *places = problems.iter().map(|&p| places[p]).collect();
        }
    }
}
