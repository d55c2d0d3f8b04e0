//! Nyström features: a finite-dimensional approximation of the RBF kernel.
//!
//! k(x, z) = exp(−‖x − z‖² / (w · M)), where M is the median of the squared distances between the landmarks, some random
//! training rows z₁ … z_L. With K = [k(zᵢ, zⱼ)] = U Λ Uᵀ the features are φ(x) = s Λ^(−½) Uᵀ [k(x, zᵢ)]ᵢ over the largest
//! eigenvalues. Then φ(x)·φ(z) ≈ s² k(x, z), exactly so if every row is a landmark and no eigenvalue is left out
//! (Williams and Seeger 2001). The factor s gives the training rows a mean squared norm that logistic regressions with
//! a penalty near 1 can work with.

use serde::{Deserialize, Serialize};

use crate::store::{ModelFileError, Stored};
use arbormix_base::params;
use arbormix_base::params::{Allowed, ParamError};
use arbormix_base::random::Stream;
use arbormix_data::Result;
use arbormix_matrix::{Columns, DenseMatrix, Matrix, eigen_symmetric};

/// Eigenvalues below this fraction of the largest are only rounding errors.
const NEGLIGIBLE: f64 = 1e-12;
/// Rows that are mapped at a time, to bound the memory for kernel values.
const CHUNK: usize = 1024;

params! {
    /// Parameters of Nyström features.
    pub struct NystromParams: Copy {
        /// Training rows that serve as landmarks (fewer if there are fewer rows).
        landmarks: usize = 500, allowed = Allowed::AtLeast(1.0);
        /// Features at most.
        components: usize = 300, allowed = Allowed::AtLeast(1.0), python = "n_components";
        /// Width w of the kernel, in units of the median squared distance.
        width: f64 = 1.0, allowed = Allowed::Positive;
        /// Whether the encoded features stay, before the new ones and scaled like them.
        linear: bool = false;
        /// Mean squared norm of the training rows in the new features (and in the encoded ones, if they stay).
        squared_norm: f64 = 25.0, allowed = Allowed::Positive;
        /// Seed of the landmarks.
        seed: u64 = 0, python = "random_state";
    }
}

/// Eigenvectors and kernel, in seconds per cube of landmarks.
pub const EIGEN_SECONDS: f64 = 1.5e-9;

impl NystromParams {
    /// Nominal seconds to fit the map to so many rows.
    pub fn seconds(&self, rows: usize) -> f64 {
        EIGEN_SECONDS * (self.landmarks.min(rows) as f64).powi(3)
    }
}

/// A fitted Nyström map.
#[derive(Debug, Clone, PartialEq)]
pub struct Nystrom {
    /// m × L: one landmark per column.
    landmarks: Columns,
    /// w · M.
    width: f64,
    /// L × r: U Λ^(−½), scaled.
    basis: Columns,
    /// Factor of the encoded features, if they are kept.
    linear: Option<f64>,
}

/// What the file holds beside the tensors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NystromFacts {
    features: usize,
    landmarks: usize,
    components: usize,
    linear: bool,
}

impl Nystrom {
    /// Learns the map from encoded rows, with parameters that were checked. Fails if the eigenvectors cannot be found,
    /// which happens only if numbers are not finite.
    pub fn fit(features: &Matrix, params: &NystromParams) -> Result<Nystrom> {
        let order = Stream::new(params.seed, "landmarks", 0).permutation(features.rows());
        let rows = features.select_rows(&order[..params.landmarks.min(order.len())]);
        let landmarks = transposed(&rows);
        let distances = squared_distances(&rows, &landmarks);
        let width = params.width * median_distance(&distances);
        let kernel =
            DenseMatrix::new(rows.rows(), rows.rows(), distances.values().iter().map(|d| (-d / width).exp()).collect());
        let Some((values, vectors)) = eigen_symmetric(&kernel) else {
            let message = "the eigenvectors of the kernel were not found; use another scaling or width".to_string();
            return Err(ParamError::Form { name: "features.nystrom".to_string(), message }.into());
        };
        let floor = NEGLIGIBLE * values.last().copied().unwrap_or(0.0);
        let kept: Vec<usize> = (0..values.len()).rev().filter(|&k| values[k] > floor).take(params.components).collect();
        let column =
            |&k: &usize| -> Vec<f64> { (0..rows.rows()).map(|row| vectors.get(row, k) / values[k].sqrt()).collect() };
        let columns: Vec<Vec<f64>> = kept.iter().map(column).collect();
        let basis = Columns::from_columns(rows.rows(), columns.iter().map(Vec::as_slice));
        let mut map = Nystrom { landmarks, width, basis, linear: None };
        let scale = scale_to(params.squared_norm, &map.encode(features));
        map.basis.values_mut().iter_mut().for_each(|cell| *cell *= scale);
        map.linear = params.linear.then(|| scale_to(params.squared_norm, features));
        Ok(map)
    }

