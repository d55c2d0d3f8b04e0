//! Fitting the chain: first which labels depend on each other, then a regression for every label.

use rayon::prelude::*;

use super::StackedChain;
use crate::level1::regression::WideRegression;
use crate::level1::sample::Sample;
use crate::level1::tree_search::{Alone, Search};
use crate::newton::minimise;
use crate::params::StackParams;
use arbormix_base::progress::Progress;
use arbormix_joint::Result;
use arbormix_joint::tree::CliqueTree;
use arbormix_matrix::{Columns, DenseMatrix};

impl StackedChain {
    /// The chain of a sample with these log_odds log-odds.
    ///
    /// A regression of every label on the others shows which labels depend on each other. If i and j have the effects aᵢⱼ and
    /// aⱼᵢ on each other, their pair is worth ½ a² vᵢ vⱼ of log-likelihood per row, to second order. Here a is the mean of the
    /// two effects, and v are the variances of the residuals. The clique tree holds as much of this as it can.
    pub(crate) fn fit(
        sample: &Sample,
        log_odds: &Columns,
        params: &StackParams,
        progress: &dyn Progress,
    ) -> Result<StackedChain> {
        let labels = log_odds.cols();
        let search = Search::new(sample, log_odds, &params.structure);
        let fitting = Fitting { search: &search, params };
        let screened: Vec<(Alone, FittedLabel)> = (0..labels)
            .into_par_iter()
            .map(|label| {
                progress.check()?;
                let alone = search.alone(label);
                let others = (0..labels).filter(|&other| other != label).collect();
                let others = search.best_parents(&alone, others, params.structure.tried(labels));
                let fitted = fitting.regression(label, others, &alone, false);
                Ok((alone, fitted))
            })
            .collect::<Result<_>>()?;
        let rows: f64 = sample.weights.iter().sum();
        let variance = |label: usize| {
            let cells = search.residuals.column(label).iter().zip(&sample.weights);
            cells.map(|(residual, weight)| weight * residual * residual).sum::<f64>() / rows
        };
        let variances: Vec<f64> = (0..labels).map(variance).collect();
        let mut effects = DenseMatrix::zeros(labels, labels);
        for (label, (_, FittedLabel { others, numbers })) in screened.iter().enumerate() {
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
        let found: Vec<FittedLabel> = (0..labels)
            .into_par_iter()
            .map(|place| {
                progress.check()?;
                let parents = tree.parents()[place].iter().map(|&parent| tree.order()[parent]).collect();
                let label = tree.order()[place];
                Ok(fitting.regression(label, parents, &screened[label].0, true))
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

/// The fitted regression of a label.
struct FittedLabel {
    /// The labels that it uses.
    others: Vec<usize>,
    /// (b, c), then a, or a and e, of each.
    numbers: Vec<f64>,
}

impl Fitting<'_> {
    /// The regression of a label on these others. `standing`: with the coefficients e.
    fn regression(&self, label: usize, others: Vec<usize>, alone: &Alone, standing: bool) -> FittedLabel {
        let Search { sample, log_odds, expected, residuals, ones, .. } = self.search;
        let StackParams { chain, structure, .. } = self.params;
        let mut inputs = vec![log_odds.column(label), ones];
        let mut start = alone.coefficients[..2].to_vec();
        let (mut centre, mut ridge) = (vec![1.0, 0.0], vec![structure.slope_ridge, structure.intercept_ridge]);
        for &other in &others {
            inputs.push(residuals.column(other));
            if standing {
                inputs.push(expected.column(other));
            }
        }
        start.resize(inputs.len(), 0.0);
        centre.resize(inputs.len(), 0.0);
        ridge.resize(inputs.len(), chain.ridge);
        let signed = sample.signed(label);
        let regression = WideRegression { inputs, signed: &signed, centre, ridge };
        FittedLabel { others, numbers: minimise(&regression, start) }
    }
}
