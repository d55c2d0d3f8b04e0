//! Parameters of ML-ME.

use serde::{Deserialize, Serialize};

use crate::ctbn::{NodeParams, StructureParams};
use arbormix_base::params::ParamError;
use arbormix_base::params::Presets;
use arbormix_joint::learner::Inference;
use arbormix_learn::features::FeatureParams;
use arbormix_learn::logistic::{GateParams, LogisticParams, SolverParams};

/// How many experts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "serde_json::Value", try_from = "serde_json::Value")]
pub enum Experts {
    /// This many (fewer if the training rows have fewer distinct label sets and experts start from clusters).
    Count(usize),
    /// As many as pay on the internal validation rows, within `min_experts..=max_experts`.
    Auto,
}

impl From<Experts> for serde_json::Value {
    fn from(experts: Experts) -> Self {
        match experts {
            Experts::Count(count) => count.into(),
            Experts::Auto => "auto".into(),
        }
    }
}

impl TryFrom<serde_json::Value> for Experts {
    type Error = String;

    fn try_from(value: serde_json::Value) -> Result<Self, Self::Error> {
        match (value.as_u64(), value.as_str()) {
            (Some(count), _) => Ok(Experts::Count(count as usize)),
            (_, Some("auto")) => Ok(Experts::Auto),
            _ => Err(format!("experts is {value}, but must be a number or \"auto\"")),
        }
    }
}

/// Where EM starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// The paper's: one tree after the other, each on rows reweighted by 1 − P(y | x).
    Boosting,
    /// Experts for clusters of label sets, all with the tree of the whole data.
    LabelClusters,
    /// Experts for random regions of the features, all with the tree of the whole data.
    Regions,
}

/// How responsibilities become weights of an expert's rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Responsibilities {
    /// hₖ as it is (the paper's formula): EM never decreases the penalised likelihood.
    Plain,
    /// hₖ · N / Σ hₖ: every expert is penalised as if it had all the data. Not monotone.
    Normalised,
}

/// The EM algorithm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmParams {
    /// Iterations at most in one run.
    pub max_iterations: usize,
    /// A run ends when an iteration gains less than this per row.
    pub tolerance: f64,
    /// How responsibilities become weights.
    pub responsibilities: Responsibilities,
    /// The nodes' regressions in the M-step; a few Newton steps suffice, since each starts at the last optimum.
    pub solver: SolverParams,
}

/// Penalties of the gate to choose from on the internal validation rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GateChoice {
    /// λ; with several values the internal split decides.
    pub penalties: Vec<f64>,
    /// When the gate's solver stops.
    pub solver: SolverParams,
}

impl GateChoice {
    /// The gate's parameters with one of the penalties.
    pub fn with(&self, penalty: f64) -> GateParams {
        GateParams { penalty, solver: self.solver }
    }
}

/// The internal split of the training rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValidationParams {
    /// Share of the rows held out.
    pub share: f64,
    /// Whether EM stops when the held-out likelihood gets worse.
    pub early_stopping: bool,
}

/// ML-ME: its parameters, and its learner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MixtureParams {
    /// How raw columns become features.
    pub features: FeatureParams,
    /// The logistic regressions.
    pub logistic: LogisticParams,
    /// How trees are found.
    pub structure: StructureParams,
    /// How a label depends on its parent.
    pub nodes: NodeParams,
    /// The softmax gate.
    pub gate: GateChoice,
    /// How many experts.
    pub experts: Experts,
    /// Experts at least, when their number is chosen.
    pub min_experts: usize,
    /// Experts at most, when their number is chosen.
    pub max_experts: usize,
    /// Where EM starts.
    pub start: Start,
    /// Starts to try (other clusters or regions), of which the most likely after a short EM goes on.
    pub restarts: usize,
    /// The EM algorithm.
    pub em: EmParams,
    /// Rounds in which every expert's tree is sought anew on the rows it answers for, followed by EM.
    pub refinements: usize,
    /// The internal split.
    pub validation: ValidationParams,
    /// How the most probable label set is searched for.
    pub inference: Inference,
    /// Seed of everything random.
    pub seed: u64,
}

/// M-steps begin at the last optimum and take so many Newton steps at most: EM climbs all the same.
const PARTIAL: SolverParams = SolverParams { tolerance: 1e-6, max_iterations: 2 };

impl Default for MixtureParams {
    fn default() -> Self {
        MixtureParams {
            logistic: LogisticParams { costs: vec![1e-2, 1e-1, 1.0, 1e1, 1e2], ..LogisticParams::default() },
            gate: GateChoice { penalties: vec![0.3, 1.0, 3.0], ..MixtureParams::paper().gate },
            experts: Experts::Count(12),
            start: Start::LabelClusters,
            em: EmParams { max_iterations: 30, responsibilities: Responsibilities::Plain, ..MixtureParams::paper().em },
            validation: ValidationParams { share: 0.3, early_stopping: true },
            inference: Inference::default(),
            structure: StructureParams::default(),
            ..MixtureParams::paper()
        }
    }
}

impl Presets for MixtureParams {
    fn paper() -> Self {
        MixtureParams {
            features: FeatureParams::default(),
            logistic: LogisticParams::default(),
            structure: StructureParams::paper(),
            nodes: NodeParams::default(),
            gate: GateChoice { penalties: vec![1.0], solver: PARTIAL },
            experts: Experts::Count(5),
            min_experts: 1,
            max_experts: 20,
            start: Start::Boosting,
            restarts: 1,
            em: EmParams {
                max_iterations: 50,
                tolerance: 1e-4,
                responsibilities: Responsibilities::Plain,
                solver: PARTIAL,
            },
            refinements: 0,
            validation: ValidationParams { share: 0.3, early_stopping: false },
            inference: Inference::Annealing { iterations: 150, seed: 0 },
            seed: 0,
        }
    }
}

impl MixtureParams {
    /// Checks the values.
    pub(crate) fn check(&self) -> Result<(), ParamError> {
        self.logistic.validate()?;
        self.structure.validate()?;
        let penalties = &self.gate.penalties;
        let usable = !penalties.is_empty() && penalties.iter().all(|p| p.is_finite() && *p > 0.0);
        ParamError::require(usable, "gate.penalties", penalties, "needs positive numbers")?;
        self.gate.solver.validate("gate.solver.tolerance", "gate.solver.max_iterations")?;
        self.em.solver.validate("em.solver.tolerance", "em.solver.max_iterations")?;
        let counted = !matches!(self.experts, Experts::Count(0));
        ParamError::require(counted, "experts", 0, "must be at least 1")?;
        let ordered = self.min_experts >= 1 && self.min_experts <= self.max_experts;
        let bounds = (self.min_experts, self.max_experts);
        ParamError::require(ordered, "min_experts, max_experts", bounds, "must ascend from at least 1")?;
        ParamError::require(self.restarts >= 1, "restarts", self.restarts, "must be at least 1")?;
        let share = self.validation.share;
        ParamError::require(share > 0.0 && share < 1.0, "validation.share", share, "must be between 0 and 1")?;
        let tolerance = self.em.tolerance;
        ParamError::require(tolerance >= 0.0, "em.tolerance", tolerance, "must not be negative")?;
        let iterations = self.em.max_iterations;
        ParamError::require(iterations >= 1, "em.max_iterations", iterations, "must be at least 1")
    }
}
