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

/// log(1 + eᵃ), without overflow.
pub fn softplus(a: f64) -> f64 {
    a.max(0.0) + (-a.abs()).exp().ln_1p()
}

/// 1 / (1 + e⁻ᶻ), without overflow.
pub fn sigmoid(z: f64) -> f64 {
    let e = (-z.abs()).exp();
    if z >= 0.0 { 1.0 / (1.0 + e) } else { e / (1.0 + e) }
}

/// log σ(z).
pub fn log_sigmoid(z: f64) -> f64 {
    -softplus(-z)
}

/// log P(target) under log-odds `z`.
pub fn log_probability(z: f64, target: bool) -> f64 {
    if target { log_sigmoid(z) } else { log_sigmoid(-z) }
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
pub(super) fn evaluate(signed: &[f64], margins: &[f64], residual: &mut [f64], curvature: &mut [f64]) -> f64 {
    let mut total = 0.0;
    for n in 0..signed.len() {
        let a = signed[n];
        let y = if a >= 0.0 { margins[n] } else { -margins[n] };
        // One exponential serves loss, residual and curvature: e = exp(−|y z|).
        let e = (-y.abs()).exp();
        let small = e / (1.0 + e);
        let miss = if y >= 0.0 { small } else { 1.0 - small };
        total += a.abs() * ((-y).max(0.0) + e.ln_1p());
        residual[n] = a * miss;
        curvature[n] = a.abs() * small * (1.0 - small);
    }
    total
}
