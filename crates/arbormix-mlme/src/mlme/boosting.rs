//! Growing a mixture tree by tree, each for the rows the mixture so far predicts badly (Section 5.3.2).

use super::em::{Em, Run, State};
use crate::ctbn::Trainer;
use arbormix_joint::Result;
use arbormix_learn::logistic::Gate;

/// Weights of the rows for the next tree: ω⁽ⁿ⁾ = 1 − P(y⁽ⁿ⁾ | x⁽ⁿ⁾, M), times the row's own weight, scaled to the sum of
/// the row weights (the paper scales to 1; with the cost C that would switch the penalty's strength with N).
pub(crate) fn reweighted(trainer: &Trainer<'_>, log_likelihoods: &[f64]) -> Vec<f64> {
    let miss = |(n, l): (usize, &f64)| trainer.row_weight(n) * -l.exp_m1();
    let mut weights: Vec<f64> = log_likelihoods.iter().enumerate().map(miss).collect();
    let before: f64 = (0..log_likelihoods.len()).map(|n| trainer.row_weight(n)).sum();
    let total: f64 = weights.iter().sum();
    if total > 0.0 {
        weights.iter_mut().for_each(|w| *w *= before / total);
    }
    weights
}

/// Adds one expert to a mixture (or begins one) and runs EM.
///
/// Two things keep a new expert from being a copy of an old one, in which case all responsibilities would be equal
/// and EM would stand still: every tree is scored on a new division of the rows, and its regressions start at the
/// boosting weights, not at the optimum of all rows. The gate starts uniform.
pub(crate) fn grow(em: &Em<'_>, mixture: Option<State>, limit: usize) -> Result<Run> {
    let trainer = em.trainer;
    let weights = match &mixture {
        None => trainer.row_weights.clone(),
        Some(state) => Some(reweighted(trainer, &em.expectation(state).log_likelihoods)),
    };
    let mut experts = mixture.map_or_else(Vec::new, |state| state.experts);
    let tree = trainer.structure(weights.as_deref(), experts.len() as u64, em.progress)?;
    experts.push(trainer.fit_tree(tree, weights.as_deref(), em.progress)?);
    let gate = Gate::uniform(&trainer.design.block(None, &[]), experts.len());
    let alone = experts.len() == 1;
    em.run(State { gate, experts }, if alone { 0 } else { limit })
}
