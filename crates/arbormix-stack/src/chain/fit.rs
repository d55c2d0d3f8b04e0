//! Fitting the chain: which labels depend on each other, then a regression for every label.

use rayon::prelude::*;

use super::StackedChain;
use crate::experts::Sample;
use crate::newton::{Expansion, Smooth, minimise};
use crate::params::StackParams;
use crate::structure::{Alone, Search};
use arbormix_base::progress::Progress;
use arbormix_joint::Result;
use arbormix_joint::tree::CliqueTree;
use arbormix_learn::logistic::loss::evaluate;
use arbormix_matrix::{Columns, DenseMatrix};

impl StackedChain {
    /// The chain of a sample with these blended log-odds.
    ///
    /// A regression of every label on all others tells who depends on whom: with effects aᵢⱼ and aⱼᵢ on each other, i and j
    /// are worth ½ a² vᵢ vⱼ of log-likelihood per row, to second order, where a is their mean and v the variances that x leaves. The
    /// tree of cliques holds as much of this as it can.
    pub(crate) fn fit(
        sample: &Sample,
        blended: &Columns,
        params: &StackParams,
        progress: &dyn Progress,
    ) -> Result<StackedChain> {
        let labels = blended.cols();
        let search = Search::new(sample, blended, &params.structure);
        let fitting = Fitting { search: &search, params };
        let judged: Vec<(Alone, Fitted)> = (0..labels)
            .into_par_iter()
            .map(|label| {
                progress.check()?;
                let alone = search.alone(label);
                let others = (0..labels).filter(|&other| other != label).collect();
                let others = search.telling(&alone, others, params.structure.tried(labels));
                let fitted = fitting.regression(label, others, &alone, false);
                Ok((alone, fitted))
            })
            .collect::<Result<_>>()?;
        let rows: f64 = sample.weights.iter().sum();
        let variance = |label: usize| {
            let cells = search.surprise.column(label).iter().zip(&sample.weights);
            cells.map(|(surprise, weight)| weight * surprise * surprise).sum::<f64>() / rows
        };
        let variances: Vec<f64> = (0..labels).map(variance).collect();
        let mut effects = DenseMatrix::zeros(labels, labels);
        for (label, (_, Fitted { others, numbers })) in judged.iter().enumerate() {
            for (&other, effect) in others.iter().zip(&numbers[2..]) {
                effects.row_mut(label)[other] += 0.5 * effect;
                effects.row_mut(other)[label] += 0.5 * effect;
            }
        }
        for label in 0..labels {
            let cells = effects.row_mut(label).iter_mut().zip(&variances);
            cells.for_each(|(cell, other)| *cell = 0.5 * *cell * *cell * variances[label] * other);
        }
        let tree = CliqueTree::heaviest(&effects, params.chain.width_of(labels), 1.0 / rows);
        let found: Vec<Fitted> = (0..labels)
            .into_par_iter()
            .map(|place| {
                progress.check()?;
                let parents = tree.parents()[place].iter().map(|&parent| tree.order()[parent]).collect();
                let label = tree.order()[place];
                Ok(fitting.regression(label, parents, &judged[label].0, true))
            })
            .collect::<Result<_>>()?;
        let own = found.iter().map(|fitted| [fitted.numbers[0], fitted.numbers[1]]).collect();
        let effects = found.iter().map(|fitted| fitted.numbers[2..].as_chunks().0.to_vec()).collect();
        Ok(StackedChain { tree, own, effects })
    }
}

struct Fitting<'a> {
    search: &'a Search<'a>,
    params: &'a StackParams,
}

/// A fitted regression.
struct Fitted {
    /// The labels that it uses.
    others: Vec<usize>,
    /// (b, c), then a, or a and e, of each.
    numbers: Vec<f64>,
}

impl Fitting<'_> {
    /// A label's regression on these others; with e or without.
    fn regression(&self, label: usize, others: Vec<usize>, alone: &Alone, standing: bool) -> Fitted {
        let Search { sample, blended, expected, surprise, ones, .. } = self.search;
        let StackParams { chain, structure, .. } = self.params;
        let mut inputs = vec![blended.column(label), ones];
        let mut start = alone.coefficients[..2].to_vec();
        let (mut centre, mut ridge) = (vec![1.0, 0.0], vec![structure.slope_ridge, structure.intercept_ridge]);
        for &other in &others {
            inputs.push(surprise.column(other));
            if standing {
                inputs.push(expected.column(other));
            }
        }
        start.resize(inputs.len(), 0.0);
        centre.resize(inputs.len(), 0.0);
        ridge.resize(inputs.len(), chain.ridge);
        let signed = sample.signed(label);
        let regression = WideRegression { inputs, signed: &signed, centre, ridge };
        Fitted { others, numbers: minimise(&regression, start) }
    }
}

/// Logistic regression on many inputs: Σₙ sₙ log(1 + exp(−yₙ v·xₙ)) + ½ Σⱼ ρⱼ (vⱼ − cⱼ)² is least.
pub(crate) struct WideRegression<'a> {
    pub inputs: Vec<&'a [f64]>,
    /// sₙ yₙ with yₙ = ±1.
    pub signed: &'a [f64],
    pub centre: Vec<f64>,
    pub ridge: Vec<f64>,
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

/// Sums that are kept apart, so that they can be added up side by side.
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
