//! What an experiment consists of.

use super::error::ExperimentError;
use crate::error::Result;
use arbormix_data::Dataset;
use arbormix_data::splits::Folds;
use arbormix_joint::learner::Learner;

/// A data set and how its rows are divided.
#[derive(Debug, Clone)]
pub struct Task {
    /// The data.
    pub data: Dataset,
    /// The fold of each row.
    pub folds: Folds,
}

/// A method with its parameters, under the name that tables show.
pub struct Contestant {
    /// Its name in the experiment, e.g. `mlme@paper`.
    pub name: String,
    /// What fits.
    pub learner: Box<dyn Learner>,
}

impl std::fmt::Debug for Contestant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Contestant").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Data sets × methods × folds: every method on the same folds of every data set.
#[derive(Debug)]
pub struct Experiment {
    pub(crate) tasks: Vec<Task>,
    pub(crate) methods: Vec<Contestant>,
    pub(crate) only_folds: Option<Vec<usize>>,
}

impl Experiment {
    /// All folds of all methods on all data sets; names must differ.
    pub fn new(tasks: Vec<Task>, methods: Vec<Contestant>) -> Result<Experiment> {
        if tasks.is_empty() || methods.is_empty() {
            return Err(ExperimentError::Empty { data: tasks.len(), methods: methods.len() }.into());
        }
        distinct("data sets", tasks.iter().map(|task| task.data.name()))?;
        distinct("methods", methods.iter().map(|method| method.name.as_str()))?;
        for Task { data, folds } in &tasks {
            if folds.ids().len() != data.rows() {
                let (folds, rows) = (folds.ids().len(), data.rows());
                return Err(ExperimentError::FoldRows { data: data.name().to_string(), folds, rows }.into());
            }
        }
        Ok(Experiment { tasks, methods, only_folds: None })
    }

    /// The same with some folds only, for data that is slow.
    pub fn only_folds(mut self, folds: Vec<usize>) -> Result<Experiment> {
        for (place, &fold) in folds.iter().enumerate() {
            if folds[..place].contains(&fold) {
                return Err(ExperimentError::FoldTwice { fold }.into());
            }
            if let Some(task) = self.tasks.iter().find(|task| fold >= task.folds.count()) {
                let (data, last) = (task.data.name().to_string(), task.folds.count() - 1);
                return Err(ExperimentError::NoFold { data, fold, last }.into());
            }
        }
        self.only_folds = Some(folds);
        Ok(self)
    }

    /// The folds of a data set that are run.
    pub(crate) fn folds(&self, task: &Task) -> Vec<usize> {
        self.only_folds.clone().unwrap_or_else(|| (0..task.folds.count()).collect())
    }
}

fn distinct<'a>(what: &'static str, names: impl Iterator<Item = &'a str>) -> Result<(), ExperimentError> {
    let mut seen = std::collections::HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(ExperimentError::SameName { what, name: name.to_string() });
        }
    }
    Ok(())
}
