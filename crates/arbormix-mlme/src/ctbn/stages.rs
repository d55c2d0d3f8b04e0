//! The stages of a fit whose units other processes can do; see [`crate::distribution`].

use std::borrow::Cow;

use rayon::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::fit::Trainer;
use super::nodes::{Condition, Job};
use super::scores::{Division, Split};
use arbormix_base::progress::{Progress, Silent};
use arbormix_joint::Result;
use arbormix_joint::learner::{Helper, HelperError};
use arbormix_learn::logistic::{Block, Coefficients, Problem, Solution, SolverParams, improve, solve};

/// Labels of a unit at most: the rows are gathered once per unit, which so many regressions make negligible.
pub(crate) const LABELS_PER_UNIT: usize = 64;

/// What the units of a stage share.
pub(crate) trait Stage: Serialize + Sync {
    const NAME: &'static str;
    type Unit: Serialize + Sync;
    type Answer: Serialize + DeserializeOwned + Send;

    /// A pure function of the trainer's rows and parameters, the stage and the unit; the trainer's weights of rows
    /// change during a fit, so a stage that needs them carries them.
    fn answer(&self, trainer: &Trainer<'_>, unit: &Self::Unit, progress: &dyn Progress) -> Result<Self::Answer>;

    /// Steps of the progress that a unit is.
    fn steps(_unit: &Self::Unit) -> usize {
        1
    }
}

/// Regressions of labels without a parent on the training rows of divisions.
#[derive(Serialize, Deserialize)]
pub(crate) struct Alone<'a> {
    pub(crate) weights: Option<Cow<'a, [f64]>>,
    pub(crate) divisions: Cow<'a, [Division]>,
}

/// Some labels under one division.
#[derive(Serialize, Deserialize)]
pub(crate) struct Share {
    pub(crate) division: usize,
    pub(crate) labels: Vec<usize>,
}

impl Stage for Alone<'_> {
    const NAME: &'static str = "alone";
    type Unit = Share;
    type Answer = Vec<Coefficients>;

    fn answer(&self, trainer: &Trainer<'_>, unit: &Share, progress: &dyn Progress) -> Result<Vec<Coefficients>> {
        let task = trainer.task(self.weights.as_deref(), None, progress);
        task.solve_alone(&self.divisions[unit.division].train, &unit.labels)
    }

    fn steps(_unit: &Share) -> usize {
        0
    }
}

/// Held-out scores of labels given another one.
#[derive(Serialize, Deserialize)]
pub(crate) struct Edges<'a> {
    pub(crate) weights: Option<Cow<'a, [f64]>>,
    pub(crate) splits: Cow<'a, [Split]>,
}

/// A parent of some labels under one division.
#[derive(Serialize, Deserialize)]
pub(crate) struct Parent {
    pub(crate) division: usize,
    pub(crate) parent: usize,
    pub(crate) children: Vec<usize>,
}

impl Stage for Edges<'_> {
    const NAME: &'static str = "edges";
    type Unit = Parent;
    type Answer = Vec<f64>;

    fn answer(&self, trainer: &Trainer<'_>, unit: &Parent, progress: &dyn Progress) -> Result<Vec<f64>> {
        let task = trainer.task(self.weights.as_deref(), None, progress);
        task.with_parent(&self.splits[unit.division], unit.parent, &unit.children)
    }
}

/// The cost C of regressions.
#[derive(Serialize, Deserialize)]
pub(crate) struct Costs<'a> {
    pub(crate) weights: Option<Cow<'a, [f64]>>,
}

/// Labels whose regressions see the same rows.
#[derive(Serialize, Deserialize)]
pub(crate) struct Group {
    pub(crate) condition: Condition,
    pub(crate) labels: Vec<usize>,
}

impl Stage for Costs<'_> {
    const NAME: &'static str = "costs";
    type Unit = Group;
    type Answer = Vec<f64>;

    fn answer(&self, trainer: &Trainer<'_>, unit: &Group, progress: &dyn Progress) -> Result<Vec<f64>> {
        let under = |labels: &[usize]| trainer.costs_under(unit.condition, labels, self.weights.as_deref(), progress);
        match trainer.observed {
            None => under(&unit.labels),
            // Every label has rows of its own.
            Some(_) => {
                let each: Vec<Vec<f64>> = unit.labels.iter().map(|&label| under(&[label])).collect::<Result<_>>()?;
                Ok(each.concat())
            }
        }
    }

    fn steps(unit: &Group) -> usize {
        unit.labels.len()
    }
}

