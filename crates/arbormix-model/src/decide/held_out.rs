//! Thresholds from the rows that a method held out.

use super::{PooledF1, Thresholds};
use arbormix_data::Labels;
use arbormix_joint::learner::HeldOutMarginals;

/// How far marginals, and not truths, decide about thresholds.
const BELIEF: f64 = 0.5;

/// Thresholds for every pooled F1, from the labels and weights of the whole training set.
///
/// A label that other rows have but none of these would never be said, so its threshold for macro F1 is the one of all
/// labels together, that for micro F1.
pub(crate) fn thresholds(held_out: &HeldOutMarginals, labels: &Labels, weights: Option<&[f64]>) -> Vec<Thresholds> {
    let weights: Option<Vec<f64>> = weights.map(|weights| held_out.rows.iter().map(|&row| weights[row]).collect());
    let held = labels.select_rows(&held_out.rows);
    let mut fitted = PooledF1::ALL
        .map(|measure| Thresholds::fit_believing(measure, &held_out.marginals, &held, weights.as_deref(), BELIEF));
    let [by_label, together] = &mut fitted;
    for (label, value) in by_label.values.iter_mut().enumerate() {
        let has = |labels: &Labels| labels.sets().iter().any(|set| set.get(label));
        if !has(&held) && has(labels) {
            *value = together.values[label];
        }
    }
    fitted.to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arbormix_data::LabelSet;
    use arbormix_matrix::DenseMatrix;

    #[test]
    fn a_label_that_no_held_out_row_has_takes_the_threshold_of_all() {
        let sets = [[true, false, false], [false, false, false], [true, true, false], [false, false, false]];
        let labels = Labels::new(3, sets.map(|set| LabelSet::from_bools(&set)).to_vec());
        let marginals = DenseMatrix::new(2, 3, vec![0.1, 0.1, 0.0, 0.7, 0.3, 0.0]);
        let held_out = HeldOutMarginals { rows: vec![1, 0], marginals };
        let weights = [1.0, 2.0, 3.0, 4.0];
        let [by_label, together] = <[Thresholds; 2]>::try_from(thresholds(&held_out, &labels, Some(&weights))).unwrap();
        let near = |found: &[f64], expected: [f64; 3]| found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12);
        // Midway between the marginals of the rows with and without the first label; the third label no row has at all.
        assert!(
            near(&by_label.values, [0.4, 0.5, 1.0]) && near(&together.values, [0.5; 3]),
            "{by_label:?} {together:?}"
        );
        assert_eq!((by_label.rows, by_label.reached, together.reached), (2, 1.0 / 3.0, 1.0));
    }
}
