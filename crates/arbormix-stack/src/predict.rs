//! A fitted stacked mixture.

use serde::{Deserialize, Serialize};

use super::blend;
use super::chain::{self, StackedChain};
use super::experts::Experts;
use super::level::Level;
use super::map::{self, Map};
use super::params::StackParams;
use super::pool::{Pool, Table};
use super::structure::StackedTree;
use super::tied::Tied;
use arbormix_data::{LabelSet, SeenSets};
use arbormix_joint::Result;
use arbormix_joint::joint::{RowExpert, RowMixture, RowSets, Rows};
use arbormix_joint::learner::{Inference, Joint, Prediction, Predictor};
use arbormix_joint::tree::Branching;
use arbormix_learn::forest::Forest;
use arbormix_learn::logistic::Softmax;
use arbormix_learn::store::{ModelFileError, Stored, agree, members_of, sets_of};
use arbormix_matrix::{Columns, Matrix};

/// A fitted stacked mixture.
#[derive(Debug, Clone, PartialEq)]
pub struct Stack {
    level: Level,
    /// All label sets seen, ascending: the forest's classes.
    seen: Vec<LabelSet>,
    /// The classes in the table, ascending, and their sets.
    classes: Vec<usize>,
    sets: Vec<LabelSet>,
    table: Table,
    experts: Experts,
    gate: Softmax,
    pool: Pool,
    weights: [f64; 3],
    clip: f64,
    inference: Inference,
}

/// What the file holds beside the tensors.
#[derive(Serialize, Deserialize)]
struct Facts {
    labels: usize,
    experts: usize,
    /// The labels present in each set.
    sets: Vec<Vec<usize>>,
    classes: Vec<usize>,
    tree: Branching,
    chain: Option<chain::Facts>,
    forest: serde_json::Value,
    map: map::Facts,
    inference: Inference,
}

impl Stack {
    #[expect(clippy::too_many_arguments, reason = "the parts of a model, put together in one place")]
    pub(crate) fn new(
        params: &StackParams,
        level: Level,
        seen: &SeenSets,
        classes: Vec<usize>,
        experts: Experts,
        gate: Softmax,
        pool: Pool,
        weights: [f64; 3],
    ) -> Stack {
        let sets = seen.sets().to_vec();
        let log_counts = classes.iter().map(|&class| (seen.masses()[class] + 0.5).ln()).collect();
        let table_sets: Vec<LabelSet> = classes.iter().map(|&class| sets[class].clone()).collect();
        let tree = &experts.tree.branching;
        let table = Table::new(&classes, sets.len(), &table_sets, log_counts, tree, params.pool.floors());
        let (clip, inference) = (params.blend.clip, params.inference);
        Stack { level, seen: sets, classes, sets: table_sets, table, experts, gate, pool, weights, clip, inference }
    }

    /// The label sets of the label-set expert, ascending.
    pub fn sets(&self) -> &[LabelSet] {
        &self.sets
    }

    /// Number of tied trees.
    pub fn tied_trees(&self) -> usize {
        self.gate.class_count()
    }

    /// Weights of the label-set expert, of the tied trees and of the stacked tree or chain.
    pub fn weights(&self) -> [f64; 3] {
        self.weights
    }

    /// The label-set expert's exponents: of the forest, of the tied trees and of the number of rows.
    pub fn exponents(&self) -> [f64; 3] {
        self.pool.0
    }

    /// Brings back what [`Predictor::store`] gave.
    pub fn load(stored: &Stored) -> Result<Stack> {
        let facts: Facts = stored.facts_as()?;
        let (labels, experts) = (facts.labels, facts.experts);
        // First of all: what follows makes room for so many labels.
        agree("labels and nodes of the tree", labels, facts.tree.len())?;
        stored.require_finite()?;
        let forest = Forest::load(&stored.part("forest.", facts.forest))?;
        let map = Map::load(&facts.map, stored)?;
        let sets = sets_of(labels, &facts.sets)?;
        agree("label sets and classes of the forest", sets.len(), forest.class_count())?;
        agree("features of the forest and of the map", forest.feature_count(), map.encoded_features())?;
        let ascending = facts.classes.windows(2).all(|pair| pair[0] < pair[1]);
        if !ascending || facts.classes.last().is_some_and(|&class| class >= sets.len()) {
            let message = "the classes of the table do not ascend or do not exist".to_string();
            return Err(ModelFileError::Entry { name: "facts".to_string(), message }.into());
        }
        let weights = columns(stored, "regressions.weights", map.feature_count(), labels)?;
        let biases = stored.tensor("regressions.biases", &[labels])?.to_vec();
        let gate = Softmax::load(stored, "gate.", experts, map.feature_count())?;
        let level = Level { map, forest, weights, biases };
        let tree = StackedTree { branching: facts.tree, coefficients: rows_of(stored, "tree", labels)? };
        let intercepts = columns(stored, "tied.intercepts", experts, labels)?;
        let tied = Tied { slopes: rows_of(stored, "tied.slopes", labels)?, intercepts };
        let chain = facts.chain.as_ref().map(|facts| StackedChain::load(facts, labels, stored)).transpose()?;
        let experts = Experts { blend: rows_of(stored, "blend", labels)?, tree, chain, tied };
        let numbers = |name: &str| -> Result<[f64; 3]> { Ok(rows_of(stored, name, 1)?[0]) };
        let (pool, weights, floors) = (Pool(numbers("pool")?), numbers("weights")?, numbers("floors")?);
        if weights.iter().any(|weight| *weight < 0.0) || (weights.iter().sum::<f64>() - 1.0).abs() > 1e-6 {
            let message = "they are not the weights of a mixture".to_string();
            return Err(ModelFileError::Entry { name: "weights".to_string(), message }.into());
        }
        let log_counts = stored.tensor("log_counts", &[facts.classes.len()])?.to_vec();
        let table_sets: Vec<LabelSet> = facts.classes.iter().map(|&class| sets[class].clone()).collect();
        let tree = &experts.tree.branching;
        let table = Table::new(&facts.classes, sets.len(), &table_sets, log_counts, tree, [floors[0], floors[1]]);
        let (classes, clip, inference) = (facts.classes, floors[2], facts.inference);
        Ok(Stack { level, seen: sets, classes, sets: table_sets, table, experts, gate, pool, weights, clip, inference })
    }
}