/// The regressions of nodes.
#[derive(Serialize, Deserialize)]
pub(crate) struct Nodes<'a> {
    /// Weights of the rows that jobs refer to.
    pub(crate) weights: Vec<Cow<'a, [f64]>>,
    pub(crate) solver: SolverParams,
    pub(crate) purpose: Purpose,
}

/// What regressions of nodes are fitted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Purpose {
    /// To be kept: what is said of them must be true.
    Keep,
    /// As a step of EM, after which the weights of rows are other ones.
    Step,
}

/// Regressions that are solved together.
#[derive(Serialize, Deserialize)]
pub(crate) struct Batch<'a> {
    /// The rows of the block: those of the jobs' own condition, or all.
    pub(crate) condition: Condition,
    pub(crate) jobs: Vec<Job<'a>>,
}

impl<'a> Stage for Nodes<'a> {
    const NAME: &'static str = "nodes";
    type Unit = Batch<'a>;
    type Answer = Vec<Solution>;

    fn answer(&self, trainer: &Trainer<'_>, unit: &Batch<'a>, progress: &dyn Progress) -> Result<Vec<Solution>> {
        let problems: Vec<Problem<'_>> = unit
            .jobs
            .iter()
            .map(|job| Problem {
                targets: &trainer.labels[job.label],
                weights: job.weights.map(|place| &*self.weights[place]),
                // A job that sees part of the block's rows.
                only: if job.condition == unit.condition { None } else { job.condition.rows_within(&trainer.labels) },
                cost: job.cost,
                start: job.start.as_deref(),
                coordinates: None,
            })
            .collect();
        let solved = |block: &Block<'_>| match self.purpose {
            Purpose::Keep => solve(block, &problems, &self.solver, progress),
            Purpose::Step => improve(block, &problems, &self.solver, progress),
        };
        Ok(unit.condition.with_block(&trainer.design, &trainer.labels, solved)?)
    }

    fn steps(_unit: &Batch<'a>) -> usize {
        0
    }
}

impl Trainer<'_> {
    /// The answers to all units, in their order: here, in parallel, or by the helper.
    pub(crate) fn answers<S: Stage>(
        &self,
        stage: &S,
        units: &[S::Unit],
        progress: &dyn Progress,
    ) -> Result<Vec<S::Answer>> {
        let Some(helper) = self.helper else {
            let answer = |unit: &S::Unit| {
                progress.check()?;
                let answer = stage.answer(self, unit, progress)?;
                progress.advance(S::steps(unit));
                Ok(answer)
            };
            return units.par_iter().map(answer).collect();
        };
        if units.is_empty() {
            return Ok(Vec::new());
        }
        progress.check()?;
        let mut message = format!("{}\n", S::NAME).into_bytes();
        message.append(&mut written(stage)?);
        let answers = helper.answer(&message, &units.iter().map(written).collect::<Result<Vec<_>>>()?)?;
        if answers.len() != units.len() {
            return Err(HelperError::Answers { units: units.len(), answers: answers.len() }.into());
        }
        progress.advance(units.iter().map(S::steps).sum());
        answers.iter().map(|bytes| read(bytes)).collect()
    }

    /// Reads a stage and its units, and writes their answers.
    fn reply<S>(&self, stage: &[u8], units: &[Vec<u8>]) -> Result<Vec<Vec<u8>>>
    where
        S: Stage + DeserializeOwned,
        S::Unit: DeserializeOwned,
    {
        let stage: S = read(stage)?;
        units.par_iter().map(|unit| written(&stage.answer(self, &read(unit)?, &Silent)?)).collect()
    }
}

impl Helper for Trainer<'_> {
    fn answer(&self, stage: &[u8], units: &[Vec<u8>]) -> Result<Vec<Vec<u8>>> {
        let end = stage.iter().position(|&byte| byte == b'\n').unwrap_or(0);
        let (name, body) = (&stage[..end], &stage[(end + 1).min(stage.len())..]);
        match std::str::from_utf8(name) {
            Ok(Alone::NAME) => self.reply::<Alone<'static>>(body, units),
            Ok(Edges::NAME) => self.reply::<Edges<'static>>(body, units),
            Ok(Costs::NAME) => self.reply::<Costs<'static>>(body, units),
            Ok(Nodes::NAME) => self.reply::<Nodes<'static>>(body, units),
            _ => Err(HelperError::message("no stage has this name").into()),
        }
    }
}

/// JSON, whose numbers are read back to the same bits (the feature `float_roundtrip`).
fn written(value: &impl Serialize) -> Result<Vec<u8>> {
    Ok(serde_json::to_vec(value).map_err(HelperError::message)?)
}

fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    Ok(serde_json::from_slice(bytes).map_err(HelperError::message)?)
}
