//! How far the marginals can be taken at their word.

use super::ranking::NO_MARGINALS;
use super::report::Report;
use super::{Outcome, cells};

/// Cells whose marginal falls into one bin.
#[derive(Debug, Clone, Copy, Default)]
struct Bin {
    marginals: f64,
    present: f64,
}

/// `brier`, `calibration_error`.
pub(super) fn probabilities(outcome: &Outcome<'_>, bin_count: usize, report: &mut Report) {
    let Some(marginals) = outcome.marginals else {
        ["brier", "calibration_error"].into_iter().for_each(|name| report.missing(name, NO_MARGINALS));
        return;
    };
    let mut bins = vec![Bin::default(); bin_count];
    let (mut squares, mut count) = (0.0, 0.0);
    for row in 0..outcome.truth.rows() {
        for (label, present) in cells(outcome.truth, row) {
            let (p, y) = (marginals.get(row, label), f64::from(present));
            squares += (p - y) * (p - y);
            count += 1.0;
            // Bin i is (i / bins, (i + 1) / bins], and 0 is in the first.
            let bin = ((p * bin_count as f64).ceil() as usize).clamp(1, bin_count) - 1;
            bins[bin].marginals += p;
            bins[bin].present += y;
        }
    }
    report.lower("brier", squares / count);
    // (cells in the bin) · |mean p − mean y| is the difference of the two sums.
    report.lower("calibration_error", bins.iter().map(|bin| (bin.marginals - bin.present).abs()).sum::<f64>() / count);
}
