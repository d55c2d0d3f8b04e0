//! Measures of each label and their means.

use super::ranking::area_under_roc;
use super::report::{LabelMeasures, Report};
use super::{Counts, Outcome, ZeroDivision, cells};

/// `micro_f1`, `macro_f1`, `macro_f1_of_means`, and the table of labels.
///
/// A label without a single known cell says nothing and is left out of the means.
pub(crate) fn labels(outcome: &Outcome<'_>, policy: ZeroDivision, report: &mut Report) -> Vec<LabelMeasures> {
    let mut counts = vec![Counts::default(); outcome.truth.count()];
    for (row, predicted) in outcome.predicted.iter().enumerate() {
        cells(outcome.truth, row).for_each(|(label, present)| counts[label].add(present, predicted.get(label)));
    }
    let mut pooled = Counts::default();
    counts.iter().for_each(|label| pooled.merge(label));
    report.higher("micro_f1", pooled.f1(policy));

    let known: Vec<&Counts> = counts.iter().filter(|label| label.known() > 0).collect();
    let mean =
        |value: &dyn Fn(&Counts) -> f64| known.iter().map(|label| value(label)).sum::<f64>() / known.len() as f64;
    report.higher("macro_f1", mean(&|label| label.f1(policy)));
    let precision = mean(&|label| label.precision(ZeroDivision::One));
    let recall = mean(&|label| label.recall(ZeroDivision::One));
    // Both means 0: everything that was predicted was wrong.
    report.higher("macro_f1_of_means", ZeroDivision::Zero.ratio(2.0 * precision * recall, precision + recall));

    let measures = |(label, counts): (usize, &Counts)| LabelMeasures {
        precision: counts.precision(policy),
        recall: counts.recall(policy),
        f1: counts.f1(policy),
        support: counts.both + counts.only_present,
        auc: area_of(outcome, label),
    };
    counts.iter().enumerate().map(measures).collect()
}

fn area_of(outcome: &Outcome<'_>, label: usize) -> Option<f64> {
    let marginals = outcome.marginals?;
    let cell = |row| outcome.truth.get(row, label).map(|present| (marginals.get(row, label), present));
    area_under_roc((0..outcome.truth.rows()).filter_map(cell).collect())
}
