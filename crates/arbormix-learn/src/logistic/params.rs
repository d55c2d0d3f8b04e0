//! Parameters of logistic regressions.

use serde::{Deserialize, Serialize};

use arbormix_base::params::ParamError;

/// Whether the bias takes part in the penalty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Bias {
    /// As a feature of constant value 1 (LIBLINEAR's `-B 1`).
    #[default]
    Penalised,
    /// Not penalised.
    Free,
}

/// When the solver stops.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SolverParams {
    /// A problem has converged when ‖∇f(w)‖² ≤ 2 · tolerance · f(w). The penalty makes f strongly convex, so this
    /// proves f(w) − min f ≤ tolerance · f(w). A free bias is not penalised: the square of its slope is divided by its
    /// curvature instead, which is a good rule but no proof.
    pub tolerance: f64,
    /// Newton steps at most; a problem that needs more is returned as it is, marked as not converged.
    pub max_iterations: usize,
}

/// Relative accuracy of regressions that are only compared on held-out rows. The trees of yeast, enron and RCV1 are the
/// same as with 10⁻⁶.
const SELECTION: f64 = 1e-4;

impl SolverParams {
    /// For regressions that are compared on held-out rows and then forgotten: they need fewer digits than those kept.
    pub fn for_selection(&self) -> SolverParams {
        SolverParams { tolerance: self.tolerance.max(SELECTION), ..*self }
    }
}

impl Default for SolverParams {
    fn default() -> Self {
        SolverParams { tolerance: 1e-6, max_iterations: 100 }
    }
}

/// What the choice of C looks at on held-out rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Criterion {
    /// The log-likelihood: probabilities are what we are after.
    #[default]
    Likelihood,
    /// The share of targets predicted rightly (LIBLINEAR's `-C`): larger C, more exact matches, worse probabilities.
    Accuracy,
}

/// How the logistic regressions of a method are fitted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogisticParams {
    /// Whether the bias takes part in the penalty.
    pub bias: Bias,
    /// Costs C to choose from, ascending; one value means no choice.
    pub costs: Vec<f64>,
    /// Folds of the cross-validation that chooses C.
    pub folds: usize,
    /// What that cross-validation compares.
    #[serde(default)]
    pub criterion: Criterion,
    /// When the solver stops.
    pub solver: SolverParams,
}

impl Default for LogisticParams {
    fn default() -> Self {
        LogisticParams {
            bias: Bias::Penalised,
            costs: vec![1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2],
            folds: 3,
            criterion: Criterion::Likelihood,
            solver: SolverParams::default(),
        }
    }
}

impl LogisticParams {
    /// Checks the values.
    pub fn validate(&self) -> Result<(), ParamError> {
        let ascending = self.costs.windows(2).all(|pair| pair[0] < pair[1]);
        let usable = !self.costs.is_empty() && self.costs.iter().all(|c| c.is_finite() && *c > 0.0);
        ParamError::require(
            ascending && usable,
            "logistic.costs",
            &self.costs,
            "needs positive numbers in ascending order",
        )?;
        ParamError::require(self.folds >= 2, "logistic.folds", self.folds, "must be at least 2")?;
        self.solver.validate("logistic.solver.tolerance", "logistic.solver.max_iterations")
    }
}

impl SolverParams {
    /// Checks the values; the names are those of the two parameters where they are set.
    pub fn validate(&self, tolerance: &'static str, max_iterations: &'static str) -> Result<(), ParamError> {
        let usable = self.tolerance > 0.0 && self.tolerance < 1.0;
        ParamError::require(usable, tolerance, self.tolerance, "must be between 0 and 1")?;
        ParamError::require(self.max_iterations > 0, max_iterations, self.max_iterations, "must be at least 1")
    }
}

/// How the softmax gate is fitted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GateParams {
    /// λ of the penalty λ/2 ‖θ‖²; the bias takes part or not as in the nodes' regressions.
    pub penalty: f64,
    /// When the solver stops.
    pub solver: SolverParams,
}

impl Default for GateParams {
    fn default() -> Self {
        GateParams { penalty: 1.0, solver: SolverParams::default() }
    }
}

impl GateParams {
    /// Checks the values.
    pub fn validate(&self) -> Result<(), ParamError> {
        let usable = self.penalty.is_finite() && self.penalty > 0.0;
        ParamError::require(usable, "gate.penalty", self.penalty, "must be positive")?;
        self.solver.validate("gate.solver.tolerance", "gate.solver.max_iterations")
    }
}
