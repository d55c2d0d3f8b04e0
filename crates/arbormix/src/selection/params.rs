//! Parameters of the choice.

use arbormix_base::params;
use arbormix_base::params::{Allowed, ParamError};
use arbormix_learn::features::FeatureParams;

use super::candidates::Candidate;

params! {
    /// The choice between presets: its parameters, and its learner. The paper leaves nothing to choose.
    pub struct AutoParams {
        /// Nominal seconds of one core that race and fit may take together. Costs are computed from the size of the data, not
        /// measured.
        budget: f64 = 3600.0, allowed = Allowed::Positive, level = main;
        /// The presets to choose from, the richest first.
        candidates: Vec<Candidate> = vec![Candidate::Stack, Candidate::Kernel, Candidate::Linear],
            paper = vec![Candidate::Paper], level = main;
        /// How raw columns become features, for every candidate; `kernel` puts Nyström features on top.
        features: FeatureParams = FeatureParams::default(), level = main, python = "";
        /// Seed of everything random, in the race and in the fit.
        seed: u64 = 0, level = main, python = "random_state";
        /// Share of the richest candidate's cost that the race may add.
        race_share: f64 = 0.15, allowed = Allowed::Positive;
        /// Rows to fit to in the race at least (half of the rows if there are fewer).
        min_race_rows: usize = 60, allowed = Allowed::AtLeast(1.0);
        /// Rows to fit to in the race at most.
        max_race_rows: usize = 2000, allowed = Allowed::AtLeast(1.0);
        /// Rows to judge by at most.
        held_out_rows: usize = 300, allowed = Allowed::AtLeast(1.0);
        /// Standard errors by which a candidate must be ahead of a richer one to be preferred: few rows favour what is simple,
        /// and the race has fewer than the fit.
        clear_lead: f64 = 2.5, allowed = Allowed::NotNegative;
    }
}

impl AutoParams {
    /// Checks what the declaration cannot say.
    pub(super) fn check(&self) -> Result<(), ParamError> {
        let distinct = |(place, candidate): (usize, &Candidate)| !self.candidates[..place].contains(candidate);
        let usable = !self.candidates.is_empty() && self.candidates.iter().enumerate().all(distinct);
        ParamError::require_choice(usable, "candidates", &self.candidates, "needs one candidate or more, each once")?;
        let bounds = (self.min_race_rows, self.max_race_rows);
        ParamError::require(bounds.0 <= bounds.1, "min_race_rows, max_race_rows", bounds, "must ascend from at least 1")
    }
}
