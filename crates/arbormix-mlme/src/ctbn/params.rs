//! Parameters of CTBN.

use arbormix_base::params::{Allowed, ParamError};
use arbormix_base::{choices, params};
use arbormix_learn::features::FeatureParams;
use arbormix_learn::logistic::LogisticParams;

choices! {
    /// Which rows an edge is fitted on and which it is scored on.
    pub enum Scoring: Copy {
        /// Cross-validation with this many folds.
        Folds(usize) = "folds",
        /// This share of the rows is held out for scoring.
        Holdout(f64) = "holdout",
    }
}

/// Rows that edges are scored on at most by default: docs/results/screening.md says what that costs.
const SCORED_ROWS: usize = 20_000;
/// Labels up to which [`Candidates::Auto`] scores every edge.
const EXACT_LABELS: usize = 60;
/// Candidates of a label under [`Candidates::Auto`] when there are more labels.
const AUTO_CANDIDATES: usize = 10;

choices! {
    /// Which parents of a label are scored by fits; the others are none.
    pub enum Candidates: Copy, Eq {
        /// All of them up to 60 labels, the 10 most promising ones of more.
        Auto = "auto",
        /// All of them, as in the paper: the work grows with the square of the number of labels.
        Exact = "exact",
        /// This many, the most promising ones: those that go with the errors of the label's regression without a parent.
        Screened(usize) = "screened",
    }
}

impl Candidates {
    /// How many of the other labels are candidates; `None`: all.
    pub fn limit(self, labels: usize) -> Option<usize> {
        match self {
            Candidates::Auto if labels > EXACT_LABELS => Some(AUTO_CANDIDATES),
            Candidates::Auto | Candidates::Exact => None,
            Candidates::Screened(count) => Some(count),
        }
    }
}

params! {
    /// How the tree is found (Section 5.3.1).
    pub struct StructureParams {
        /// Which rows edges are scored on.
        scoring: Scoring = Scoring::Folds(3);
        /// Which edges are scored.
        candidates: Candidates = Candidates::Auto, paper = Candidates::Exact;
        /// Rows that edges are scored on at most, drawn at random if there are more; 0 means all rows. The regressions of the
        /// tree that is found see all rows.
        max_rows: usize = SCORED_ROWS, paper = 0;
        /// Cost C of the regressions that score edges.
        cost: f64 = 1.0, allowed = Allowed::Positive;
        /// A parent's value with fewer training rows than this is scored with the parentless regression.
        min_rows: usize = 5;
        /// An edge must gain more log-likelihood than this over no parent.
        min_gain: f64 = 0.0, allowed = Allowed::NotNegative;
    }
}

impl StructureParams {
    /// How many of so many rows edges are scored on, if not on all.
    pub(crate) fn scored_rows(&self, rows: usize) -> Option<usize> {
        (0 < self.max_rows && self.max_rows < rows).then_some(self.max_rows)
    }

    /// Checks what the declaration cannot say.
    pub fn check(&self) -> Result<(), ParamError> {
        let (usable, rule) = match self.scoring {
            Scoring::Folds(folds) => (folds >= 2, "folds must be at least 2"),
            Scoring::Holdout(share) => (share > 0.0 && share < 1.0, "holdout must be between 0 and 1"),
        };
        ParamError::require(usable, "structure.scoring", self.scoring, rule)?;
        let (rows, rule) = (self.max_rows, "must be at least 10, or 0 for all");
        ParamError::require(rows == 0 || rows >= 10, "structure.max_rows", rows, rule)?;
        let (candidates, rule) = (self.candidates, "at least 1 must be screened");
        ParamError::require(candidates != Candidates::Screened(0), "structure.candidates", candidates, rule)
    }
}

choices! {
    /// How a label depends on its parent.
    pub enum NodeKind: Copy, Eq, Hash {
        /// Two regressions, one per value of the parent (the paper's).
        Switching = "switching",
        /// One regression with the parent's value as a further feature.
        ParentFeature = "parent-feature",
    }
}

params! {
    /// How the regressions of a tree's nodes are made.
    pub struct NodeParams: Eq {
        /// How a label depends on its parent.
        kind: NodeKind = NodeKind::Switching;
        /// If either value of the parent has fewer rows than this, one regression serves both values.
        min_rows: usize = 16;
    }
}

params! {
    /// EM over label cells that are unknown.
    pub struct CompletionParams {
        /// Iterations at most; 0 stops at the fit on the observed cells alone.
        max_iterations: usize = 50, python = "max_iter";
        /// EM ends when an iteration gains less log-likelihood than this per row.
        tolerance: f64 = 1e-4, allowed = Allowed::NotNegative, python = "tol";
    }
}

impl TreeParams {
    /// Checks what the declaration cannot say.
    pub(super) fn check(&self) -> Result<(), ParamError> {
        self.structure.check()
    }
}

params! {
    /// CTBN: its parameters, and its learner.
    pub struct TreeParams {
        /// How raw columns become features.
        features: FeatureParams = FeatureParams::default(), level = main, python = "";
        /// The logistic regressions.
        logistic: LogisticParams = LogisticParams::default(), level = main, python = "";
        /// How the tree is found.
        structure: StructureParams = StructureParams::default(), paper = StructureParams::paper();
        /// How a label depends on its parent.
        nodes: NodeParams = NodeParams::default();
        /// EM over label cells that are unknown, if there are any.
        completion: CompletionParams = CompletionParams::default();
        /// Seed of the fold assignments.
        seed: u64 = 0, level = main, python = "random_state";
    }
}
