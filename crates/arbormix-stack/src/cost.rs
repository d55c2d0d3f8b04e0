//! What a fit of the stacked mixture costs.

use arbormix_joint::learner::{Learner, REGRESSION_SECONDS, Size, Workers};
use arbormix_learn::features::EIGEN_SECONDS;
use arbormix_learn::forest::{grow_seconds, grown_bytes};
use arbormix_mlme::mlme::MixtureParams;

use crate::params::StackParams;

/// Regressions that the stacked mixture solves per label: costs, folds, all rows.
const LEVEL_FITS: f64 = 25.0;
/// Fits of the gate's weights per expert.
const GATE_FITS: f64 = 10.0;
/// EM of tied trees, per row, label and expert.
const TIED: f64 = 7e-8;
/// Probability of a label set by one tied tree, per label that is present or whose parent is.
const TABLE: f64 = 1.2e-9;
/// An edge of the stacked tree, per row.
const EDGE: f64 = 6e-8;

impl StackParams {
    /// Regressions and gate, forest, edges, EM of the tied trees, the table of held-out rows, and the mixture that draws unknown cells.
    pub(crate) fn seconds_of(&self, size: &Size) -> f64 {
        let (rows, labels) = (size.rows as f64, size.labels as f64);
        let experts = self.most_experts(size.rows, size.labels).min(size.sets) as f64;
        // The map is chosen later. Sparse features stay as they are, or get Nyström features: whatever is more work; dense ones
        // are reckoned half way, so that neither outcome is far off.
        let (plain, mapped) = (size.work(), size.with_features(self.map.components.min(size.rows)).work());
        let own = if size.sparse { plain.max(mapped) } else { (plain * mapped).sqrt() };
        let regressions = REGRESSION_SECONDS * (LEVEL_FITS * labels + GATE_FITS * experts) * own;
        let trees = self.folds * self.trees_of_fold(size.rows, size.sets);
        let forest = grow_seconds(trees, size.rows, size.columns, size.sparse);
        // Level 1 is fitted without each held-out fold, and once to all rows; without the first its tied trees are fitted, and
        // asked, with each penalty to choose from.
        let folds = self.folds.min(size.rows).max(1);
        let held_out = self.held_out_folds(size.rows, size.labels, folds);
        let (fits, tied_fits) = (1.0 + held_out as f64, (held_out + self.tied.intercept_ridges.len()) as f64);
        let edges = EDGE * fits * rows * labels * labels.min(self.structure.tried(size.labels) as f64);
        let tied = TIED * tied_fits * rows * labels * experts;
        let held = rows * (tied_fits - 1.0) / folds as f64;
        let codes = (3.0 * size.present).clamp(1.0, labels);
        let table = TABLE * held * size.sets.min(self.pool.sets) as f64 * experts * codes;
        let map = EIGEN_SECONDS * (5.0 * cube(self.map.choice_landmarks.min(size.rows)) + cube(500.min(size.rows)));
        let completion = if size.unknown { MixtureParams::default().seconds(size) } else { 0.0 };
        regressions + forest + edges + tied + table + map + completion
    }

    /// Bytes: what the regressions on φ need, the forests of all folds, their answers, and the tied trees' tables.
    pub(crate) fn bytes_of(&self, size: &Size, workers: Workers) -> usize {
        let float = size_of::<f64>();
        let mapped = size.with_features(self.map.components.min(size.rows).max(size.features));
        let trees = self.folds * self.trees_of_fold(size.rows, size.sets);
        let forests = grown_bytes(trees, size.rows);
        let experts = self.most_experts(size.rows, size.labels).min(size.sets);
        let answers = size.rows * (4 * size.labels + size.sets.min(self.pool.sets)) * float;
        let tied = 4 * size.rows * experts * float;
        mapped.regression_bytes(1, workers) + size.encoded_bytes() + forests + answers + tied
    }
}

fn cube(side: usize) -> f64 {
    (side as f64).powi(3)
}
