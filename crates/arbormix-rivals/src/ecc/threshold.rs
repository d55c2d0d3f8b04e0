//! PCut: the score from which a label is predicted, so that as many are predicted as there are.

/// No threshold is lower: a score of 0 never counts.
const FLOOR: f64 = 1e-5;

/// The threshold that `count` of the scores (each in [0, 1]) reach: halfway between the scores around the cut.
///
/// Scores that tie across the cut reach it together.
pub(crate) fn proportional_cut(mut scores: Vec<f64>, count: usize) -> f64 {
    scores.sort_by(|a, b| b.total_cmp(a));
    let above = count.checked_sub(1).and_then(|last| scores.get(last)).copied().unwrap_or(1.0);
    let below = scores.get(count).copied().unwrap_or(0.0);
    (0.5 * (above + below)).max(FLOOR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cut_lies_between_the_scores_around_it() {
        let cut = |count| proportional_cut(vec![0.2, 0.9, 0.5, 0.1], count);
        assert_eq!([cut(0), cut(1), cut(2), cut(4)], [0.95, 0.7, 0.35, 0.05]);
        assert_eq!(proportional_cut(vec![0.0; 5], 3), FLOOR);
        assert_eq!(proportional_cut(vec![0.5; 5], 3), 0.5);
    }
}
