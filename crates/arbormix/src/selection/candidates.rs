//! The presets to choose from: a method with its parameters.

use super::params::AutoParams;
use arbormix_base::choices;
use arbormix_base::params::Group;
use arbormix_joint::learner::{Inference, Learner, Size};
use arbormix_learn::features::{FeatureParams, NystromParams, Scaling};
use arbormix_mlme::mlme::MixtureParams;
use arbormix_stack::StackParams;

choices! {
    /// A preset that can be chosen.
    pub enum Candidate: Copy, Eq {
        /// The stacked mixture.
        Stack = "stack",
        /// ML-ME on Nyström features.
        Kernel = "kernel",
        /// ML-ME.
        Linear = "linear",
        /// ML-ME with every choice as in the paper.
        Paper = "paper",
    }
}

// `choices!` writes the enum, so that no variant can be marked as the default.
#[allow(clippy::derivable_impls)]
impl Default for Candidate {
    fn default() -> Candidate {
        Candidate::Stack
    }
}

impl Candidate {
    /// All of them, the richest first.
    pub const ALL: [Candidate; 4] = [Candidate::Stack, Candidate::Kernel, Candidate::Linear, Candidate::Paper];

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
            Candidate::Stack => Box::new(StackParams::default().features(features).seed(seed)),
            Candidate::Kernel => {
                let features = kernel_features(features, sparse, seed);
                Box::new(MixtureParams::default().features(features).seed(seed))
            }
            Candidate::Linear => Box::new(MixtureParams::default().features(features).seed(seed)),
            Candidate::Paper => {
                let paper = MixtureParams::paper();
                let inference = match paper.inference {
                    Inference::Annealing { iterations, .. } => Inference::Annealing { iterations, seed },
                    other => other,
                };
                Box::new(paper.features(features).seed(seed).inference(inference))
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
    let nystrom = features.nystrom.unwrap_or(NystromParams::default().seed(seed));
    features.scaling(scaling).nystrom(nystrom)
}
