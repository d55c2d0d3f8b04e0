//! Signs that a data file was put together wrongly.
//!
//! Two defects of public files, both found in the widely used RCV1 subsets, are looked for:
//!
//! - *Shifted labels.* A file joined from two parts whose label columns do not line up: label k of one part is label
//!   k − s of the other, and s labels lie among the features. The rows are cut at their middle and quarters. Several labels have
//!   rows that look (by the mean of their standardised features) like those of *another* label after the cut, and not
//!   like their own. A file sorted by label has no such pairs.
//! - *Copied labels.* A feature that says what a label says, or its opposite, in (nearly) all rows.
//!
//! The thresholds tell the five public RCV1 subsets, whole and reduced to ten labels, from their repaired versions and
//! from emotions, yeast, scene, image and enron (tests). A file whose order is shuffled hides the first defect.

mod copies;
mod parts;
#[cfg(test)]
mod tests;

use std::fmt;

use serde::Serialize;

use self::parts::Parts;
use super::Dataset;

/// Number of names that a message lists.
const SHOWN: usize = 5;

/// Something that looks like a mistake in the file.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Defect {
    /// Label columns of two parts of the rows do not line up.
    ShiftedLabels {
        /// Labels of one part and the labels that they look like in the other.
        pairs: Vec<(String, String)>,
        /// The parts are the rows before this one, counted from 0, and the others. The true place may be another.
        cut: usize,
        /// Correlation of the labels' frequencies in the two parts; `None` for fewer than three labels.
        correlation: Option<f64>,
        /// Columns by which a shift makes the frequencies agree, if one does.
        shift: Option<usize>,
        /// Frequent features that have values in one part only: perhaps labels.
        one_sided: Vec<String>,
    },
    /// A feature has one value where a label is present and others where it is not.
    CopiedLabel {
        /// The feature.
        feature: String,
        /// The label.
        label: String,
        /// Rows for which that does not hold.
        exceptions: usize,
    },
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Defect::ShiftedLabels { pairs, cut, correlation, shift, one_sided } => {
                let pair = |(first, second): &(String, String)| format!("{first:?} like {second:?}");
                write!(
                    f,
                    "labels seem to change their meaning about row {cut}: by their features, {} of them look like \
                     another label of the other rows ({})",
                    pairs.len(),
                    some(pairs.iter().map(pair))
                )?;
                if let Some(correlation) = correlation {
                    write!(f, "; the labels' frequencies before and after it correlate {correlation:.2}")?;
                }
                if let Some(shift) = shift {
                    let s = if *shift == 1 { "" } else { "s" };
                    write!(f, "; they agree when one part is shifted by {shift} column{s}")?;
                }
                if !one_sided.is_empty() {
                    let names = some(one_sided.iter().map(|name| format!("{name:?}")));
                    write!(f, "; features with values in one part only may be labels: {names}")?;
                }
                f.write_str("; compare the file with its source")
            }
            Defect::CopiedLabel { feature, label, exceptions: 0 } => {
                write!(f, "feature {feature:?} says exactly which rows have label {label:?}; leave it out (--drop)")
            }
            Defect::CopiedLabel { feature, label, exceptions } => write!(
                f,
                "feature {feature:?} says in all but {exceptions} rows whether they have label {label:?}; if it is not \
                 known before the label is, leave it out (--drop)"
            ),
        }
    }
}

fn some(names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.collect();
    let more = if names.len() > SHOWN { ", …" } else { "" };
    names[..names.len().min(SHOWN)].join(", ") + more
}

/// Finds the defects of a data set with a few passes over its cells.
pub fn find(data: &Dataset) -> Vec<Defect> {
    // The middle first: if several cuts show the defect, the shift is estimated best there.
    let cuts = [2, 1, 3].map(|quarters| data.rows() * quarters / 4);
    let shifted = cuts.into_iter().find_map(|cut| Parts::of(data, cut).shifted(data));
    shifted.into_iter().chain(copies::find(data)).collect()
}
