//! The features for the solver: rotated once, with the bias column.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::params::Bias;
use arbormix_matrix::{BothWays, Columns, DenseMatrix, Matrix, Operator, Strips, Tiled, eigen_symmetric, gram};

/// Dense features with more columns than this are not rotated: the eigenvectors would cost more than they save.
const MAX_ROTATED: usize = 2000;
/// Eigenvalues below this fraction of the largest are only rounding errors.
const NEGLIGIBLE: f64 = 1e-13;

/// Rows (whole strips) and axes that are rotated together.
const ROTATED_ROWS: usize = 1024;
const ROTATED_AXES: usize = 48;
/// Regressions whose log-odds are computed together.
const MARGINS_TOGETHER: usize = 16;

/// Features of all rows, prepared for the solver.
///
/// The penalty ½‖w‖² is the same in every rotated coordinate system, so dense features are turned to their principal
/// axes once: there the Hessian of every problem is nearly diagonal, and a diagonal preconditioner nearly inverts it.
/// Directions in which no row extends are left out; the optimum has no part in them. Sparse features stay as they
/// are. Weights of problems live in these *design coordinates*; [`Design::to_features`] maps them back.
#[derive(Debug, Clone)]
pub struct Design {
    /// N × r, the bias column inside.
    rows: Operator<'static>,
    /// (m + 1) × r: weights and bias of the features = basis · design weights. `None`: they are the same.
    basis: Option<DenseMatrix>,
    /// Penalty factor of each coordinate: 1, or 0 for a free bias.
    ridge: Vec<f64>,
    /// The bias of 1 in these coordinates.
    bias: Vec<f64>,
    /// The mean square of each coordinate over the rows, if these are principal axes.
    spread: Option<Vec<f64>>,
    features: usize,
}

