//! What a fitted stacked mixture answers.

use super::file;
use super::level0::{Level0Answers, NewRows};
use super::level1::{FittedPart, RowInput, expert_answers};
use super::model::Stack;
use arbormix_joint::Result;
use arbormix_joint::joint::{RowMixture, Rows};
use arbormix_joint::learner::{Inference, Joint, Prediction, Predictor};
use arbormix_joint::tree::Branching;
use arbormix_learn::store::Stored;
use arbormix_matrix::{DenseMatrix, Matrix};

impl PartialEq for Stack {
    fn eq(&self, other: &Stack) -> bool {
        self.store() == other.store()
    }
}

impl Stack {
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
