//! All measures of predictions, with their conventions.
//!
//! N rows, d labels, y the true set, ŷ the predicted set, p the marginals. With unknown cells in the truth, sums run
//! over observed cells only, and over rows that have any; measures of whole sets use fully observed rows only
//! ([`Measures::full_rows`] says how many).
//!
//! | name | definition | family |
//! |---|---|---|
//! | `exact_match` | share of rows with ŷ = y (EMA) | [whole sets](#whole-sets) |
//! | `cll_loss`, `cll_loss_mean` | −Σ log P(y ∣ x) over rows; the same per row | |
//! | `hamming_loss` | share of cells with ŷᵢ ≠ yᵢ | [rows](#rows) |
//! | `jaccard` | mean over rows of ∣y ∩ ŷ∣ / ∣y ∪ ŷ∣ | |
//! | `example_f1` | mean over rows of 2∣y ∩ ŷ∣ / (∣y∣ + ∣ŷ∣) | |
//! | `micro_f1` | 2TP / (2TP + FP + FN), cells pooled | [labels](#labels) |
//! | `macro_f1` | mean over labels of that label's F1 | |
//! | `macro_f1_of_means` | 2PR / (P + R) of the labels' mean precision P and mean recall R | |
//! | `macro_auc` | mean over labels with both classes of the area under the ROC curve | |
//! | `micro_auc` | area under the ROC curve, cells pooled | |
//! | `ranking_loss` | mean over rows of the share of (present, absent) label pairs with p(present) ≤ p(absent) | [ranking](#ranking) |
//! | `coverage` | mean over rows of the rank of the worst-ranked present label | |
//! | `one_error` | share of rows whose first label is absent | |
//! | `average_precision` | mean over rows and present labels i of (present labels up to i's rank) / (i's rank) | |
//! | `precision_at_k` | mean over rows of (present labels among the first k) / k | |
//! | `recall_at_k` | mean over rows of (present labels among the first k) / ∣y∣ | |
//! | `ndcg_at_k` | mean over rows of Σ [r-th label present] / log₂(r + 1), r ≤ k, over the best such sum | |
//! | `brier` | mean over cells of (p − y)² | [probabilities](#probabilities) |
//! | `calibration_error` | Σ over equal-width bins of p of (share of cells) · ∣mean p − mean y∣ | |
//!
//! # Whole sets
//! The tables of the ML-ME paper give `exact_match` and the *sum* `cll_loss` per test fold.
//!
//! # Rows
//! Where y and ŷ are both empty, Jaccard and F1 are 0/0; [`ZeroDivision`] says what counts.
//!
//! # Labels
//! A label that neither occurs nor is predicted has the F1 of [`ZeroDivision`]; so have precision without predictions
//! and recall without occurrences in [`Measures::per_label`]. `macro_f1_of_means` is the convention of the paper's
//! authors' evaluator and always takes 1 for both, as it does.
//!
//! # Ranking
//! Labels are ranked by p. `ranking_loss`, `coverage` and `average_precision` count a tie against the prediction, as
//! scikit-learn does (ranks count all labels with the same or a higher p; a coverage of Mulan is smaller by 1). The
//! others take the mean over all orders of tied labels. Rows without present labels, or with all, have a ranking loss
//! of 0 and an average precision of 1; rows without have a coverage of 0, a one-error of 1, and 0 in precision and
//! nDCG; their recall at k follows [`ZeroDivision`].
//!
//! # Probabilities
//! Bins are (a, b], the first one closed; [`Measures::calibration_bins`] says how many.
//!
//! A measure that is not defined for the input is not in the list; [`Measures::absent`] gives the reason.

mod calibration;
mod labels;
mod probabilities;
mod ranking;
mod report;
mod sets;
#[cfg(test)]
mod tests;

pub use calibration::{Calibration, Claims, Reliability, ReliabilityBin, calibration};
pub use report::{Absent, LabelMeasures, Measure, Measures};

use serde::{Deserialize, Serialize};

use arbormix_base::params::ParamError;
use arbormix_data::{DataError, LabelSet, Labels};
use arbormix_joint::Result;
use arbormix_matrix::DenseMatrix;