/// What a logistic regression learned, in design coordinates (followed by the weights of extra columns, if any).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
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
            Matrix::Sparse(sparse) => Design::plain(Operator::with_ones(sparse), bias),
            Matrix::Dense(dense) if dense.cols() > MAX_ROTATED => Design::plain(with_ones(dense), bias),
            Matrix::Dense(dense) => Design::rotated(dense, bias),
        }
    }

    fn plain(rows: Operator<'static>, bias: Bias) -> Design {
        let mut ridge = vec![1.0; rows.cols()];
        let features = rows.cols() - 1;
        if bias == Bias::Free {
            ridge[features] = 0.0;
        }
        let mut one = vec![0.0; ridge.len()];
        one[features] = 1.0;
        Design { rows, basis: None, ridge, bias: one, spread: None, features }
    }

    fn rotated(dense: &DenseMatrix, bias: Bias) -> Design {
        let (m, n) = (dense.cols(), dense.rows() as f64);
        // A free bias absorbs any shift of the features, so centring changes only the conditioning.
        let centred = match bias {
            Bias::Penalised => Cow::Borrowed(dense),
            Bias::Free => Cow::Owned(centred(dense)),
        };
        let free = usize::from(bias == Bias::Free);
        let turned = m + 1 - free; // coordinates that take part in the rotation: a free bias stays by itself
        let Some((values, vectors)) = eigen_symmetric(&leading(&gram_with_ones(&centred), turned)) else {
            return Design::plain(with_ones(dense), bias);
        };
        let largest = values.last().copied().unwrap_or(0.0);
        let kept: Vec<usize> = (0..turned).filter(|&k| values[k] > NEGLIGIBLE * largest).collect();
        // Columns of `basis` express design coordinates in the (centred) features and the bias.
        let r = kept.len() + free;
        let mut basis = DenseMatrix::zeros(m + 1, r);
        for row in 0..turned {
            kept.iter().enumerate().for_each(|(to, &from)| basis.row_mut(row)[to] = vectors.get(row, from));
        }
        if free == 1 {
            basis.row_mut(m)[r - 1] = 1.0;
        }
        // Its columns are orthogonal, so its last row is the image of the unit vector of the bias, and what the column
        // of ones adds to a row.
        let one = basis.row(m).to_vec();
        let rows = turned_rows(&centred, &leading_rows(&basis, m), &one);
        // Back to uncentred features: the bias takes the shift, b = b' − centre · w.
        if free == 1 {
            for (j, &mean) in column_means(dense).iter().enumerate() {
                let shift: Vec<f64> = basis.row(j).iter().map(|w| mean * w).collect();
                basis.row_mut(m).iter_mut().zip(shift).for_each(|(b, s)| *b -= s);
            }
        }
        let mut ridge = vec![1.0; r];
        let mut spread: Vec<f64> = kept.iter().map(|&k| values[k] / n).collect();
        if free == 1 {
            ridge[r - 1] = 0.0;
            spread.push(1.0);
        }
        let rows = Operator::of_strips(rows);
        Design { rows, basis: Some(basis), ridge, bias: one, spread: Some(spread), features: m }
    }

    /// Number of rows, N.
    pub fn rows(&self) -> usize {
        self.rows.rows()
    }

    /// Number of original features, m.
    pub fn features(&self) -> usize {
        self.features
    }

    /// Number of design coordinates, r.
    pub fn coordinates(&self) -> usize {
        self.ridge.len()
    }

    /// ½‖w‖² of design weights (and extra columns), without the bias if that is free.
    pub fn penalty(&self, weights: &[f64]) -> f64 {
        let ridge = self.ridge.iter().copied().chain(std::iter::repeat(1.0));
        0.5 * weights.iter().zip(ridge).map(|(w, r)| r * w * w).sum::<f64>()
    }

    /// Some of the rows (`None`: all), with extra columns of full length N appended.
    pub fn block<'a>(&'a self, rows: Option<&'a [usize]>, extras: &[&[f64]]) -> Block<'a> {
        let (mut ridge, mut bias, mut spread) = (self.ridge.clone(), self.bias.clone(), self.spread.clone());
        if extras.is_empty() {
            let (operator, kept) = rows.map_or_else(|| (self.rows.lent(), None), |rows| self.rows.select_rows(rows));
            return Block { operator, rows, ridge, bias, spread, kept };
        }
        ridge.resize(ridge.len() + extras.len(), 1.0);
        bias.resize(ridge.len(), 0.0);
        let mean_square = |extra: &&[f64]| extra.iter().map(|v| v * v).sum::<f64>() / self.rows() as f64;
        spread.iter_mut().for_each(|spread| spread.extend(extras.iter().map(mean_square)));
        // Columns that are empty on these rows have weight 0 at the optimum, so they are left out.
        let (operator, kept) = self.rows.append(rows, extras);
        Block { operator, rows, ridge, bias, spread, kept }
    }

    /// The same coordinates with other rows: each index is a row of this design; rows may repeat.
    pub fn with_rows(&self, rows: &[usize]) -> Design {
        Design {
            rows: self.rows.with_rows(rows),
            basis: self.basis.clone(),
            ridge: self.ridge.clone(),
            bias: self.bias.clone(),
            spread: self.spread.clone(),
            features: self.features,
        }
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
    /// The rows, without columns that are empty on them.
    pub(crate) operator: Operator<'a>,
    rows: Option<&'a [usize]>,
    /// Penalty factors of all coordinates, extra columns included.
    ridge: Vec<f64>,
    /// The bias of 1 in these coordinates.
    bias: Vec<f64>,
    /// The mean square of each coordinate over the design's rows, if these are principal axes.
    spread: Option<Vec<f64>>,
    /// Coordinates that are columns of the operator, ascending; `None`: all.
    kept: Option<Vec<u32>>,
}

