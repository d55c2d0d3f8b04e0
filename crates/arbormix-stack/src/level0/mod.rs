//! Level 0: parts that are fitted to the rows themselves.
//!
//! Each gives log-odds per label, and some also give a distribution over the label sets seen. Level 1 is fitted to their
//! *out-of-fold* answers, because regressions and fully grown trees fit their own training rows too well.
//!
//! - [`feature_map`]: the map φ of the features that regressions and gate use; `map_choice`: how it is chosen
//! - [`regressions`]: a logistic regression on φ per label
//! - [`forest`]: extra-trees whose classes are the label sets

pub(crate) mod feature_map;
pub(crate) mod forest;
pub(crate) mod map_choice;
pub(crate) mod regressions;

use self::feature_map::PhiMap;
use std::fmt::Debug;
use std::sync::Arc;

use crate::params::StackParams;
use arbormix_base::progress::Progress;
use arbormix_data::splits::Folds;
use arbormix_data::{LabelSet, SeenSets};
use arbormix_joint::Result;
use arbormix_joint::learner::{Size, Workers};
use arbormix_learn::forest::Shares;
use arbormix_learn::logistic::Design;
use arbormix_learn::store::Stored;
use arbormix_matrix::{Columns, Matrix};

/// What the parts of level 0 need to load themselves.
pub(crate) struct Level0File<'a> {
    pub(crate) stored: &'a Stored,
    pub(crate) labels: usize,
    pub(crate) map: &'a PhiMap,
    /// The label sets seen, by class.
    pub(crate) seen: &'a [LabelSet],
}

/// A part of level 0: how it is fitted and loaded, and what that costs.
pub(crate) trait Level0Part: Sync {
    /// Its name in files and notes.
    fn name(&self) -> &'static str;

    /// Answers every row out-of-fold, and fits the model that answers new rows.
    fn fit(&self, rows: &TrainingRows<'_>, folds: &Folds, progress: &dyn Progress) -> Result<Level0Fit>;

    /// Loads what [`Level0Model::store`] wrote.
    fn load(&self, file: &Level0File<'_>) -> Result<Arc<dyn Level0Model>>;

    /// Nominal seconds of its fits.
    fn seconds(&self, params: &StackParams, size: &Size) -> f64;

    /// Bytes of its fits, answers included.
    fn bytes(&self, params: &StackParams, size: &Size, workers: Workers) -> usize;
}

/// A fitted part of level 0.
pub(crate) trait Level0Model: Debug + Send + Sync {
    /// Its name in files and notes.
    fn name(&self) -> &'static str;

    /// Whether its answers have [`Level0Answers::sets`].
    fn has_sets(&self) -> bool {
        false
    }

    /// Its answers to new rows.
    fn answers(&self, rows: &NewRows<'_>) -> Level0Answers;

    /// Writes its facts and tensors.
    fn store(&self, file: &mut Stored);
}

/// The answers of one part to some rows.
pub(crate) struct Level0Answers {
    /// Log-odds of every label, n × d.
    pub(crate) log_odds: Columns,
    /// P(s | x) over the label sets seen, by class, if the part has such a distribution.
    pub(crate) sets: Option<Vec<Shares>>,
}

/// Out-of-fold answers of one part, and the part fitted to all rows.
pub(crate) struct Level0Fit {
    pub(crate) answers: Level0Answers,
    pub(crate) model: Arc<dyn Level0Model>,
    /// A message if a solver stopped at its limit.
    pub(crate) unconverged: Option<String>,
}

/// The rows that level 0 is fitted to.
pub(crate) struct TrainingRows<'a> {
    pub(crate) features: &'a Matrix,
    /// φ of the rows.
    pub(crate) design: &'a Design,
    /// One column per label.
    pub(crate) labels: &'a [Vec<bool>],
    pub(crate) seen: &'a SeenSets,
    pub(crate) weights: Option<&'a [f64]>,
    pub(crate) params: &'a StackParams,
}

/// Rows to predict.
pub(crate) struct NewRows<'a> {
    pub(crate) features: &'a Matrix,
    /// φ of the rows.
    pub(crate) mapped: &'a Matrix,
    /// The label sets seen, by class.
    pub(crate) seen: &'a [LabelSet],
    /// Number of labels.
    pub(crate) labels: usize,
}
