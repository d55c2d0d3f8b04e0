//! What happened during a fit.

use arbormix_matrix::DenseMatrix;
use serde::{Deserialize, Serialize};

/// What happened during a fit. Holds no times: the same seed gives the same bytes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FitReport {
    /// Whether every iteration that has a stop rule met it.
    pub converged: bool,
    /// Things a person should know: constant labels, limits reached, imputed cells.
    pub notes: Vec<String>,
    /// The course of EM, empty for methods without it.
    pub trace: Vec<TraceStep>,
    /// What the method can say for little about rows that its parts had not seen, if it holds rows out anyway. `fit` takes
    /// it to find `Model::thresholds`; the report of a model has none.
    #[serde(skip)]
    pub held_out: Option<HeldOutMarginals>,
}

/// One EM iteration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TraceStep {
    /// Number of experts at that time.
    pub experts: usize,
    /// Iteration within this EM run, from 0 (before the first M-step).
    pub iteration: usize,
    /// Observed log-likelihood of the training rows (Eq. 6 of the paper).
    pub log_likelihood: f64,
    /// The same minus the penalties: what EM increases.
    pub penalised: f64,
    /// Log-likelihood of the internal validation rows, if any.
    pub validation: Option<f64>,
}

/// Marginals of training rows by a model whose parts had not seen them.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldOutMarginals {
    /// The rows, by their place in the training set; not all of them need to be here.
    pub rows: Vec<usize>,
    /// P(yᵢ = 1 | x) of these rows, rows × d.
    pub marginals: DenseMatrix,
}
