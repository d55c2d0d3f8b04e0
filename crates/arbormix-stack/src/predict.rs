//! A fitted stacked mixture.

use std::sync::Arc;

use super::file;
use super::level0::feature_map::PhiMap;
use super::level0::{Level0Answers, Level0Model, NewRows};
use super::level1::blend::Blend;
use super::level1::label_sets::LabelSetTable;
use super::level1::tree::StackedTree;
use super::level1::{FittedPart, RowInput, expert_answers};
use arbormix_data::LabelSet;
use arbormix_joint::Result;
use arbormix_joint::joint::{RowMixture, Rows};
use arbormix_joint::learner::{Inference, Joint, Prediction, Predictor};
use arbormix_joint::tree::Branching;
use arbormix_learn::store::Stored;
use arbormix_matrix::{DenseMatrix, Matrix};

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

impl PartialEq for Stack {
    fn eq(&self, other: &Stack) -> bool {
        self.store() == other.store()
    }
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

    fn table(&self) -> Option<&LabelSetTable> {
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

    /// Brings back what [`Predictor::store`] gave.
    pub fn load(stored: &Stored) -> Result<Stack> {
        file::load(stored)
    }

    /// The mixture at one row.
    fn mixture(&self, row: usize, mut input: RowInput<'_>, gates: &[Option<DenseMatrix>]) -> RowMixture<'_> {
        let gate = |place: usize| gates[place].as_ref().map_or(&[][..], |gate| gate.row(row));
        let models = self.parts.iter().enumerate().map(|(place, part)| Some((&*part.model, gate(place))));
        let answers = expert_answers(models, &mut input);
        let mut mixture = RowMixture { log_gate: Vec::new(), experts: Vec::new() };
        for ((part, answer), weight) in self.parts.iter().zip(answers).zip(&self.weights) {
            // A part without weight would still have to be searched.
            if *weight > 0.0 {
                let answer = answer.unwrap_or_else(|| part.model.answer(&input, &[]));
                mixture.log_gate.extend(answer.log_gate.iter().map(|gate| weight.ln() + gate));
                mixture.experts.extend(answer.experts);
            }
        }
        mixture
    }
}

impl Predictor for Stack {
    fn method(&self) -> &'static str {
        "stack"
    }

    fn label_count(&self) -> usize {
        self.blend.labels()
    }

    fn feature_count(&self) -> usize {
        self.map.encoded_features()
    }

    fn joint(&self) -> Joint {
        Joint::Distribution
    }

    fn inference(&self) -> Inference {
        self.inference
    }

    fn trees(&self) -> Vec<&Branching> {
        vec![&self.tree.branching]
    }

    fn has_distributions(&self) -> bool {
        true
    }

    fn predict_with_marginals(&self, features: &Matrix, inference: Inference) -> Result<Vec<(Prediction, Vec<f64>)>> {
        Ok(Rows::of(self, features)?.predict_with_marginals(inference))
    }

    /// The experts of all parts, in the order of the parts.
    fn mixtures(&self, features: &Matrix) -> Vec<RowMixture<'_>> {
        let mapped = self.map.encode(features);
        let rows = NewRows { features, mapped: &mapped, seen: &self.seen, labels: self.label_count() };
        let answers: Vec<Level0Answers> = self.level0.iter().map(|part| part.answers(&rows)).collect();
        let log_odds = self.blend.log_odds(&answers.iter().map(|own| &own.log_odds).collect::<Vec<_>>());
        let gate = |part: &FittedPart| part.gate.as_ref().map(|gate| gate.log_probabilities(&mapped));
        let gates: Vec<Option<DenseMatrix>> = self.parts.iter().map(gate).collect();
        let mixture = |row: usize| {
            let input = RowInput {
                log_odds: (0..log_odds.cols()).map(|label| log_odds.get(row, label)).collect(),
                shares: answers.iter().filter_map(|own| own.sets.as_ref().map(|sets| &sets[row])).collect(),
                table: self.table().map(|table| &table.sets),
                pooled: Vec::new(),
            };
            self.mixture(row, input, &gates)
        };
        (0..features.rows()).map(mixture).collect()
    }

    fn store(&self) -> Stored {
        file::store(self)
    }
}
