//! The two traits that join the rooms: a [`Learner`] (parameters that can fit) and a [`Predictor`] (what was learned).

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::data::{DataError, Dataset, LabelSet, Labels};
use crate::distribution::Divisible;
use crate::error::{Error, ParamError, Result};
use crate::features::{FeatureMap, FeatureParams};
use crate::joint::{RowMixture, Rows};
use crate::matrix::{DenseMatrix, Matrix};
use crate::model::{Model, Schema, Stored};
use crate::out_of_fold::HeldOutMarginals;
use crate::progress::Progress;
use crate::selection::Selection;
use crate::tree::{Branching, Tree};

/// What a learner sees: encoded features, labels, and optional weights of the rows.
#[derive(Debug, Clone, Copy)]
pub struct TrainingSet<'a> {
    /// Encoded features, N × m.
    pub features: &'a Matrix,
    /// Labels, N × d.
    pub labels: &'a Labels,
    /// Weight of each row (≥ 0), or all 1.
    pub weights: Option<&'a [f64]>,
    /// Names of the labels, for notes.
    pub label_names: &'a [String],
}

/// A method with its parameters.
pub trait Learner: Send + Sync {
    /// Name in the registry.
    fn method(&self) -> &'static str;
    /// The parameters, as written into the model file.
    fn params(&self) -> serde_json::Value;
    /// Checks the parameters; called first by [`fit`].
    fn validate(&self) -> Result<(), ParamError>;
    /// How raw columns become features.
    fn features(&self) -> &FeatureParams;
    /// Learns from encoded features.
    fn learn(&self, data: &TrainingSet<'_>, progress: &dyn Progress) -> Result<(Box<dyn Predictor>, FitReport)>;
    /// Another learner to fit in its place, from one that chooses among others. [`fit`] asks for it first, with
    /// parameters, data and weights that it has checked.
    fn select(&self, _data: &Dataset, _weights: Option<&[f64]>, _progress: &dyn Progress) -> Result<Option<Selection>> {
        Ok(None)
    }
    /// Whether what it fits can be brought to a temperature ([`Predictor::tempered`]).
    fn has_temperature(&self) -> bool {
        false
    }
    /// The learner as one that other processes can help, if they can.
    fn divisible(&self) -> Option<&dyn Divisible> {
        None
    }
}

/// The head of a [`Learner`] whose parameters are plain data with a field `features`.
macro_rules! learner_head {
    ($method:literal) => {
        fn method(&self) -> &'static str {
            $method
        }

        fn params(&self) -> serde_json::Value {
            serde_json::to_value(self).expect("parameters are plain data")
        }

        fn features(&self) -> &crate::features::FeatureParams {
            &self.features
        }
    };
}
pub(crate) use learner_head;

/// Trains `learner` on `data`: fits the feature map, encodes, learns, and packs everything a prediction needs.
///
/// A learner that chooses among others ([`Learner::select`]) does so first; the model is then that of the chosen one, and
/// [`Model::choice`] says why.
///
/// ```
/// use arbormix::{fit, progress::Silent, registry};
/// use arbormix::data::planted::Planted;
///
/// let (train, _truth) = Planted { rows: 200, seed: 1, ..Planted::default() }.sample()?;
/// let learner = registry::learner("br", registry::Preset::Default, &serde_json::json!({}))?;
/// let model = fit(learner.as_ref(), &train, None, &Silent)?;
/// assert_eq!(model.predict(&train)?.len(), 200);
/// # Ok::<(), arbormix::Error>(())
/// ```
pub fn fit(learner: &dyn Learner, data: &Dataset, weights: Option<&[f64]>, progress: &dyn Progress) -> Result<Model> {
    check(learner, data, weights)?;
    match learner.select(data, weights, progress)? {
        Some(Selection { learner, choice }) => Ok(fit(learner.as_ref(), data, weights, progress)?.chosen_by(choice)),
        None => prepared(learner, data, weights, progress)?.model(|set| learner.learn(set, progress)),
    }
}

/// Checked rows with their encoded features.
pub(crate) struct Prepared<'a> {
    learner: &'a dyn Learner,
    data: &'a Dataset,
    weights: Option<&'a [f64]>,
    features: FeatureMap,
    encoded: Cow<'a, Matrix>,
}

