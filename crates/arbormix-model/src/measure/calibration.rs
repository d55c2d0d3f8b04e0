//! Whether probabilities are kept: of what was said to happen with probability p, a share p should happen.

use serde::Serialize;

use super::{cells, full_rows};
use arbormix_base::params::ParamError;
use arbormix_data::{LabelSet, Labels};
use arbormix_joint::Result;
use arbormix_matrix::DenseMatrix;

/// Statements whose probabilities lie in one interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ReliabilityBin {
    /// Lower end, not included (but 0 is in the first bin).
    pub above: f64,
    /// Upper end, included.
    pub up_to: f64,
    /// Number of statements.
    pub count: usize,
    /// Mean of their probabilities, `None` without statements.
    pub said: Option<f64>,
    /// Share of them that was true, `None` without statements.
    pub happened: Option<f64>,
}

/// The statements of one kind, by their probabilities.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reliability {
    /// Intervals of equal width.
    pub bins: Vec<ReliabilityBin>,
    /// Number of statements.
    pub count: usize,
    /// Σ over bins of (share of the statements) · ∣said − happened∣; 0 without statements.
    pub expected_error: f64,
}

impl Reliability {
    /// Sorts statements (probability, whether it was true) into `bins` intervals.
    ///
    /// ```
    /// use arbormix_model::measure::Reliability;
    /// let rain = Reliability::of([(0.8, true), (0.8, true), (0.8, false), (0.1, false)], 2)?;
    /// assert_eq!((rain.bins[1].count, rain.bins[0].happened), (3, Some(0.0)));
    /// assert!((rain.expected_error - (0.25 * 0.1 + 0.75 * (0.8 - 2.0 / 3.0))).abs() < 1e-12);
    /// # Ok::<(), arbormix_joint::Error>(())
    /// ```
    pub fn of(statements: impl IntoIterator<Item = (f64, bool)>, bins: usize) -> Result<Reliability> {
        ParamError::require((1..=10_000).contains(&bins), "bins", bins, "must lie between 1 and 10000")?;
        let statements: Vec<(f64, bool)> = statements.into_iter().collect();
        // Sums of probabilities may pass 1 by rounding.
        if let Some((p, _)) = statements.iter().find(|(p, _)| !(0.0..=1.0 + 1e-9).contains(p)) {
            ParamError::require(false, "probability", p, "must lie in [0, 1]")?;
        }
        Ok(Reliability::binned(statements.into_iter(), bins))
    }

    /// The same for probabilities and a number of bins that were checked before.
    pub(crate) fn binned(statements: impl Iterator<Item = (f64, bool)>, bins: usize) -> Reliability {
        let mut sums = vec![(0_usize, 0.0, 0_usize); bins];
        for (p, happened) in statements {
            // Bin i is (i / bins, (i + 1) / bins], and 0 is in the first.
            let bin = &mut sums[((p * bins as f64).ceil() as usize).clamp(1, bins) - 1];
            *bin = (bin.0 + 1, bin.1 + p, bin.2 + usize::from(happened));
        }
        let count: usize = sums.iter().map(|(count, ..)| count).sum();
        let gap: f64 = sums.iter().map(|&(_, said, happened)| (said - happened as f64).abs()).sum();
        let bin = |(place, &(count, said, happened)): (usize, &(usize, f64, usize))| {
            let mean = |sum: f64| (count > 0).then(|| sum / count as f64);
            ReliabilityBin {
                above: place as f64 / bins as f64,
                up_to: (place + 1) as f64 / bins as f64,
                count,
                said: mean(said),
                happened: mean(happened as f64),
            }
        };
        let expected_error = if count > 0 { gap / count as f64 } else { 0.0 };
        Reliability { bins: sums.iter().enumerate().map(bin).collect(), count, expected_error }
    }
}

/// "Label i is present" for every known cell, with its marginal, row after row.
pub(crate) fn marginal_statements<'a>(
    truth: &'a Labels,
    marginals: &'a DenseMatrix,
) -> impl Iterator<Item = (f64, bool)> + 'a {
    let row = move |row| cells(truth, row).map(move |(label, present)| (marginals.get(row, label), present));
    (0..truth.rows()).flat_map(row)
}

/// What a model says about rows whose labels are known, as far as it can be checked.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Calibration {
    /// "Label i is present", for every known cell.
    pub marginals: Reliability,
    /// "The predicted set is the true one", for every row without unknown cells.
    pub sets: Reliability,
    /// "The row has s labels", for every such row and every s.
    pub counts: Reliability,
}

/// What is compared with the truth in [`calibration`].
#[derive(Debug, Clone, Copy)]
pub struct Claims<'a> {
    /// P(yᵢ = 1 | x), N × d.
    pub marginals: &'a DenseMatrix,
    /// The predicted set of each row and its probability.
    pub predicted: &'a [(LabelSet, f64)],
    /// P(s labels are present | x) for s = 0 … d, of each row.
    pub counts: &'a [Vec<f64>],
}

/// Compares what a model says with the true labels.
///
/// # Panics
/// If the parts are not about the same rows and labels.
pub fn calibration(truth: &Labels, claims: &Claims<'_>, bins: usize) -> Result<Calibration> {
    let (rows, labels) = (truth.rows(), truth.count());
    assert_eq!((claims.marginals.rows(), claims.marginals.cols()), (rows, labels), "marginals of the same cells");
    assert_eq!((claims.predicted.len(), claims.counts.len()), (rows, rows), "claims about the same rows");
    let sets = full_rows(truth).map(|row| (claims.predicted[row].1, claims.predicted[row].0 == *truth.row(row)));
    let counts = full_rows(truth).flat_map(|row| {
        let present = truth.row(row).count();
        claims.counts[row].iter().enumerate().map(move |(size, &p)| (p, size == present))
    });
    Ok(Calibration {
        marginals: Reliability::of(marginal_statements(truth, claims.marginals), bins)?,
        sets: Reliability::of(sets, bins)?,
        counts: Reliability::of(counts, bins)?,
    })
}
