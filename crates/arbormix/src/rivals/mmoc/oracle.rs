//! The label set that violates a row's margin most, among all points of the box \[0, 1\]^d.

use crate::matrix::DenseMatrix;

/// Changes of a coordinate below this end the search.
const TOLERANCE: f64 = 1e-9;
/// Sweeps over the coordinates at most.
const MAX_SWEEPS: usize = 1000;

/// One row of the margin problem.
///
/// The distance Δ between the row's labels and a point y of the box is Σⱼ (1 + κ)|δⱼ| − κδⱼ², δ = y − truth: the number
/// of labels that differ at every corner, whatever the bulge κ ≥ 0 between corners.
#[derive(Debug, Clone, Copy)]
pub(super) struct MarginRow<'a> {
    /// κ.
    pub(super) bulge: f64,
    /// Its labels, as 0 and 1.
    pub(super) truth: &'a [f64],
    /// What the regression predicts for them, h.
    pub(super) predicted: &'a [f64],
}

impl MarginRow<'_> {
    /// Maximises Δ(y) − (y − h)ᵀQ(y − h) over y ∈ \[0, 1\]^d by coordinate ascent from `point`, for a positive
    /// semidefinite Q. Returns the maximum.
    ///
    /// `image` is room for d numbers.
    pub(super) fn worst(&self, metric: &DenseMatrix, point: &mut [f64], image: &mut [f64]) -> f64 {
        // Away from the truth: up where it is 0, down where it is 1.
        let outwards = |label: usize| 1.0 - 2.0 * self.truth[label];
        // image = Q (y − h), kept up to date.
        image.fill(0.0);
        for label in 0..point.len() {
            add(image, metric.row(label), point[label] - self.predicted[label]);
        }
        for _ in 0..MAX_SWEEPS {
            let mut largest = 0.0_f64;
            for label in 0..point.len() {
                let curvature = metric.get(label, label) + self.bulge;
                let inwards = 2.0 * self.bulge * (point[label] - self.truth[label]);
                let slope = (1.0 + self.bulge) * outwards(label) - inwards - 2.0 * image[label];
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
        }
        self.value(metric, point)
    }

    /// Δ(y) − (y − h)ᵀQ(y − h).
    pub(super) fn value(&self, metric: &DenseMatrix, point: &[f64]) -> f64 {
        let far = |(y, truth): (&f64, &f64)| {
            let difference = (y - truth).abs();
            (1.0 + self.bulge) * difference - self.bulge * difference * difference
        };
        point.iter().zip(self.truth).map(far).sum::<f64>()
            - quadratic(metric, |label| point[label] - self.predicted[label])
    }

    /// (truth − h)ᵀQ(truth − h).
    pub(super) fn error(&self, metric: &DenseMatrix) -> f64 {
        quadratic(metric, |label| self.truth[label] - self.predicted[label])
    }
}

/// vᵀQv.
fn quadratic(metric: &DenseMatrix, v: impl Fn(usize) -> f64) -> f64 {
    let row = |i: usize| metric.row(i).iter().enumerate().map(|(j, cell)| cell * v(j)).sum::<f64>() * v(i);
    (0..metric.rows()).map(row).sum()
}

fn add(image: &mut [f64], row: &[f64], factor: f64) {
    image.iter_mut().zip(row).for_each(|(i, cell)| *i += factor * cell);
}
