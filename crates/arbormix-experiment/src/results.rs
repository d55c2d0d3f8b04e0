//! The cells of an experiment in order, and their means.

use serde::Serialize;
use serde_json::Value;

use super::cell::{Cell, CellOutcome};
use super::plan::Experiment;
use arbormix_model::measure::Direction;

/// What is known about a data set of the experiment.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DataInfo {
    /// Its name.
    pub name: String,
    /// Number of rows.
    pub rows: usize,
    /// Number of feature columns.
    pub features: usize,
    /// Number of labels.
    pub labels: usize,
    /// The folds that were run.
    pub folds: Vec<usize>,
    /// Mean over these folds of test rows divided by training rows.
    pub test_share: f64,
}

/// What is known about a method of the experiment.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MethodInfo {
    /// Its name in the experiment.
    pub name: String,
    /// Its name in the registry.
    pub method: String,
    /// All its parameters.
    pub params: Value,
}

/// Everything an experiment gave.
#[derive(Debug, Clone)]
pub struct Results {
    data: Vec<DataInfo>,
    methods: Vec<MethodInfo>,
    /// Data set after data set, method after method, fold after fold.
    cells: Vec<Cell>,
}

impl Results {
    pub(crate) fn new(experiment: &Experiment, cells: Vec<Cell>) -> Results {
        let data = experiment.tasks.iter().map(|task| {
            let folds = experiment.folds(task);
            let share = |&fold: &usize| {
                let test = task.folds.test(fold).len();
                test as f64 / (task.data.rows() - test) as f64
            };
            DataInfo {
                name: task.data.name().to_string(),
                rows: task.data.rows(),
                features: task.data.columns().len(),
                labels: task.data.labels().count(),
                test_share: folds.iter().map(share).sum::<f64>() / folds.len() as f64,
                folds,
            }
        });
        let methods = experiment.methods.iter().map(|method| MethodInfo {
            name: method.name.clone(),
            method: method.learner.method().to_string(),
            params: method.learner.params(),
        });
        Results { data: data.collect(), methods: methods.collect(), cells }
    }

    /// The data sets.
    pub fn data(&self) -> &[DataInfo] {
        &self.data
    }

    /// The methods.
    pub fn methods(&self) -> &[MethodInfo] {
        &self.methods
    }

    /// The cells of one method on one data set, fold after fold.
    pub fn cells(&self, data: usize, method: usize) -> &[Cell] {
        let before: usize = self.data[..data].iter().map(|info| info.folds.len() * self.methods.len()).sum();
        let folds = self.data[data].folds.len();
        let start = before + method * folds;
        &self.cells[start..start + folds]
    }

    /// A measure's value in each fold; `None` where the cell failed or does not have it.
    pub fn values(&self, data: usize, method: usize, measure: &str) -> Vec<Option<f64>> {
        self.cells(data, method).iter().map(|cell| cell.measure(measure)).collect()
    }

    /// Every measure that any cell has, in the order of first appearance.
    pub fn measures(&self) -> Vec<(String, Direction)> {
        let mut names: Vec<(String, Direction)> = Vec::new();
        for cell in &self.cells {
            let CellOutcome::Finished(finished) = &cell.outcome else { continue };
            for measure in &finished.measures {
                if !names.iter().any(|(name, _)| *name == measure.name) {
                    names.push((measure.name.clone(), measure.better));
                }
            }
        }
        names
    }

    /// Failed cells: data set, method, and the cell.
    pub fn failures(&self) -> impl Iterator<Item = (&DataInfo, &MethodInfo, &Cell)> {
        let places =
            (0..self.data.len()).flat_map(move |data| (0..self.methods.len()).map(move |method| (data, method)));
        let of = move |(data, method): (usize, usize)| {
            let failed = self.cells(data, method).iter().filter(|cell| cell.failure().is_some());
            failed.map(move |cell| (&self.data[data], &self.methods[method], cell))
        };
        places.flat_map(of)
    }
}

/// Mean, and its standard error from the sample variance (NaN for one value).
///
/// ```
/// // R: x <- c(1, 2, 4); sd(x) / sqrt(3)
/// let (mean, error) = arbormix_experiment::mean_and_error(&[1.0, 2.0, 4.0]);
/// assert!((mean - 7.0 / 3.0).abs() < 1e-15 && (error - 0.881_917_103_688_197).abs() < 1e-14);
/// ```
pub fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, (variance / count).sqrt())
}
