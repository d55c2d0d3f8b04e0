//! The softmax gate g_k(x) = exp(θ_k·x) / Σ exp(θ_k'·x) (Eq. 5), fitted to soft targets.

use super::conjugate::{self, Direction};
use super::design::{Block, dot};
use super::exponential::{exp_in_place, exp_of_negative};
use super::fit::SINGLE_DIRECTIONS;
use super::params::GateParams;
use arbormix_base::progress::Cancelled;
use arbormix_base::progress::Progress;
use arbormix_matrix::{BothWays, Columns, Real, Tiled};
use pulp::{Arch, NullaryFnOnce};

/// Softmax parameters in design coordinates, coordinates × K.
#[derive(Debug, Clone, PartialEq)]
pub struct Gate {
    /// θ, one column per expert.
    pub weights: Columns,
}

/// The result of fitting a gate.
#[derive(Debug, Clone, PartialEq)]
pub struct GateFit {
    /// The gate.
    pub gate: Gate,
    /// −f₁ + λ/2 ‖θ‖² (Section 5.2).
    pub objective: f64,
    /// Norm of its gradient.
    pub gradient_norm: f64,
    /// Whether the tolerance was reached.
    pub converged: bool,
}

impl Gate {
    /// The gate that gives every expert the same weight.
    pub fn uniform(block: &Block<'_>, experts: usize) -> Gate {
        Gate { weights: Columns::zeros(block.coordinates(), experts) }
    }

    /// θ_k · x, rows × K.
    pub fn scores(&self, block: &Block<'_>) -> Columns {
        block.operator.product(&self.weights)
    }

    /// log g_k(x), rows × K.
    pub fn log_weights(&self, block: &Block<'_>) -> Columns {
        let mut scores = self.scores(block);
        log_softmax(&mut scores);
        scores
    }

    /// λ/2 ‖θ‖², without the bias if that is free.
    pub fn penalty(&self, block: &Block<'_>, lambda: f64) -> f64 {
        penalty(&self.weights, &block.ridge(), lambda)
    }
}

/// Turns scores (rows × K) into log-probabilities, row by row.
pub(crate) fn log_softmax(scores: &mut Columns) {
    Arch::new().dispatch(LogSoftmax { scores });
}

struct LogSoftmax<'a> {
    scores: &'a mut Columns,
}

impl NullaryFnOnce for LogSoftmax<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let LogSoftmax { scores } = self;
        let (rows, experts) = (scores.rows(), scores.cols());
        let mut top = vec![f64::NEG_INFINITY; rows];
        for k in 0..experts {
            for (top, &score) in top.iter_mut().zip(scores.column(k)) {
                *top = if score > *top { score } else { *top };
            }
        }
        let mut sum = vec![0.0; rows];
        for k in 0..experts {
            for ((sum, &score), &top) in sum.iter_mut().zip(scores.column(k)).zip(&top) {
                *sum += exp_of_negative(score - top);
            }
        }
        top.iter_mut().zip(&sum).for_each(|(top, sum)| *top += sum.ln());
        for k in 0..experts {
            for (score, &total) in scores.column_mut(k).iter_mut().zip(&top) {
                *score -= total;
            }
        }
    }
}

/// Fits θ to soft targets h (rows × K, rows sum to one; `None` weights are 1): minimises
///
/// −Σₙ sₙ Σ_k hₙₖ log g_k(xₙ) + λ/2 ‖θ‖²
///
/// whose gradient for θ_k is λ θ_k − Σₙ sₙ (hₙₖ − g_k(xₙ)) xₙ (Eq. 9). Truncated Newton from `start`; never worse
/// than the start. Stops at the next product once `progress` says so. Converged when ‖∇‖² ≤ 2 λ · tolerance · objective, see [`SolverParams`](super::SolverParams).
pub fn fit_gate(
    block: &Block<'_>,
    targets: &Columns,
    weights: Option<&[f64]>,
    start: &Gate,
    params: &GateParams,
    progress: &dyn Progress,
) -> Result<GateFit, Cancelled> {
    let ridge = block.ridge();
    let fit = Softmax { block, ridge: &ridge, targets, weights, lambda: params.penalty };
    let mut first_norm = None;
    let mut theta = start.weights.clone();
    let mut scores = block.operator.product(&theta);
    let (mut objective, mut log_gate) = fit.objective(&theta, &scores);
    let first = objective;
    // Whether the scores are exactly those of θ: approximate directions move them with few digits.
    let mut exact = true;
    let mut iteration = 0;
    loop {
        let gate = exponentials(&log_gate);
        let gradient = fit.gradient(&theta, &gate);
        let gradient_norm = fit.distance(&gradient, &gate);
        let first_norm = *first_norm.get_or_insert(gradient_norm);
        let converged = gradient_norm * gradient_norm <= 2.0 * params.solver.tolerance * params.penalty * objective;
        let end = |theta| match objective <= first {
            true => GateFit { gate: Gate { weights: theta }, objective, gradient_norm, converged },
            false => GateFit { gate: start.clone(), objective: first, gradient_norm: first_norm, converged: false },
        };
        if converged || iteration == params.solver.max_iterations {
            if exact {
                return Ok(end(theta));
            }
            scores = block.operator.product(&theta);
            (objective, log_gate) = fit.objective(&theta, &scores);
            exact = true;
            continue;
        }
        let Direction { solution: direction, along } =
            fit.direction(&gradient, &gate, gradient_norm / first_norm, params.solver.tolerance, progress)?;
        let slope = dot(gradient.values(), direction.values());
        let mut length = 1.0;
        let step = (0..40).find_map(|_| {
            let (moved, moved_scores) = (shifted(&theta, &direction, length), shifted(&scores, &along, length));
            let (value, log_gate) = fit.objective(&moved, &moved_scores);
            let enough = value <= objective + 1e-4 * length * slope;
            length *= 0.5;
            enough.then_some((moved, moved_scores, value, log_gate))
        });
        match step {
            Some(next) => (theta, scores, objective, log_gate) = next,
            None => return Ok(end(theta)), // rounding hides any further decrease
        }
        exact = false;
        iteration += 1;
    }
}

