//! Measures of how the marginals rank labels within a row, and cells among each other.

use super::report::{LabelMeasures, Report};
use super::{MeasureOptions, Outcome, ZeroDivision, cells};

/// The area under the ROC curve of scored cells: the share of (present, absent) pairs that are ranked rightly, ties
/// counting one half. `None` unless both classes occur.
pub(crate) fn area_under_roc(mut cells: Vec<(f64, bool)>) -> Option<f64> {
    let present = cells.iter().filter(|cell| cell.1).count() as f64;
    let absent = cells.len() as f64 - present;
    if present == 0.0 || absent == 0.0 {
        return None;
    }
    cells.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let (mut pairs, mut absent_below) = (0.0, 0.0);
    for tied in cells.chunk_by(|a, b| a.0 == b.0) {
        let tied_present = tied.iter().filter(|cell| cell.1).count() as f64;
        let tied_absent = tied.len() as f64 - tied_present;
        pairs += tied_present * (absent_below + 0.5 * tied_absent);
        absent_below += tied_absent;
    }
    Some(pairs / (present * absent))
}

/// `macro_auc`, `micro_auc`.
pub(crate) fn areas(outcome: &Outcome<'_>, per_label: &[LabelMeasures], report: &mut Report) {
    let Some(marginals) = outcome.marginals else {
        ["macro_auc", "micro_auc"].into_iter().for_each(|name| report.missing(name, NO_MARGINALS));
        return;
    };
    let areas: Vec<f64> = per_label.iter().filter_map(|label| label.auc).collect();
    if areas.is_empty() {
        report.missing("macro_auc", "no label is present in some rows and absent in others");
    } else {
        report.higher("macro_auc", areas.iter().sum::<f64>() / areas.len() as f64);
    }
    let scored = |row| cells(outcome.truth, row).map(move |(label, present)| (marginals.get(row, label), present));
    match area_under_roc((0..outcome.truth.rows()).flat_map(scored).collect()) {
        Some(area) => report.higher("micro_auc", area),
        None => report.missing("micro_auc", "all label cells are alike"),
    }
}

pub(crate) const NO_MARGINALS: &str = "there are no marginals";

/// The known labels of a row in falling order of their marginals, in groups of tied labels.
struct Ranked {
    groups: Vec<Group>,
    labels: usize,
    present: usize,
}

/// Labels with one marginal.
struct Group {
    /// Labels ranked before the group.
    before: usize,
    size: usize,
    present: usize,
}

impl Ranked {
    fn of(mut cells: Vec<(f64, bool)>) -> Ranked {
        cells.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        let mut before = 0;
        let groups: Vec<Group> = cells
            .chunk_by(|a, b| a.0 == b.0)
            .map(|tied| {
                let present = tied.iter().filter(|cell| cell.1).count();
                let group = Group { before, size: tied.len(), present };
                before += tied.len();
                group
            })
            .collect();
        Ranked { labels: before, present: groups.iter().map(|group| group.present).sum(), groups }
    }

    /// Share of (present, absent) pairs in which the absent label is not ranked below the present one.
    fn loss(&self) -> f64 {
        let absent = self.labels - self.present;
        let (mut wrong, mut absent_so_far) = (0, 0);
        for group in &self.groups {
            absent_so_far += group.size - group.present;
            wrong += group.present * absent_so_far;
        }
        ZeroDivision::Zero.ratio(wrong as f64, (self.present * absent) as f64)
    }

    /// Rank of the last present label, counted from 1; ties count as the last of them.
    fn coverage(&self) -> usize {
        let last = self.groups.iter().rev().find(|group| group.present > 0);
        last.map_or(0, |group| group.before + group.size)
    }

    fn average_precision(&self) -> f64 {
        if self.present == 0 || self.present == self.labels {
            return 1.0;
        }
        let (mut sum, mut present_so_far) = (0.0, 0);
        for group in &self.groups {
            present_so_far += group.present;
            sum += group.present as f64 * present_so_far as f64 / (group.before + group.size) as f64;
        }
        sum / self.present as f64
    }

    /// Expected sum of `gain(rank from 0)` over the present labels among the first k, over all orders of ties.
    fn gain(&self, k: usize, gain: impl Fn(usize) -> f64) -> f64 {
        let expected = |group: &Group| {
            let end = (group.before + group.size).min(k);
            (group.before..end).map(&gain).sum::<f64>() * group.present as f64 / group.size as f64
        };
        self.groups.iter().map(expected).sum()
    }

    fn hits(&self, k: usize) -> f64 {
        self.gain(k, |_| 1.0)
    }

    fn discounted_gain(&self, k: usize) -> f64 {
        let discount = |rank: usize| 1.0 / ((rank + 2) as f64).log2();
        let best: f64 = (0..k.min(self.present)).map(discount).sum();
        ZeroDivision::Zero.ratio(self.gain(k, discount), best)
    }
}

/// `ranking_loss`, `coverage`, `one_error`, `average_precision`, and the measures at k.
pub(crate) fn rankings(outcome: &Outcome<'_>, options: &MeasureOptions, report: &mut Report) {
    let names_at = |k| ["precision", "recall", "ndcg"].map(|name| format!("{name}_at_{k}"));
    let Some(marginals) = outcome.marginals else {
        let names = ["ranking_loss", "coverage", "one_error", "average_precision"].map(String::from);
        let names = names.into_iter().chain(options.at.iter().flat_map(|&k| names_at(k)));
        names.for_each(|name| report.missing(name, NO_MARGINALS));
        return;
    };
    let scored = |row| cells(outcome.truth, row).map(|(label, present)| (marginals.get(row, label), present)).collect();
    let ranked: Vec<Ranked> = (0..outcome.truth.rows()).map(|row| Ranked::of(scored(row))).collect();
    let with_at_least = |count| ranked.iter().filter(|row| row.labels >= count).collect::<Vec<_>>();
    let rows = with_at_least(1);
    report.lower("ranking_loss", mean(&rows, Ranked::loss));
    report.lower("coverage", mean(&rows, |row| row.coverage() as f64));
    report.lower("one_error", 1.0 - mean(&rows, |row| row.hits(1)));
    report.higher("average_precision", mean(&rows, Ranked::average_precision));
    for &k in &options.at {
        // With fewer than k labels there are no first k to look at.
        let rows = with_at_least(k);
        let [precision, recall, ndcg] = names_at(k);
        if rows.is_empty() {
            let reason = format!("no row has {k} known labels");
            [precision, recall, ndcg].into_iter().for_each(|name| report.missing(name, reason.clone()));
            continue;
        }
        report.higher(precision, mean(&rows, |row| row.hits(k) / k as f64));
        report.higher(recall, mean(&rows, |row| options.zero_division.ratio(row.hits(k), row.present as f64)));
        report.higher(ndcg, mean(&rows, |row| row.discounted_gain(k)));
    }
}

fn mean(rows: &[&Ranked], value: impl Fn(&Ranked) -> f64) -> f64 {
    rows.iter().map(|row| value(row)).sum::<f64>() / rows.len() as f64
}