    /// Number of features.
    pub fn feature_count(&self) -> usize {
        self.basis.cols() + self.linear.map_or(0, |_| self.landmarks.rows())
    }

    /// Names of the features, given those of the encoded ones.
    pub fn names(&self, encoded: Vec<String>) -> Vec<String> {
        let mut names = if self.linear.is_some() { encoded } else { Vec::new() };
        names.extend((1..=self.basis.cols()).map(|number| format!("nystrom {number}")));
        names
    }

    /// Maps encoded rows, N × m; the result is dense.
    ///
    /// # Panics
    /// If the rows have another number of features.
    pub fn encode(&self, features: &Matrix) -> Matrix {
        assert_eq!(features.cols(), self.landmarks.rows(), "rows have the features of the landmarks");
        let before = self.linear.map_or(0, |_| features.cols());
        let mut out = DenseMatrix::zeros(features.rows(), self.feature_count());
        for start in (0..features.rows()).step_by(CHUNK) {
            let rows: Vec<usize> = (start..features.rows().min(start + CHUNK)).collect();
            let mut kernel = squared_distances(&features.select_rows(&rows), &self.landmarks);
            kernel.values_mut().iter_mut().for_each(|d| *d = (-*d / self.width).exp());
            let mapped = Matrix::Dense(kernel).product(&self.basis);
            for (local, &row) in rows.iter().enumerate() {
                let cells = out.row_mut(row);
                if let Some(scale) = self.linear {
                    features.visit_row(row, |column, value| cells[column] = scale * value);
                }
                cells[before..].iter_mut().enumerate().for_each(|(k, cell)| *cell = mapped.get(local, k));
            }
        }
        Matrix::Dense(out)
    }

    /// What the file holds beside the tensors.
    pub fn facts(&self) -> NystromFacts {
        NystromFacts {
            features: self.landmarks.rows(),
            landmarks: self.landmarks.cols(),
            components: self.basis.cols(),
            linear: self.linear.is_some(),
        }
    }

    /// Number of features that rows must have.
    pub fn encoded_features(&self) -> usize {
        self.landmarks.rows()
    }

    /// Adds the tensors; those of columns are stored one column after the other.
    pub fn put(&self, stored: &mut Stored, prefix: &str) {
        let mut put = |name: &str, columns: &Columns| {
            stored.put(format!("{prefix}{name}"), &[columns.cols(), columns.rows()], columns.values().to_vec());
        };
        put("landmarks", &self.landmarks);
        put("basis", &self.basis);
        stored.put(format!("{prefix}scales"), &[2], vec![self.width, self.linear.unwrap_or(0.0)]);
    }

    /// Loads what [`Nystrom::put`] gave.
    pub fn load(facts: &NystromFacts, stored: &Stored, prefix: &str) -> Result<Nystrom, ModelFileError> {
        let columns = |name: &str, rows: usize, cols: usize| {
            let mut out = Columns::zeros(rows, cols);
            out.values_mut().copy_from_slice(stored.tensor(&format!("{prefix}{name}"), &[cols, rows])?);
            Ok::<_, ModelFileError>(out)
        };
        let scales = stored.tensor(&format!("{prefix}scales"), &[2])?;
        Ok(Nystrom {
            landmarks: columns("landmarks", facts.features, facts.landmarks)?,
            width: scales[0],
            basis: columns("basis", facts.landmarks, facts.components)?,
            linear: facts.linear.then_some(scales[1]),
        })
    }
}

/// Rows as columns.
fn transposed(rows: &Matrix) -> Columns {
    let mut out = Columns::zeros(rows.cols(), rows.rows());
    for row in 0..rows.rows() {
        let column = out.column_mut(row);
        rows.visit_row(row, |at, value| column[at] = value);
    }
    out
}

/// ‖xₙ − zⱼ‖² = ‖xₙ‖² − 2 xₙ·zⱼ + ‖zⱼ‖², N × L.
fn squared_distances(rows: &Matrix, landmarks: &Columns) -> DenseMatrix {
    let products = rows.product(landmarks);
    let squares: Vec<f64> = (0..landmarks.cols()).map(|j| landmarks.column(j).iter().map(|z| z * z).sum()).collect();
    let mut out = DenseMatrix::zeros(rows.rows(), landmarks.cols());
    for n in 0..rows.rows() {
        let own = squared_norm(rows, n);
        for (j, cell) in out.row_mut(n).iter_mut().enumerate() {
            // Rounding can make a distance slightly negative.
            *cell = (own - 2.0 * products.get(n, j) + squares[j]).max(0.0);
        }
    }
    out
}

