//! One (data set, method, fold) of an experiment: what it gave, and what it is the result of.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::fold::Round;
use super::plan::{Contestant, Task};
use arbormix_data::Dataset;
use arbormix_joint::learner::Joint;
use arbormix_model::measure::{Absent, Measure};

/// The version that is written into cells; another version computes its own.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A finished or failed cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// Name of the data set.
    pub data: String,
    /// The method's name in the registry.
    pub method: String,
    /// The fold that was tested on.
    pub fold: usize,
    /// The method's seed; nothing in a method without one is random.
    pub seed: Option<u64>,
    /// Version of arbormix.
    pub version: String,
    /// All parameters of the method.
    pub params: Value,
    /// SHA-256 of everything the result depends on: data, folds, method, parameters, seed, fold, version.
    pub digest: String,
    /// What came of it.
    pub outcome: CellOutcome,
}

/// What came of a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CellOutcome {
    /// The method was fitted and measured.
    Finished(Finished),
    /// It failed, for this reason.
    Failed(String),
}

/// What a finished cell holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finished {
    /// All measures on the test rows.
    pub measures: Vec<Measure>,
    /// Measures that are not defined, and why.
    pub absent: Vec<Absent>,
    /// What kind of probability the CLL-loss is of.
    pub joint: Joint,
    /// Number of test rows.
    pub test_rows: usize,
    /// Whether every iteration of the fit met its stop rule.
    pub converged: bool,
    /// What the fit had to say.
    pub notes: Vec<String>,
    /// Seconds that fitting took, by the clock on the wall, among the cells that ran at the same time.
    pub fit_seconds: f64,
    /// Seconds that predicting and measuring took.
    pub test_seconds: f64,
}

impl Finished {
    pub(crate) fn of(round: &Round) -> Finished {
        let report = round.model.report();
        let measure = |(name, value, better): (&str, f64, _)| Measure { name: name.to_string(), value, better };
        Finished {
            measures: round.measures.iter().map(measure).collect(),
            absent: round.measures.absent().to_vec(),
            joint: round.model.predictor().joint(),
            test_rows: round.measures.rows(),
            converged: report.converged,
            notes: report.notes.clone(),
            fit_seconds: round.fit_seconds,
            test_seconds: round.test_seconds,
        }
    }
}

impl Cell {
    /// A measure's value, if the cell has it.
    pub fn measure(&self, name: &str) -> Option<f64> {
        let CellOutcome::Finished(finished) = &self.outcome else { return None };
        finished.measures.iter().find(|measure| measure.name == name).map(|measure| measure.value)
    }

    /// What kind of probability its CLL-loss is of, if it was finished.
    pub fn joint(&self) -> Option<Joint> {
        match &self.outcome {
            CellOutcome::Finished(finished) => Some(finished.joint),
            CellOutcome::Failed(_) => None,
        }
    }

    /// Why it failed, if it did.
    pub fn failure(&self) -> Option<&str> {
        match &self.outcome {
            CellOutcome::Finished(_) => None,
            CellOutcome::Failed(reason) => Some(reason),
        }
    }

    /// The cell to be, with its identity; `divided` is [`digest_of_task`].
    pub(crate) fn planned(task: &Task, divided: &str, method: &Contestant, fold: usize) -> Cell {
        let (name, params) = (method.learner.method(), method.learner.params());
        let seed = params.get("seed").and_then(Value::as_u64);
        let identity = json!({
            "task": divided, "method": name, "params": params, "seed": seed, "fold": fold, "version": VERSION,
        });
        Cell {
            data: task.data.name().to_string(),
            method: name.to_string(),
            fold,
            seed,
            version: VERSION.to_string(),
            digest: hex(&Sha256::digest(identity.to_string().as_bytes())),
            params,
            outcome: CellOutcome::Failed("it has not been run".to_string()),
        }
    }
}

/// SHA-256 of a data set's contents (its own name aside) and of the fold of each row.
pub(crate) fn digest_of_task(task: &Task) -> String {
    let mut sha = Sha256::new();
    update_with_data(&mut sha, &task.data);
    task.folds.ids().iter().for_each(|&fold| sha.update((fold as u64).to_le_bytes()));
    hex(&sha.finalize())
}

fn update_with_data(sha: &mut Sha256, data: &Dataset) {
    let names = json!({
        "columns": data.columns(), "labels": data.label_names(), "rows": data.rows(),
        "sparse": data.features().is_sparse(), "implicit": data.implicit_columns(),
    });
    sha.update(names.to_string().as_bytes());
    for row in 0..data.rows() {
        data.features().visit_row(row, |column, value| {
            sha.update((column as u64).to_le_bytes());
            sha.update(value.to_bits().to_le_bytes());
        });
        // Ends the row: no column has this number.
        sha.update(u64::MAX.to_le_bytes());
        let cell = |label| match data.labels().get(row, label) {
            None => 2,
            Some(present) => u8::from(present),
        };
        sha.update((0..data.labels().count()).map(cell).collect::<Vec<u8>>());
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
