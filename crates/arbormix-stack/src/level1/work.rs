//! How much work level 1 is.

use arbormix_joint::learner::Size;

use crate::params::StackParams;

/// How often level 1 is fitted, and to how many rows it is then applied.
pub(crate) struct Level1Work {
    /// Tied trees.
    pub(crate) experts: f64,
    /// Fits: without each held-out fold, and to all rows.
    pub(crate) fits: f64,
    /// Fits of the tied trees: without the first fold there is one for every penalty of the intercepts.
    pub(crate) tied_fits: f64,
    /// Held-out rows, as often as they are answered.
    pub(crate) held_out_rows: f64,
}

impl Level1Work {
    pub(crate) fn of(params: &StackParams, size: &Size) -> Level1Work {
        let experts = params.most_experts(size.rows, size.labels).min(size.sets) as f64;
        let folds = params.folds.min(size.rows).max(1);
        let held_out = params.held_out_folds(size.rows, size.labels, folds);
        let (fits, tied_fits) = (1.0 + held_out as f64, (held_out + params.tied.intercept_ridges.len()) as f64);
        let held_out_rows = size.rows as f64 * (tied_fits - 1.0) / folds as f64;
        Level1Work { experts, fits, tied_fits, held_out_rows }
    }
}
