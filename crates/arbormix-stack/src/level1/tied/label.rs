//! The regression of one label over all tied trees: two slopes, and an intercept per expert.

use crate::newton::descended;
use arbormix_learn::logistic::loss::evaluate;

/// Rows with a smaller responsibility are left out of the expert's regressions. These are most rows of most experts.
const MIN_RESPONSIBILITY: f64 = 1e-6;

/// ρ of the slopes and ρ' of the intercepts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ridges {
    pub(crate) slopes: f64,
    pub(crate) intercepts: f64,
}

impl Ridges {
    /// ½ ρ ((b − 1)² + e²) + ½ ρ' Σ_k β_k².
    pub(crate) fn penalty(self, [slope, effect]: [f64; 2], intercepts: &[f64]) -> f64 {
        let squares: f64 = intercepts.iter().map(|beta| beta * beta).sum();
        let squared_distance = (slope - 1.0) * (slope - 1.0) + effect * effect;
        0.5 * self.slopes * squared_distance + 0.5 * self.intercepts * squares
    }
}

/// The rows that an expert is responsible for.
pub(crate) struct Share {
    rows: Vec<u32>,
    /// sₙ hₙₖ of these.
    weights: Vec<f64>,
}

impl Share {
    pub(crate) fn new(responsibilities: &[f64], weights: &[f64]) -> Share {
        let cells = (0_u32..).zip(responsibilities.iter().zip(weights));
        let counting = cells.filter(|(_, (share, _))| **share >= MIN_RESPONSIBILITY);
        let (rows, weights) = counting.map(|(row, (share, weight))| (row, share * weight)).unzip();
        Share { rows, weights }
    }
}

/// The regression of one label over all experts. A row counts for every expert with its responsibility.
pub(crate) struct LabelFit<'a> {
    pub(crate) log_odds: &'a [f64],
    pub(crate) above: &'a [f64],
    pub(crate) signs: &'a [f64],
    pub(crate) shares: &'a [Share],
    pub(crate) ridges: Ridges,
}

/// Parameters of one label, with the loss and its derivatives there. The Hessian has the shape of an arrow: second derivatives
/// by intercepts of different experts are 0.
pub(crate) struct Point {
    pub(crate) slopes: [f64; 2],
    pub(crate) intercepts: Vec<f64>,
    pub(crate) loss: f64,
    pub(crate) slope_gradient: [f64; 2],
    pub(crate) slope_hessian: [[f64; 2]; 2],
    /// Gradient by the intercepts, and the diagonal of their part of the Hessian.
    pub(crate) gradient: Vec<f64>,
    pub(crate) diagonal: Vec<f64>,
    /// Second derivatives by each intercept and the slopes.
    pub(crate) cross: Vec<[f64; 2]>,
}

impl LabelFit<'_> {
    pub(crate) fn at(&self, slopes: [f64; 2], intercepts: Vec<f64>) -> Point {
        let (rows, ridge) = (self.signs.len(), self.ridges.slopes);
        let [slope, effect] = slopes;
        let [mut signed, mut margins, mut residual, mut curvature] = [0; 4].map(|_| vec![0.0; rows]);
        let mut point = Point {
            slopes,
            loss: self.ridges.penalty(slopes, &intercepts),
            slope_gradient: [ridge * (slope - 1.0), ridge * effect],
            slope_hessian: [[ridge, 0.0], [0.0, ridge]],
            gradient: Vec::with_capacity(intercepts.len()),
            diagonal: Vec::with_capacity(intercepts.len()),
            cross: Vec::with_capacity(intercepts.len()),
            intercepts: Vec::new(),
        };
        for (beta, share) in intercepts.iter().zip(self.shares) {
            let count = share.rows.len();
            for (at, (&row, weight)) in share.rows.iter().zip(&share.weights).enumerate() {
                let n = row as usize;
                signed[at] = weight * self.signs[n];
                margins[at] = slope * self.log_odds[n] + effect * self.above[n] + beta;
            }
            let (residual, curvature) = (&mut residual[..count], &mut curvature[..count]);
            point.loss += evaluate(&signed[..count], &margins[..count], residual, curvature);
            let (mut pull, mut pulls, mut bend, mut bends) = (0.0, [0.0; 2], 0.0, [0.0; 2]);
            let mut squares = [0.0; 3];
            for (at, &row) in share.rows.iter().enumerate() {
                let (r, c, l, u) = (residual[at], curvature[at], self.log_odds[row as usize], self.above[row as usize]);
                pull += r;
                pulls[0] += r * l;
                pulls[1] += r * u;
                bend += c;
                bends[0] += c * l;
                bends[1] += c * u;
                squares[0] += c * l * l;
                squares[1] += c * l * u;
                squares[2] += c * u * u;
            }
            point.slope_gradient[0] -= pulls[0];
            point.slope_gradient[1] -= pulls[1];
            point.slope_hessian[0][0] += squares[0];
            point.slope_hessian[0][1] += squares[1];
            point.slope_hessian[1][1] += squares[2];
            point.gradient.push(self.ridges.intercepts * beta - pull);
            point.diagonal.push(self.ridges.intercepts + bend);
            point.cross.push(bends);
        }
        point.slope_hessian[1][0] = point.slope_hessian[0][1];
        Point { intercepts, ..point }
    }

    /// The point after a Newton step, halved until the loss decreases enough; `None` if rounding hides any decrease.
    pub(crate) fn step(&self, from: &Point) -> Option<Point> {
        let (slopes, intercepts) = from.direction();
        let along = |gradient: &[f64], step: &[f64]| gradient.iter().zip(step).map(|(g, s)| g * s).sum::<f64>();
        let slope = along(&from.slope_gradient, &slopes) + along(&from.gradient, &intercepts);
        if slope >= 0.0 {
            return None;
        }
        descended(from.loss, -slope, |length| {
            let moved = from.intercepts.iter().zip(&intercepts).map(|(beta, step)| beta + length * step).collect();
            let next = self.at([0, 1].map(|j| from.slopes[j] + length * slopes[j]), moved);
            (next.loss, next)
        })
    }
}

impl Point {
    /// −H⁻¹ ∇ by elimination of the intercepts.
    fn direction(&self) -> ([f64; 2], Vec<f64>) {
        let [[mut a, mut b], [_, mut d]] = self.slope_hessian;
        let mut right = self.slope_gradient.map(|g| -g);
        for ((g, h), [first, second]) in self.gradient.iter().zip(&self.diagonal).zip(&self.cross) {
            a -= first * first / h;
            b -= first * second / h;
            d -= second * second / h;
            right[0] += first * g / h;
            right[1] += second * g / h;
        }
        let determinant = a * d - b * b;
        let slopes = [(d * right[0] - b * right[1]) / determinant, (a * right[1] - b * right[0]) / determinant];
        let intercept =
            |((g, h), [first, second]): ((&f64, &f64), &[f64; 2])| -(g + first * slopes[0] + second * slopes[1]) / h;
        let intercepts = self.gradient.iter().zip(&self.diagonal).zip(&self.cross).map(intercept).collect();
        (slopes, intercepts)
    }
}