fn squared_norm(rows: &Matrix, row: usize) -> f64 {
    let mut sum = 0.0;
    rows.visit_row(row, |_, value| sum += value * value);
    sum
}

/// Median of the squared distances between different landmarks; their mean if more than half are equal, and 1 if all are.
fn median_distance(distances: &DenseMatrix) -> f64 {
    let size = distances.rows();
    let mut pairs: Vec<f64> = (0..size).flat_map(|i| (0..i).map(move |j| distances.get(i, j))).collect();
    if pairs.is_empty() {
        return 1.0;
    }
    let middle = pairs.len() / 2;
    let median = *pairs.select_nth_unstable_by(middle, f64::total_cmp).1;
    let mean = pairs.iter().sum::<f64>() / pairs.len() as f64;
    [median, mean].into_iter().find(|&d| d > 0.0).unwrap_or(1.0)
}

/// The factor that gives the rows this mean squared norm; 1 if they are all zero.
pub fn scale_to(squared: f64, rows: &Matrix) -> f64 {
    let mean = (0..rows.rows()).map(|row| squared_norm(rows, row)).sum::<f64>() / rows.rows().max(1) as f64;
    if mean > 0.0 { (squared / mean).sqrt() } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arbormix_data::planted::Planted;

    fn rows(density: f64) -> Matrix {
        Planted { rows: 40, density, seed: 3, ..Planted::default() }.sample().unwrap().0.features().clone()
    }

    fn dense(matrix: &Matrix) -> DenseMatrix {
        let mut out = DenseMatrix::zeros(matrix.rows(), matrix.cols());
        (0..matrix.rows()).for_each(|row| matrix.visit_row(row, |column, value| out.row_mut(row)[column] = value));
        out
    }

    fn dot(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn with_all_rows_as_landmarks_products_are_the_kernel() {
        for (density, width) in [(1.0, 1.0), (0.3, 0.5)] {
            let rows = rows(density);
            let params = NystromParams::default().width(width).squared_norm(9.0);
            let mapped = dense(&Nystrom::fit(&rows, &params).unwrap().encode(&rows));
            let cells = dense(&rows);
            let distance = |i: usize, j: usize| -> f64 {
                cells.row(i).iter().zip(cells.row(j)).map(|(a, b)| (a - b) * (a - b)).sum()
            };
            let mut pairs: Vec<f64> =
                (0..40).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| distance(i, j)).collect();
            pairs.sort_by(f64::total_cmp);
            let median = pairs[pairs.len() / 2];
            for (i, j) in (0..40).flat_map(|i| (0..=i).map(move |j| (i, j))) {
                let kernel = (-distance(i, j) / (width * median)).exp();
                // Every row has k(x, x) = 1, so the mean squared norm is that of each row.
                let product = dot(mapped.row(i), mapped.row(j)) / 9.0;
                assert!((product - kernel).abs() < 1e-6, "{i} {j}: {product} {kernel}");
            }
        }
    }

    #[test]
    fn fewer_landmarks_and_components_give_fewer_features_of_the_same_norm() {
        let rows = rows(1.0);
        let params = NystromParams::default().landmarks(20).components(7).linear(true);
        let map = Nystrom::fit(&rows, &params).unwrap();
        assert_eq!(map.feature_count(), rows.cols() + 7);
        let mapped = dense(&map.encode(&rows));
        let mean = |from: usize, to: usize| -> f64 {
            (0..40).map(|n| dot(&mapped.row(n)[from..to], &mapped.row(n)[from..to])).sum::<f64>() / 40.0
        };
        assert!((mean(0, rows.cols()) - 25.0).abs() < 1e-9 && (mean(rows.cols(), rows.cols() + 7) - 25.0).abs() < 1e-9);
    }

    #[test]
    fn equal_rows_and_single_rows_are_mapped() {
        for count in [1, 5] {
            let same = Matrix::Dense(DenseMatrix::new(count, 2, [1.0, 2.0].repeat(count)));
            let mapped = dense(&Nystrom::fit(&same, &NystromParams::default()).unwrap().encode(&same));
            assert_eq!((mapped.rows(), mapped.cols()), (count, 1));
            assert!((mapped.get(0, 0).abs() - 5.0).abs() < 1e-9);
        }
    }
}