impl Block<'_> {
    /// Number of rows in the block.
    pub fn len(&self) -> usize {
        self.operator.rows()
    }

    /// Number of coordinates of the design, extra columns included.
    pub(crate) fn coordinates(&self) -> usize {
        self.ridge.len()
    }

    /// Of the leading `count` coordinates, those that are columns of the operator; also its leading columns.
    pub(crate) fn columns_within(&self, count: usize) -> usize {
        self.kept.as_ref().map_or(count, |kept| kept.partition_point(|&column| (column as usize) < count))
    }

    /// The cells of a vector over all coordinates that belong to the operator's columns.
    pub(crate) fn restrict<'v>(&self, full: &'v [f64]) -> Cow<'v, [f64]> {
        match &self.kept {
            None => Cow::Borrowed(full),
            Some(kept) => Cow::Owned(kept.iter().map(|&column| full[column as usize]).collect()),
        }
    }

    /// A vector over all coordinates from one over the operator's columns; the others are 0.
    pub(crate) fn expand(&self, columns: &[f64]) -> Vec<f64> {
        let Some(kept) = &self.kept else { return columns.to_vec() };
        let mut full = vec![0.0; self.ridge.len()];
        kept.iter().zip(columns).for_each(|(&column, &value)| full[column as usize] = value);
        full
    }

    /// Penalty factors of the operator's columns.
    pub(crate) fn ridge(&self) -> Cow<'_, [f64]> {
        self.restrict(&self.ridge)
    }

    /// The bias of 1, over the operator's columns.
    pub(crate) fn bias(&self) -> Cow<'_, [f64]> {
        self.restrict(&self.bias)
    }

    /// Penalty factor of the bias.
    pub(crate) fn bias_ridge(&self) -> f64 {
        self.bias.iter().zip(&self.ridge).map(|(b, ridge)| ridge * b * b).sum()
    }

    /// Approximate mean square of every column of the operator, if these are principal axes.
    pub(crate) fn spread(&self) -> Option<&[f64]> {
        self.spread.as_deref()
    }

    /// Whether the block has no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Row of the design that is row `local` of the block.
    pub fn row(&self, local: usize) -> usize {
        self.rows.map_or(local, |rows| rows[local])
    }

    /// The weight of every row, negative where the target is absent; of the design's rows, as `targets` are.
    #[inline]
    pub fn signed(&self, targets: &[bool], weight: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut out = vec![0.0; self.len()];
        for (local, signed) in out.iter_mut().enumerate() {
            let row = self.row(local);
            let weight = weight(row);
            *signed = if targets[row] { weight } else { -weight };
        }
        out
    }

    /// Calls `visit(place, log-odds of every row)` for each of the coefficients. A few are processed at a time, because
    /// the log-odds of all regressions would need more memory than the rows.
    pub fn visit_margins(&self, coefficients: &[&Coefficients], visit: impl FnMut(usize, &[f64])) {
        self.visit(coefficients, self.operator.double(), visit);
    }

    /// The same with about six digits, for comparisons on held-out rows.
    pub fn visit_rough_margins(&self, coefficients: &[&Coefficients], visit: impl FnMut(usize, &[f64])) {
        match self.operator.single() {
            Some(rows) => self.visit(coefficients, rows, visit),
            None => self.visit(coefficients, self.operator.double(), visit),
        }
    }

    fn visit<T: Tiled>(
        &self,
        coefficients: &[&Coefficients],
        rows: &BothWays<T>,
        mut visit: impl FnMut(usize, &[f64]),
    ) {
        for (batch, some) in coefficients.chunks(MARGINS_TOGETHER).enumerate() {
            let margins = self.margins_by(rows, some);
            (0..some.len()).for_each(|place| visit(batch * MARGINS_TOGETHER + place, margins.column(place)));
        }
    }

    /// Log-odds of every row (len × number of coefficients).
    pub fn margins(&self, coefficients: &[&Coefficients]) -> Columns {
        self.margins_by(self.operator.double(), coefficients)
    }

    fn margins_by<T: Tiled>(&self, rows: &BothWays<T>, coefficients: &[&Coefficients]) -> Columns {
        let linear: Vec<Vec<T>> = coefficients
            .iter()
            .filter_map(|c| match c {
                Coefficients::Linear(weights) => Some(self.restrict(weights).iter().map(|&w| T::of(w)).collect()),
                Coefficients::Constant(_) => None,
            })
            .collect();
        let products = rows.product(&linear.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let mut out = Columns::zeros(self.len(), coefficients.len());
        let mut next = 0;
        for (column, coefficient) in coefficients.iter().enumerate() {
            match coefficient {
                Coefficients::Constant(log_odds) => out.column_mut(column).fill(*log_odds),
                Coefficients::Linear(_) => {
                    let product = products.column(next).iter();
                    out.column_mut(column).iter_mut().zip(product).for_each(|(to, from)| *to = from.wide());
                    next += 1;
                }
            }
        }
        out
    }
}

