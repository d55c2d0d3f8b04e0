//! The convex problem that learns the code, with Q = VVᵀ in place of V:
//!
//! min over positive semidefinite Q of F(Q) = ½ tr Q + C Σᵢ wᵢ ξᵢ(Q), Σᵢ wᵢ = 1,
//! ξᵢ(Q) = max over y ∈ \[0, 1\]^d of Δ(yᵢ, y) + eᵢᵀQeᵢ − fᵀQf, eᵢ = yᵢ − hᵢ, f = y − hᵢ, hᵢ = P·\[xᵢ, 1\].
//!
//! ξᵢ is a maximum of functions linear in Q, so F is convex, and with the maximisers fᵢ its (sub)gradient is
//! G = ½ I + C Σᵢ wᵢ (eᵢeᵢᵀ − fᵢfᵢᵀ).
//!
//! Δ must be the number of labels that differ at the corners of the box; between them we are free. Zhang & Schneider's Δ
//! is linear: then the maximiser jumps wherever Q is singular (and optimal Q are), F has kinks, and gradient methods
//! crawl. With a little bulge between the corners (see [`MarginRow`]) the maximiser is unique and moves continuously, F
//! is smooth. With few labels (emotions, 6) ten to fifty steps suffice.

use rayon::prelude::*;

use super::oracle::MarginRow;
use arbormix_base::progress::Progress;
use arbormix_joint::Result;
use arbormix_learn::logistic::SolverParams;
use arbormix_matrix::{DenseMatrix, eigen_symmetric, gram};

/// Objectives a step is compared with: the largest of the last few, so that spectral steps may rise for a while.
const MEMORY: usize = 10;
/// Share of the decrease promised by the gradient that a step must deliver.
const SUFFICIENT: f64 = 1e-4;
/// Halvings of a step at most.
const MAX_HALVINGS: usize = 40;
/// Rows that one task of a parallel evaluation takes.
const ROWS: usize = 64;

/// The margin problem of some rows.
#[derive(Debug)]
pub(crate) struct MarginProblem {
    /// Labels as 0 and 1, N × d.
    truth: DenseMatrix,
    /// What the regression predicts for them, N × d.
    predicted: DenseMatrix,
    /// κ of the distance.
    bulge: f64,
    /// Weights of the rows; they sum to 1.
    weights: Vec<f64>,
    /// Σᵢ wᵢ eᵢeᵢᵀ.
    errors: DenseMatrix,
}

/// A positive semidefinite Q and what is known about it.
#[derive(Debug, Clone)]
pub(crate) struct Metric {
    pub(crate) matrix: DenseMatrix,
    /// F(Q).
    pub(crate) objective: f64,
    /// No Q has an objective below this.
    pub(crate) bound: f64,
    pub(crate) converged: bool,
}

/// F and its gradient at some Q.
#[derive(Debug, Clone)]
pub(crate) struct Slope {
    pub(crate) objective: f64,
    pub(crate) gradient: DenseMatrix,
}

impl MarginProblem {
    /// From the rows with a positive weight (`None`: all).
    pub(crate) fn new(
        truth: &DenseMatrix,
        predicted: &DenseMatrix,
        weights: Option<&[f64]>,
        bulge: f64,
    ) -> MarginProblem {
        let weight = |row: usize| weights.map_or(1.0, |weights| weights[row]);
        let rows: Vec<usize> = (0..truth.rows()).filter(|&row| weight(row) > 0.0).collect();
        let total: f64 = rows.iter().map(|&row| weight(row)).sum();
        let weights: Vec<f64> = rows.iter().map(|&row| weight(row) / total).collect();
        let (truth, predicted) = (truth.select_rows(&rows), predicted.select_rows(&rows));
        let errors = scatter(&truth, &predicted, &weights);
        MarginProblem { truth, predicted, bulge, weights, errors }
    }

    fn labels(&self) -> usize {
        self.truth.cols()
    }

    /// Where the search for the worst sets starts: the labels themselves.
    pub(crate) fn start(&self) -> DenseMatrix {
        self.truth.clone()
    }

    /// F(Q) and G(Q); `points` (N × d) holds the maximisers of the last call and receives those of this one.
    pub(crate) fn slope(&self, cost: f64, metric: &DenseMatrix, points: &mut DenseMatrix) -> Slope {
        let labels = self.labels();
        let slacks: Vec<Vec<f64>> = points
            .values_mut()
            .par_chunks_mut(labels * ROWS)
            .enumerate()
            .map(|(chunk, points)| {
                let mut image = vec![0.0; labels];
                let slack = |(place, point): (usize, &mut [f64])| {
                    let row = chunk * ROWS + place;
                    let (truth, predicted) = (self.truth.row(row), self.predicted.row(row));
                    let margin = MarginRow { bulge: self.bulge, truth, predicted };
                    margin.worst(metric, point, &mut image) + margin.error(metric)
                };
                points.chunks_mut(labels).enumerate().map(slack).collect()
            })
            .collect();
        let slack: f64 = slacks.iter().flatten().zip(&self.weights).map(|(slack, weight)| weight * slack).sum();
        let mut gradient = scatter(points, &self.predicted, &self.weights);
        for (cell, error) in gradient.values_mut().iter_mut().zip(self.errors.values()) {
            *cell = cost * (error - *cell);
        }
        let mut trace = 0.0;
        for label in 0..labels {
            gradient.row_mut(label)[label] += 0.5;
            trace += metric.get(label, label);
        }
        Slope { objective: 0.5 * trace + cost * slack, gradient }
    }

