//! Gram matrices and eigenvectors by faer, on plain slices.
//!
//! faer is generic, so its code is compiled where it is used. Here that happens once: no change of another crate compiles it
//! again. Everything is single-threaded: parallelism lives outside, over independent problems, so that results do not depend
//! on the number of threads.
//!
//! An inner crate of arbormix: its interface may change with any version. Use the crate `arbormix`.

use faer::linalg::matmul::triangular::{BlockStructure, matmul as triangular_matmul};
use faer::{Accum, MatMut, MatRef, Par, Side};

/// The Gram matrix `XᵀX`, columns × columns, row by row, of a matrix that is given row by row.
pub fn gram(values: &[f64], rows: usize, cols: usize) -> Vec<f64> {
    let mut out = vec![0.0; cols * cols];
    let matrix: MatRef<'_, f64> = MatRef::from_row_major_slice(values, rows, cols);
    let target = MatMut::from_row_major_slice_mut(&mut out, cols, cols);
    let (half, whole) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
    triangular_matmul(target, half, Accum::Replace, matrix.transpose(), whole, matrix, whole, 1.0, Par::Seq);
    for row in 0..cols {
        for column in row + 1..cols {
            out[row * cols + column] = out[column * cols + row];
        }
    }
    out
}

/// Eigenvalues (ascending) and eigenvectors (as columns of a matrix that is given row by row) of a symmetric matrix, or
/// `None` if the iteration fails.
pub fn eigen_symmetric(values: &[f64], size: usize) -> Option<(Vec<f64>, Vec<f64>)> {
    let matrix: MatRef<'_, f64> = MatRef::from_row_major_slice(values, size, size);
    let decomposition = matrix.self_adjoint_eigen(Side::Lower).ok()?;
    let eigenvalues = (0..size).map(|i| decomposition.S()[i]).collect();
    let vectors = decomposition.U();
    let mut out = Vec::with_capacity(size * size);
    for row in 0..size {
        out.extend((0..size).map(|column| vectors[(row, column)]));
    }
    Some((eigenvalues, out))
}
