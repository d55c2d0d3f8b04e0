//! Compares two models on the same held-out rows.

/// The weighted mean gain of one model over another, in standard errors; 0 if the gains do not vary.
pub fn lead(gains: &[f64], weight: impl Fn(usize) -> f64) -> f64 {
    let mass: f64 = (0..gains.len()).map(&weight).sum();
    let mean = gains.iter().enumerate().map(|(row, gain)| weight(row) * gain).sum::<f64>() / mass;
    let square = |(row, gain): (usize, &f64)| (weight(row) * (gain - mean)).powi(2);
    let count = gains.len() as f64;
    let error = (gains.iter().enumerate().map(square).sum::<f64>() * count / (count - 1.0)).sqrt() / mass;
    // Gains that are all the same differ by rounding.
    if error > 1e-12 * mean.abs() { mean / error } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::lead;

    /// scipy.stats.ttest_1samp([1, 2, 4, -1], 0).statistic; a common weight changes nothing.
    #[test]
    fn a_lead_is_the_t_statistic_of_the_gains() {
        assert!((lead(&[1.0, 2.0, 4.0, -1.0], |_| 1.0) - 1.441_153_384_245_784_2).abs() < 1e-12);
        assert_eq!(lead(&[0.1, 0.1, 0.1], |_| 1.0), 0.0);
        assert_eq!(lead(&[0.1], |_| 1.0), 0.0);
        assert_eq!(lead(&[1.0, 2.0, 4.0, -1.0], |_| 7.0), lead(&[1.0, 2.0, 4.0, -1.0], |_| 1.0));
    }
}