/// Σ aⱼ bⱼ.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    sum_in_lanes(a.len(), |j| a[j] * b[j])
}

/// Σ term(j) with eight independent sums: with a single sum every addition would wait for the one before.
#[inline(always)]
fn sum_in_lanes(count: usize, term: impl Fn(usize) -> f64) -> f64 {
    let mut sums = [0.0; 8];
    let whole = count - count % 8;
    for start in (0..whole).step_by(8) {
        for lane in 0..8 {
            sums[lane] += term(start + lane);
        }
    }
    sums.iter().sum::<f64>() + (whole..count).map(term).sum::<f64>()
}

fn column_means(dense: &DenseMatrix) -> Vec<f64> {
    let mut sums = vec![0.0; dense.cols()];
    for row in 0..dense.rows() {
        sums.iter_mut().zip(dense.row(row)).for_each(|(s, v)| *s += v);
    }
    sums.iter_mut().for_each(|s| *s /= dense.rows().max(1) as f64);
    sums
}

/// The rows minus their mean.
fn centred(dense: &DenseMatrix) -> DenseMatrix {
    let mut out = dense.clone();
    let means = column_means(dense);
    (0..out.rows()).for_each(|row| out.row_mut(row).iter_mut().zip(&means).for_each(|(v, mean)| *v -= mean));
    out
}

/// The rows with a last column of ones.
fn with_ones(dense: &DenseMatrix) -> Operator<'static> {
    let mut values = Vec::with_capacity(dense.rows() * (dense.cols() + 1));
    for row in 0..dense.rows() {
        values.extend_from_slice(dense.row(row));
        values.push(1.0);
    }
    Operator::new(Matrix::Dense(DenseMatrix::new(dense.rows(), dense.cols() + 1, values)))
}

/// The Gram matrix of the rows with a last column of ones, without a copy of the rows.
fn gram_with_ones(dense: &DenseMatrix) -> DenseMatrix {
    let (m, n) = (dense.cols(), dense.rows() as f64);
    let (inner, means) = (gram(dense), column_means(dense));
    let mut out = DenseMatrix::zeros(m + 1, m + 1);
    for row in 0..m {
        out.row_mut(row)[..m].copy_from_slice(inner.row(row));
        out.row_mut(row)[m] = n * means[row];
        out.row_mut(m)[row] = n * means[row];
    }
    out.row_mut(m)[m] = n;
    out
}

/// centred · turn, with `one` added to every row. Some rows and columns at a time, to avoid another copy of all rows.
fn turned_rows(centred: &DenseMatrix, turn: &DenseMatrix, one: &[f64]) -> Strips<f64> {
    let mut out = Strips::zeros(centred.rows(), turn.cols());
    let axis = |k: usize| (0..turn.rows()).map(|j| turn.get(j, k)).collect::<Vec<f64>>();
    let axes: Vec<Vec<f64>> = (0..turn.cols()).map(axis).collect();
    let width = centred.cols();
    for (first, cells) in (0..).step_by(ROTATED_ROWS).zip(centred.values().chunks(ROTATED_ROWS * width.max(1))) {
        let mut rows = Strips::zeros(cells.len() / width, width);
        rows.put(0, width, cells);
        for (start, axes) in (0..).step_by(ROTATED_AXES).zip(axes.chunks(ROTATED_AXES)) {
            let mut turned = rows.product(&axes.iter().map(Vec::as_slice).collect::<Vec<_>>());
            for column in 0..axes.len() {
                let cells = turned.column_mut(column);
                cells.iter_mut().for_each(|x| *x += one[start + column]);
                out.put_column(first, start + column, cells);
            }
        }
    }
    out
}

/// The leading `size` × `size` corner.
fn leading(matrix: &DenseMatrix, size: usize) -> DenseMatrix {
    let values = (0..size).flat_map(|row| matrix.row(row)[..size].iter().copied()).collect();
    DenseMatrix::new(size, size, values)
}

/// The leading `count` rows.
fn leading_rows(matrix: &DenseMatrix, count: usize) -> DenseMatrix {
    DenseMatrix::new(count, matrix.cols(), matrix.values()[..count * matrix.cols()].to_vec())
}
