//! Logistic regressions of three parameters, and the blend of a label's two log-odds by them.

use rayon::prelude::*;

use super::experts::Sample;
use super::newton::{Expansion, Smooth, Triple, minimise};
use super::params::BlendParams;
use crate::logistic::loss::evaluate;
use crate::matrix::Columns;

/// Towards what the parameters are drawn, and how strongly.
#[derive(Debug, Clone, Copy)]
pub(super) struct Prior {
    pub(super) centre: Triple,
    pub(super) ridge: Triple,
}

impl Prior {
    fn penalty(&self, at: Triple) -> f64 {
        (0..3).map(|j| 0.5 * self.ridge[j] * (at[j] - self.centre[j]).powi(2)).sum()
    }
}

/// Logistic regression on three inputs: Σₙ sₙ log(1 + exp(−yₙ v·xₙ)) + ½ Σⱼ ρⱼ (vⱼ − cⱼ)² is least.
pub(super) struct Regression<'a> {
    pub(super) inputs: [&'a [f64]; 3],
    /// sₙ yₙ with yₙ = ±1.
    pub(super) signed: &'a [f64],
    pub(super) prior: Prior,
}

impl Regression<'_> {
    /// The parameters.
    pub(super) fn fit(&self) -> Triple {
        self.fit_from(self.prior.centre)
    }

    /// The same, from a start that is near them.
    pub(super) fn fit_from(&self, start: Triple) -> Triple {
        minimise(self, start)
    }

    /// The log-likelihood, without the prior.
    pub(super) fn log_likelihood(&self, at: Triple) -> f64 {
        -self.evaluated(at).0
    }

    /// Loss, residuals and curvatures of the rows.
    pub(super) fn evaluated(&self, at: Triple) -> (f64, Vec<f64>, Vec<f64>) {
        let [x, y, z] = self.inputs;
        let margins: Vec<f64> = (0..self.signed.len()).map(|n| at[0] * x[n] + at[1] * y[n] + at[2] * z[n]).collect();
        let (mut residual, mut curvature) = (vec![0.0; margins.len()], vec![0.0; margins.len()]);
        let loss = evaluate(self.signed, &margins, &mut residual, &mut curvature);
        (loss, residual, curvature)
    }
}

impl Smooth for Regression<'_> {
    fn expanded(&self, at: Triple) -> Expansion {
        let (loss, residual, curvature) = self.evaluated(at);
        let [x, y, z] = self.inputs.map(|column| &column[..residual.len()]);
        let (mut pull, mut bend) = ([0.0; 3], [0.0; 6]);
        for n in 0..residual.len() {
            let (r, c, input) = (residual[n], curvature[n], [x[n], y[n], z[n]]);
            (0..3).for_each(|j| pull[j] += r * input[j]);
            let [first, second, third] = input.map(|value| c * value);
            bend[0] += first * input[0];
            bend[1] += first * input[1];
            bend[2] += first * input[2];
            bend[3] += second * input[1];
            bend[4] += second * input[2];
            bend[5] += third * input[2];
        }
        let Prior { centre, ridge } = self.prior;
        let gradient = [0, 1, 2].map(|j| ridge[j] * (at[j] - centre[j]) - pull[j]);
        let [a, b, c, d, e, f] = bend;
        let hessian = [[a + ridge[0], b, c], [b, d + ridge[1], e], [c, e, f + ridge[2]]];
        Expansion { value: loss + self.prior.penalty(at), gradient, hessian }
    }
}

/// (b₁, b₂, c) of every label: l̃ᵢ = b₁ lᵢ + b₂ qᵢ + c, where l are the regressions' log-odds and q the forest's.
pub(super) fn fit(sample: &Sample, params: &BlendParams) -> Vec<Triple> {
    let ones = vec![1.0; sample.len()];
    let ridge = [params.slope_ridge, params.slope_ridge, params.intercept_ridge];
    let prior = Prior { centre: [0.5, 0.5, 0.0], ridge };
    let blend = |label: usize| {
        let inputs = [sample.logits.column(label), sample.forest.column(label), &ones];
        Regression { inputs, signed: &sample.signed(label), prior }.fit()
    };
    (0..sample.labels.cols()).into_par_iter().map(blend).collect()
}

/// l̃, rows × d.
pub(super) fn blended(blend: &[Triple], logits: &Columns, forest: &Columns) -> Columns {
    let mut out = logits.clone();
    for (label, [own, other, constant]) in blend.iter().enumerate() {
        for (value, q) in out.column_mut(label).iter_mut().zip(forest.column(label)) {
            *value = own * *value + other * q + constant;
        }
    }
    out
}
