//! Logistic regressions of a few parameters, and the blend of a label's two log-odds by them.

use rayon::prelude::*;

use super::experts::Sample;
use super::newton::{Expansion, Smooth, minimise};
use super::params::BlendParams;
use arbormix_learn::logistic::loss::{evaluate, sigmoid};
use arbormix_matrix::Columns;

/// (b₁, b₂, c) of one label's blend.
pub(crate) type Blend = [f64; 3];

/// Towards what the parameters are drawn, and how strongly.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Prior<const P: usize> {
    pub(crate) centre: [f64; P],
    pub(crate) ridge: [f64; P],
}

impl<const P: usize> Prior<P> {
    fn penalty(&self, at: [f64; P]) -> f64 {
        (0..P).map(|j| 0.5 * self.ridge[j] * (at[j] - self.centre[j]).powi(2)).sum()
    }
}

/// Logistic regression on P inputs: Σₙ sₙ log(1 + exp(−yₙ v·xₙ)) + ½ Σⱼ ρⱼ (vⱼ − cⱼ)² is least.
pub(crate) struct Regression<'a, const P: usize> {
    pub(crate) inputs: [&'a [f64]; P],
    /// sₙ yₙ with yₙ = ±1.
    pub(crate) signed: &'a [f64],
    pub(crate) prior: Prior<P>,
}

impl<const P: usize> Regression<'_, P> {
    /// The parameters.
    pub(crate) fn fit(&self) -> [f64; P] {
        self.fit_from(self.prior.centre)
    }

    /// The same, from a start that is near them.
    pub(crate) fn fit_from(&self, start: [f64; P]) -> [f64; P] {
        minimise(self, start)
    }

    /// The log-likelihood, without the prior.
    pub(crate) fn log_likelihood(&self, at: [f64; P]) -> f64 {
        -self.evaluated(at).0
    }

    /// Loss, residuals and curvatures of the rows.
    pub(crate) fn evaluated(&self, at: [f64; P]) -> (f64, Vec<f64>, Vec<f64>) {
        let rows = self.signed.len();
        let inputs = self.inputs.map(|column| &column[..rows]);
        let margins: Vec<f64> = (0..rows).map(|n| (0..P).map(|j| at[j] * inputs[j][n]).sum()).collect();
        let (mut residual, mut curvature) = (vec![0.0; margins.len()], vec![0.0; margins.len()]);
        let loss = evaluate(self.signed, &margins, &mut residual, &mut curvature);
        (loss, residual, curvature)
    }
}

impl<const P: usize> Smooth for Regression<'_, P> {
    type Numbers = [f64; P];
    type Rows = [[f64; P]; P];

    fn expanded(&self, &at: &[f64; P]) -> Expansion<[f64; P], [[f64; P]; P]> {
        let (loss, residual, curvature) = self.evaluated(at);
        let inputs = self.inputs.map(|column| &column[..residual.len()]);
        let (mut pull, mut bend) = ([0.0; P], [[0.0; P]; P]);
        for (n, (r, c)) in residual.iter().zip(&curvature).enumerate() {
            let input: [f64; P] = std::array::from_fn(|j| inputs[j][n]);
            for i in 0..P {
                pull[i] += r * input[i];
                let weighed = c * input[i];
                (i..P).for_each(|j| bend[i][j] += weighed * input[j]);
            }
        }
        let Prior { centre, ridge } = self.prior;
        let gradient = std::array::from_fn(|j| ridge[j] * (at[j] - centre[j]) - pull[j]);
        let hessian = std::array::from_fn(|i| {
            std::array::from_fn(|j| bend[i.min(j)][i.max(j)] + if i == j { ridge[i] } else { 0.0 })
        });
        Expansion { value: loss + self.prior.penalty(at), gradient, hessian }
    }
}

/// (b₁, b₂, c) of every label: l̃ᵢ = b₁ lᵢ + b₂ qᵢ + c, where l are the regressions' log-odds and q the forest's.
pub(crate) fn fit(sample: &Sample, params: &BlendParams) -> Vec<Blend> {
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
pub(crate) fn blended(blend: &[Blend], logits: &Columns, forest: &Columns) -> Columns {
    let mut out = logits.clone();
    for (label, [own, other, constant]) in blend.iter().enumerate() {
        for (value, q) in out.column_mut(label).iter_mut().zip(forest.column(label)) {
            *value = own * *value + other * q + constant;
        }
    }
    out
}

/// σ(l̃), rows × d: how likely each label is before others are looked at.
pub(crate) fn expected(blended: &Columns) -> Columns {
    let mut out = blended.clone();
    out.values_mut().iter_mut().for_each(|value| *value = sigmoid(*value));
    out
}

/// y − p, rows × d: by how much each label differs from what was expected.
pub(crate) fn surprise(expected: &Columns, labels: &Columns) -> Columns {
    let mut out = labels.clone();
    out.values_mut().iter_mut().zip(expected.values()).for_each(|(value, p)| *value -= p);
    out
}
