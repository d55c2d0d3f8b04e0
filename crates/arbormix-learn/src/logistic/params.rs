//! Parameters of logistic regressions.

use arbormix_base::params::Allowed;
use arbormix_base::{choices, params};

choices! {
    /// Whether the bias takes part in the penalty.
    pub enum Bias: Copy, Eq {
        /// As a feature of constant value 1 (LIBLINEAR's `-B 1`).
        Penalised = "penalised",
        /// Not penalised.
        Free = "free",
    }
}

params! {
    /// When the solver stops.
    pub struct SolverParams: Copy {
        /// A problem has converged when ‖∇f(w)‖² ≤ 2 · tolerance · f(w). The penalty makes f strongly convex, so this
        /// proves f(w) − min f ≤ tolerance · f(w). A free bias is not penalised: the square of its slope is divided by its
        /// curvature instead, which is a good rule but no proof.
        tolerance: f64 = 1e-6, allowed = Allowed::Between(0.0, 1.0), python = "tol";
        /// Newton steps at most. A problem that needs more is returned as it is, marked as not converged.
        max_iterations: usize = 100, allowed = Allowed::AtLeast(1.0), python = "max_iter";
    }
}

/// Relative accuracy of regressions that are only compared on held-out rows. The trees of yeast, enron and RCV1 are the
/// same as with 10⁻⁶.
const SELECTION: f64 = 1e-4;

impl SolverParams {
    /// For regressions that are compared on held-out rows and then forgotten: they need fewer digits than those kept.
    pub fn for_selection(&self) -> SolverParams {
        self.tolerance(self.tolerance.max(SELECTION))
    }
}

choices! {
    /// What the choice of C looks at on held-out rows.
    pub enum Criterion: Copy, Eq {
        /// The log-likelihood: probabilities are what we are after.
        Likelihood = "likelihood",
        /// The share of targets predicted rightly (LIBLINEAR's `-C`): larger C, more exact matches, worse probabilities.
        Accuracy = "accuracy",
    }
}

params! {
    /// How the logistic regressions of a method are fitted.
    pub struct LogisticParams {
        /// Whether the bias takes part in the penalty.
        bias: Bias = Bias::Penalised;
        /// Costs C to choose from, ascending; one value means no choice.
        costs: Vec<f64> = vec![1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2], allowed = Allowed::Ascending, level = main;
        /// Folds of the cross-validation that chooses C.
        folds: usize = 3, allowed = Allowed::AtLeast(2.0);
        /// What that cross-validation compares.
        criterion: Criterion = Criterion::Likelihood;
        /// When the solver stops.
        solver: SolverParams = SolverParams::default();
    }
}

params! {
    /// How a softmax is fitted.
    pub struct GateParams: Copy {
        /// λ of the penalty λ/2 ‖θ‖²; the bias takes part or not as in the regressions.
        penalty: f64 = 1.0, allowed = Allowed::Positive;
        /// When the solver stops.
        solver: SolverParams = SolverParams::default();
    }
}