/// A tensor of `count` rows of W numbers.
pub(crate) fn rows_of<const W: usize>(
    stored: &Stored,
    name: &str,
    count: usize,
) -> Result<Vec<[f64; W]>, ModelFileError> {
    let values = stored.tensor(name, &[count, W])?;
    Ok(values.chunks_exact(W).map(|row| std::array::from_fn(|j| row[j])).collect())
}

/// A tensor of columns, one after the other.
fn columns(stored: &Stored, name: &str, rows: usize, cols: usize) -> Result<Columns, ModelFileError> {
    let values = stored.tensor(name, &[cols, rows])?;
    let mut out = Columns::zeros(rows, cols);
    out.values_mut().copy_from_slice(values);
    Ok(out)
}

impl Predictor for Stack {
    fn method(&self) -> &'static str {
        "stack"
    }

    fn label_count(&self) -> usize {
        self.experts.labels()
    }

    fn feature_count(&self) -> usize {
        self.level.map.encoded_features()
    }

    fn joint(&self) -> Joint {
        Joint::Distribution
    }

    fn inference(&self) -> Inference {
        self.inference
    }

    fn trees(&self) -> Vec<&Branching> {
        vec![&self.experts.tree.branching]
    }

    fn has_distributions(&self) -> bool {
        true
    }

    fn predict_with_marginals(&self, features: &Matrix, inference: Inference) -> Result<Vec<(Prediction, Vec<f64>)>> {
        Ok(Rows::of(self, features)?.predict_with_marginals(inference))
    }

    /// The label-set expert, the tied trees, the stacked tree or chain.
    fn mixtures(&self, features: &Matrix) -> Vec<RowMixture<'_>> {
        let mapped = self.level.map.encode(features);
        let answers = self.level.answers(features, &mapped, &self.seen, self.clip);
        let log_gate = self.gate.log_probabilities(&mapped);
        let blended = blend::blended(&self.experts.blend, &answers.logits, &answers.forest);
        let [sets, tied, tree] = self.weights.map(f64::ln);
        let mixture = |row: usize| {
            let odds: Vec<f64> = (0..blended.cols()).map(|label| blended.get(row, label)).collect();
            let trees = self.experts.row(&odds, log_gate.row(row).to_vec());
            let mut mixture = RowMixture { log_gate: Vec::new(), experts: Vec::new() };
            // A table without weight would still have to be searched.
            if sets > f64::NEG_INFINITY {
                let evidence = self.table.evidence(&answers.shares[row], &trees);
                let logs = self.pool.log_probabilities(&evidence, &self.table.log_counts);
                let shares = (0..).zip(logs).map(|(place, log)| (place, log.exp())).collect();
                mixture.log_gate.push(sets);
                mixture.experts.push(RowExpert::Sets(RowSets::new(self.label_count(), &self.sets, shares)));
            }
            mixture.log_gate.extend(trees.log_gate.iter().map(|gate| tied + gate));
            mixture.experts.extend(trees.tied().map(|tables| RowExpert::tree(trees.branching, tables.to_vec())));
            mixture.log_gate.push(tree);
            mixture.experts.push(trees.stacked);
            mixture
        };
        (0..features.rows()).map(mixture).collect()
    }

    fn store(&self) -> Stored {
        let mut tensors = Stored::default();
        let (labels, experts) = (self.label_count(), self.tied_trees());
        let facts = Facts {
            labels,
            experts,
            sets: members_of(&self.seen),
            classes: self.classes.clone(),
            tree: self.experts.tree.branching.clone(),
            chain: self.experts.chain.as_ref().map(|chain| chain.put(&mut tensors)),
            forest: tensors.put_part("forest.", self.level.forest.store()),
            map: self.level.map.put(&mut tensors),
            inference: self.inference,
        };
        let Level { weights, biases, .. } = &self.level;
        tensors.put("regressions.weights", &[labels, weights.rows()], weights.values().to_vec());
        tensors.put("regressions.biases", &[labels], biases.clone());
        self.gate.put(&mut tensors, "gate.");
        tensors.put("blend", &[labels, 3], self.experts.blend.concat());
        tensors.put("tree", &[labels, 4], self.experts.tree.coefficients.concat());
        tensors.put("tied.slopes", &[labels, 2], self.experts.tied.slopes.concat());
        tensors.put("tied.intercepts", &[labels, experts], self.experts.tied.intercepts.values().to_vec());
        tensors.put("pool", &[1, 3], self.pool.0.to_vec());
        tensors.put("weights", &[1, 3], self.weights.to_vec());
        let [forest_floor, tied_floor] = self.table.floors;
        tensors.put("floors", &[1, 3], vec![forest_floor, tied_floor, self.clip]);
        tensors.put("log_counts", &[self.classes.len()], self.table.log_counts.clone());
        Stored { tensors: tensors.tensors, ..Stored::with_facts(&facts) }
    }
}
