//! Parameters of MMOC.

use serde::{Deserialize, Serialize};

use super::field::MAX_ENUMERATED;
use arbormix_base::params::ParamError;
use arbormix_base::params::Presets;
use arbormix_learn::features::FeatureParams;
use arbormix_learn::logistic::{LogisticParams, SolverParams};

/// How label sets are found from the predicted code and the labels' own regressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decoding {
    /// By mean field: the product of independent labels nearest to exp(−E), found by coordinate ascent.
    #[default]
    MeanField,
    /// By enumeration of all 2^d sets; at most 20 labels.
    Exact,
}

impl Decoding {
    /// Errs if there are too many labels for it.
    pub(crate) fn check(self, labels: usize) -> Result<(), ParamError> {
        let feasible = self != Decoding::Exact || labels <= MAX_ENUMERATED;
        let rule = "enumerates all label sets, for at most 20 labels; use mean-field";
        ParamError::require_choice(feasible, "decoding", &self, rule)
    }
}

/// The variances that squared errors of the code are divided by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Variances {
    /// Mean squared errors in training. Only the space that the code spans matters then, not the lengths of its words.
    #[default]
    Residual,
    /// All 1.
    Unit,
}

/// MMOC: its parameters, and its learner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutputCodeParams {
    /// How raw columns become features.
    pub features: FeatureParams,
    /// The logistic regressions, one per label.
    pub logistic: LogisticParams,
    /// Costs C of margin violations to choose from, ascending: the one with the most exact matches on held-out rows,
    /// ties to the smaller. One value means no choice.
    pub costs: Vec<f64>,
    /// Penalties of the linear regression to choose from, ascending, in units of the mean of the features' sums of
    /// squares: the one with the smallest squared error on held-out rows. One value means no choice.
    pub ridges: Vec<f64>,
    /// Share of the rows held out for these choices.
    pub held_out: f64,
    /// How far the distance between label sets rises above the number of differing labels *between* the corners of the
    /// box that the margins range over; 0 is linear, as in the paper, and slow (no certificate within any patience).
    pub bulge: f64,
    /// λ, the weight of the labels' own regressions beside the code: 0 decodes by the code alone, a large value is BR.
    pub balance: f64,
    /// The variances of the code.
    pub variances: Variances,
    /// How label sets are found.
    pub decoding: Decoding,
    /// When the learning of the code stops: once its objective is proven to be within the share `tolerance` of the
    /// optimum.
    pub solver: SolverParams,
    /// Seed of the split and of fold assignments.
    pub seed: u64,
}

impl Default for OutputCodeParams {
    fn default() -> Self {
        OutputCodeParams {
            features: FeatureParams::default(),
            logistic: LogisticParams::default(),
            costs: vec![0.1, 1.0, 10.0, 100.0],
            ridges: vec![0.01, 0.1, 1.0, 10.0],
            held_out: 0.3,
            bulge: 0.1,
            balance: 1.0,
            variances: Variances::default(),
            decoding: Decoding::default(),
            solver: SolverParams { tolerance: 1e-3, max_iterations: 500 },
            seed: 0,
        }
    }
}

impl Presets for OutputCodeParams {
    /// The defaults: λ = 1 is the paper's, the rest it does not say.
    fn paper() -> Self {
        OutputCodeParams::default()
    }
}

impl OutputCodeParams {
    /// Checks the values.
    pub(crate) fn check(&self) -> Result<(), ParamError> {
        self.logistic.validate()?;
        for (name, values) in [("costs", &self.costs), ("ridges", &self.ridges)] {
            let ascending = values.windows(2).all(|pair| pair[0] < pair[1]);
            let usable = !values.is_empty() && values.iter().all(|value| value.is_finite() && *value > 0.0);
            ParamError::require(ascending && usable, name, values, "needs positive numbers in ascending order")?;
        }
        let share = self.held_out;
        ParamError::require(share > 0.0 && share < 1.0, "held_out", share, "must be between 0 and 1")?;
        for (name, value) in [("balance", self.balance), ("bulge", self.bulge)] {
            ParamError::require(value.is_finite() && value >= 0.0, name, value, "must not be negative")?;
        }
        self.solver.validate("solver.tolerance", "solver.max_iterations")
    }
}
