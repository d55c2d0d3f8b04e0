//! Logistic regressions with a penalty: of few parameters, whose number is known when compiling, and of any number.

use crate::newton::{Expansion, Smooth, minimise};
use arbormix_learn::logistic::loss::evaluate;

/// The centre of the penalty, and its strength.
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

/// Logistic regression on P inputs: Σₙ sₙ log(1 + exp(−yₙ v·xₙ)) + ½ Σⱼ ρⱼ (vⱼ − cⱼ)²; its minimum is wanted.
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

    /// The same, from a start near the solution.
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

/// Logistic regression on many inputs: Σₙ sₙ log(1 + exp(−yₙ v·xₙ)) + ½ Σⱼ ρⱼ (vⱼ − cⱼ)²; its minimum is wanted.
pub(crate) struct WideRegression<'a> {
    pub(crate) inputs: Vec<&'a [f64]>,
    /// sₙ yₙ with yₙ = ±1.
    pub(crate) signed: &'a [f64],
    pub(crate) centre: Vec<f64>,
    pub(crate) ridge: Vec<f64>,
}

impl WideRegression<'_> {
    /// Loss, residuals and curvatures of the rows.
    fn evaluated(&self, at: &[f64]) -> (f64, Vec<f64>, Vec<f64>) {
        let mut margins = vec![0.0; self.signed.len()];
        for (input, number) in self.inputs.iter().zip(at) {
            margins.iter_mut().zip(*input).for_each(|(margin, x)| *margin += number * x);
        }
        let (mut residual, mut curvature) = (vec![0.0; margins.len()], vec![0.0; margins.len()]);
        let loss = evaluate(self.signed, &margins, &mut residual, &mut curvature);
        (loss, residual, curvature)
    }
}

impl Smooth for WideRegression<'_> {
    type Numbers = Vec<f64>;
    type Rows = Vec<Vec<f64>>;

    fn expanded(&self, at: &Vec<f64>) -> Expansion<Vec<f64>, Vec<Vec<f64>>> {
        let (mut value, residual, curvature) = self.evaluated(at);
        let count = self.inputs.len();
        let (mut gradient, mut hessian) = (vec![0.0; count], vec![vec![0.0; count]; count]);
        let mut weighed = vec![0.0; residual.len()];
        for i in 0..count {
            let leaving = at[i] - self.centre[i];
            value += 0.5 * self.ridge[i] * leaving * leaving;
            gradient[i] = self.ridge[i] * leaving - dot(&residual, self.inputs[i]);
            let products = curvature.iter().zip(self.inputs[i]);
            weighed.iter_mut().zip(products).for_each(|(cell, (c, x))| *cell = c * x);
            for j in 0..=i {
                let sum = dot(&weighed, self.inputs[j]);
                (hessian[i][j], hessian[j][i]) = (sum, sum);
            }
            hessian[i][i] += self.ridge[i];
        }
        Expansion { value, gradient, hessian }
    }
}

/// Partial sums of a dot product, so that additions can run side by side.
const LANES: usize = 8;

fn dot(left: &[f64], right: &[f64]) -> f64 {
    let (left, right) = (left.chunks_exact(LANES), right.chunks_exact(LANES));
    let rest: f64 = left.remainder().iter().zip(right.remainder()).map(|(a, b)| a * b).sum();
    let mut sums = [0.0; LANES];
    for (left, right) in left.zip(right) {
        (0..LANES).for_each(|lane| sums[lane] += left[lane] * right[lane]);
    }
    rest + sums.iter().sum::<f64>()
}
