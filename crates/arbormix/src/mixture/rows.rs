//! The one door to the joint distribution of any tractable model.

use rayon::prelude::*;

use super::map::RowMixture;
use crate::error::{Error, Result};
use crate::learner::Predictor;
use crate::matrix::{Columns, DenseMatrix, Matrix};
use crate::tree::Tree;

/// P(y | x) of many rows. BR and CTBN are mixtures of one expert, so every method that has trees answers every question
/// of [`RowMixture`].
///
/// ```
/// use arbormix::data::planted::Planted;
/// use arbormix::{fit, progress::Silent, question::Known, registry};
///
/// let (data, _) = Planted { rows: 200, seed: 1, ..Planted::default() }.sample()?;
/// let learner = registry::learner("ctbn", registry::Preset::Default, &serde_json::json!({}))?;
/// let model = fit(learner.as_ref(), &data, None, &Silent)?;
/// let rows = model.rows(&data)?;
/// let known = Known::nothing(model.schema().label_names.len()).with(0, true);
/// let given = rows.row(0).given(&known)?;
/// assert_eq!(given.mixture.map(0).labels.get(0), true);
/// # Ok::<(), arbormix::Error>(())
/// ```
#[derive(Debug)]
pub struct Rows<'a> {
    count: usize,
    /// Each expert with the log-odds of its regressions.
    experts: Vec<(&'a Tree, Columns)>,
    /// log g(x), unless there is only one expert.
    log_gate: Option<DenseMatrix>,
}

impl<'a> Rows<'a> {
    /// The distributions of a predictor's rows; refused by methods that are no mixture of trees.
    pub fn of(predictor: &'a dyn Predictor, features: &Matrix) -> Result<Rows<'a>> {
        let experts = predictor.experts();
        if experts.is_empty() {
            return Err(Error::Unsupported {
                method: predictor.method(),
                what: "answers from a joint distribution",
                reason: "it is not made of label trees; use mlme, ctbn or br",
            });
        }
        Ok(Rows {
            count: features.rows(),
            experts: experts.into_iter().map(|tree| (tree, tree.margins(features))).collect(),
            log_gate: predictor.log_gate(features),
        })
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The distribution of one row.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, row: usize) -> RowMixture<'a> {
        RowMixture {
            log_gate: self.log_gate.as_ref().map_or_else(|| vec![0.0], |gate| gate.row(row).to_vec()),
            experts: self.experts.iter().map(|(tree, margins)| (tree.branching(), tree.tables(margins, row))).collect(),
        }
    }

    /// Answers `question(row, distribution)` for every row, in parallel and in order.
    pub fn ask<T: Send>(&self, question: impl Fn(usize, &RowMixture<'a>) -> T + Sync) -> Vec<T> {
        (0..self.count).into_par_iter().map(|row| question(row, &self.row(row))).collect()
    }
}
