//! The list of measures that were computed, and the reasons for those that were not.

use serde::{Deserialize, Serialize};

use super::{Direction, MeasureOptions, Outcome, ZeroDivision, full_rows};

/// One measure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    /// Its name, e.g. `exact_match`.
    pub name: String,
    /// Its value, always finite.
    pub value: f64,
    /// Whether more is better.
    pub better: Direction,
}

/// A measure that is not defined for the input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Absent {
    /// Its name.
    pub name: String,
    /// Why, e.g. "there are no marginals".
    pub reason: String,
}

/// Measures of one label over its known cells.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LabelMeasures {
    /// Share of predicted cells that are present.
    pub precision: f64,
    /// Share of present cells that are predicted.
    pub recall: f64,
    /// Harmonic mean of the two.
    pub f1: f64,
    /// Number of present cells.
    pub support: usize,
    /// Area under the ROC curve, if there are marginals and both classes occur.
    pub auc: Option<f64>,
}

/// What [`super::evaluate`] found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Measures {
    measures: Vec<Measure>,
    absent: Vec<Absent>,
    rows: usize,
    full_rows: usize,
    cells: usize,
    zero_division: ZeroDivision,
    calibration_bins: usize,
    labels_in_macro_auc: usize,
    labels_without_support: Vec<usize>,
    per_label: Vec<LabelMeasures>,
}

/// Measures while they are computed.
#[derive(Debug, Default)]
pub(crate) struct Report {
    measures: Vec<Measure>,
    absent: Vec<Absent>,
}

impl Report {
    /// Adds a measure where more is better.
    pub(crate) fn higher(&mut self, name: impl Into<String>, value: f64) {
        self.add(name.into(), value, Direction::Higher);
    }

    /// Adds a measure where less is better.
    pub(crate) fn lower(&mut self, name: impl Into<String>, value: f64) {
        self.add(name.into(), value, Direction::Lower);
    }

    fn add(&mut self, name: String, value: f64, better: Direction) {
        if value.is_finite() {
            self.measures.push(Measure { name, value, better });
        } else {
            self.missing(name, format!("its value is {value}"));
        }
    }

    /// Says why a measure is not there.
    pub(crate) fn missing(&mut self, name: impl Into<String>, reason: impl Into<String>) {
        self.absent.push(Absent { name: name.into(), reason: reason.into() });
    }
}

impl Measures {
    pub(crate) fn new(
        report: Report,
        outcome: &Outcome<'_>,
        options: &MeasureOptions,
        per_label: Vec<LabelMeasures>,
    ) -> Measures {
        let truth = outcome.truth;
        Measures {
            measures: report.measures,
            absent: report.absent,
            rows: truth.rows(),
            full_rows: full_rows(truth).count(),
            cells: truth.rows() * truth.count() - truth.unknown(),
            zero_division: options.zero_division,
            calibration_bins: options.calibration_bins,
            labels_in_macro_auc: per_label.iter().filter(|label| label.auc.is_some()).count(),
            labels_without_support: (0..per_label.len()).filter(|&label| per_label[label].support == 0).collect(),
            per_label,
        }
    }

    /// Name, value and direction of every measure, in report order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f64, Direction)> + '_ {
        self.measures.iter().map(|measure| (measure.name.as_str(), measure.value, measure.better))
    }

    /// The measure with a name, if it was computed.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.measures.iter().find(|measure| measure.name == name).map(|measure| measure.value)
    }

    /// Measures that are not defined for the input, with the reason.
    pub fn absent(&self) -> &[Absent] {
        &self.absent
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of rows without unknown cells: those that measures of whole sets use.
    pub fn full_rows(&self) -> usize {
        self.full_rows
    }

    /// Number of known label cells: those that all other measures use.
    pub fn cells(&self) -> usize {
        self.cells
    }

    /// What 0/0 counted as.
    pub fn zero_division(&self) -> ZeroDivision {
        self.zero_division
    }

    /// Number of bins of the calibration error.
    pub fn calibration_bins(&self) -> usize {
        self.calibration_bins
    }

    /// Number of labels with both classes: those that `macro_auc` is the mean of.
    pub fn labels_in_macro_auc(&self) -> usize {
        self.labels_in_macro_auc
    }

    /// Labels that are never present: their recall says nothing.
    pub fn labels_without_support(&self) -> &[usize] {
        &self.labels_without_support
    }

    /// Measures of each label.
    pub fn per_label(&self) -> &[LabelMeasures] {
        &self.per_label
    }
}
