//! The mixture of tied trees: one tree, slopes that all experts share, and intercepts of their own.
//!
//! logit P(yᵢ = 1 | x, y_π(i), k) = bᵢ l̃ᵢ + eᵢ (y_π(i) − κᵢ p_π(i)) + β_kᵢ, under a softmax gate on φ(x). Here pⱼ = σ(l̃ⱼ), and π
//! and κ are those of the stacked tree. An expert has few parameters, so there can be many experts.
//!
//! - [`plan`]: the ways to fit them; `clusters`: where EM starts
//! - `em`, `label`: EM with free intercepts; `factors`: intercepts of low rank
//! - [`set_codes`]: probabilities of many label sets at once

pub(crate) mod clusters;
pub(crate) mod em;
mod factors;
mod label;
pub(crate) mod plan;
pub(crate) mod set_codes;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use self::set_codes::set_probabilities;
use super::sample::Fitting;
use super::tree::StackedTree;
use super::{FittedPart, Level1Model, Level1Part, RowAnswer, RowInput, Series};
use crate::level1::Level1File;
use crate::level1::work::Level1Work;
use crate::params::StackParams;
use crate::stored::{add_facts, columns, rows_of};
use arbormix_data::SeenSets;
use arbormix_joint::Result;
use arbormix_joint::joint::RowExpert;
use arbormix_joint::learner::{REGRESSION_SECONDS, Size};
use arbormix_joint::tree::inference::Table;
use arbormix_learn::logistic::Softmax;
use arbormix_learn::logistic::loss::log_sigmoid_pairs;
use arbormix_learn::store::Stored;
use arbormix_matrix::Columns;

/// Fits of the gate's weights per expert.
const GATE_FITS: f64 = 10.0;
/// Seconds of EM, per row, label and expert.
const EM_SECONDS: f64 = 7e-8;

/// The part.
pub(crate) struct TiedTrees;

/// Slopes and intercepts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tied {
    /// (bᵢ, eᵢ) of every label.
    pub(crate) slopes: Vec<[f64; 2]>,
    /// β, K × d.
    pub(crate) intercepts: Columns,
}

/// Fitted tied trees, without their gate.
#[derive(Debug)]
pub(crate) struct FittedTied {
    tree: Arc<StackedTree>,
    /// κ of every label.
    offsets: Vec<f64>,
    tied: Tied,
}

/// What the file holds beside the tensors.
#[derive(Serialize, Deserialize)]
struct TiedFacts {
    experts: usize,
}

impl Tied {
    /// Number of experts.
    fn count(&self) -> usize {
        self.intercepts.rows()
    }

    /// Log-odds of the labels by expert k without and with their parents, at a row with these blended log-odds and these κ p_π
    /// (0 without a parent).
    fn log_odds(&self, k: usize, blended: &[f64], above: &[f64]) -> impl Iterator<Item = [f64; 2]> {
        let inputs = self.slopes.iter().zip(blended).zip(above).enumerate();
        inputs.map(move |(label, (([slope, effect], blended), above))| {
            let absent = slope * blended + self.intercepts.get(k, label) - effect * above;
            [absent, absent + effect]
        })
    }
}

impl FittedTied {
    pub(crate) fn new(tree: Arc<StackedTree>, tied: Tied) -> FittedTied {
        FittedTied { offsets: tree.offsets(), tree, tied }
    }
}

impl Level1Part for TiedTrees {
    fn name(&self) -> &'static str {
        "tied"
    }

    fn plans(&self, first: &Fitting<'_>, held: &[usize]) -> Result<Vec<Series>> {
        plan::plans(first, held)
    }

    fn limit_note(&self, params: &StackParams, seen: &SeenSets) -> Option<String> {
        plan::limit_note(params, seen)
    }

    fn load(&self, file: &Level1File<'_>) -> Result<FittedPart> {
        let TiedFacts { experts } = file.stored.facts_as()?;
        // The gate first: its shape is checked before room is made for so many experts.
        let gate = Softmax::load(file.stored, "gate.", experts, file.map.feature_count())?;
        let slopes = rows_of(file.stored, "tied.slopes", file.labels)?;
        let tied = Tied { slopes, intercepts: columns(file.stored, "tied.intercepts", experts, file.labels)? };
        Ok(FittedPart { model: Arc::new(FittedTied::new(file.tree.clone(), tied)), gate: Some(gate) })
    }

    fn seconds(&self, params: &StackParams, size: &Size) -> f64 {
        let Level1Work { experts, tied_fits, .. } = Level1Work::of(params, size);
        let gate = REGRESSION_SECONDS * GATE_FITS * experts * params.regression_work(size);
        gate + EM_SECONDS * tied_fits * size.rows as f64 * size.labels as f64 * experts
    }

    fn bytes(&self, params: &StackParams, size: &Size) -> usize {
        let experts = params.most_experts(size.rows, size.labels).min(size.sets);
        4 * size.rows * experts * size_of::<f64>()
    }
}

impl Level1Model for FittedTied {
    fn name(&self) -> &'static str {
        TiedTrees.name()
    }

    fn answer<'a>(&'a self, row: &RowInput<'_>, log_gate: &[f64]) -> RowAnswer<'a> {
        let above = self.tree.parent_probabilities(&row.log_odds);
        let above: Vec<f64> = self.offsets.iter().zip(&above).map(|(offset, p)| offset * p).collect();
        let (above, odds) = (&above[..], &row.log_odds[..]);
        let log_odds = (0..self.tied.count()).flat_map(|k| self.tied.log_odds(k, odds, above));
        let log_odds: Vec<[f64; 2]> = log_odds.collect();
        let mut tables = vec![Table::default(); log_odds.len()];
        log_sigmoid_pairs(log_odds.as_flattened(), tables.as_flattened_mut());
        let labels = self.tied.slopes.len();
        let of_sets = |table: &set_codes::TableSets| set_probabilities(labels, &tables, log_gate, &table.codes);
        let set_probabilities = row.table.map(of_sets);
        let experts = tables.chunks_exact(labels);
        let experts = experts.map(|tables| RowExpert::tree(&self.tree.branching, tables.to_vec())).collect();
        RowAnswer { log_gate: log_gate.to_vec(), experts, set_probabilities }
    }

    fn is_pooled(&self) -> bool {
        true
    }

    fn store(&self, gate: Option<&Softmax>, file: &mut Stored) {
        let (labels, experts) = (self.tied.slopes.len(), self.tied.count());
        add_facts(file, &TiedFacts { experts });
        if let Some(gate) = gate {
            gate.put(file, "gate.");
        }
        file.put("tied.slopes", &[labels, 2], self.tied.slopes.concat());
        file.put("tied.intercepts", &[labels, experts], self.tied.intercepts.values().to_vec());
    }
}
