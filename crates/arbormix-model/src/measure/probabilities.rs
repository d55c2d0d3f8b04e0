//! How far the marginals can be taken at their word.

use super::Outcome;
use super::calibration::{Reliability, marginal_statements};
use super::ranking::NO_MARGINALS;
use super::report::Report;

/// `brier`, `calibration_error`.
pub(crate) fn probabilities(outcome: &Outcome<'_>, bins: usize, report: &mut Report) {
    let Some(marginals) = outcome.marginals else {
        ["brier", "calibration_error"].into_iter().for_each(|name| report.missing(name, NO_MARGINALS));
        return;
    };
    let reliability = Reliability::binned(marginal_statements(outcome.truth, marginals), bins);
    let square = |(p, present): (f64, bool)| (p - f64::from(present)).powi(2);
    let squares: f64 = marginal_statements(outcome.truth, marginals).map(square).sum();
    report.lower("brier", squares / reliability.count as f64);
    report.lower("calibration_error", reliability.expected_error);
}
