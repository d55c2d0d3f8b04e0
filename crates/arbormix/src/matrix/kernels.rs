//! Dense kernels, all single-threaded: parallelism lives outside, over independent problems, so that results do
//! not depend on the number of threads.

use super::DenseMatrix;
use faer::linalg::matmul::triangular::{BlockStructure, matmul as triangular_matmul};
use faer::{Accum, MatMut, MatRef, Par, Side};

fn rows_of(matrix: &DenseMatrix) -> MatRef<'_, f64> {
    MatRef::from_row_major_slice(matrix.values(), matrix.rows(), matrix.cols())
}

/// The Gram matrix `XᵀX`, columns × columns.
pub fn gram(matrix: &DenseMatrix) -> DenseMatrix {
    let mut out = DenseMatrix::zeros(matrix.cols(), matrix.cols());
    let size = out.rows();
    let target = MatMut::from_row_major_slice_mut(out.values_mut(), size, size);
    let (half, whole) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
    let (left, right) = (rows_of(matrix).transpose(), rows_of(matrix));
    triangular_matmul(target, half, Accum::Replace, left, whole, right, whole, 1.0, Par::Seq);
    for row in 0..size {
        for column in row + 1..size {
            out.row_mut(row)[column] = out.get(column, row);
        }
    }
    out
}

/// Eigenvalues (ascending) and eigenvectors (as columns) of a symmetric matrix, or `None` if the iteration fails.
pub fn eigen_symmetric(matrix: &DenseMatrix) -> Option<(Vec<f64>, DenseMatrix)> {
    let size = matrix.rows();
    let decomposition = rows_of(matrix).self_adjoint_eigen(Side::Lower).ok()?;
    let values = (0..size).map(|i| decomposition.S()[i]).collect();
    let vectors = decomposition.U();
    let mut out = DenseMatrix::zeros(size, size);
    for row in 0..size {
        for column in 0..size {
            out.row_mut(row)[column] = vectors[(row, column)];
        }
    }
    Some((values, out))
}
