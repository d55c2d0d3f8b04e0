//! Least squares with a penalty, for many targets at once, on the same design as the logistic regressions.

use std::borrow::Cow;
use std::convert::Infallible;

use super::conjugate::{self, Direction};
use super::design::{Block, Design};
use arbormix_matrix::Columns;

/// Relative residual of the normal equations at which the iteration stops.
const ACCURACY: f64 = 1e-10;
/// Most conjugate-gradient steps.
const MAX_STEPS: usize = 1000;

/// The regressions minᵥ Σₙ sₙ (tₙ − v·zₙ)² + ρ‖v‖² on the rows z of a design, with row weights s.
///
/// Solved by conjugate gradients with the diagonal as preconditioner. In the principal axes of a dense design the normal
/// equations *are* diagonal (but for row weights), and one step solves them; sparse rows never become a square matrix.
#[derive(Debug)]
pub struct Ridge<'a> {
    block: Block<'a>,
    /// Weights of the rows.
    weights: Cow<'a, [f64]>,
    /// Diagonal of Zᵀ S Z.
    squares: Vec<f64>,
    features: usize,
}

impl<'a> Ridge<'a> {
    /// On all rows of a design; weights have one entry per row.
    pub fn new(design: &'a Design, weights: Option<&'a [f64]>) -> Ridge<'a> {
        let block = design.block(None, &[]);
        let weights = weights.map_or_else(|| Cow::Owned(vec![1.0; block.len()]), Cow::Borrowed);
        let squares = block.operator.squares_transposed_product(&Columns::from_columns(block.len(), [&*weights]));
        Ridge { squares: squares.column(0).to_vec(), block, weights, features: design.features() }
    }

    /// The mean square of a feature summed over the rows, trace(Zᵀ S Z) / (m + 1): the natural unit of ρ.
    pub fn unit(&self) -> f64 {
        self.squares.iter().sum::<f64>() / (self.features + 1) as f64
    }

    /// Weights of each column of `targets` (N × P), in design coordinates, and whether all met the accuracy.
    pub fn solve(&self, targets: &Columns, penalty: f64) -> (Columns, bool) {
        let mut weighted = targets.clone();
        for column in 0..weighted.cols() {
            weighted.column_mut(column).iter_mut().zip(&*self.weights).for_each(|(value, weight)| *value *= weight);
        }
        let right = self.block.operator.transposed_product(&weighted);
        let mut diagonal = Columns::zeros(right.rows(), right.cols());
        for column in 0..right.cols() {
            diagonal.column_mut(column).iter_mut().zip(&self.squares).for_each(|(d, s)| *d = s + penalty);
        }
        let normal = |v: &[&[f64]], _: &[usize]| Ok::<_, Infallible>(self.normal(v, penalty));
        let accuracy = vec![ACCURACY; right.cols()];
        let Ok(Direction { solution, .. }) =
            conjugate::solve(normal, self.block.len(), &diagonal, &right, &accuracy, MAX_STEPS);
        let (image, _) = self.normal(&solution.all(), penalty);
        // Rounding adds to the residual of the iteration; a factor of ten allows for it.
        let met = |column: usize| {
            let (left, right) = (image.column(column), right.column(column));
            let miss: f64 = left.iter().zip(right).map(|(l, r)| (l - r).powi(2)).sum();
            miss <= (10.0 * ACCURACY).powi(2) * right.iter().map(|r| r * r).sum::<f64>()
        };
        let converged = (0..right.cols()).all(met);
        (solution, converged)
    }

    /// What regressions with these weights predict, N × P.
    pub fn predict(&self, weights: &Columns) -> Columns {
        self.block.operator.product(weights)
    }

    /// (Zᵀ S Z + ρ I) · v, and Z v.
    fn normal(&self, v: &[&[f64]], penalty: f64) -> (Columns, Columns) {
        let factors = vec![&*self.weights; v.len()];
        let (mut image, inner) = self.block.operator.double().curved_product(v, &factors);
        for (column, v) in v.iter().enumerate() {
            image.column_mut(column).iter_mut().zip(*v).for_each(|(i, v)| *i += penalty * v);
        }
        (image, inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logistic::{Bias, Coefficients};
    use arbormix_data::planted::Planted;
    use arbormix_matrix::{DenseMatrix, Matrix};

    /// Gaussian elimination with pivoting.
    fn eliminate(mut system: Vec<Vec<f64>>) -> Vec<f64> {
        let size = system.len();
        for column in 0..size {
            let pivot = (column..size).max_by(|&a, &b| system[a][column].abs().total_cmp(&system[b][column].abs()));
            system.swap(column, pivot.unwrap());
            for row in (0..size).filter(|&row| row != column) {
                let factor = system[row][column] / system[column][column];
                let from = system[column].clone();
                system[row].iter_mut().zip(from).for_each(|(cell, f)| *cell -= factor * f);
            }
        }
        (0..size).map(|row| system[row][size] / system[row][row]).collect()
    }

    #[test]
    fn it_solves_the_normal_equations_dense_and_sparse_weighted_or_not() {
        let (data, _) =
            Planted { rows: 40, features: 5, density: 0.5, seed: 3, ..Planted::default() }.sample().unwrap();
        let mut dense = DenseMatrix::zeros(40, 5);
        for row in 0..40 {
            data.features().visit_row(row, |column, value| dense.row_mut(row)[column] = value);
        }
        let target: Vec<f64> = (0..40).map(|row| f64::from(u8::from(data.labels().row(row).get(0)))).collect();
        let uneven: Vec<f64> = (0..40).map(|row| (row % 4) as f64).collect();
        assert!(data.features().is_sparse());
        for weights in [None, Some(uneven.as_slice())] {
            let cell = |row: usize, column: usize| if column < 5 { dense.get(row, column) } else { 1.0 };
            let sum = |of: &dyn Fn(usize) -> f64| {
                (0..40).map(|row| weights.map_or(1.0, |weights| weights[row]) * of(row)).sum::<f64>()
            };
            let unit = (0..6).map(|j| sum(&|row| cell(row, j).powi(2))).sum::<f64>() / 6.0;
            let penalty = 0.01 * unit;
            let equation = |i: usize| {
                let left = |j: usize| sum(&|row| cell(row, i) * cell(row, j)) + if i == j { penalty } else { 0.0 };
                (0..6).map(left).chain([sum(&|row| cell(row, i) * target[row])]).collect::<Vec<_>>()
            };
            let expected = eliminate((0..6).map(equation).collect());
            for features in [data.features().clone(), Matrix::Dense(dense.clone())] {
                let design = Design::new(&features, Bias::Penalised);
                let ridge = Ridge::new(&design, weights);
                assert!((ridge.unit() - unit).abs() < 1e-9 * unit);
                let (solution, converged) = ridge.solve(&Columns::from_columns(40, [target.as_slice()]), penalty);
                assert!(converged);
                let ours = design.to_features(&Coefficients::Linear(solution.column(0).to_vec()));
                for (a, b) in ours.weights.iter().chain([&ours.bias]).zip(&expected) {
                    assert!((a - b).abs() < 1e-8, "{a} against {b}");
                }
            }
        }
    }
}