    /// A lower bound of min F from one Q: F is convex, so F(Q*) ≥ F(Q) + ⟨G, Q* − Q⟩, where ⟨G, Q*⟩ ≥ −ε tr Q* with −ε
    /// the smallest eigenvalue of G (or 0), and ½ tr Q* ≤ F(Q*) ≤ `best`, an objective already reached.
    fn bound(slope: &Slope, metric: &DenseMatrix, best: f64) -> Option<f64> {
        let (values, _) = eigen_symmetric(&slope.gradient)?;
        let below = values.first().map_or(0.0, |smallest| (-smallest).max(0.0));
        Some(slope.objective - inner(&slope.gradient, metric) - 2.0 * best * below)
    }

    /// Minimises F by spectral projected gradients (Birgin, Martínez & Raydan 2000) from `start`.
    ///
    /// Every iterate is a projection, so that directions the code does not use have eigenvalue 0 and not nearly 0.
    pub(crate) fn solve(
        &self,
        cost: f64,
        start: &DenseMatrix,
        solver: &SolverParams,
        progress: &dyn Progress,
    ) -> Result<Metric> {
        let mut points = self.start();
        let mut here = start.clone();
        let mut slope = self.slope(cost, &here, &mut points);
        let mut best = Metric { matrix: here.clone(), objective: slope.objective, bound: 0.0, converged: false };
        let mut recent = vec![slope.objective];
        let mut step = 1.0 / inner(&slope.gradient, &slope.gradient).sqrt().max(f64::MIN_POSITIVE);
        for _ in 0..solver.max_iterations {
            progress.check()?;
            if let Some(bound) = Self::bound(&slope, &here, best.objective) {
                best.bound = best.bound.max(bound);
            }
            best.converged = best.objective - best.bound <= solver.tolerance * best.objective;
            if best.converged {
                break;
            }
            let reference = recent.iter().rev().take(MEMORY).copied().fold(f64::NEG_INFINITY, f64::max);
            let Some((next, after)) = self.descend(cost, (&here, &slope), step, reference, &mut points) else {
                break;
            };
            let (moved, turned) = (difference(&next, &here), difference(&after.gradient, &slope.gradient));
            let (length, curvature) = (inner(&moved, &moved), inner(&moved, &turned));
            // Without curvature along the step nothing is known of the next one's length: try a longer one.
            step = if curvature > 0.0 { (length / curvature).clamp(1e-10, 1e10) } else { (4.0 * step).min(1e10) };
            (here, slope) = (next, after);
            recent.push(slope.objective);
            if slope.objective < best.objective {
                best = Metric { matrix: here.clone(), objective: slope.objective, ..best };
            }
        }
        Ok(best)
    }

    /// The first of the projections PSD(Q − tG), t = `step`, `step` / 2, …, that lies sufficiently below `reference`;
    /// `None` if there is none, or no other point than Q.
    fn descend(
        &self,
        cost: f64,
        (here, slope): (&DenseMatrix, &Slope),
        mut step: f64,
        reference: f64,
        points: &mut DenseMatrix,
    ) -> Option<(DenseMatrix, Slope)> {
        for _ in 0..MAX_HALVINGS {
            let mut to = here.clone();
            to.values_mut().iter_mut().zip(slope.gradient.values()).for_each(|(cell, g)| *cell -= step * g);
            let to = positive_part(&to)?;
            let promised = inner(&slope.gradient, &difference(&to, here));
            if promised >= 0.0 {
                return None;
            }
            let after = self.slope(cost, &to, points);
            if after.objective <= reference + SUFFICIENT * promised {
                return Some((to, after));
            }
            step *= 0.5;
        }
        None
    }
}

/// The nearest positive semidefinite matrix: negative eigenvalues become 0. `None` if the eigenvalues cannot be found.
pub(crate) fn positive_part(matrix: &DenseMatrix) -> Option<DenseMatrix> {
    let (values, vectors) = eigen_symmetric(matrix)?;
    let size = matrix.rows();
    let kept: Vec<usize> = (0..size).filter(|&k| values[k] > 0.0).collect();
    // Row k: the square root of an eigenvalue times its vector, so that the Gram matrix is what is sought.
    let scaled = kept.iter().flat_map(|&k| (0..size).map(move |row| (k, row)));
    let scaled: Vec<f64> = scaled.map(|(k, row)| values[k].sqrt() * vectors.get(row, k)).collect();
    Some(gram(&DenseMatrix::new(kept.len(), size, scaled)))
}

/// Σᵢ wᵢ vᵢvᵢᵀ with vᵢ the difference of the rows.
fn scatter(left: &DenseMatrix, right: &DenseMatrix, weights: &[f64]) -> DenseMatrix {
    let mut scaled = difference(left, right);
    for (row, weight) in weights.iter().enumerate() {
        let root = weight.sqrt();
        scaled.row_mut(row).iter_mut().for_each(|cell| *cell *= root);
    }
    gram(&scaled)
}

fn difference(left: &DenseMatrix, right: &DenseMatrix) -> DenseMatrix {
    let cells = left.values().iter().zip(right.values()).map(|(a, b)| a - b).collect();
    DenseMatrix::new(left.rows(), left.cols(), cells)
}

/// ⟨A, B⟩, the sum of the products of the cells.
pub(crate) fn inner(left: &DenseMatrix, right: &DenseMatrix) -> f64 {
    left.values().iter().zip(right.values()).map(|(a, b)| a * b).sum()
}
