//! Whether labels mean the same before and after a cut through the rows.

use super::Defect;
use crate::Dataset;

/// Fewest rows of a label in a part for a comparison of means.
const ENOUGH: usize = 40;
/// Label frequencies with a higher correlation than this come from one population.
const ALIKE: f64 = 0.6;
/// A shift explains the frequencies if their correlation after it is at least this.
const EXPLAINED: f64 = 0.95;
/// Fewest labels for which a shift is not just chance.
const SHIFTABLE: usize = 20;
/// Two labels look alike if the cosine of their means is at least this …
const SIMILAR: f64 = 0.5;
/// … and the cosine of the label with itself is lower by at least this.
const MARGIN: f64 = 0.35;
/// One label may have drifted; two labels that changed places did not.
const LABELS: usize = 2;
/// Fewest cells of a feature, all in one half, that are not just chance (2⁻¹⁹).
const FREQUENT: usize = 20;

/// Counts of the labels in the rows before and after a cut.
pub(super) struct Parts {
    cut: usize,
    counts: [Vec<usize>; 2],
    /// Of the labels' frequencies in the two parts, if there are enough labels.
    correlation: Option<f64>,
}

impl Parts {
    /// Cuts the rows before row `cut`.
    pub(super) fn of(data: &Dataset, cut: usize) -> Parts {
        let labels = data.labels().count();
        let mut counts = [vec![0; labels], vec![0; labels]];
        for (row, set) in data.labels().sets().iter().enumerate() {
            set.members().for_each(|label| counts[usize::from(row >= cut)][label] += 1);
        }
        let correlation = correlation(&counts[0], &counts[1]);
        Parts { cut, counts, correlation }
    }

    /// The defect, if enough labels look like another label in the other part. Two labels are enough if the label
    /// frequencies do not come from one population either. Otherwise half of the comparable labels are needed, because
    /// neighbouring labels may be equally frequent.
    pub(super) fn shifted(&self, data: &Dataset) -> Option<Defect> {
        let chosen: Vec<usize> = (0..data.labels().count())
            .filter(|&label| self.counts.iter().any(|counts| counts[label] >= ENOUGH))
            .collect();
        let (means, one_sided) = self.means(data, &chosen);
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        let enough = |half: usize, place: usize| self.counts[half][chosen[place]] >= ENOUGH;
        let compared = (0..chosen.len()).filter(|&label| enough(0, label) && enough(1, label)).count();
        for half in [0, 1] {
            for label in (0..chosen.len()).filter(|&label| enough(half, label) && enough(1 - half, label)) {
                let alike = |other: usize| cosine(&means[half][label], &means[1 - half][other]);
                let others = (0..chosen.len()).filter(|&other| other != label && enough(1 - half, other));
                let best = others.map(|other| (alike(other), other)).max_by(|a, b| a.0.total_cmp(&b.0));
                if let Some((similar, other)) = best
                    && similar >= SIMILAR
                    && similar >= alike(label) + MARGIN
                    && pairs.iter().all(|&(known, _)| known != chosen[label])
                {
                    pairs.push((chosen[label], chosen[other]));
                }
            }
        }
        let unlike = self.correlation.is_some_and(|correlation| correlation < ALIKE);
        if pairs.len() < LABELS || !(unlike || 2 * pairs.len() >= compared) {
            return None;
        }
        pairs.sort_unstable();
        let name = |label: usize| data.label_names()[label].clone();
        Some(Defect::ShiftedLabels {
            pairs: pairs.into_iter().map(|(label, other)| (name(label), name(other))).collect(),
            cut: self.cut,
            correlation: self.correlation,
            shift: self.shift(),
            one_sided: one_sided.into_iter().map(|column| data.columns()[column].name.clone()).collect(),
        })
    }

    /// The shift of one half against the other that makes the frequencies agree best, if they then do.
    fn shift(&self) -> Option<usize> {
        let [first, second] = &self.counts;
        let labels = first.len();
        if labels < SHIFTABLE {
            return None;
        }
        let after = |shift: usize| {
            let (kept, left) = (labels - shift, correlation(&first[shift..], &second[..labels - shift]));
            left.unwrap_or(-1.0).max(correlation(&first[..kept], &second[shift..]).unwrap_or(-1.0))
        };
        let best = (1..labels / 2).map(|shift| (after(shift), shift)).max_by(|a, b| a.0.total_cmp(&b.0));
        best.filter(|(correlation, _)| *correlation >= EXPLAINED).map(|(_, shift)| shift)
    }

    /// For each half and chosen label, the mean of the label's rows minus that of the half, in standard deviations of
    /// the features; and the frequent features that have values in one half only.
    fn means(&self, data: &Dataset, chosen: &[usize]) -> ([Vec<Vec<f64>>; 2], Vec<usize>) {
        let columns = data.columns().len();
        let mut place = vec![None; data.labels().count()];
        chosen.iter().enumerate().for_each(|(at, &label)| place[label] = Some(at));
        let mut sums = [vec![vec![0.0; columns]; chosen.len()], vec![vec![0.0; columns]; chosen.len()]];
        let (mut totals, mut present) =
            ([vec![0.0; columns], vec![0.0; columns]], [vec![0; columns], vec![0; columns]]);
        let mut squares = vec![0.0; columns];
        for row in 0..data.rows() {
            let half = usize::from(row >= self.cut);
            let members: Vec<usize> = data.labels().row(row).members().filter_map(|label| place[label]).collect();
            data.features().visit_row(row, |column, value| {
                // A missing cell says nothing about the label.
                if value != 0.0 && !value.is_nan() {
                    totals[half][column] += value;
                    present[half][column] += 1;
                    squares[column] += value * value;
                    members.iter().for_each(|&label| sums[half][label][column] += value);
                }
            });
        }
        let rows = [self.cut as f64, (data.rows() - self.cut) as f64];
        let all = data.rows() as f64;
        for column in 0..columns {
            let mean = (totals[0][column] + totals[1][column]) / all;
            let deviation = (squares[column] / all - mean * mean).max(0.0).sqrt();
            let scale = if deviation > 0.0 { 1.0 / deviation } else { 0.0 };
            for half in [0, 1] {
                let usual = totals[half][column] / rows[half];
                for (label, sum) in sums[half].iter_mut().enumerate() {
                    let count = self.counts[half][chosen[label]].max(1) as f64;
                    sum[column] = (sum[column] / count - usual) * scale;
                }
            }
        }
        let one_sided = |&column: &usize| {
            let (first, second) = (present[0][column], present[1][column]);
            first.min(second) == 0 && first.max(second) >= FREQUENT
        };
        (sums, (0..columns).filter(one_sided).collect())
    }
}

/// Pearson's correlation of two lists of counts; `None` if one of them is constant or has fewer than three.
fn correlation(first: &[usize], second: &[usize]) -> Option<f64> {
    let count = first.len() as f64;
    let mean = |values: &[usize]| values.iter().sum::<usize>() as f64 / count;
    let (m1, m2) = (mean(first), mean(second));
    let (mut both, mut v1, mut v2) = (0.0, 0.0, 0.0);
    for (&a, &b) in first.iter().zip(second) {
        let (a, b) = (a as f64 - m1, b as f64 - m2);
        both += a * b;
        v1 += a * a;
        v2 += b * b;
    }
    (first.len() > 2 && v1 > 0.0 && v2 > 0.0).then(|| both / (v1 * v2).sqrt())
}

fn cosine(first: &[f64], second: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let norms = (dot(first, first) * dot(second, second)).sqrt();
    if norms > 0.0 { dot(first, second) / norms } else { 0.0 }
}
