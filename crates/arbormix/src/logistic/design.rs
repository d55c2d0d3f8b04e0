//! The features as the solver wants them: rotated once, bias included.

use std::borrow::Cow;

use super::params::Bias;
use crate::matrix::{Columns, DenseMatrix, Matrix, SparseBuilder, SparseMatrix, eigen_symmetric, gram};

/// Dense features with more columns than this are not rotated: the eigenvectors would cost more than they save.
const MAX_ROTATED: usize = 2000;
/// Directions whose share of the largest eigenvalue is below this carry only rounding errors.
const NEGLIGIBLE: f64 = 1e-13;

/// Features of all rows, prepared for the solver.
///
/// The penalty ½‖w‖² is the same in every rotated coordinate system, so dense features are turned to their principal
/// axes once: there the Hessian of every problem is nearly diagonal, and a diagonal preconditioner nearly inverts it.
/// Directions in which no row extends are left out; the optimum has no part in them. Sparse features stay as they
/// are. Weights of problems live in these *design coordinates*; [`Design::to_features`] maps them back.
#[derive(Debug, Clone)]
pub struct Design {
    /// N × r, the bias column inside.
    rows: Matrix,
    /// (m + 1) × r: weights and bias of the features = basis · design weights. `None`: they are the same.
    basis: Option<DenseMatrix>,
    /// Penalty factor of each coordinate: 1, or 0 for a free bias.
    ridge: Vec<f64>,
    features: usize,
}

/// What a logistic regression learned, in design coordinates (followed by the weights of extra columns, if any).
#[derive(Debug, Clone, PartialEq)]
pub enum Coefficients {
    /// The same log-odds for every row: the target was constant.
    Constant(f64),
    /// Weights.
    Linear(Vec<f64>),
}

/// Weights of the original features.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureWeights {
    /// One per feature, then one per extra column.
    pub weights: Vec<f64>,
    /// The bias.
    pub bias: f64,
}

impl Design {
    /// Prepares features (N × m).
    pub fn new(features: &Matrix, bias: Bias) -> Design {
        match features {
            Matrix::Sparse(sparse) => Design::plain(Matrix::Sparse(with_ones_sparse(sparse)), bias),
            Matrix::Dense(dense) if dense.cols() > MAX_ROTATED => {
                Design::plain(Matrix::Dense(with_ones(dense, &vec![0.0; dense.cols()])), bias)
            }
            Matrix::Dense(dense) => Design::rotated(dense, bias),
        }
    }

    fn plain(rows: Matrix, bias: Bias) -> Design {
        let mut ridge = vec![1.0; rows.cols()];
        let features = rows.cols() - 1;
        if bias == Bias::Free {
            ridge[features] = 0.0;
        }
        Design { rows, basis: None, ridge, features }
    }

    fn rotated(dense: &DenseMatrix, bias: Bias) -> Design {
        let m = dense.cols();
        // A free bias absorbs any shift of the features, so centring changes nothing but the conditioning.
        let centre = match bias {
            Bias::Penalised => vec![0.0; m],
            Bias::Free => column_means(dense),
        };
        let with_bias = with_ones(dense, &centre);
        let free = usize::from(bias == Bias::Free);
        let turned = m + 1 - free; // leading columns that take part in the rotation
        let Some((values, vectors)) = eigen_symmetric(&leading(&gram(&with_bias), turned)) else {
            return Design::plain(Matrix::Dense(with_ones(dense, &vec![0.0; m])), bias);
        };
        let largest = values.last().copied().unwrap_or(0.0);
        let kept: Vec<usize> = (0..turned).filter(|&k| values[k] > NEGLIGIBLE * largest).collect();
        // Columns of `rotation` express design coordinates in the (centred) features and the bias.
        let r = kept.len() + free;
        let mut rotation = Columns::zeros(m + 1, r);
        for (to, &from) in kept.iter().enumerate() {
            for row in 0..turned {
                rotation.column_mut(to)[row] = vectors.get(row, from);
            }
        }
        if free == 1 {
            rotation.column_mut(r - 1)[m] = 1.0;
        }
        let rows = row_major(&with_bias.product(&rotation));
        // Uncentred: the bias also pays for the shift, b = b' − centre · w.
        for column in 0..r {
            let shift: f64 = (0..m).map(|j| centre[j] * rotation.get(j, column)).sum();
            rotation.column_mut(column)[m] -= shift;
        }
        let mut ridge = vec![1.0; r];
        if free == 1 {
            ridge[r - 1] = 0.0;
        }
        Design { rows: Matrix::Dense(rows), basis: Some(row_major(&rotation)), ridge, features: m }
    }

    /// Number of rows, N.
    pub fn rows(&self) -> usize {
        self.rows.rows()
    }

    /// Number of original features, m.
    pub fn features(&self) -> usize {
        self.features
    }

    /// ½‖w‖² of design weights (and extra columns), without the bias if that is free.
    pub fn penalty(&self, weights: &[f64]) -> f64 {
        let ridge = self.ridge.iter().copied().chain(std::iter::repeat(1.0));
        0.5 * weights.iter().zip(ridge).map(|(w, r)| r * w * w).sum::<f64>()
    }

    /// Some of the rows (`None`: all), with extra columns of full length N appended.
    pub fn block<'a>(&'a self, rows: Option<&'a [usize]>, extras: &[&[f64]]) -> Block<'a> {
        let mut matrix = match rows {
            None => Cow::Borrowed(&self.rows),
            Some(rows) => Cow::Owned(self.rows.select_rows(rows)),
        };
        let mut ridge = self.ridge.clone();
        if !extras.is_empty() {
            matrix = Cow::Owned(append(&matrix, rows, extras));
            ridge.resize(ridge.len() + extras.len(), 1.0);
        }
        Block { matrix, rows, ridge }
    }

