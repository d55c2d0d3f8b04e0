//! What a fit costs in time and memory depends on the size of its data.
//!
//! Costs are computed, never measured: the same data, parameters and budget give the same choice on any machine. Constants were
//! set by fits of public and made-up data, with 6 to 374 labels, on one core (`scripts/times` lays formula and clock side by
//! side). They count operations and know no machine. An estimate may be wrong by a factor of two or three.

use arbormix_data::describe::memory;
use arbormix_data::{Dataset, LabelSet, SeenSets};
use arbormix_learn::features::width;
use arbormix_learn::logistic::BATCH;
use arbormix_matrix::{Matrix, sparse_copies};

/// A multiplication and an addition in a product of features and weights, once for all Newton steps of a regression.
pub const REGRESSION_SECONDS: f64 = 6e-9;
/// A cell of the distance between two rows.
const NEIGHBOUR_SECONDS: f64 = 2e-10;
/// Fits of a regression along the path of costs C, with its folds, and the last one.
const PATH_FITS: f64 = 12.0;
/// A regression's work per coefficient, in products with a cell.
const PER_COEFFICIENT: f64 = 16.0;
/// Copies of dense encoded features that live as long as the fit: themselves, those rotated to principal axes, and these in
/// single precision, which takes half. The data come on top. Of sparse ones: themselves, and as [`sparse_copies`] says.
const LASTING_DENSE: usize = 3;
/// Copies on each thread: the rows of a fold or of a parent's value, which are part of all rows, with their columns, and
/// another unit of work that the thread takes up while it waits for a part of the first.
const COPIES_PER_THREAD: usize = 2;
/// Vectors over rows and columns that a regression in work has, about.
const VECTORS: usize = 10;
/// Copies of a mixture's regressions: the last, the best and the next step of EM.
const STATES: usize = 3;

/// What the cost of a fit depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Size {
    /// Rows, N.
    pub rows: usize,
    /// Columns of the table.
    pub columns: usize,
    /// Encoded features, m.
    pub features: usize,
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
    /// Bytes of the data set.
    pub bytes: usize,
}

/// Means of a fit: how many threads work, and how many regressions each of them solves together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Workers {
    /// Threads.
    pub threads: usize,
    /// Regressions that each thread solves together.
    pub batch: usize,
}

impl Workers {
    /// So many threads, each with as many regressions together as it has without a bound on memory.
    pub fn threads(threads: usize) -> Workers {
        Workers { threads: threads.max(1), batch: BATCH }
    }
}

impl Size {
    /// The size of a data set.
    pub fn of(data: &Dataset) -> Size {
        let (rows, columns) = (data.rows(), data.columns().len());
        let cells = match data.features() {
            Matrix::Dense(_) => columns as f64,
            Matrix::Sparse(sparse) => sparse.stored() as f64 / rows.max(1) as f64,
        };
        let features = data.columns().iter().map(|column| width(&column.kind)).sum();
        let sets = SeenSets::new(data.labels(), None).sets().len();
        let labels = data.labels();
        let on = labels.sets().iter().map(LabelSet::count).sum::<usize>() as f64;
        // Unknown cells are taken to be present as often as the others.
        let known = rows * labels.count() - labels.unknown();
        let present = labels.count() as f64 * on / known.max(1) as f64;
        let (sparse, unknown) = (data.features().is_sparse(), labels.mask().is_some());
        let (labels, bytes) = (labels.count(), memory(data));
        Size { rows, columns, features, cells, labels, present, sets, sparse, unknown, bytes }
    }

    /// The size of so many of the rows.
    pub fn with_rows(self, rows: usize) -> Size {
        let bytes = (self.bytes as f64 * rows as f64 / self.rows.max(1) as f64) as usize;
        Size { rows, sets: self.sets.min(rows), bytes, ..self }
    }

    /// The same rows with so many dense features in place of their own.
    pub fn with_features(self, features: usize) -> Size {
        Size { columns: features, features, cells: features as f64, sparse: false, ..self }
    }

    /// Share of the rows that have a label, or that lack it if these are fewer, in the mean over the labels.
    pub fn rarer_share(&self) -> f64 {
        let share = self.present / self.labels.max(1) as f64;
        share.min(1.0 - share)
    }

    /// Cells and coefficients that a regression works on, for all rows: dense features are turned to their principal axes.
    pub fn work(&self) -> f64 {
        let coefficients = if self.sparse { self.columns } else { self.columns.min(self.rows) };
        self.rows as f64 * self.cells + PER_COEFFICIENT * coefficients as f64
    }

    /// Nominal seconds of so many logistic regressions, each with the choice of its cost C.
    pub fn regression_seconds(&self, regressions: usize) -> f64 {
        REGRESSION_SECONDS * PATH_FITS * regressions as f64 * self.work()
    }

    /// Nominal seconds of finding the neighbours of every row among all.
    pub fn neighbour_seconds(&self) -> f64 {
        NEIGHBOUR_SECONDS * self.rows as f64 * self.rows as f64 * self.cells
    }

    /// Bytes of the encoded features.
    pub fn encoded_bytes(&self) -> usize {
        if self.sparse { self.bytes } else { self.rows * self.features * size_of::<f64>() }
    }

    /// Bytes that a fit made of logistic regressions needs: the features as often as they are copied, the Gram matrix of
    /// dense ones, the regressions in work on every thread, and those of a model with so many experts.
    ///
    /// An estimate of the order of magnitude; it can be wrong by a factor of two.
    pub fn regression_bytes(&self, experts: usize, workers: Workers) -> usize {
        let float = size_of::<f64>();
        let (rows, columns) = (self.rows, self.features);
        let (gram, coordinates, lasting) = if self.sparse {
            let stored = (self.cells * rows as f64).round() as usize;
            (0, columns, 1 + sparse_copies(rows, columns, stored))
        } else {
            (2 * columns * columns * float, columns.min(rows), LASTING_DENSE)
        };
        let encoded = self.encoded_bytes();
        let per_thread = COPIES_PER_THREAD * encoded + workers.batch * VECTORS * (rows + columns) * float;
        let states = if experts > 1 { STATES } else { 1 };
        // Two regressions for each label and expert, and the parentless ones of three folds that edges are scored with.
        let regressions = (2 * experts * states + 3) * self.labels * coordinates * float;
        self.bytes + lasting * encoded + gram + workers.threads.max(1) * per_thread + regressions
    }
}
