//! Parameters of the choice between presets.

use serde::{Deserialize, Serialize};

use super::candidates::Candidate;
use arbormix_base::params::ParamError;
use arbormix_base::params::Presets;
use arbormix_learn::features::FeatureParams;

/// The choice between presets: its parameters, and its learner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AutoParams {
    /// How raw columns become features, for every candidate; `kernel` puts Nyström features on top.
    pub features: FeatureParams,
    /// The presets to choose from, the richest first.
    pub candidates: Vec<Candidate>,
    /// Nominal seconds of one core that race and fit may take together, see [`Size`](super::Size).
    pub budget: f64,
    /// Share of the richest candidate's cost that the race may add.
    pub race_share: f64,
    /// Rows to fit to in the race at least (half of the rows if there are fewer) ...
    pub min_race_rows: usize,
    /// ... and at most.
    pub max_race_rows: usize,
    /// Rows to judge by at most.
    pub held_out_rows: usize,
    /// Standard errors by which a candidate must be ahead of a richer one to be preferred: few rows favour what is simple,
    /// and the race has fewer than the fit.
    pub clear_lead: f64,
    /// Seed of everything random, in the race and in the fit.
    pub seed: u64,
}

impl Default for AutoParams {
    fn default() -> Self {
        AutoParams {
            features: FeatureParams::default(),
            candidates: vec![Candidate::Stack, Candidate::Kernel, Candidate::Linear],
            budget: 3600.0,
            race_share: 0.15,
            min_race_rows: 60,
            max_race_rows: 2000,
            held_out_rows: 300,
            clear_lead: 2.5,
            seed: 0,
        }
    }
}

impl Presets for AutoParams {
    /// The paper leaves nothing to choose.
    fn paper() -> Self {
        AutoParams { candidates: vec![Candidate::Paper], ..AutoParams::default() }
    }
}

impl AutoParams {
    /// Checks the values.
    pub(super) fn check(&self) -> Result<(), ParamError> {
        let distinct = |(place, candidate): (usize, &Candidate)| !self.candidates[..place].contains(candidate);
        let usable = !self.candidates.is_empty() && self.candidates.iter().enumerate().all(distinct);
        ParamError::require_choice(usable, "candidates", &self.candidates, "needs one candidate or more, each once")?;
        // Infinity would be a natural way to say "no bound", but parameters are JSON, which lacks it.
        let positive = self.budget.is_finite() && self.budget > 0.0;
        ParamError::require(positive, "budget", self.budget, "must be a positive number of seconds")?;
        let share = self.race_share;
        ParamError::require(share > 0.0 && share.is_finite(), "race_share", share, "must be positive")?;
        let bounds = (self.min_race_rows, self.max_race_rows);
        let ordered = bounds.0 >= 1 && bounds.0 <= bounds.1;
        ParamError::require(ordered, "min_race_rows, max_race_rows", bounds, "must ascend from at least 1")?;
        ParamError::require(self.held_out_rows >= 1, "held_out_rows", self.held_out_rows, "must be at least 1")?;
        let lead = self.clear_lead;
        ParamError::require(lead >= 0.0 && lead.is_finite(), "clear_lead", lead, "must not be negative")
    }
}
