//! Matrices: dense rows, sparse rows (CSR), and the products the solvers need.
//!
//! [`DenseMatrix`] is row-major and contiguous: a data set's rows. [`Columns`] is column-major and contiguous: one
//! column per problem of a batch. [`Matrix`] is either dense or sparse rows; nothing turns one into the other
//! unasked. [`Operator`] holds rows for repeated products, dense ones as [`Strips`].

mod both_ways;
mod columns;
mod dense;
mod eigen;
mod flops;
mod lanes;
mod operator;
mod products;
mod real;
mod rows;
mod sparse;
mod strips;
#[cfg(test)]
mod tests;
mod tiled;

pub use both_ways::BothWays;
pub use both_ways::sparse_copies;
pub use columns::Columns;
pub use dense::DenseMatrix;
pub use eigen::{eigen_symmetric, gram};
#[cfg(feature = "count-flops")]
pub use flops::flops;
pub use lanes::PackedColumns;
pub use operator::Operator;
pub use real::Real;
pub use rows::Matrix;
pub use sparse::{SparseBuilder, SparseMatrix};
pub use strips::Strips;
pub use tiled::{TILE, Tiled};
