//! Parameters of CTBN.

use serde::{Deserialize, Serialize};

use arbormix_base::params::ParamError;
use arbormix_base::params::Presets;
use arbormix_learn::features::FeatureParams;
use arbormix_learn::logistic::LogisticParams;

/// Which rows an edge is fitted on and which it is scored on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Scoring {
    /// Cross-validation with this many folds.
    Folds(usize),
    /// This share of the rows is held out for scoring.
    Holdout(f64),
}

/// Rows that edges are scored on at most, unless told otherwise: docs/results/screening.md says what that costs.
const SCORED_ROWS: usize = 20_000;
/// Labels up to which [`Candidates::Auto`] scores every edge.
const EXACT_LABELS: usize = 60;
/// Candidates of a label under [`Candidates::Auto`] when there are more labels.
const AUTO_CANDIDATES: usize = 10;

/// Which parents of a label are scored by fits; the others are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Candidates {
    /// All of them up to 60 labels, the 10 most promising ones of more.
    #[default]
    Auto,
    /// All of them, as in the paper: the work grows with the square of the number of labels.
    Exact,
    /// This many, the most promising ones: those that go with the errors of the label's regression without a parent.
    Screened(usize),
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

/// How the tree is found (Section 5.3.1).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StructureParams {
    /// Which rows edges are scored on.
    pub scoring: Scoring,
    /// Which edges are scored.
    #[serde(default)]
    pub candidates: Candidates,
    /// Rows that edges are scored on at most, drawn at random if there are more; 0 means all rows. The regressions of the
    /// tree that is found see all rows.
    pub max_rows: usize,
    /// Cost C of the regressions that score edges.
    pub cost: f64,
    /// A parent's value with fewer training rows than this is scored with the parentless regression.
    pub min_rows: usize,
    /// An edge must gain more log-likelihood than this over no parent.
    pub min_gain: f64,
}

impl Default for StructureParams {
    fn default() -> Self {
        let (scoring, candidates) = (Scoring::Folds(3), Candidates::Auto);
        let max_rows = SCORED_ROWS;
        StructureParams { scoring, candidates, max_rows, cost: 1.0, min_rows: 5, min_gain: 0.0 }
    }
}

impl StructureParams {
    /// How many of so many rows edges are scored on, if not on all.
    pub(crate) fn scored_rows(&self, rows: usize) -> Option<usize> {
        (0 < self.max_rows && self.max_rows < rows).then_some(self.max_rows)
    }

    /// As in the paper.
    pub fn paper() -> Self {
        StructureParams { candidates: Candidates::Exact, max_rows: 0, ..StructureParams::default() }
    }

    /// Checks the values.
    pub fn validate(&self) -> Result<(), ParamError> {
        let (usable, rule) = match self.scoring {
            Scoring::Folds(folds) => (folds >= 2, "folds must be at least 2"),
            Scoring::Holdout(share) => (share > 0.0 && share < 1.0, "holdout must be between 0 and 1"),
        };
        ParamError::require(usable, "structure.scoring", self.scoring, rule)?;
        let (rows, rule) = (self.max_rows, "must be at least 10, or 0 for all");
        ParamError::require(rows == 0 || rows >= 10, "structure.max_rows", rows, rule)?;
        let (candidates, rule) = (self.candidates, "at least 1 must be screened");
        ParamError::require(candidates != Candidates::Screened(0), "structure.candidates", candidates, rule)?;
        let cost = self.cost;
        ParamError::require(cost > 0.0 && cost.is_finite(), "structure.cost", cost, "must be positive")?;
        let gain = self.min_gain;
        ParamError::require(gain >= 0.0 && gain.is_finite(), "structure.min_gain", gain, "must not be negative")
    }
}

/// How a label depends on its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NodeKind {
    /// Two regressions, one per value of the parent (the paper's).
    #[default]
    Switching,
    /// One regression with the parent's value as a further feature.
    ParentFeature,
}

/// How the regressions of a tree's nodes are made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeParams {
    /// How a label depends on its parent.
    pub kind: NodeKind,
    /// If either value of the parent has fewer rows than this, one regression serves both values.
    pub min_rows: usize,
}

impl Default for NodeParams {
    fn default() -> Self {
        NodeParams { kind: NodeKind::Switching, min_rows: 16 }
    }
}

/// EM over label cells that are unknown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompletionParams {
    /// Iterations at most; 0 stops at the fit on the observed cells alone.
    pub max_iterations: usize,
    /// EM ends when an iteration gains less log-likelihood than this per row.
    pub tolerance: f64,
}

impl Default for CompletionParams {
    fn default() -> Self {
        CompletionParams { max_iterations: 50, tolerance: 1e-4 }
    }
}

impl CompletionParams {
    /// Checks the values.
    pub fn validate(&self) -> Result<(), ParamError> {
        let tolerance = self.tolerance;
        let usable = tolerance >= 0.0 && tolerance.is_finite();
        ParamError::require(usable, "completion.tolerance", tolerance, "must not be negative")
    }
}

/// CTBN: its parameters, and its learner.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TreeParams {
    /// How raw columns become features.
    pub features: FeatureParams,
    /// The logistic regressions.
    pub logistic: LogisticParams,
    /// How the tree is found.
    pub structure: StructureParams,
    /// How a label depends on its parent.
    pub nodes: NodeParams,
    /// EM over label cells that are unknown, if there are any.
    pub completion: CompletionParams,
    /// Seed of the fold assignments.
    pub seed: u64,
}

impl Presets for TreeParams {
    /// The defaults are the paper's but for many labels.
    fn paper() -> Self {
        TreeParams { structure: StructureParams::paper(), ..TreeParams::default() }
    }
}