/// Checks the parameters and what is to be learned from.
fn check(learner: &dyn Learner, data: &Dataset, weights: Option<&[f64]>) -> Result<()> {
    learner.validate()?;
    learner.features().validate()?;
    let need = |what, found, remedy| {
        if found > 0 { Ok(()) } else { Err(DataError::TooFew { what, found, needed: 1, remedy }) }
    };
    need("rows to learn from", data.rows(), "")?;
    need("labels", data.labels().count(), "; say which columns are labels")?;
    let known = data.rows() * data.labels().count() - data.labels().unknown();
    need("label cells that are known", known, "; all of them are marked as missing")?;
    need("features", data.columns().len(), "; every column was taken as a label")?;
    weights.map_or(Ok(()), |weights| check_weights(weights, data.rows()))
}

/// Checks what is to be learned from, fits the feature map and encodes.
pub(crate) fn prepared<'a>(
    learner: &'a dyn Learner,
    data: &'a Dataset,
    weights: Option<&'a [f64]>,
    progress: &dyn Progress,
) -> Result<Prepared<'a>> {
    check(learner, data, weights)?;
    let features = FeatureMap::fit(data, learner.features())?;
    for note in features.notes() {
        progress.note(note);
    }
    let encoded = features.encode(data)?;
    Ok(Prepared { learner, data, weights, features, encoded })
}

impl Prepared<'_> {
    /// What the learner sees.
    pub(crate) fn set(&self) -> TrainingSet<'_> {
        TrainingSet {
            features: &self.encoded,
            labels: self.data.labels(),
            weights: self.weights,
            label_names: self.data.label_names(),
        }
    }

    /// Learns, and packs everything a prediction needs.
    pub(crate) fn model(
        self,
        learn: impl FnOnce(&TrainingSet<'_>) -> Result<(Box<dyn Predictor>, FitReport)>,
    ) -> Result<Model> {
        let (predictor, mut report) = learn(&self.set())?;
        let data = self.data;
        let held_out = report.held_out.take();
        let schema =
            Schema { label_names: data.label_names().to_vec(), trained_on: data.name().to_string(), rows: data.rows() };
        let model = Model::new(schema, self.features, self.learner.params(), predictor, report);
        Ok(match held_out {
            Some(held_out) => model.with_thresholds(held_out.thresholds(data.labels(), self.weights)),
            None => model,
        })
    }
}

/// Weight of a row at most: the squares and sums of larger ones overflow, or drown everything else.
const MOST_WEIGHT: f64 = 1e12;

fn check_weights(weights: &[f64], rows: usize) -> Result<()> {
    if weights.len() != rows {
        let what = "weights and rows";
        return Err(DataError::Sizes { what, left: weights.len(), right: rows }.into());
    }
    if let Some(bad) = weights.iter().find(|w| !w.is_finite() || **w < 0.0) {
        ParamError::require(false, "weights", bad, "must be finite and not negative")?;
    }
    ParamError::require(weights.iter().any(|&w| w > 0.0), "weights", 0.0, "must not all be zero")?;
    let largest = weights.iter().copied().fold(0.0, f64::max);
    let bound = "must be at most 1e12: divide all by the same number";
    ParamError::require(largest <= MOST_WEIGHT, "weights", largest, bound)?;
    Ok(())
}

/// How the most probable label set is searched for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Inference {
    /// Branch and bound with a certificate; gives up after this many nodes (0: never).
    Exact {
        /// Nodes to look at before giving up.
        node_limit: usize,
    },
    /// Without a proof. A mixture: the paper's heuristic alone, the best of the experts' own most probable sets. PCC:
    /// what its parameter `inference` says.
    BestExpert,
    /// The paper's search: simulated annealing from the heuristic's answer.
    Annealing {
        /// Steps.
        iterations: usize,
        /// Seed of the walk; each row has its own stream.
        seed: u64,
    },
}

/// Search nodes after which an exact search gives up unless told otherwise; real rows need a handful.
pub(crate) const DEFAULT_NODE_LIMIT: usize = 100_000;

impl Default for Inference {
    fn default() -> Self {
        Inference::Exact { node_limit: DEFAULT_NODE_LIMIT }
    }
}

