//! Gram matrices and eigenvectors.

use crate::DenseMatrix;

/// The Gram matrix `XᵀX`, columns × columns.
pub fn gram(matrix: &DenseMatrix) -> DenseMatrix {
    DenseMatrix::new(matrix.cols(), matrix.cols(), arbormix_linalg::gram(matrix.values(), matrix.rows(), matrix.cols()))
}

/// Eigenvalues (ascending) and eigenvectors (as columns) of a symmetric matrix, or `None` if the iteration fails.
pub fn eigen_symmetric(matrix: &DenseMatrix) -> Option<(Vec<f64>, DenseMatrix)> {
    let size = matrix.rows();
    let (values, vectors) = arbormix_linalg::eigen_symmetric(matrix.values(), size)?;
    Some((values, DenseMatrix::new(size, size, vectors)))
}
