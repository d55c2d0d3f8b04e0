//! The presets to choose from: a method with its parameters.

use serde::{Deserialize, Serialize};

use super::params::AutoParams;
use arbormix_base::params::Presets;
use arbormix_joint::learner::{Inference, Learner, Size};
use arbormix_learn::features::{FeatureParams, NystromParams, Scaling};
use arbormix_mlme::mlme::MixtureParams;
use arbormix_stack::StackParams;

/// A preset that can be chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Candidate {
    /// The stacked mixture.
    Stack,
    /// ML-ME on Nyström features.
    Kernel,
    /// ML-ME.
    Linear,
    /// ML-ME with every choice as in the paper.
    Paper,
}

impl Candidate {
    /// All of them, the richest first.
    pub const ALL: [Candidate; 4] = [Candidate::Stack, Candidate::Kernel, Candidate::Linear, Candidate::Paper];

    /// Its name in parameters and reports.
    pub fn name(self) -> &'static str {
        match self {
            Candidate::Stack => "stack",
            Candidate::Kernel => "kernel",
            Candidate::Linear => "linear",
            Candidate::Paper => "paper",
        }
    }

    /// Rows it needs.
    pub(super) fn rows_needed(self) -> usize {
        if self == Candidate::Stack { 2 } else { 1 }
    }

    /// Nominal seconds that fitting it to data of this size takes.
    pub fn seconds(self, params: &AutoParams, size: &Size) -> f64 {
        self.learner(params, size.sparse).seconds(size)
    }

    /// The learner, for sparse or dense data.
    pub(super) fn learner(self, params: &AutoParams, sparse: bool) -> Box<dyn Learner> {
        let (features, seed) = (params.features.clone(), params.seed);
        match self {
            Candidate::Stack => Box::new(StackParams { features, seed, ..StackParams::default() }),
            Candidate::Kernel => {
                let features = kernel_features(features, sparse, seed);
                Box::new(MixtureParams { features, seed, ..MixtureParams::default() })
            }
            Candidate::Linear => Box::new(MixtureParams { features, seed, ..MixtureParams::default() }),
            Candidate::Paper => {
                let paper = MixtureParams::paper();
                let inference = match paper.inference {
                    Inference::Annealing { iterations, .. } => Inference::Annealing { iterations, seed },
                    other => other,
                };
                Box::new(MixtureParams { features, seed, inference, ..paper })
            }
        }
    }
}

/// Distances mean most where every feature has the same spread.
fn kernel_features(features: FeatureParams, sparse: bool, seed: u64) -> FeatureParams {
    let scaling = match features.scaling {
        Scaling::Auto if !sparse => Scaling::Standardize,
        chosen => chosen,
    };
    let nystrom = features.nystrom.unwrap_or(NystromParams { seed, ..NystromParams::default() });
    FeatureParams { scaling, nystrom: Some(nystrom) }
}
