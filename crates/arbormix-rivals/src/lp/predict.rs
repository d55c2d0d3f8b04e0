//! A fitted LP.

use serde::{Deserialize, Serialize};

use arbormix_data::LabelSet;
use arbormix_joint::Result;
use arbormix_joint::joint::{RowExpert, RowMixture, RowSets};
use arbormix_joint::learner::{Joint, Predictor};
use arbormix_joint::tree::Branching;
use arbormix_joint::tree::inference::Table;
use arbormix_learn::forest::{Forest, Shares};
use arbormix_learn::logistic::Softmax;
use arbormix_learn::logistic::loss::log_sigmoid;
use arbormix_learn::store::{Stored, agree, members_of, sets_of};
use arbormix_matrix::Matrix;

/// What gives the probabilities of the label sets.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Base {
    Forest(Forest),
    Softmax(Softmax),
}

impl Base {
    /// Number of label sets, and of features.
    fn sizes(&self) -> (usize, usize) {
        match self {
            Base::Forest(forest) => (forest.class_count(), forest.feature_count()),
            Base::Softmax(softmax) => (softmax.class_count(), softmax.feature_count()),
        }
    }

    fn shares(&self, features: &Matrix) -> Vec<Shares> {
        match self {
            Base::Forest(forest) => forest.shares(features),
            Base::Softmax(softmax) => {
                let logs = softmax.log_probabilities(features);
                let shares = |row: usize| (0..).zip(logs.row(row)).map(|(class, log)| (class, log.exp())).collect();
                (0..logs.rows()).map(shares).collect()
            }
        }
    }
}

/// A fitted LP.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelPowerset {
    /// Ascending.
    sets: Vec<LabelSet>,
    base: Base,
    /// ε, the weight of independent labels.
    unseen: f64,
    /// Log-odds of every label among them.
    log_odds: Vec<f64>,
    independent: Branching,
    tables: Vec<Table>,
}

/// What the file holds beside the tensors.
#[derive(Serialize, Deserialize)]
struct Facts {
    labels: usize,
    features: usize,
    /// The labels present in each set.
    sets: Vec<Vec<usize>>,
    /// Facts of the forest; none for a softmax.
    forest: Option<serde_json::Value>,
}

impl LabelPowerset {
    pub(crate) fn new(sets: Vec<LabelSet>, base: Base, unseen: f64, log_odds: Vec<f64>) -> LabelPowerset {
        let tables = log_odds.iter().map(|z| [[log_sigmoid(-z), log_sigmoid(*z)]; 2]).collect();
        LabelPowerset { sets, base, unseen, independent: Branching::isolated(log_odds.len()), log_odds, tables }
    }

    /// The label sets seen in training, ascending.
    pub fn sets(&self) -> &[LabelSet] {
        &self.sets
    }

    /// ε, the weight of independent labels.
    pub fn unseen(&self) -> f64 {
        self.unseen
    }

    /// Brings back what [`Predictor::store`] gave.
    pub fn load(stored: &Stored) -> Result<LabelPowerset> {
        let facts: Facts = stored.facts_as()?;
        let base = match facts.forest {
            Some(forest) => Base::Forest(Forest::load(&stored.part("forest.", forest))?),
            None => Base::Softmax(Softmax::load(stored, "softmax.", facts.sets.len(), facts.features)?),
        };
        let sets = sets_of(facts.labels, &facts.sets)?;
        let (classes, features) = base.sizes();
        agree("label sets and classes", sets.len(), classes)?;
        agree("features of the rows and of the classes", facts.features, features)?;
        let unseen = stored.tensor("unseen", &[1])?[0];
        Ok(LabelPowerset::new(sets, base, unseen, stored.tensor("log_odds", &[facts.labels])?.to_vec()))
    }
}

impl Predictor for LabelPowerset {
    fn method(&self) -> &'static str {
        "lp"
    }

    fn label_count(&self) -> usize {
        self.tables.len()
    }

    fn feature_count(&self) -> usize {
        self.base.sizes().1
    }

    fn joint(&self) -> Joint {
        Joint::Distribution
    }

    fn has_distributions(&self) -> bool {
        true
    }

    fn mixtures(&self, features: &Matrix) -> Vec<RowMixture<'_>> {
        let mixture = |shares| RowMixture {
            log_gate: vec![(1.0 - self.unseen).ln(), self.unseen.ln()],
            experts: vec![
                RowExpert::Sets(RowSets::new(self.tables.len(), &self.sets, shares)),
                RowExpert::tree(&self.independent, self.tables.clone()),
            ],
        };
        self.base.shares(features).into_iter().map(mixture).collect()
    }

    fn store(&self) -> Stored {
        let mut tensors = Stored::default();
        let forest = match &self.base {
            Base::Forest(forest) => Some(tensors.put_part("forest.", forest.store())),
            Base::Softmax(softmax) => {
                softmax.put(&mut tensors, "softmax.");
                None
            }
        };
        tensors.put("unseen", &[1], vec![self.unseen]);
        tensors.put("log_odds", &[self.log_odds.len()], self.log_odds.clone());
        let sets = members_of(&self.sets);
        let facts = Facts { labels: self.tables.len(), features: self.feature_count(), sets, forest };
        Stored { tensors: tensors.tensors, ..Stored::with_facts(&facts) }
    }
}
