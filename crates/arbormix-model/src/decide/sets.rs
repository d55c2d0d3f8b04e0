//! Sets for measures that do not fall apart into labels.

use super::{by_label, ranked, set_of};
use arbormix_data::LabelSet;
use arbormix_joint::joint::RowMixture;
use arbormix_joint::tree::inference::Counts;

/// For every size c ≥ 1, the set of that size with the largest expected F and its value.
///
/// With Fβ = (1 + β²) ∣y ∩ ŷ∣ / (β² ∣y∣ + ∣ŷ∣), the expectation for ∣ŷ∣ = c is a sum over the labels of ŷ of
/// Σₛ P(yᵢ = 1, ∣y∣ = s) (1 + β²) / (β² s + c): the c largest terms win.
fn best_f_of_sizes(counts: &Counts, beta: f64) -> impl Iterator<Item = (LabelSet, f64)> + '_ {
    let labels = counts.with.len();
    let square = beta * beta;
    (1..=labels).map(move |size| {
        let factor = |s: usize| (1.0 + square) / (square * s as f64 + size as f64);
        let term = |with: &Vec<f64>| (1..with.len()).map(|s| with[s] * factor(s)).sum();
        let terms: Vec<f64> = counts.with.iter().map(term).collect();
        let chosen = &ranked(&terms)[..size];
        (set_of(labels, chosen), chosen.iter().map(|&i| terms[i]).sum())
    })
}

/// The set with the largest expected F; exact (the general F-measure maximiser).
pub(crate) fn best_f(mixture: &RowMixture<'_>, beta: f64) -> (LabelSet, f64) {
    let counts = mixture.label_counts();
    let nothing = (LabelSet::empty(mixture.labels()), counts.sizes[0]);
    best_f_of_sizes(&counts, beta).fold(nothing, |best, next| if next.1 > best.1 { next } else { best })
}

/// The set with the largest expected Jaccard index among candidates; no efficient exact rule is known.
///
/// The candidates: the most probable set (`best`), for every size the labels with the largest marginals, and for every size the
/// best set under F1. Their values are exact.
pub(crate) fn best_jaccard(mixture: &RowMixture<'_>, best: LabelSet) -> (LabelSet, f64) {
    let labels = mixture.labels();
    let (marginals, counts) = (mixture.marginals(), mixture.label_counts());
    let order = ranked(&marginals);
    let mut candidates: Vec<LabelSet> = (0..=labels).map(|size| set_of(labels, &order[..size])).collect();
    candidates.push(best);
    candidates.push(by_label(&marginals, |_| [1.0, 1.0], 1.0).labels);
    candidates.extend(best_f_of_sizes(&counts, 1.0).map(|(set, _)| set));
    candidates.sort();
    candidates.dedup();
    let nothing = (LabelSet::empty(labels), counts.sizes[0]);
    candidates.into_iter().filter(|set| !set.is_empty()).fold(nothing, |best, set| {
        let value = expected_jaccard(mixture, &set);
        if value > best.1 { (set, value) } else { best }
    })
}

/// E[∣y ∩ ŷ∣ / ∣y ∪ ŷ∣] of a set that is not empty: the union has ∣ŷ∣ + s labels when s labels outside ŷ are present.
fn expected_jaccard(mixture: &RowMixture<'_>, set: &LabelSet) -> f64 {
    let outside = LabelSet::from_bools(&set.to_bools().iter().map(|present| !present).collect::<Vec<_>>());
    let (counts, size) = (mixture.counts(&outside), set.count());
    let share = |label: usize| counts.with[label].iter().enumerate().map(|(s, p)| p / (size + s) as f64).sum::<f64>();
    set.members().map(share).sum()
}
