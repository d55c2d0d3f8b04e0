//! What was chosen, and why.

use serde::{Deserialize, Serialize};

use super::Learner;

/// A learner that was chosen for some data.
pub struct Selection {
    /// What is to be fitted.
    pub learner: Box<dyn Learner>,
    /// How it was chosen.
    pub choice: Choice,
}

/// The record of a choice; the model file keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// Name of the preset that was chosen.
    pub chosen: String,
    /// Why, for people.
    pub reason: String,
    /// Nominal seconds that were allowed.
    pub budget: f64,
    /// Rows that the candidates were fitted to in the race; 0 without one.
    pub race_rows: usize,
    /// Rows that they were judged by.
    pub held_out_rows: usize,
    /// The candidates, the richest first.
    pub candidates: Vec<Entrant>,
}

/// One candidate of a choice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entrant {
    /// Name of the preset.
    pub name: String,
    /// What fitting it to all rows costs by the formula.
    pub nominal_seconds: f64,
    /// Mean log-likelihood of the held-out rows in the race.
    pub log_likelihood: Option<f64>,
    /// Share of the held-out rows (those without unknown cells) whose label set it predicted.
    pub exact_match: Option<f64>,
    /// Why it did not take part, or did not finish.
    pub left_out: Option<String>,
}

impl Choice {
    /// The candidates' figures in one line, for people.
    pub fn summary(&self) -> String {
        let of = |entrant: &Entrant| {
            let cost = format!("{}: about {:.1} s", entrant.name, entrant.nominal_seconds);
            let exact = entrant.exact_match.map(|share| format!(", exact matches {share:.3}")).unwrap_or_default();
            match (&entrant.left_out, entrant.log_likelihood) {
                (Some(reason), _) => format!("{cost}, {reason}"),
                (None, Some(log)) => format!("{cost}, log-likelihood {log:.3} per held-out row{exact}"),
                (None, None) => cost,
            }
        };
        self.candidates.iter().map(of).collect::<Vec<_>>().join("; ")
    }
}
