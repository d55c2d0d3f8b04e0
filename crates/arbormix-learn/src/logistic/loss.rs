//! The loss and its conventions, in one place.
//!
//! One problem has N rows xₙ, targets tₙ ∈ {false, true} read as yₙ = ±1, weights sₙ ≥ 0 and a cost C > 0:
//!
//! f(w) = ½‖w‖² + C Σₙ sₙ log(1 + exp(−yₙ w·xₙ))
//!
//! (LIBLINEAR's `-s 0`). A bias is a last column of ones; it is either penalised like every weight ([`Bias::Penalised`],
//! LIBLINEAR's `-B 1`) or left out of ‖w‖² ([`Bias::Free`]).
//!
//! With aₙ = C sₙ yₙ (the *signed weight*) and zₙ = w·xₙ (the *margin*), for each row
//!
//! - loss      |aₙ| softplus(−yₙ zₙ)
//! - residual  aₙ σ(−yₙ zₙ), so that ∇f = w − Xᵀ residual
//! - curvature |aₙ| σ(zₙ) σ(−zₙ), so that ∇²f = I + Xᵀ diag(curvature) X
//!
//! Probabilities never appear as 1 − p: log σ(z) = −softplus(−z).
//!
//! [`Bias::Penalised`]: super::Bias::Penalised
//! [`Bias::Free`]: super::Bias::Free

use super::exponential::{Exponential, TOGETHER, exp_of_negative, log_of_one_plus, log_sigmoids};
use pulp::{Arch, NullaryFnOnce};

/// log(1 + eᵃ), without overflow.
#[inline(always)]
pub fn softplus(a: f64) -> f64 {
    a.max(0.0) + log_of_one_plus(exp_of_negative(-a.abs()))
}

/// 1 / (1 + e⁻ᶻ), without overflow.
#[inline(always)]
pub fn sigmoid(z: f64) -> f64 {
    let e = exp_of_negative(-z.abs());
    if z >= 0.0 { 1.0 / (1.0 + e) } else { e / (1.0 + e) }
}

/// log σ(z).
#[inline(always)]
pub fn log_sigmoid(z: f64) -> f64 {
    -softplus(-z)
}

/// log σ(−z) and log σ(z): one exponential and one logarithm serve both.
#[inline(always)]
pub fn log_sigmoid_pair(z: f64) -> [f64; 2] {
    let [[off], [on]] = log_sigmoids([z]);
    [off, on]
}

/// [`log_sigmoid_pair`] of many log-odds, into `out`.
pub fn log_sigmoid_pairs(log_odds: &[f64], out: &mut [[f64; 2]]) {
    Arch::new().dispatch(LogSigmoidPairs { log_odds, out });
}

struct LogSigmoidPairs<'a> {
    log_odds: &'a [f64],
    out: &'a mut [[f64; 2]],
}

impl NullaryFnOnce for LogSigmoidPairs<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let (groups, rest) = self.out.as_chunks_mut::<TOGETHER>();
        let (log_odds, rest_of_odds) = self.log_odds.as_chunks::<TOGETHER>();
        for (pairs, &z) in groups.iter_mut().zip(log_odds) {
            let [off, on] = log_sigmoids(z);
            for n in 0..TOGETHER {
                pairs[n] = [off[n], on[n]];
            }
        }
        for (pair, &z) in rest.iter_mut().zip(rest_of_odds) {
            *pair = log_sigmoid_pair(z);
        }
    }
}

/// Adds log P(target) under its log-odds to each row's sum.
pub fn add_log_probabilities(log_odds: &[f64], targets: &[bool], sums: &mut [f64]) {
    Arch::new().dispatch(LogProbabilities { log_odds, targets, sums });
}

struct LogProbabilities<'a> {
    log_odds: &'a [f64],
    targets: &'a [bool],
    sums: &'a mut [f64],
}

impl NullaryFnOnce for LogProbabilities<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let rows = self.sums.len();
        let (log_odds, targets, sums) = (&self.log_odds[..rows], &self.targets[..rows], &mut self.sums[..rows]);
        for n in 0..rows {
            sums[n] -= quick_softplus(if targets[n] { -log_odds[n] } else { log_odds[n] });
        }
    }
}

/// Σ |aₙ| log P(targetₙ) under log-odds zₙ, where aₙ are signed weights and no row counts for less than `floor`.
pub fn log_likelihood(signed: &[f64], log_odds: &[f64], floor: f64) -> f64 {
    Arch::new().dispatch(LogLikelihood { signed, log_odds, most: -floor })
}

struct LogLikelihood<'a> {
    signed: &'a [f64],
    log_odds: &'a [f64],
    most: f64,
}

