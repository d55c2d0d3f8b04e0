//! What a fit costs, by a formula: nominal seconds of one core.
//!
//! Constants were set by fits of public and made-up data, with 6 to 374 labels, on one core (`scripts/times` lays formula and
//! clock side by side); they count operations and know no machine. An estimate may be wrong by a factor of two or three, and has no
//! race in it.

use super::candidates::Candidate;
use arbormix_base::params::Presets;
use arbormix_data::{Dataset, LabelSet, SeenSets};
use arbormix_matrix::Matrix;
use arbormix_mlme::mlme::{Experts, MixtureParams};
use arbormix_stack::StackParams;

/// A multiplication and an addition in a product of features and weights, once for all Newton steps of a regression.
const REGRESSION: f64 = 6e-9;
/// Regressions that the stacked mixture solves per label: costs, folds, all rows.
const LEVEL_FITS: f64 = 25.0;
/// Fits of the gate's weights per expert.
const GATE_FITS: f64 = 10.0;
/// A regression's work per coefficient, in products with a cell.
const PER_COEFFICIENT: f64 = 16.0;
/// A split of a tree, per row, level and feature that is tried; of sparse features only stored cells are looked at.
const SPLIT: f64 = 7e-9;
const SPARSE_SPLIT: f64 = 2e-9;
/// EM of tied trees, per row, label and expert.
const TIED: f64 = 7e-8;
/// Probability of a label set by one tied tree, per label that is present or whose parent is.
const TABLE: f64 = 1.2e-9;
/// An edge of the stacked tree, per row.
const EDGE: f64 = 6e-8;
/// Eigenvectors and kernel, per cube of landmarks.
const EIGEN: f64 = 1.5e-9;
/// A mixture's regression of one label by one expert in all of EM: per row, and per row and cell.
const EXPERT: [f64; 2] = [1.8e-6, 1e-8];

/// What the cost of a fit depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Size {
    /// Rows, N.
    pub rows: usize,
    /// Columns, m.
    pub columns: usize,
    /// Stored cells per row.
    pub cells: f64,
    /// Labels, d.
    pub labels: usize,
    /// Labels present per row.
    pub present: f64,
    /// Distinct label sets.
    pub sets: usize,
    /// Whether the features are sparse.
    pub sparse: bool,
    /// Whether label cells are unknown.
    pub unknown: bool,
}

impl Size {
    /// The size of a data set.
    pub fn of(data: &Dataset) -> Size {
        let (rows, columns) = (data.rows(), data.columns().len());
        let cells = match data.features() {
            Matrix::Dense(_) => columns as f64,
            Matrix::Sparse(sparse) => sparse.stored() as f64 / rows.max(1) as f64,
        };
        let sets = SeenSets::new(data.labels(), None).sets().len();
        let labels = data.labels();
        let on = labels.sets().iter().map(LabelSet::count).sum::<usize>() as f64;
        // Unknown cells are taken to be present as often as the others.
        let known = rows * labels.count() - labels.unknown();
        let present = labels.count() as f64 * on / known.max(1) as f64;
        let (sparse, unknown) = (data.features().is_sparse(), labels.mask().is_some());
        Size { rows, columns, cells, labels: labels.count(), present, sets, sparse, unknown }
    }

    /// The size of so many of the rows.
    pub(super) fn with_rows(self, rows: usize) -> Size {
        Size { rows, sets: self.sets.min(rows), ..self }
    }

    /// Share of the rows that have a label, or that lack it if these are fewer, in the mean over the labels.
    pub(super) fn rarer_share(&self) -> f64 {
        let share = self.present / self.labels.max(1) as f64;
        share.min(1.0 - share)
    }

    /// Nominal seconds that fitting the candidate takes.
    pub fn seconds(&self, candidate: Candidate) -> f64 {
        let (plain, paper) = (MixtureParams::default(), MixtureParams::paper());
        match candidate {
            Candidate::Stack => self.stack(&StackParams::default()),
            Candidate::Kernel => self.mapped().mixture(&plain) + EIGEN * cube(500.min(self.rows)),
            Candidate::Linear => self.mixture(&plain),
            // Every expert of the paper's start seeks a tree of its own.
            Candidate::Paper => self.mixture(&paper) * 2.0,
        }
    }

    /// Cells and coefficients that a regression works on, for all rows: dense features are turned to their principal axes.
    fn work(&self) -> f64 {
        let coefficients = if self.sparse { self.columns } else { self.columns.min(self.rows) };
        self.rows as f64 * self.cells + PER_COEFFICIENT * coefficients as f64
    }

    /// The same rows with Nyström features.
    fn mapped(&self) -> Size {
        let columns = StackParams::default().map.components.min(self.rows);
        Size { columns, cells: columns as f64, sparse: false, ..*self }
    }

    /// d · (K + parents tried) regressions: N · a + (N z + 16 m) · b each.
    fn mixture(&self, params: &MixtureParams) -> f64 {
        let experts = match params.experts {
            Experts::Count(count) => count,
            Experts::Auto => params.max_experts,
        };
        let parents = params.structure.candidates.limit(self.labels).unwrap_or(self.labels);
        let regressions = (self.labels * (experts.min(self.sets) + parents)) as f64;
        regressions * (EXPERT[0] * self.rows as f64 + EXPERT[1] * self.work())
    }

    /// Regressions and gate, forest, edges, EM of the tied trees, the table of held-out rows, and the mixture that draws unknown cells.
    fn stack(&self, params: &StackParams) -> f64 {
        let (rows, labels) = (self.rows as f64, self.labels as f64);
        let experts = params.most_experts(self.rows, self.labels).min(self.sets) as f64;
        // The map is chosen later. Sparse features stay as they are, or get Nyström features: whatever is more work; dense ones
        // are reckoned half way, so that neither outcome is far off.
        let (plain, mapped) = (self.work(), self.mapped().work());
        let own = if self.sparse { plain.max(mapped) } else { (plain * mapped).sqrt() };
        let regressions = REGRESSION * (LEVEL_FITS * labels + GATE_FITS * experts) * own;
        let trees = (params.folds * params.trees_of_fold(self.rows, self.sets)) as f64;
        let split = if self.sparse { SPARSE_SPLIT } else { SPLIT };
        let forest = split * trees * rows * rows.max(2.0).log2() * (self.columns as f64).sqrt();
        // Level 1 is fitted without each held-out fold, and once to all rows; without the first its tied trees are fitted, and
        // asked, with each penalty to choose from.
        let folds = params.folds.min(self.rows).max(1);
        let held_out = params.held_out_folds(self.rows, self.labels, folds);
        let (fits, tied_fits) = (1.0 + held_out as f64, (held_out + params.tied.intercept_ridges.len()) as f64);
        let edges = EDGE * fits * rows * labels * labels.min(params.structure.tried(self.labels) as f64);
        let tied = TIED * tied_fits * rows * labels * experts;
        let held = rows * (tied_fits - 1.0) / folds as f64;
        let codes = (3.0 * self.present).clamp(1.0, labels);
        let table = TABLE * held * self.sets.min(params.pool.sets) as f64 * experts * codes;
        let map = EIGEN * (5.0 * cube(params.map.choice_landmarks.min(self.rows)) + cube(500.min(self.rows)));
        let completion = if self.unknown { self.mixture(&MixtureParams::default()) } else { 0.0 };
        regressions + forest + edges + tied + table + map + completion
    }
}

fn cube(side: usize) -> f64 {
    (side as f64).powi(3)
}
