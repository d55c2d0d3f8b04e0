//! The stacked tree: logit P(yᵢ = 1 | x, y_π(i)) = b l̃ᵢ + c + a (y_π(i) − p_π(i)) + e p_π(i), where pⱼ = σ(l̃ⱼ).
//!
//! l̃ᵢ already contains what x says about the parent. New is only the parent's residual y − p. With y alone, a constant would
//! have to make up for its mean, which differs from row to row. (e = a is an effect of the value itself.)
//!
//! The tied trees use its edges too, so every model has it, with or without weight in the mixture.

use std::sync::Arc;

use super::sample::Fitting;
pub(crate) use super::tree_search::fit;
use super::{FittedPart, Level1Fit, Level1Model, Level1Part, Plan, RowAnswer, RowInput, Series};
use crate::level1::Level1File;
use crate::level1::work::Level1Work;
use crate::params::StackParams;
use arbormix_joint::Result;
use arbormix_joint::joint::RowExpert;
use arbormix_joint::learner::Size;
use arbormix_joint::tree::Branching;
use arbormix_joint::tree::inference::Table;
use arbormix_learn::logistic::Softmax;
use arbormix_learn::logistic::loss::{log_sigmoid_pairs, sigmoid};
use arbormix_learn::store::Stored;

/// Seconds to fit an edge, per row.
const EDGE_SECONDS: f64 = 6e-8;

/// The part.
pub(crate) struct Tree;

/// (b, c, a, e) of one label; a and e are 0 without a parent.
pub(crate) type Coefficients = [f64; 4];

/// The tree and the coefficients of its labels.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StackedTree {
    pub(crate) branching: Branching,
    pub(crate) coefficients: Vec<Coefficients>,
}

impl StackedTree {
    /// κᵢ of every label, where the parent's effect is that of y_π − κ p_π: 1 − e/a, kept between 0 (the value itself) and 1
    /// (the residual).
    pub(crate) fn offsets(&self) -> Vec<f64> {
        let offset = |[_, _, effect, standing]: &Coefficients| {
            if *effect == 0.0 { 0.0 } else { (1.0 - standing / effect).clamp(0.0, 1.0) }
        };
        self.coefficients.iter().map(offset).collect()
    }

    /// p_π(i) of every label at a row with these log-odds; 0 without a parent.
    pub(crate) fn parent_probabilities(&self, log_odds: &[f64]) -> Vec<f64> {
        let of_parent = |parent: &Option<usize>| parent.map_or(0.0, |parent| sigmoid(log_odds[parent]));
        self.branching.parents().iter().map(of_parent).collect()
    }
}

impl Level1Part for Tree {
    fn name(&self) -> &'static str {
        "tree"
    }

    fn plans(&self, _: &Fitting<'_>, _: &[usize]) -> Result<Vec<Series>> {
        Ok(vec![Series { plans: vec![Arc::new(Tree)], min_lead: 0.0, max_table_weight: f64::INFINITY }])
    }

    fn load(&self, file: &Level1File<'_>) -> Result<FittedPart> {
        Ok(FittedPart { model: file.tree.clone(), gate: None })
    }

    fn seconds(&self, params: &StackParams, size: &Size) -> f64 {
        let (labels, fits) = (size.labels as f64, Level1Work::of(params, size).fits);
        EDGE_SECONDS * fits * size.rows as f64 * labels * labels.min(params.structure.tried(size.labels) as f64)
    }

    fn bytes(&self, _: &StackParams, _: &Size) -> usize {
        0
    }
}

impl Plan for Tree {
    /// The tree is fitted already: all parts build on it.
    fn fit(&self, to: &Fitting<'_>) -> Result<Level1Fit> {
        Ok(Level1Fit::of(to.base.tree.clone()))
    }

    fn describe(&self) -> String {
        "the stacked tree".to_string()
    }
}

impl Level1Model for StackedTree {
    fn name(&self) -> &'static str {
        Tree.name()
    }

    fn answer<'a>(&'a self, row: &RowInput<'_>, _: &[f64]) -> RowAnswer<'a> {
        let above = self.parent_probabilities(&row.log_odds);
        let labels = self.coefficients.iter().zip(&row.log_odds).zip(&above);
        let log_odds = labels.map(|(([slope, constant, effect, standing], odds), above)| {
            let absent = slope * odds + constant + (standing - effect) * above;
            [absent, absent + effect]
        });
        let log_odds: Vec<[f64; 2]> = log_odds.collect();
        let mut tables = vec![Table::default(); log_odds.len()];
        log_sigmoid_pairs(log_odds.as_flattened(), tables.as_flattened_mut());
        RowAnswer::of(RowExpert::tree(&self.branching, tables))
    }

    /// Nothing: the model writes the tree, because the tied trees need it too.
    fn store(&self, _: Option<&Softmax>, _: &mut Stored) {}
}
