//! Signs that a data file was put together wrongly.
//!
//! Two defects of public files, both found in the widely used RCV1 subsets, are looked for:
//!
//! - *Shifted labels.* A file joined from two parts whose label columns do not line up: label k of one half is label
//!   k − s of the other, and s labels lie among the features. Looked for in two steps. First, frequencies of the labels
//!   in the first and second half of the rows hardly correlate; a file sorted by label shows that too. Second,
//!   several labels have rows that look (by the mean of their standardised features) like those of *another* label in
//!   the other half, and not like their own.
//! - *Copied labels.* A feature that is present in exactly the rows of a label.
//!
//! The thresholds tell the five public RCV1 subsets, whole and reduced to ten labels, from their repaired versions and
//! from emotions, yeast, scene, image and enron (tests). A file whose order is shuffled hides the first defect.

mod halves;
#[cfg(test)]
mod tests;

use std::fmt;

use serde::Serialize;

use self::halves::Halves;
use super::Dataset;
use crate::random::Stream;

/// Labels that occur less often than this prove nothing.
const RARE: usize = 5;
/// Names that a message lists.
const SHOWN: usize = 5;

/// Something that looks like a mistake in the file.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Defect {
    /// Label columns of the two halves of the rows do not line up.
    ShiftedLabels {
        /// Labels of one half and the labels that they look like in the other.
        pairs: Vec<(String, String)>,
        /// Correlation of the labels' frequencies in the two halves.
        correlation: f64,
        /// Columns by which a shift makes the frequencies agree, if one does.
        shift: Option<usize>,
        /// Frequent features that have values in one half only: perhaps labels.
        one_sided: Vec<String>,
    },
    /// A feature is present in exactly the rows of a label.
    CopiedLabel {
        /// The feature.
        feature: String,
        /// The label.
        label: String,
    },
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Defect::ShiftedLabels { pairs, correlation, shift, one_sided } => {
                let pair = |(first, second): &(String, String)| format!("{first:?} like {second:?}");
                write!(
                    f,
                    "labels seem to change their meaning between the two halves of the rows: by their features, {} of \
                     them look like another label of the other half ({}), and the labels' frequencies correlate only \
                     {correlation:.2}",
                    pairs.len(),
                    some(pairs.iter().map(pair))
                )?;
                if let Some(shift) = shift {
                    let s = if *shift == 1 { "" } else { "s" };
                    write!(f, "; they agree when one half is shifted by {shift} column{s}")?;
                }
                if !one_sided.is_empty() {
                    let names = some(one_sided.iter().map(|name| format!("{name:?}")));
                    write!(f, "; features with values in one half only may be labels: {names}")?;
                }
                f.write_str("; compare the file with its source")
            }
            Defect::CopiedLabel { feature, label } => {
                write!(
                    f,
                    "feature {feature:?} is present in exactly the rows of label {label:?}; leave it out (--drop)"
                )
            }
        }
    }
}

fn some(names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.collect();
    let more = if names.len() > SHOWN { ", …" } else { "" };
    names[..names.len().min(SHOWN)].join(", ") + more
}

/// The defects of a data set; costs two or three walks over its cells.
pub fn find(data: &Dataset) -> Vec<Defect> {
    let shifted = Halves::of(data).and_then(|halves| halves.shifted(data));
    shifted.into_iter().chain(copies(data)).collect()
}

/// Features that are present in the rows of a label and in no others.
fn copies(data: &Dataset) -> Vec<Defect> {
    // A random number for every row: sets of rows are equal if their sums are, but for one chance in 2⁶⁴.
    let mut stream = Stream::new(0, "rows", 0);
    let marks: Vec<u64> = (0..data.rows()).map(|_| stream.bits()).collect();
    let (mut features, mut labels) = (vec![0_u64; data.columns().len()], vec![(0_u64, 0_usize); data.labels().count()]);
    for (row, &mark) in marks.iter().enumerate() {
        data.features().visit_row(row, |column, value| {
            if value != 0.0 {
                features[column] = features[column].wrapping_add(mark);
            }
        });
        for label in data.labels().row(row).members() {
            labels[label].0 = labels[label].0.wrapping_add(mark);
            labels[label].1 += 1;
        }
    }
    let mut found = Vec::new();
    for (label, &(sum, count)) in labels.iter().enumerate() {
        // A label of every row is no news.
        if count < RARE || count == data.rows() {
            continue;
        }
        for column in (0..features.len()).filter(|&column| features[column] == sum) {
            found.push(Defect::CopiedLabel {
                feature: data.columns()[column].name.clone(),
                label: data.label_names()[label].clone(),
            });
        }
    }
    found
}