/// The truth and what was predicted for it.
#[derive(Debug, Clone, Copy)]
pub struct Outcome<'a> {
    /// True labels, N × d; cells may be unknown.
    pub truth: &'a Labels,
    /// A predicted label set per row.
    pub predicted: &'a [LabelSet],
    /// P(yᵢ = 1 | x), N × d, if there are any.
    pub marginals: Option<&'a DenseMatrix>,
    /// log P(true set | x) per row, if there are any; not looked at in rows with unknown cells.
    pub log_probs: Option<&'a [f64]>,
}

/// What 0/0 counts as, in precision, recall, F1 and Jaccard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ZeroDivision {
    /// 0, scikit-learn's default.
    #[default]
    Zero,
    /// 1: nothing was missed and nothing was wrong.
    One,
}

impl ZeroDivision {
    /// `part / whole`, or the policy's value if `whole` is 0.
    fn ratio(self, part: f64, whole: f64) -> f64 {
        match self {
            _ if whole != 0.0 => part / whole,
            ZeroDivision::Zero => 0.0,
            ZeroDivision::One => 1.0,
        }
    }
}

/// Whether more of a measure is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Higher is better.
    Higher,
    /// Lower is better.
    Lower,
}

/// Conventions of [`evaluate`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasureOptions {
    /// What 0/0 counts as.
    pub zero_division: ZeroDivision,
    /// The k of precision, recall and nDCG among the first k labels.
    pub at: Vec<usize>,
    /// Number of bins of the calibration error.
    pub calibration_bins: usize,
}

impl Default for MeasureOptions {
    fn default() -> Self {
        MeasureOptions { zero_division: ZeroDivision::default(), at: vec![1, 3, 5], calibration_bins: 10 }
    }
}

impl MeasureOptions {
    /// The names of all measures, defined for an outcome or not; errs if the options are wrong.
    ///
    /// ```
    /// use arbormix_model::measure::MeasureOptions;
    ///
    /// let names = MeasureOptions::default().names()?;
    /// assert!(names.contains(&"exact_match".to_string()) && names.contains(&"ndcg_at_3".to_string()));
    /// # Ok::<(), arbormix_joint::Error>(())
    /// ```
    pub fn names(&self) -> Result<Vec<String>> {
        // Of an outcome without probabilities every measure is either found or said to be absent.
        let (truth, predicted) = (Labels::new(1, vec![LabelSet::empty(1)]), [LabelSet::empty(1)]);
        let outcome = Outcome { truth: &truth, predicted: &predicted, marginals: None, log_probs: None };
        let found = evaluate(&outcome, self)?;
        let absent = found.absent().iter().map(|absent| absent.name.clone());
        Ok(found.iter().map(|(name, ..)| name.to_string()).chain(absent).collect())
    }

    /// Checks the options; [`evaluate`] does it first.
    pub fn validate(&self) -> Result<(), ParamError> {
        ParamError::require(self.at.iter().all(|&k| k > 0), "at", &self.at, "every k must be at least 1")?;
        let repeated = (1..self.at.len()).any(|i| self.at[..i].contains(&self.at[i]));
        ParamError::require(!repeated, "at", &self.at, "every k may be given once")?;
        let bins = self.calibration_bins;
        ParamError::require((1..=10_000).contains(&bins), "calibration_bins", bins, "must lie between 1 and 10000")
    }
}

/// Computes every measure that is defined for the outcome.
///
/// ```
/// use arbormix_data::{LabelSet, Labels};
/// use arbormix_model::measure::{MeasureOptions, Outcome, evaluate};
///
/// let truth = Labels::new(2, vec![LabelSet::from_bools(&[true, false]), LabelSet::from_bools(&[true, true])]);
/// let predicted = vec![LabelSet::from_bools(&[true, false]); 2];
/// let outcome = Outcome { truth: &truth, predicted: &predicted, marginals: None, log_probs: Some(&[-0.5, -1.5]) };
/// let measures = evaluate(&outcome, &MeasureOptions::default())?;
/// assert_eq!(measures.get("exact_match"), Some(0.5));
/// assert_eq!(measures.get("cll_loss"), Some(2.0));
/// assert_eq!(measures.get("micro_f1"), Some(0.8));
/// assert_eq!(measures.get("brier"), None); // there are no marginals
/// # Ok::<(), arbormix_joint::Error>(())
/// ```
pub fn evaluate(outcome: &Outcome<'_>, options: &MeasureOptions) -> Result<Measures> {
    options.validate()?;
    check(outcome)?;
    let mut report = report::Report::default();
    sets::whole_sets(outcome, &mut report);
    sets::rows(outcome, options.zero_division, &mut report);
    let per_label = labels::labels(outcome, options.zero_division, &mut report);
    ranking::areas(outcome, &per_label, &mut report);
    ranking::rankings(outcome, options, &mut report);
    probabilities::probabilities(outcome, options.calibration_bins, &mut report);
    Ok(Measures::new(report, outcome, options, per_label))
}

