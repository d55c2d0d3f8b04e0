//! Parameters of ML-ME.

use arbormix_base::params::{Allowed, Given, Kind, ParamError, Value, Variant, expected};
use arbormix_base::{choices, params};
use arbormix_joint::learner::Inference;
use arbormix_learn::features::FeatureParams;
use arbormix_learn::logistic::{GateParams, LogisticParams, SolverParams};
use serde_json::Value as Json;

use crate::ctbn::{NodeParams, StructureParams};

/// How many experts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Experts {
    /// This many (fewer if the training rows have fewer distinct label sets and experts start from clusters).
    Count(usize),
    /// As many as pay on the internal validation rows, within `min_experts..=max_experts`.
    Auto,
}

const AUTO: &str = "auto";

impl Value for Experts {
    const KIND: Kind = Kind::Either(&[
        Kind::Count,
        Kind::Choice(&[Variant {
            word: AUTO,
            meaning: &["As many as pay on the internal validation rows, within `min_experts` and `max_experts`."],
            holds: None,
            fields: &[],
        }]),
    ]);

    fn write(&self) -> Json {
        match self {
            Experts::Count(count) => (*count).into(),
            Experts::Auto => AUTO.into(),
        }
    }

    fn set(&mut self, given: &Json, path: &str) -> Result<(), ParamError> {
        *self = match (given.as_u64(), given.as_str()) {
            (Some(count), _) => Experts::Count(count as usize),
            (_, Some(AUTO)) => Experts::Auto,
            _ => return Err(expected(&Self::KIND, given, path)),
        };
        Ok(())
    }
}

impl Given<Experts> for usize {
    fn given(self) -> Experts {
        Experts::Count(self)
    }
}

choices! {
    /// Where EM starts.
    pub enum Start: Copy, Eq {
        /// The paper's: one tree after the other, each on rows reweighted by 1 − P(y | x).
        Boosting = "boosting",
        /// Experts for clusters of label sets, all with the tree of the whole data.
        LabelClusters = "label-clusters",
        /// Experts for random regions of the features, all with the tree of the whole data.
        Regions = "regions",
    }
}

choices! {
    /// How responsibilities become weights of an expert's rows.
    pub enum Responsibilities: Copy, Eq {
        /// hₖ as it is (the paper's formula): EM never decreases the penalised likelihood.
        Plain = "plain",
        /// hₖ · N / Σ hₖ: every expert is penalised as if it had all the data. Not monotone.
        Normalised = "normalised",
    }
}

params! {
    /// The EM algorithm.
    pub struct EmParams {
        /// Iterations at most in one run.
        max_iterations: usize = 30, paper = 50, allowed = Allowed::AtLeast(1.0), level = main, python = "max_iter";
        /// A run ends when an iteration gains less than this per row.
        tolerance: f64 = 1e-4, allowed = Allowed::NotNegative, python = "tol";
        /// How responsibilities become weights.
        responsibilities: Responsibilities = Responsibilities::Plain;
        /// The nodes' regressions in the M-step; a few Newton steps suffice, since each starts at the last optimum.
        solver: SolverParams = partial();
    }
}

params! {
    /// Penalties of the gate to choose from on the internal validation rows.
    pub struct GateChoice {
        /// λ; with several values the internal split decides.
        penalties: Vec<f64> = vec![0.3, 1.0, 3.0], paper = vec![1.0], allowed = Allowed::SomePositive;
        /// When the gate's solver stops.
        solver: SolverParams = partial();
    }
}

/// M-steps begin at the last optimum and take so many Newton steps at most: EM climbs all the same.
fn partial() -> SolverParams {
    SolverParams::default().max_iterations(2)
}

impl GateChoice {
    /// The gate's parameters with one of the penalties.
    pub fn with(&self, penalty: f64) -> GateParams {
        GateParams::default().penalty(penalty).solver(self.solver)
    }
}

params! {
    /// The internal split of the training rows.
    pub struct ValidationParams {
        /// Share of the rows held out.
        share: f64 = 0.3, allowed = Allowed::Between(0.0, 1.0);
        /// Whether EM stops when the held-out likelihood gets worse.
        early_stopping: bool = true, paper = false;
    }
}

params! {
    /// ML-ME: its parameters, and its learner.
    pub struct MixtureParams {
        /// How many experts.
        experts: Experts = Experts::Count(12), paper = Experts::Count(5), allowed = Allowed::AtLeast(1.0), level = main,
            python = "n_experts";
        /// Where EM starts.
        start: Start = Start::LabelClusters, paper = Start::Boosting, level = main;
        /// Starts to try (other clusters or regions), of which the most likely after a short EM goes on.
        restarts: usize = 1, allowed = Allowed::AtLeast(1.0), python = "n_init";
        /// The EM algorithm.
        em: EmParams = EmParams::default(), paper = EmParams::paper(), level = main, python = "";
        /// How raw columns become features.
        features: FeatureParams = FeatureParams::default(), level = main, python = "";
        /// How the most probable label set is searched for.
        inference: Inference = Inference::default(), paper = Inference::Annealing { iterations: 150, seed: 0 }, level = main;
        /// The logistic regressions.
        logistic: LogisticParams = LogisticParams::default().costs([1e-2, 1e-1, 1.0, 1e1, 1e2]),
            paper = LogisticParams::default(), level = main, python = "";
        /// How trees are found.
        structure: StructureParams = StructureParams::default(), paper = StructureParams::paper();
        /// How a label depends on its parent.
        nodes: NodeParams = NodeParams::default();
        /// The softmax gate.
        gate: GateChoice = GateChoice::default(), paper = GateChoice::paper();
        /// Experts at least, when their number is chosen.
        min_experts: usize = 1, allowed = Allowed::AtLeast(1.0);
        /// Experts at most, when their number is chosen.
        max_experts: usize = 20, allowed = Allowed::AtLeast(1.0);
        /// Rounds in which every expert's tree is sought anew on the rows it answers for, followed by EM.
        refinements: usize = 0;
        /// The internal split.
        validation: ValidationParams = ValidationParams::default(), paper = ValidationParams::paper();
        /// Seed of everything random.
        seed: u64 = 0, level = main, python = "random_state";
    }
}

impl MixtureParams {
    /// Checks what the declaration cannot say.
    pub(super) fn check(&self) -> Result<(), ParamError> {
        self.structure.check()?;
        let bounds = (self.min_experts, self.max_experts);
        ParamError::require(bounds.0 <= bounds.1, "min_experts, max_experts", bounds, "must ascend from at least 1")
    }
}
