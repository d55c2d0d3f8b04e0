//! The label set that violates a row's margin most, among all points of the box \[0, 1\]^d.

use arbormix_matrix::DenseMatrix;

/// Changes of a coordinate below this end the search: the value is then right to about the square of it.
const TOLERANCE: f64 = 1e-6;
/// Sweeps over the coordinates at most.
const MAX_SWEEPS: usize = 200;
/// Sweeps between the steps that solve for all free labels at once.
const SWEEPS_BETWEEN: usize = 4;

/// One row of the margin problem.
///
/// The distance Δ between the row's labels and a point y of the box is Σⱼ (1 + κ)|δⱼ| − κδⱼ², δ = y − truth: the number
/// of labels that differ at every corner, whatever the bulge κ ≥ 0 between corners.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MarginRow<'a> {
    /// κ.
    pub(crate) bulge: f64,
    /// Its labels, as 0 and 1.
    pub(crate) truth: &'a [f64],
    /// What the regression predicts for them, h.
    pub(crate) predicted: &'a [f64],
}

impl MarginRow<'_> {
    /// Maximises Δ(y) − (y − h)ᵀQ(y − h) over y ∈ \[0, 1\]^d by coordinate ascent from `point`, for a positive
    /// semidefinite Q, with a leap of all free coordinates now and then. Returns the maximum.
    ///
    /// `image` is room for d numbers.
    pub(crate) fn worst(&self, metric: &DenseMatrix, point: &mut [f64], image: &mut [f64]) -> f64 {
        // image = Q (y − h), kept up to date.
        image.fill(0.0);
        for label in 0..point.len() {
            add(image, metric.row(label), point[label] - self.predicted[label]);
        }
        for sweep in 1..=MAX_SWEEPS {
            let mut largest = 0.0_f64;
            for label in 0..point.len() {
                let curvature = metric.get(label, label) + self.bulge;
                let slope = self.slope(label, point, image);
                // Without curvature the best is a corner: the one that the slope points to.
                let to = if curvature > 0.0 {
                    (point[label] + slope / (2.0 * curvature)).clamp(0.0, 1.0)
                } else {
                    f64::from(u8::from(slope > 0.0))
                };
                let change = to - point[label];
                if change != 0.0 {
                    add(image, metric.row(label), change);
                    point[label] = to;
                    largest = largest.max(change.abs());
                }
            }
            if largest <= TOLERANCE {
                break;
            }
            // Sweeps soon know which labels stay at 0 or 1, but crawl among the others when these pull on each other.
            if sweep % SWEEPS_BETWEEN == 0 {
                self.leap(metric, point, image);
            }
        }
        self.value(metric, point)
    }

    /// Slope of the objective in one coordinate; image = Q (y − h).
    fn slope(&self, label: usize, point: &[f64], image: &[f64]) -> f64 {
        // Away from the truth: up where it is 0, down where it is 1.
        let outwards = 1.0 - 2.0 * self.truth[label];
        (1.0 + self.bulge) * outwards - 2.0 * self.bulge * (point[label] - self.truth[label]) - 2.0 * image[label]
    }

    /// Moves the labels strictly between 0 and 1 to their common maximum (one linear system), or as far towards it as the
    /// box allows.
    fn leap(&self, metric: &DenseMatrix, point: &mut [f64], image: &mut [f64]) {
        let free: Vec<usize> = (0..point.len()).filter(|&label| point[label] > 0.0 && point[label] < 1.0).collect();
        let mut system = DenseMatrix::zeros(free.len(), free.len());
        for (row, &i) in free.iter().enumerate() {
            for (column, &j) in free.iter().enumerate() {
                system.row_mut(row)[column] = metric.get(i, j) + if i == j { self.bulge } else { 0.0 };
            }
        }
        let half: Vec<f64> = free.iter().map(|&label| 0.5 * self.slope(label, point, image)).collect();
        let Some(direction) = solve_symmetric(system, half) else { return };
        let room = |(&label, &d): (&usize, &f64)| if d > 0.0 { (1.0 - point[label]) / d } else { point[label] / -d };
        let length = free.iter().zip(&direction).filter(|(_, d)| **d != 0.0).map(room).fold(1.0, f64::min);
        for (&label, d) in free.iter().zip(&direction) {
            let to = (point[label] + length * d).clamp(0.0, 1.0);
            add(image, metric.row(label), to - point[label]);
            point[label] = to;
        }
    }

    /// Δ(y) − (y − h)ᵀQ(y − h).
    pub(crate) fn value(&self, metric: &DenseMatrix, point: &[f64]) -> f64 {
        let far = |(y, truth): (&f64, &f64)| {
            let difference = (y - truth).abs();
            (1.0 + self.bulge) * difference - self.bulge * difference * difference
        };
        point.iter().zip(self.truth).map(far).sum::<f64>()
            - quadratic(metric, |label| point[label] - self.predicted[label])
    }

    /// (truth − h)ᵀQ(truth − h).
    pub(crate) fn error(&self, metric: &DenseMatrix) -> f64 {
        quadratic(metric, |label| self.truth[label] - self.predicted[label])
    }
}

/// The solution of a symmetric positive definite system by Cholesky's decomposition, in place; `None` if it is (nearly)
/// singular.
fn solve_symmetric(mut matrix: DenseMatrix, mut right: Vec<f64>) -> Option<Vec<f64>> {
    let size = right.len();
    for column in 0..size {
        let pivot = matrix.get(column, column);
        if pivot <= 1e-10 {
            return None;
        }
        let root = pivot.sqrt();
        for row in column..size {
            matrix.row_mut(row)[column] /= root;
        }
        for row in column + 1..size {
            let factor = matrix.get(row, column);
            for below in column + 1..=row {
                let change = factor * matrix.get(below, column);
                matrix.row_mut(row)[below] -= change;
            }
        }
    }
    for row in 0..size {
        let known: f64 = (0..row).map(|column| matrix.get(row, column) * right[column]).sum();
        right[row] = (right[row] - known) / matrix.get(row, row);
    }
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|column| matrix.get(column, row) * right[column]).sum();
        right[row] = (right[row] - known) / matrix.get(row, row);
    }
    Some(right)
}

/// vᵀQv.
fn quadratic(metric: &DenseMatrix, v: impl Fn(usize) -> f64) -> f64 {
    let row = |i: usize| metric.row(i).iter().enumerate().map(|(j, cell)| cell * v(j)).sum::<f64>() * v(i);
    (0..metric.rows()).map(row).sum()
}

fn add(image: &mut [f64], row: &[f64], factor: f64) {
    image.iter_mut().zip(row).for_each(|(i, cell)| *i += factor * cell);
}
