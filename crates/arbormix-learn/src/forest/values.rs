//! The features by column, for the rows of one node.

use arbormix_matrix::{Matrix, SparseMatrix};

/// The features, column after column.
pub(crate) enum Values<'a> {
    /// Every cell.
    Dense {
        /// Number of rows.
        rows: usize,
        /// Column-major cells.
        cells: Vec<f64>,
    },
    /// The stored cells.
    Sparse {
        /// The transpose: a row of it is a column of the features.
        columns: SparseMatrix,
        /// The features themselves.
        rows: &'a SparseMatrix,
    },
}

/// The values of one feature for the rows of a node.
pub(crate) struct Cells {
    /// One per row of the node; only dense features need it.
    pub(crate) all: Vec<f64>,
    /// Rows of the node with a stored cell, and its value; only sparse features need it.
    pub(crate) stored: Vec<(u32, f64)>,
}

/// If a column has more than this many stored cells per row of the node, the rows are looked up in the column by binary
/// search.
const SEARCH_RATIO: usize = 8;

impl<'a> Values<'a> {
    pub(crate) fn new(features: &'a Matrix) -> Values<'a> {
        match features {
            Matrix::Sparse(rows) => Values::Sparse { columns: rows.transposed(), rows },
            Matrix::Dense(dense) => {
                let (rows, cols) = (dense.rows(), dense.cols());
                let mut cells = vec![0.0; rows * cols];
                for row in 0..rows {
                    for (column, &value) in dense.row(row).iter().enumerate() {
                        cells[column * rows + row] = value;
                    }
                }
                Values::Dense { rows, cells }
            }
        }
    }

    /// Number of features.
    pub(crate) fn features(&self) -> usize {
        match self {
            Values::Dense { rows, cells } => cells.len().checked_div(*rows).unwrap_or(0),
            Values::Sparse { rows, .. } => rows.cols(),
        }
    }

    /// The rows, if they are sparse.
    pub(crate) fn sparse_rows(&self) -> Option<&'a SparseMatrix> {
        match self {
            Values::Dense { .. } => None,
            Values::Sparse { rows, .. } => Some(rows),
        }
    }

    /// Gathers the values of a feature for the rows `order[start..end]` and returns the smallest and largest. Cells
    /// that are not stored are zeros.
    ///
    /// `place[row]` is where a row stands in `order`; only sparse features need it.
    pub(crate) fn gather(
        &self,
        feature: usize,
        order: &[u32],
        place: &[u32],
        (start, end): (usize, usize),
        out: &mut Cells,
    ) -> (f64, f64) {
        let node = &order[start..end];
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        match self {
            Values::Dense { rows, cells } => {
                let column = &cells[feature * rows..(feature + 1) * rows];
                let out = &mut out.all[..node.len()];
                out.iter_mut().zip(node).for_each(|(out, &row)| *out = column[row as usize]);
                (low, high) = span(out);
            }
            Values::Sparse { columns, .. } => {
                let (rows, cells) = columns.row(feature);
                out.stored.clear();
                let mut take = |row: u32, value: f64| {
                    out.stored.push((row, value));
                    (low, high) = (low.min(value), high.max(value));
                };
                if node.len() * SEARCH_RATIO < rows.len() {
                    for &row in node {
                        if let Ok(cell) = rows.binary_search(&row) {
                            take(row, cells[cell]);
                        }
                    }
                } else {
                    for (&row, &value) in rows.iter().zip(cells) {
                        if (start..end).contains(&(place[row as usize] as usize)) {
                            take(row, value);
                        }
                    }
                }
                if out.stored.len() < node.len() {
                    (low, high) = (low.min(0.0), high.max(0.0));
                }
            }
        }
        (low, high)
    }
}

/// The smallest and the largest value; no value is missing. Several of each are kept, so that comparisons do not wait
/// for each other.
fn span(values: &[f64]) -> (f64, f64) {
    const IN_STEP: usize = 4;
    let (mut low, mut high) = ([f64::INFINITY; IN_STEP], [f64::NEG_INFINITY; IN_STEP]);
    let mut take = |lane: usize, value: f64| {
        low[lane] = if value < low[lane] { value } else { low[lane] };
        high[lane] = if value > high[lane] { value } else { high[lane] };
    };
    let (groups, rest) = values.as_chunks::<IN_STEP>();
    groups.iter().for_each(|group| (0..IN_STEP).for_each(|lane| take(lane, group[lane])));
    rest.iter().for_each(|&value| take(0, value));
    let lowest = low.into_iter().fold(f64::INFINITY, f64::min);
    (lowest, high.into_iter().fold(f64::NEG_INFINITY, f64::max))
}