/// Errs if the parts of the outcome do not fit together, hold nothing, or hold what is no probability.
fn check(outcome: &Outcome<'_>) -> Result<()> {
    let (rows, count) = (outcome.truth.rows(), outcome.truth.count());
    let some = |what, found| {
        if found > 0 { Ok(()) } else { Err(DataError::TooFew { what, found, needed: 1, remedy: "" }) }
    };
    some("rows to evaluate", rows)?;
    some("labels to evaluate", count)?;
    some("label cells that are known, to evaluate", rows * count - outcome.truth.unknown())?;
    let equal = |what, left, right| {
        if left == right { Ok(()) } else { Err(DataError::Sizes { what, left, right }) }
    };
    equal("rows of predictions and of labels", outcome.predicted.len(), rows)?;
    outcome.predicted.iter().try_for_each(|set| equal("labels of a prediction and of the truth", set.len(), count))?;
    if let Some(marginals) = outcome.marginals {
        equal("rows of marginals and of labels", marginals.rows(), rows)?;
        equal("labels of the marginals and of the truth", marginals.cols(), count)?;
        // Sums of probabilities may pass 1 by rounding.
        for (at, p) in marginals.values().iter().enumerate() {
            let name = "marginals (row, label, value)";
            ParamError::require(
                (0.0..=1.0 + 1e-9).contains(p),
                name,
                (at / count, at % count, p),
                "must lie in [0, 1]",
            )?;
        }
    }
    if let Some(log_probs) = outcome.log_probs {
        equal("rows of log-probabilities and of labels", log_probs.len(), rows)?;
        for row in full_rows(outcome.truth) {
            let value = log_probs[row];
            ParamError::require(value <= 1e-9, "log_probs (row, value)", (row, value), "must be at most 0")?;
        }
    }
    Ok(())
}

/// Rows without unknown cells.
fn full_rows(truth: &Labels) -> impl Iterator<Item = usize> + '_ {
    (0..truth.rows()).filter(|&row| truth.mask().is_none_or(|masks| masks[row].count() == truth.count()))
}

/// The known cells of a row, as (label, present).
fn cells(truth: &Labels, row: usize) -> impl Iterator<Item = (usize, bool)> + '_ {
    (0..truth.count()).filter_map(move |label| truth.get(row, label).map(|present| (label, present)))
}

/// Counts of present and predicted cells.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    both: usize,
    only_predicted: usize,
    only_present: usize,
    neither: usize,
}

impl Counts {
    fn add(&mut self, present: bool, predicted: bool) {
        *match (present, predicted) {
            (true, true) => &mut self.both,
            (false, true) => &mut self.only_predicted,
            (true, false) => &mut self.only_present,
            (false, false) => &mut self.neither,
        } += 1;
    }

    fn merge(&mut self, other: &Counts) {
        self.both += other.both;
        self.only_predicted += other.only_predicted;
        self.only_present += other.only_present;
        self.neither += other.neither;
    }

    fn known(&self) -> usize {
        self.both + self.wrong() + self.neither
    }

    fn wrong(&self) -> usize {
        self.only_predicted + self.only_present
    }

    fn f1(&self, policy: ZeroDivision) -> f64 {
        policy.ratio(2.0 * self.both as f64, (2 * self.both + self.wrong()) as f64)
    }

    fn jaccard(&self, policy: ZeroDivision) -> f64 {
        policy.ratio(self.both as f64, (self.both + self.wrong()) as f64)
    }

    fn precision(&self, policy: ZeroDivision) -> f64 {
        policy.ratio(self.both as f64, (self.both + self.only_predicted) as f64)
    }

    fn recall(&self, policy: ZeroDivision) -> f64 {
        policy.ratio(self.both as f64, (self.both + self.only_present) as f64)
    }
}
