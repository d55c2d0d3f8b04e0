//! The features by column, for the rows of one node.

use crate::matrix::{Matrix, SparseMatrix};

/// The features, column after column.
pub(super) enum Values {
    /// Every cell.
    Dense {
        /// Number of rows.
        rows: usize,
        /// Column-major cells.
        cells: Vec<f64>,
    },
    /// The transpose: a row of it is a column of the features.
    Sparse(SparseMatrix),
}

/// A node with fewer rows than one in this many of a column's stored cells looks its rows up in the column instead of
/// walking along it.
const SEARCHED: usize = 8;

impl Values {
    pub(super) fn new(features: &Matrix) -> Values {
        match features {
            Matrix::Sparse(sparse) => Values::Sparse(sparse.transposed()),
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
    pub(super) fn features(&self) -> usize {
        match self {
            Values::Dense { rows, cells } => cells.len().checked_div(*rows).unwrap_or(0),
            Values::Sparse(transposed) => transposed.rows(),
        }
    }

    pub(super) fn is_sparse(&self) -> bool {
        matches!(self, Values::Sparse(_))
    }

    /// Writes the values of a feature for the rows `order[start..]` of length `out.len()` and gives the smallest and
    /// largest; `None`, with nothing written, if they are all zero cells that are not stored.
    ///
    /// `place[row]` is where a row stands in `order`; only sparse features need it.
    pub(super) fn gather(
        &self,
        feature: usize,
        order: &[u32],
        place: &[u32],
        start: usize,
        out: &mut [f64],
    ) -> Option<(f64, f64)> {
        let node = &order[start..start + out.len()];
        match self {
            Values::Dense { rows, cells } => {
                let column = &cells[feature * rows..(feature + 1) * rows];
                let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
                for (out, &row) in out.iter_mut().zip(node) {
                    let value = column[row as usize];
                    *out = value;
                    low = if value < low { value } else { low };
                    high = if value > high { value } else { high };
                }
                Some((low, high))
            }
            Values::Sparse(transposed) => {
                let (rows, cells) = transposed.row(feature);
                let (mut low, mut high, mut found) = (f64::INFINITY, f64::NEG_INFINITY, 0);
                let mut take = |at: usize, value: f64| {
                    if found == 0 {
                        out.fill(0.0);
                    }
                    out[at] = value;
                    (low, high, found) = (low.min(value), high.max(value), found + 1);
                };
                if node.len() * SEARCHED < rows.len() {
                    for (at, row) in node.iter().enumerate() {
                        if let Ok(cell) = rows.binary_search(row) {
                            take(at, cells[cell]);
                        }
                    }
                } else {
                    for (&row, &value) in rows.iter().zip(cells) {
                        let at = (place[row as usize] as usize).wrapping_sub(start);
                        if at < node.len() {
                            take(at, value);
                        }
                    }
                }
                match found {
                    0 => None,
                    _ if found < node.len() => Some((low.min(0.0), high.max(0.0))),
                    _ => Some((low, high)),
                }
            }
        }
    }
}
