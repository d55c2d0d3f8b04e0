//! Measures of whole label sets, and means over rows.

use super::report::Report;
use super::{Counts, Outcome, ZeroDivision, cells, full_rows};

/// `exact_match`, `cll_loss`, `cll_loss_mean`.
pub(crate) fn whole_sets(outcome: &Outcome<'_>, report: &mut Report) {
    let rows: Vec<usize> = full_rows(outcome.truth).collect();
    if rows.is_empty() {
        for name in ["exact_match", "cll_loss", "cll_loss_mean"] {
            report.missing(name, "every row has unknown label cells");
        }
        return;
    }
    let count = rows.len() as f64;
    let exact = rows.iter().filter(|&&row| outcome.predicted[row] == *outcome.truth.row(row)).count();
    report.higher("exact_match", exact as f64 / count);
    let impossible = |log_probs: &[f64]| rows.iter().filter(|&&row| log_probs[row] == f64::NEG_INFINITY).count();
    let reason = match outcome.log_probs {
        None => "there are no probabilities of whole label sets".to_string(),
        Some(log_probs) if impossible(log_probs) > 0 => {
            format!("the loss is infinite: {} true label sets have probability 0", impossible(log_probs))
        }
        Some(log_probs) => {
            // Adding 0 turns the -0 of a perfect prediction into 0.
            let loss = 0.0 - rows.iter().map(|&row| log_probs[row]).sum::<f64>();
            report.lower("cll_loss", loss);
            report.lower("cll_loss_mean", loss / count);
            return;
        }
    };
    report.missing("cll_loss", reason.clone());
    report.missing("cll_loss_mean", reason);
}

/// `hamming_loss`, `jaccard`, `example_f1`.
pub(crate) fn rows(outcome: &Outcome<'_>, policy: ZeroDivision, report: &mut Report) {
    let (mut all, mut rows, mut jaccard, mut f1) = (Counts::default(), 0_usize, 0.0, 0.0);
    for (row, predicted) in outcome.predicted.iter().enumerate() {
        let mut counts = Counts::default();
        cells(outcome.truth, row).for_each(|(label, present)| counts.add(present, predicted.get(label)));
        if counts.known() > 0 {
            rows += 1;
            jaccard += counts.jaccard(policy);
            f1 += counts.f1(policy);
            all.merge(&counts);
        }
    }
    report.lower("hamming_loss", all.wrong() as f64 / all.known() as f64);
    report.higher("jaccard", jaccard / rows as f64);
    report.higher("example_f1", f1 / rows as f64);
}