/// eˣ of every cell x ≤ 0.
fn exponentials(logs: &Columns) -> Columns {
    let mut out = logs.clone();
    Arch::new().dispatch(Exponentials(out.values_mut()));
    out
}

struct Exponentials<'a>(&'a mut [f64]);

impl NullaryFnOnce for Exponentials<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        exp_in_place(self.0);
    }
}

/// The data of one fit. Functions take the scores of θ or g (rows × K), so that products and exponentials are computed
/// once.
struct Softmax<'a> {
    block: &'a Block<'a>,
    ridge: &'a [f64],
    targets: &'a Columns,
    weights: Option<&'a [f64]>,
    lambda: f64,
}

impl Softmax<'_> {
    fn weight(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[row])
    }

    /// The objective and log g.
    fn objective(&self, theta: &Columns, scores: &Columns) -> (f64, Columns) {
        let mut log_gate = scores.clone();
        log_softmax(&mut log_gate);
        let mut loss = 0.0;
        for k in 0..log_gate.cols() {
            let (targets, logs) = (self.targets.column(k), log_gate.column(k));
            for n in 0..targets.len() {
                // 0 · −∞ counts as 0: an expert without responsibility for any row may have gate weight 0.
                if targets[n] > 0.0 {
                    loss -= self.weight(n) * targets[n] * logs[n];
                }
            }
        }
        (loss + penalty(theta, self.ridge, self.lambda), log_gate)
    }

    fn gradient(&self, theta: &Columns, gate: &Columns) -> Columns {
        let mut miss = gate.clone();
        for k in 0..miss.cols() {
            let targets = self.targets.column(k);
            for (n, value) in miss.column_mut(k).iter_mut().enumerate() {
                *value = self.weight(n) * (*value - targets[n]);
            }
        }
        let mut gradient = self.block.operator.transposed_product(&miss);
        self.add_ridge(&mut gradient, theta);
        gradient
    }

    /// ‖∇‖, with the slopes of free biases scaled by their own curvature, as in the regressions of the nodes.
    fn distance(&self, gradient: &Columns, gate: &Columns) -> f64 {
        let mut total = 0.0;
        for k in 0..gradient.cols() {
            let spread = |(n, gate): (usize, &f64)| self.weight(n) * gate * (1.0 - gate);
            let bend = gate.column(k).iter().enumerate().map(spread).sum::<f64>().max(f64::MIN_POSITIVE);
            for (g, ridge) in gradient.column(k).iter().zip(self.ridge) {
                total += if *ridge > 0.0 { g * g } else { g * g * self.lambda / bend };
            }
        }
        total.sqrt()
    }

    fn add_ridge(&self, out: &mut Columns, theta: &Columns) {
        for k in 0..out.cols() {
            let from = theta.column(k);
            for (j, value) in out.column_mut(k).iter_mut().enumerate() {
                *value += self.lambda * self.ridge[j] * from[j];
            }
        }
    }

    /// The Newton direction, solved as one system over all experts, in single precision where that is enough.
    /// `norm` is the norm of the gradient relative to the first one.
    fn direction(
        &self,
        gradient: &Columns,
        gate: &Columns,
        norm: f64,
        tolerance: f64,
        progress: &dyn Progress,
    ) -> Result<Direction, Cancelled> {
        let single = if tolerance >= SINGLE_DIRECTIONS { self.block.operator.single() } else { None };
        let accuracy = norm.sqrt().clamp(1e-3, 0.25);
        match single {
            Some(rows) => self.direction_by(rows, gradient, gate, accuracy, progress),
            None => self.direction_by(self.block.operator.double(), gradient, gate, accuracy, progress),
        }
    }

    fn direction_by<T: Tiled>(
        &self,
        rows: &BothWays<T>,
        gradient: &Columns,
        gate: &Columns,
        accuracy: f64,
        progress: &dyn Progress,
    ) -> Result<Direction, Cancelled> {
        let (size, experts, images) = (gradient.rows(), gradient.cols(), gate.values().len());
        let diagonal = self.diagonal(rows, gate);
        let gate = gate.to_precision::<T>();
        let diagonal = Columns::from_columns(size * experts, [diagonal.values()]);
        let weights: Option<Vec<T>> = self.weights.map(|weights| weights.iter().map(|&w| T::of(w)).collect());
        // ∇² · v: with u = X v, row by row s g_k (u_k − Σ g u), then back through Xᵀ.
        let hessian = |v: &[&[T]], _: &[usize]| {
            progress.check()?;
            let vectors: Vec<&[T]> = v[0].chunks_exact(size).collect();
            let inner = rows.product(&vectors);
            let weights = weights.as_deref();
            let curved = Arch::new().dispatch(Curved { gate: &gate, weights, inner: &inner });
            let mut out = rows.transposed_product(&curved.all());
            for (k, v) in vectors.iter().enumerate() {
                for (j, value) in out.column_mut(k).iter_mut().enumerate() {
                    *value += T::of(self.lambda * self.ridge[j]) * v[j];
                }
            }
            Ok::<_, Cancelled>((reshaped(&out, size * experts, 1), reshaped(&inner, inner.rows() * experts, 1)))
        };
        let mut down = reshaped(gradient, size * experts, 1);
        down.values_mut().iter_mut().for_each(|g| *g = -*g);
        let Direction { solution, along } =
            conjugate::solve(hessian, images, &diagonal, &down, &[accuracy], conjugate::NEWTON_STEPS)?;
        let (solution, along) = (reshaped(&solution, size, experts), reshaped(&along, gate.rows(), experts));
        Ok(Direction { solution, along })
    }

    /// Approximate diagonal of ∇², coordinates × K. In principal axes the mean over the rows is good enough.
    fn diagonal<T: Tiled>(&self, rows: &BothWays<T>, gate: &Columns) -> Columns<T> {
        let mut bend = gate.clone();
        for k in 0..bend.cols() {
            for (n, value) in bend.column_mut(k).iter_mut().enumerate() {
                *value *= self.weight(n) * (1.0 - *value);
            }
        }
        let mut diagonal = match self.block.spread() {
            Some(spread) => {
                let mut diagonal = Columns::zeros(spread.len(), bend.cols());
                for k in 0..bend.cols() {
                    let bend = bend.column(k).iter().sum::<f64>();
                    diagonal.column_mut(k).iter_mut().zip(spread).for_each(|(h, s)| *h = T::of(bend * s));
                }
                diagonal
            }
            None => rows.squares_transposed_product(&bend.to_precision().all()),
        };
        for k in 0..diagonal.cols() {
            for (j, h) in diagonal.column_mut(k).iter_mut().enumerate() {
                let whole = *h + T::of(self.lambda * self.ridge[j]);
                *h = if whole > T::of(1e-12) { whole } else { T::of(1e-12) };
            }
        }
        diagonal
    }
}

