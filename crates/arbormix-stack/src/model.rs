//! The parts of a fitted stacked mixture.

use std::sync::Arc;

use super::level0::Level0Model;
use super::level0::feature_map::PhiMap;
use super::level1::FittedPart;
use super::level1::blend::Blend;
use super::level1::label_sets::LabelSetTable;
use super::level1::tree::StackedTree;
use arbormix_data::LabelSet;
use arbormix_joint::learner::Inference;

/// A fitted stacked mixture. Two are equal if their files are.
#[derive(Debug, Clone)]
pub struct Stack {
    pub(crate) map: PhiMap,
    /// All label sets seen, ascending: the classes of the forest.
    pub(crate) seen: Vec<LabelSet>,
    pub(crate) level0: Vec<Arc<dyn Level0Model>>,
    pub(crate) blend: Blend,
    /// The stacked tree, which the tied trees use too.
    pub(crate) tree: Arc<StackedTree>,
    /// The parts of the mixture, and their weights.
    pub(crate) parts: Vec<FittedPart>,
    pub(crate) weights: Vec<f64>,
    pub(crate) inference: Inference,
}

impl Stack {
    /// The same model without parts that have no weight, unless a part with weight reads them. The weight must be exactly 0,
    /// so every answer stays the same to the last bit.
    pub(crate) fn without_zero_weights(self) -> Stack {
        let has_table = |own: &(FittedPart, f64)| own.1 > 0.0 && own.0.model.table().is_some();
        let all: Vec<(FittedPart, f64)> = self.parts.into_iter().zip(self.weights).collect();
        let is_pooled = all.iter().any(has_table);
        let is_kept = |own: &(FittedPart, f64)| own.1 > 0.0 || (is_pooled && own.0.model.is_pooled());
        let (parts, weights) = all.into_iter().filter(is_kept).unzip();
        Stack { parts, weights, ..self }
    }

    pub(crate) fn table(&self) -> Option<&LabelSetTable> {
        self.parts.iter().find_map(|part| part.model.table())
    }

    /// The label sets of the label-set table, ascending; none without a table.
    pub fn sets(&self) -> &[LabelSet] {
        self.table().map_or(&[], |table| &table.sets.sets)
    }

    /// Number of tied trees.
    pub fn tied_trees(&self) -> usize {
        self.parts.iter().filter_map(|part| part.gate.as_ref()).map(|gate| gate.class_count()).sum()
    }

    /// Names of the parts of the mixture: `label_sets`, `tied`, and `tree` or `chain`. A part without weight is left out.
    pub fn parts(&self) -> impl Iterator<Item = &'static str> {
        self.parts.iter().map(|part| part.model.name())
    }

    /// Weights of the parts.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The exponents of the label-set table: of the forest, of the tied trees and of the number of rows; none without a table.
    pub fn exponents(&self) -> &[f64] {
        self.table().map_or(&[], |table| &table.exponents)
    }
}
