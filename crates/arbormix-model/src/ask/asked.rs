//! A question whose arguments are read: ready to be answered for any row.

use std::fmt;

use super::Question;
use super::answer::Answer;
use super::argument::Arguments;
use super::row::Row;
use super::shape::Shape;
use crate::decide::Thresholds;
use crate::model::Model;
use crate::needs::Needs;
use arbormix_joint::Result;
use arbormix_joint::joint::RowMixture;
use arbormix_joint::learner::Predictor;
use arbormix_matrix::Matrix;

/// What the arguments of a question are read for.
#[derive(Debug, Clone, Copy)]
pub struct About<'a> {
    /// The names of the labels.
    pub names: &'a [String],
    /// Fitted thresholds, for decisions that need them.
    pub thresholds: &'a [Thresholds],
}

impl<'a> From<&'a Model> for About<'a> {
    fn from(model: &'a Model) -> About<'a> {
        About { names: &model.schema().label_names, thresholds: model.thresholds() }
    }
}

/// The answer of a row.
type OfRow = dyn Fn(&Row<'_>) -> Result<Answer> + Send + Sync;

/// The answers of the rows from a first one on, by the method itself.
type OfMethod = dyn Fn(&dyn Predictor, usize, &Matrix) -> Result<Vec<Answer>> + Send + Sync;

/// How a method answers for itself, without a row's distribution.
pub(crate) struct Own {
    /// Whether all rows are answered by one call.
    pub(super) together: bool,
    pub(super) answer: Box<OfMethod>,
}

/// How a question with certain arguments is answered.
pub(crate) struct Prepared {
    shape: Shape,
    needs: Needs,
    answer: Box<OfRow>,
    own: Option<Own>,
    /// The number of rows it is about, if its arguments say that.
    rows: Option<usize>,
}

impl fmt::Debug for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prepared").field("shape", &self.shape).field("needs", &self.needs).finish_non_exhaustive()
    }
}

impl Prepared {
    pub(crate) fn new(
        shape: Shape,
        needs: Needs,
        answer: impl Fn(&Row<'_>) -> Result<Answer> + Send + Sync + 'static,
    ) -> Prepared {
        Prepared { shape, needs, answer: Box::new(answer), own: None, rows: None }
    }

    /// An answer of the joint distribution.
    pub(crate) fn joint(shape: Shape, answer: impl Fn(&RowMixture<'_>) -> Answer + Send + Sync + 'static) -> Prepared {
        Prepared::new(shape, Needs::Joint, move |row| Ok(answer(row.joint()?)))
    }

    /// Methods answer it themselves if nothing is known; `together`: all rows by one call.
    pub(crate) fn or_by_method(
        self,
        together: bool,
        answer: impl Fn(&dyn Predictor, usize, &Matrix) -> Result<Vec<Answer>> + Send + Sync + 'static,
    ) -> Prepared {
        Prepared { own: Some(Own { together, answer: Box::new(answer) }), ..self }
    }

    /// It is about so many rows.
    pub(crate) fn about_rows(self, rows: Option<usize>) -> Prepared {
        Prepared { rows, ..self }
    }
}

/// A question with its arguments.
#[derive(Debug)]
pub struct Asked {
    pub(super) question: &'static Question,
    pub(super) arguments: Arguments,
    pub(super) prepared: Prepared,
}

impl Asked {
    /// The question.
    pub fn question(&self) -> &'static Question {
        self.question
    }

    /// The question's name.
    pub fn name(&self) -> &'static str {
        self.question.name
    }

    /// Its arguments.
    pub fn arguments(&self) -> &Arguments {
        &self.arguments
    }

    /// What all answers look like.
    pub fn shape(&self) -> &Shape {
        &self.prepared.shape
    }

    /// What it is answered from, with these arguments.
    pub fn needs(&self) -> Needs {
        self.prepared.needs
    }

    /// The answer of a row.
    pub fn answer(&self, row: &Row<'_>) -> Result<Answer> {
        (self.prepared.answer)(row)
    }

    /// How methods answer it themselves, if they do.
    pub(super) fn own(&self) -> Option<&Own> {
        self.prepared.own.as_ref()
    }

    /// The number of rows it is about, if its arguments say that.
    pub(super) fn rows(&self) -> Option<usize> {
        self.prepared.rows
    }
}