impl NullaryFnOnce for LogLikelihood<'_> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        let of_row = |a: f64, z: f64| {
            let loss = quick_softplus(if a < 0.0 { z } else { -z });
            a.abs() * if loss < self.most { loss } else { self.most }
        };
        let (groups, rest) = self.signed.as_chunks::<TOGETHER>();
        let (log_odds, rest_of_odds) = self.log_odds.as_chunks::<TOGETHER>();
        let mut sums = [0.0; TOGETHER];
        for (a, z) in groups.iter().zip(log_odds) {
            for n in 0..TOGETHER {
                sums[n] += of_row(a[n], z[n]);
            }
        }
        let rest = rest.iter().zip(rest_of_odds).map(|(&a, &z)| of_row(a, z));
        -(sums.iter().sum::<f64>() + rest.sum::<f64>())
    }
}

/// [`softplus`] with twelve digits, for loops with fused multiply-add.
#[inline(always)]
fn quick_softplus(a: f64) -> f64 {
    let ahead = if a > 0.0 { a } else { 0.0 };
    ahead + (-a.abs()).quick_exp_of_negative().quick_log_of_one_plus()
}

/// log p / (1 − p), with p kept at least `nearest` away from 0 and 1, so that it is finite.
pub fn clamped_log_odds(p: f64, nearest: f64) -> f64 {
    let p = p.clamp(nearest, 1.0 - nearest);
    (p / (1.0 - p)).ln()
}

/// log P(target) under log-odds `z`.
#[inline(always)]
pub fn log_probability(z: f64, target: bool) -> f64 {
    log_sigmoid(if target { z } else { -z })
}

/// log Σ eᵃ over the items; −∞ for none or if all are −∞.
pub fn log_sum_exp(items: &[f64]) -> f64 {
    let top = items.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if top == f64::NEG_INFINITY {
        return top;
    }
    top + items.iter().map(|a| (a - top).exp()).sum::<f64>().ln()
}

/// Log-odds of the smoothed rate (positive + ½) / (total + 1): the prediction for a target that is constant.
///
/// It maximises the weighted log-likelihood plus ½ log p + ½ log(1 − p).
pub fn smoothed_log_odds(positive: f64, total: f64) -> f64 {
    ((positive + 0.5) / (total - positive + 0.5)).ln()
}

/// Loss, residuals and curvatures of one problem at its margins.
///
/// Returns Σ |aₙ| softplus(−yₙ zₙ); writes residuals and curvatures (all length N).
pub fn evaluate<T: Exponential>(signed: &[T], margins: &[T], residual: &mut [T], curvature: &mut [T]) -> f64 {
    Arch::new().dispatch(Evaluation { signed, margins, residual, curvature })
}

struct Evaluation<'a, T> {
    signed: &'a [T],
    margins: &'a [T],
    residual: &'a mut [T],
    curvature: &'a mut [T],
}

impl<T: Exponential> NullaryFnOnce for Evaluation<'_, T> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        // Losses of so many rows are added in the precision T; these sums are then added in double precision.
        const ROWS: usize = 128;
        let mut total = 0.0;
        let mut losses = [T::ZERO; ROWS];
        let inputs = self.signed.chunks(ROWS).zip(self.margins.chunks(ROWS));
        let outputs = self.residual.chunks_mut(ROWS).zip(self.curvature.chunks_mut(ROWS));
        for ((signed, margins), (residual, curvature)) in inputs.zip(outputs) {
            let rows = signed.len();
            let (margins, losses) = (&margins[..rows], &mut losses[..rows]);
            let (residual, curvature) = (&mut residual[..rows], &mut curvature[..rows]);
            // Losses are stored and summed later: with the sums in the same loop the compiler did not vectorise it.
            for n in 0..rows {
                (losses[n], residual[n], curvature[n]) = of_row(signed[n], margins[n]);
            }
            // Several independent sums, in a fixed order: with a single sum every addition would wait for the one
            // before.
            let (groups, rest) = losses.as_chunks::<TOGETHER>();
            let mut sums = [T::ZERO; TOGETHER];
            for group in groups {
                for lane in 0..TOGETHER {
                    sums[lane] += group[lane];
                }
            }
            total += sums.iter().chain(rest).map(|loss| loss.wide()).sum::<f64>();
        }
        total
    }
}

/// Loss, residual and curvature of one row.
#[inline(always)]
fn of_row<T: Exponential>(a: T, z: T) -> (T, T, T) {
    let one = T::of(1.0);
    let y = if a < T::ZERO { -z } else { z };
    // One exponential serves all three: e = exp(−|y z|).
    let e = (-y.size()).quick_exp_of_negative();
    let small = e / (one + e);
    let (miss, behind) = if y >= T::ZERO { (small, T::ZERO) } else { (one - small, -y) };
    let size = a.size();
    (size * (behind + e.quick_log_of_one_plus()), a * miss, size * small * (one - small))
}