/// sₙ gₙₖ (uₙₖ − Σ gₙ uₙ) for u = `inner`, rows × K.
struct Curved<'a, T> {
    gate: &'a Columns<T>,
    weights: Option<&'a [T]>,
    inner: &'a Columns<T>,
}

impl<T: Real> NullaryFnOnce for Curved<'_, T> {
    type Output = Columns<T>;

    #[inline(always)]
    fn call(self) -> Columns<T> {
        let (rows, experts) = (self.inner.rows(), self.inner.cols());
        let mut mean = vec![T::ZERO; rows];
        for k in 0..experts {
            for ((mean, &gate), &inner) in mean.iter_mut().zip(self.gate.column(k)).zip(self.inner.column(k)) {
                *mean += gate * inner;
            }
        }
        let mut out = self.inner.clone();
        for k in 0..experts {
            let column = out.column_mut(k);
            for ((out, &gate), &mean) in column.iter_mut().zip(self.gate.column(k)).zip(&mean) {
                *out = gate * (*out - mean);
            }
            if let Some(weights) = self.weights {
                column.iter_mut().zip(weights).for_each(|(out, &weight)| *out *= weight);
            }
        }
        out
    }
}

fn penalty(theta: &Columns, ridge: &[f64], lambda: f64) -> f64 {
    let column = |k| theta.column(k).iter().zip(ridge).map(|(t, r)| r * t * t).sum::<f64>();
    0.5 * lambda * (0..theta.cols()).map(column).sum::<f64>()
}

/// The same cells in another shape.
fn reshaped<T: Real>(block: &Columns<T>, rows: usize, cols: usize) -> Columns<T> {
    let mut out = Columns::zeros(rows, cols);
    out.values_mut().copy_from_slice(block.values());
    out
}

/// from + length · by.
fn shifted(from: &Columns, by: &Columns, length: f64) -> Columns {
    let mut out = from.clone();
    out.values_mut().iter_mut().zip(by.values()).for_each(|(o, b)| *o += length * b);
    out
}