    /// The same coordinates with other rows: each index names a row of this design, as often as it likes.
    pub fn with_rows(&self, rows: &[usize]) -> Design {
        let (basis, ridge) = (self.basis.clone(), self.ridge.clone());
        Design { rows: self.rows.select_rows(rows), basis, ridge, features: self.features }
    }

    /// Weights of the original features, the bias, and the weights of extra columns.
    pub fn to_features(&self, coefficients: &Coefficients) -> FeatureWeights {
        match coefficients {
            Coefficients::Constant(log_odds) => FeatureWeights { weights: vec![0.0; self.features], bias: *log_odds },
            Coefficients::Linear(weights) => {
                let (own, extra) = weights.split_at(self.ridge.len());
                let mut out = match &self.basis {
                    None => own.to_vec(),
                    Some(basis) => (0..basis.rows()).map(|row| dot(basis.row(row), own)).collect(),
                };
                let bias = out.pop().unwrap_or(0.0);
                out.extend_from_slice(extra);
                FeatureWeights { weights: out, bias }
            }
        }
    }
}

/// Some rows of a design, gathered, with extra columns.
#[derive(Debug, Clone)]
pub struct Block<'a> {
    pub(super) matrix: Cow<'a, Matrix>,
    pub(super) rows: Option<&'a [usize]>,
    pub(super) ridge: Vec<f64>,
}

impl Block<'_> {
    /// Number of rows in the block.
    pub fn len(&self) -> usize {
        self.matrix.rows()
    }

    /// Whether the block has no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Row of the design that is row `local` of the block.
    pub fn row(&self, local: usize) -> usize {
        self.rows.map_or(local, |rows| rows[local])
    }

    /// Log-odds of every row (len × number of coefficients).
    pub fn margins(&self, coefficients: &[&Coefficients]) -> Columns {
        let linear: Vec<&[f64]> = coefficients
            .iter()
            .filter_map(|c| match c {
                Coefficients::Linear(weights) => Some(weights.as_slice()),
                Coefficients::Constant(_) => None,
            })
            .collect();
        let products = self.matrix.product(&Columns::from_columns(self.ridge.len(), linear));
        if products.cols() == coefficients.len() {
            return products;
        }
        let mut out = Columns::zeros(self.len(), coefficients.len());
        let mut next = 0;
        for (column, coefficient) in coefficients.iter().enumerate() {
            match coefficient {
                Coefficients::Constant(log_odds) => out.column_mut(column).fill(*log_odds),
                Coefficients::Linear(_) => {
                    out.column_mut(column).copy_from_slice(products.column(next));
                    next += 1;
                }
            }
        }
        out
    }
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn column_means(dense: &DenseMatrix) -> Vec<f64> {
    let mut sums = vec![0.0; dense.cols()];
    for row in 0..dense.rows() {
        sums.iter_mut().zip(dense.row(row)).for_each(|(s, v)| *s += v);
    }
    sums.iter_mut().for_each(|s| *s /= dense.rows().max(1) as f64);
    sums
}

/// The rows minus `centre`, with a last column of ones.
fn with_ones(dense: &DenseMatrix, centre: &[f64]) -> DenseMatrix {
    let mut values = Vec::with_capacity(dense.rows() * (dense.cols() + 1));
    for row in 0..dense.rows() {
        values.extend(dense.row(row).iter().zip(centre).map(|(v, c)| v - c));
        values.push(1.0);
    }
    DenseMatrix::new(dense.rows(), dense.cols() + 1, values)
}

fn with_ones_sparse(sparse: &SparseMatrix) -> SparseMatrix {
    let mut builder = SparseBuilder::default();
    for row in 0..sparse.rows() {
        let (columns, values) = sparse.row(row);
        columns.iter().zip(values).for_each(|(&column, &value)| builder.push(column as usize, value));
        builder.push(sparse.cols(), 1.0);
        builder.end_row();
    }
    builder.finish(sparse.cols() + 1)
}

/// The matrix with `extras` (each of full length) as last columns.
fn append(matrix: &Matrix, rows: Option<&[usize]>, extras: &[&[f64]]) -> Matrix {
    let global = |local: usize| rows.map_or(local, |rows| rows[local]);
    let cols = matrix.cols() + extras.len();
    match matrix {
        Matrix::Dense(dense) => {
            let mut values = Vec::with_capacity(dense.rows() * cols);
            for row in 0..dense.rows() {
                values.extend_from_slice(dense.row(row));
                values.extend(extras.iter().map(|extra| extra[global(row)]));
            }
            Matrix::Dense(DenseMatrix::new(dense.rows(), cols, values))
        }
        Matrix::Sparse(sparse) => {
            let mut builder = SparseBuilder::default();
            for row in 0..sparse.rows() {
                let (columns, values) = sparse.row(row);
                columns.iter().zip(values).for_each(|(&column, &value)| builder.push(column as usize, value));
                for (index, extra) in extras.iter().enumerate() {
                    builder.push(sparse.cols() + index, extra[global(row)]);
                }
                builder.end_row();
            }
            Matrix::Sparse(builder.finish(cols))
        }
    }
}

/// The leading `size` × `size` corner.
fn leading(matrix: &DenseMatrix, size: usize) -> DenseMatrix {
    let values = (0..size).flat_map(|row| matrix.row(row)[..size].iter().copied()).collect();
    DenseMatrix::new(size, size, values)
}

fn row_major(block: &Columns) -> DenseMatrix {
    let mut out = DenseMatrix::zeros(block.rows(), block.cols());
    for column in 0..block.cols() {
        for (row, &value) in block.column(column).iter().enumerate() {
            out.row_mut(row)[column] = value;
        }
    }
    out
}