/// What is known about how good a predicted label set is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Certificate {
    /// No label set has a log-probability above this.
    pub log_bound: f64,
    /// Whether the prediction is proven to be the most probable set.
    pub certified: bool,
    /// Search nodes that were looked at.
    pub nodes: usize,
}

impl Certificate {
    /// How much more probable than a set of this log-probability a better one could be: bound / probability − 1, 0 if the
    /// set is proven.
    pub fn gap(&self, log_probability: f64) -> f64 {
        if self.certified { 0.0 } else { (self.log_bound - log_probability).exp_m1() }
    }
}

/// A predicted label set.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// The set.
    pub labels: LabelSet,
    /// Its log-probability, if the method has joint probabilities.
    pub log_probability: Option<f64>,
    /// What is proven about it, if the method searches.
    pub certificate: Option<Certificate>,
}

/// What kind of joint probability a method gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Joint {
    /// A distribution over all label sets that sums to one; predictions look for its most probable set.
    Distribution,
    /// The joint distribution of a chain, each label given the *true* earlier ones, or a mean of such. It sums to one,
    /// but predictions are made in another way (greedily, by votes) and need not be its most probable set.
    TeacherForced,
    /// Each label given the *predicted* earlier ones: the labels are independent along the greedy path. This is how the
    /// paper scores CC.
    GreedyPath,
    /// A product of independent labels that stands in for a distribution whose sums are out of reach (MMOC).
    MeanField,
    /// None: only decisions or scores.
    None,
}

impl Joint {
    /// Whether [`Predictor::log_prob`] answers.
    pub fn has_probabilities(self) -> bool {
        self != Joint::None
    }

    /// What the probability is, for people.
    pub fn describe(self) -> &'static str {
        match self {
            Joint::Distribution => "a distribution over label sets",
            Joint::TeacherForced => "each label given the true earlier ones",
            Joint::GreedyPath => "each label given the predicted earlier ones",
            Joint::MeanField => "independent labels in place of the distribution",
            Joint::None => "no probabilities of label sets",
        }
    }
}

