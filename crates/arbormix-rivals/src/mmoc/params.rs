//! Parameters of MMOC.

use arbormix_base::params::{Allowed, ParamError};
use arbormix_base::{choices, params};
use arbormix_learn::features::FeatureParams;
use arbormix_learn::logistic::{LogisticParams, SolverParams};

use super::field::MAX_ENUMERATED;

choices! {
    /// How label sets are found from the predicted code and the labels' own regressions.
    pub enum Decoding: Copy, Eq {
        /// By mean field: the product of independent labels nearest to exp(−E), found by coordinate ascent.
        MeanField = "mean-field",
        /// By enumeration of all 2^d sets; at most 20 labels.
        Exact = "exact",
    }
}

impl Decoding {
    /// Errs if there are too many labels for it.
    pub(crate) fn check(self, labels: usize) -> Result<(), ParamError> {
        let feasible = self != Decoding::Exact || labels <= MAX_ENUMERATED;
        let rule = "enumerates all label sets, for at most 20 labels; use mean-field";
        ParamError::require_choice(feasible, "decoding", &self, rule)
    }
}

choices! {
    /// The variances that squared errors of the code are divided by.
    pub enum Variances: Copy, Eq {
        /// Mean squared errors in training. Only the space that the code spans matters then, not the lengths of its words.
        Residual = "residual",
        /// All 1.
        Unit = "unit",
    }
}

params! {
    /// MMOC: its parameters, and its learner. λ = 1 is the paper's; the rest it does not say.
    pub struct OutputCodeParams {
        /// How raw columns become features.
        features: FeatureParams = FeatureParams::default(), level = main, python = "";
        /// The logistic regressions, one per label.
        logistic: LogisticParams = LogisticParams::default();
        /// Costs C of margin violations to choose from, ascending: the one with the most exact matches on held-out rows,
        /// ties to the smaller. One value means no choice.
        costs: Vec<f64> = vec![0.1, 1.0, 10.0, 100.0], allowed = Allowed::Ascending, level = main;
        /// Penalties of the linear regression to choose from, ascending, in units of the mean of the features' sums of
        /// squares: the one with the smallest squared error on held-out rows. One value means no choice.
        ridges: Vec<f64> = vec![0.01, 0.1, 1.0, 10.0], allowed = Allowed::Ascending, level = main;
        /// Share of the rows held out for these choices.
        held_out: f64 = 0.3, allowed = Allowed::Between(0.0, 1.0);
        /// How far the distance between label sets rises above the number of differing labels *between* the corners of the
        /// box that the margins range over; 0 is linear, as in the paper, and slow (no certificate within any patience).
        bulge: f64 = 0.1, allowed = Allowed::NotNegative;
        /// λ, the weight of the labels' own regressions beside the code: 0 decodes by the code alone, a large value is BR.
        balance: f64 = 1.0, allowed = Allowed::NotNegative, level = main;
        /// The variances of the code.
        variances: Variances = Variances::Residual;
        /// How label sets are found.
        decoding: Decoding = Decoding::MeanField, level = main;
        /// When the learning of the code stops: once its objective is proven to be within the share `tolerance` of the
        /// optimum.
        solver: SolverParams = SolverParams::default().tolerance(1e-3).max_iterations(500);
        /// Seed of the split and of fold assignments.
        seed: u64 = 0, level = main, python = "random_state";
    }
}
