//! Parameters of ECC.

use arbormix_base::params::{Allowed, ParamError};
use arbormix_base::{choices, params};
use arbormix_learn::features::FeatureParams;
use arbormix_learn::logistic::LogisticParams;

choices! {
    /// Which rows each chain learns from.
    pub enum Sampling: Copy {
        /// This share of the rows, drawn without replacement.
        Subset(f64) = "subset",
        /// As many rows as there are, drawn with replacement; a row drawn twice has twice the weight.
        Bootstrap = "bootstrap",
    }
}

choices! {
    /// What the chains' mean is taken of.
    pub enum Combination: Copy, Eq {
        /// Their greedy decisions, 0 or 1.
        Votes = "votes",
        /// The probabilities along their greedy paths.
        Probabilities = "probabilities",
    }
}

choices! {
    /// From which score on a label is predicted.
    pub enum Threshold: Copy, Eq {
        /// From ½.
        Half = "half",
        /// From the score that gives the training rows as many labels as they have, all labels together (PCut).
        Pcut = "pcut",
        /// The same for each label by itself.
        PcutPerLabel = "pcut-per-label",
    }
}

params! {
    /// ECC: its parameters, and its learner.
    pub struct ChainEnsembleParams {
        /// How raw columns become features.
        features: FeatureParams = FeatureParams::default(), level = main, python = "";
        /// The logistic regressions.
        logistic: LogisticParams = LogisticParams::default(), level = main, python = "";
        /// Number of chains. The paper has ten and does not say more.
        chains: usize = 10, allowed = Allowed::AtLeast(1.0), level = main, python = "n_chains";
        /// Which rows each chain learns from.
        sampling: Sampling = Sampling::Subset(0.67), level = main;
        /// What the chains' mean is taken of.
        combination: Combination = Combination::Votes, level = main;
        /// From which score on a label is predicted.
        threshold: Threshold = Threshold::Half, level = main;
        /// Seed of the fold assignments, the orders and the samples.
        seed: u64 = 0, level = main, python = "random_state";
    }
}

impl ChainEnsembleParams {
    /// Checks what the declaration cannot say.
    pub(super) fn check(&self) -> Result<(), ParamError> {
        let usable = match self.sampling {
            Sampling::Subset(share) => share > 0.0 && share <= 1.0,
            Sampling::Bootstrap => true,
        };
        ParamError::require_choice(usable, "sampling", &self.sampling, "subset must be above 0 and at most 1")
    }
}
