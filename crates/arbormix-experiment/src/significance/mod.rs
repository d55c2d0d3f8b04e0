//! Tests of whether differences between methods are more than chance.
//!
//! | question | test |
//! |---|---|
//! | two methods on the folds of one data set | [`paired_t`] (the paper's), [`corrected_resampled_t`] |
//! | two methods over data sets | [`wilcoxon()`] |
//! | several methods over data sets | [`friedman`], then [`nemenyi_distance`] |
//!
//! The training sets of folds overlap, so their values are not independent and the plain paired t finds differences too
//! often; the corrected one (Nadeau and Bengio 2003) allows for that. All tests are two-sided.

mod many;
mod paired;
mod ranks;
mod studentised;
#[cfg(test)]
mod tests;
mod wilcoxon;

pub use many::{Friedman, friedman, nemenyi_distance};
pub use paired::{TTest, corrected_resampled_t, paired_t};
pub use ranks::ranks;
pub use studentised::{studentised_range_cdf, studentised_range_quantile};
pub use wilcoxon::{Wilcoxon, wilcoxon};
