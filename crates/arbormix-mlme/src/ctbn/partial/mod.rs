//! Learning a tree when some label cells are unknown, by EM; cells are taken to be missing at random.
//!
//! - `beliefs`, the E-step: P(yᵢ, y_π(i) | observed cells, x) of every row and edge, exactly
//! - `maximise`, the M-step: each regression on rows that count as often as they are believed
//! - `scores`: edge scores from the rows on which both labels were observed
//!
//! The M-step never lowers the expected penalised likelihood, so log P(observed cells | x) minus the penalties never
//! falls. EM starts at the fit on observed cells alone ([`super::Trainer::fit_tree`]).

mod beliefs;
mod maximise;
mod scores;
#[cfg(test)]
pub(crate) mod tests;

use arbormix_data::Labels;

/// The label cells that were observed.
#[derive(Debug, Clone, PartialEq)]
pub struct Observed {
    /// One column of N values per label.
    cells: Vec<Vec<bool>>,
}

impl Observed {
    /// The observed cells, or `None` if all were.
    pub fn of(labels: &Labels) -> Option<Observed> {
        let masks = labels.mask()?;
        let column = |label: usize| masks.iter().map(|mask| mask.get(label)).collect();
        Some(Observed { cells: (0..labels.count()).map(column).collect() })
    }

    /// Whether a cell was observed.
    pub fn has(&self, row: usize, label: usize) -> bool {
        self.cells[label][row]
    }

    /// Weights of the rows, 0 where the label or its parent is unknown.
    pub(crate) fn weights(&self, label: usize, parent: Option<usize>, weights: Option<&[f64]>) -> Vec<f64> {
        let known = |row: usize| self.has(row, label) && parent.is_none_or(|parent| self.has(row, parent));
        let weight = |row: usize| if known(row) { weights.map_or(1.0, |weights| weights[row]) } else { 0.0 };
        (0..self.cells[label].len()).map(weight).collect()
    }
}

/// The observed cells of weighted rows, for edge scores.
#[derive(Debug)]
pub(crate) struct PartialRows<'a> {
    pub(crate) observed: &'a Observed,
    /// Weights of the rows for each label, 0 where it is unknown.
    pub(crate) weights: Vec<Vec<f64>>,
}

impl<'a> PartialRows<'a> {
    pub(crate) fn new(observed: &'a Observed, weights: Option<&[f64]>) -> PartialRows<'a> {
        let of = |label: usize| observed.weights(label, None, weights);
        PartialRows { observed, weights: (0..observed.cells.len()).map(of).collect() }
    }
}