/// What a method has learned; works on encoded rows. A method with [distributions](Predictor::distributions) needs
/// to say nothing about predictions, marginals and probabilities.
pub trait Predictor: Send + Sync {
    /// Name in the registry.
    fn method(&self) -> &'static str;
    /// Number of labels, d.
    fn label_count(&self) -> usize;
    /// Number of features, m.
    fn feature_count(&self) -> usize;
    /// Whether [`Predictor::log_prob`] answers, and with what.
    fn joint(&self) -> Joint;
    /// How [`Predictor::predict`] searches unless told otherwise.
    fn inference(&self) -> Inference {
        Inference::default()
    }
    /// The best label set of each row; methods with one way of predicting ignore `inference`.
    fn predict(&self, features: &Matrix, inference: Inference) -> Result<Vec<Prediction>> {
        let rows = self.distributions(Cow::Borrowed(features)).ok_or_else(|| Rows::unsupported(self.method()))?;
        Ok(rows.predict(inference))
    }
    /// The most probable set of every row with P(yᵢ = 1 | x) of every label. Methods whose distributions are dear make them
    /// once for both.
    fn predict_with_marginals(&self, features: &Matrix, inference: Inference) -> Result<Vec<(Prediction, Vec<f64>)>> {
        let (predictions, marginals) = (self.predict(features, inference)?, self.marginals(features)?);
        let with_own = |(row, prediction)| (prediction, marginals.row(row).to_vec());
        Ok(predictions.into_iter().enumerate().map(with_own).collect())
    }
    /// P(yᵢ = 1 | x), N × d.
    fn marginals(&self, features: &Matrix) -> Result<DenseMatrix> {
        let rows = self.distributions(Cow::Borrowed(features)).ok_or_else(|| Rows::unsupported(self.method()))?;
        Ok(rows.marginals(self.label_count()))
    }
    /// log P(y | x) of one label set per row.
    fn log_prob(&self, features: &Matrix, labels: &[LabelSet]) -> Result<Vec<f64>> {
        let (method, what, reason) = (self.method(), "joint probabilities", "it only scores labels");
        let rows = self.distributions(Cow::Borrowed(features)).ok_or(Error::Unsupported { method, what, reason })?;
        Ok(rows.log_prob(labels))
    }
    /// The `count` most probable label sets of each row with their log-probabilities, best first. A row may have fewer:
    /// there are no more sets, or (PCC) a search reached its node limit before it had proven more.
    fn top_sets(&self, features: &Matrix, count: usize) -> Result<Vec<Vec<(LabelSet, f64)>>> {
        let (method, what, reason) = (self.method(), "the k best label sets", "it has no joint distribution");
        let rows = self.distributions(Cow::Borrowed(features)).ok_or(Error::Unsupported { method, what, reason })?;
        Ok(rows.top_sets(count, self.inference()))
    }
    /// The sets of [`Predictor::top_sets`] with what is proven about each: that no set which is not listed before it has
    /// more than its bound. Without certificates by methods that list only what is certain.
    fn top_predictions(&self, features: &Matrix, count: usize) -> Result<Vec<Vec<Prediction>>> {
        if let Some(rows) = self.distributions(Cow::Borrowed(features)) {
            return Ok(rows.top_predictions(count, self.inference()));
        }
        let certain = |(labels, log)| Prediction { labels, log_probability: Some(log), certificate: None };
        let rows = self.top_sets(features, count)?.into_iter();
        Ok(rows.map(|sets| sets.into_iter().map(certain).collect()).collect())
    }
    /// The label trees, one per expert.
    fn trees(&self) -> Vec<&Branching> {
        Vec::new()
    }
    /// The experts of a mixture of trees, or the one tree of a method that has no more.
    fn experts(&self) -> Vec<&Tree> {
        Vec::new()
    }
    /// Whether [`Predictor::distributions`] answers.
    fn has_distributions(&self) -> bool {
        !self.experts().is_empty()
    }
    /// P(y | x) of the rows, of which anything can be asked; `None` for methods whose joint distribution is made neither
    /// of trees nor of tables of label sets.
    fn distributions<'a>(&'a self, features: Cow<'a, Matrix>) -> Option<Rows<'a>> {
        self.has_distributions().then(|| Rows::new(features, |some| self.mixtures(some)))
    }
    /// P(y | x) of each row, if [`Predictor::has_distributions`]. [`Rows`] asks for it chunk by chunk.
    fn mixtures(&self, features: &Matrix) -> Vec<RowMixture<'_>> {
        RowMixture::of_trees(&self.experts(), self.log_gate(features), features)
    }
    /// log g(x) of the experts, N × K, for mixtures.
    fn log_gate(&self, _features: &Matrix) -> Option<DenseMatrix> {
        None
    }
    /// Gate weights g(x) of the experts, N × K, for mixtures.
    fn gate(&self, features: &Matrix) -> Option<DenseMatrix> {
        let mut gates = self.log_gate(features)?;
        gates.values_mut().iter_mut().for_each(|log| *log = log.exp());
        Some(gates)
    }
    /// The same with every log-odds of a label and every score of the gate divided by `temperature` (> 0): again a
    /// mixture of trees, which sums to one. `None` for methods that are made of something else.
    fn tempered(&self, _temperature: f64) -> Option<Box<dyn Predictor>> {
        None
    }
    /// Everything a file must hold to bring this predictor back bit by bit.
    fn store(&self) -> Stored;
}

/// What happened during a fit. Holds no times: the same seed gives the same bytes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FitReport {
    /// Whether every iteration that has a stop rule met it.
    pub converged: bool,
    /// Things a person should know: constant labels, limits reached, imputed cells.
    pub notes: Vec<String>,
    /// The course of EM, empty for methods without it.
    pub trace: Vec<TraceStep>,
    /// What the method can say for little about rows that its parts had not seen, if it holds rows out anyway. [`fit`] takes
    /// it to find [`Model::thresholds`]; the report of a model has none.
    #[serde(skip)]
    pub held_out: Option<HeldOutMarginals>,
}

/// One EM iteration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TraceStep {
    /// Number of experts at that time.
    pub experts: usize,
    /// Iteration within this EM run, from 0 (before the first M-step).
    pub iteration: usize,
    /// Observed log-likelihood of the training rows (Eq. 6 of the paper).
    pub log_likelihood: f64,
    /// The same minus the penalties: what EM increases.
    pub penalised: f64,
    /// Log-likelihood of the internal validation rows, if any.
    pub validation: Option<f64>,
}
