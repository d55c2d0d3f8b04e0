//! A fitted model: what was learned, how raw columns become its features, and the names of both; saved as one file.

mod explain;
pub mod file;
mod occlusion;

pub use explain::{Explanation, Parent, Push, Reason};
pub use file::FORMAT_VERSION;

use std::borrow::Cow;
use std::path::Path;

use crate::decide::{Rule, Thresholds};
use arbormix_data::{DataError, Dataset, LabelSet};
use arbormix_joint::Result;
use arbormix_joint::joint::Rows;
use arbormix_joint::learner::{Choice, FitReport, Inference, Method, Prediction, Predictor};
use arbormix_joint::question::Known;
use arbormix_learn::features::FeatureMap;
use arbormix_matrix::{DenseMatrix, Matrix};

/// What a model knows about the data it was trained on.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Schema {
    /// Names of the labels, in the model's order.
    pub label_names: Vec<String>,
    /// Name of the training data.
    pub trained_on: String,
    /// Its number of rows.
    pub rows: usize,
}

/// A fitted model, complete: predicts on raw data sets, saves to one file.
pub struct Model {
    schema: Schema,
    features: FeatureMap,
    params: serde_json::Value,
    predictor: Box<dyn Predictor>,
    report: FitReport,
    /// Empty unless they were fitted.
    thresholds: Vec<Thresholds>,
    /// How its method was chosen, if it was.
    choice: Option<Choice>,
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Model").field("method", &self.method()).field("schema", &self.schema).finish_non_exhaustive()
    }
}

impl Model {
    /// Puts the parts together; [`crate::fit`] does this.
    pub fn new(
        schema: Schema,
        features: FeatureMap,
        params: serde_json::Value,
        predictor: Box<dyn Predictor>,
        report: FitReport,
    ) -> Model {
        Model { schema, features, params, predictor, report, thresholds: Vec::new(), choice: None }
    }

    /// Name of the method in the registry.
    pub fn method(&self) -> &'static str {
        self.predictor.method()
    }

    /// Names and origin.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// How raw columns become features.
    pub fn features(&self) -> &FeatureMap {
        &self.features
    }

    /// The parameters it was fitted with.
    pub fn params(&self) -> &serde_json::Value {
        &self.params
    }

    /// What was learned.
    pub fn predictor(&self) -> &dyn Predictor {
        self.predictor.as_ref()
    }

    /// What happened during the fit.
    pub fn report(&self) -> &FitReport {
        &self.report
    }

    /// How its method was chosen, if one that chooses was asked for.
    pub fn choice(&self) -> Option<&Choice> {
        self.choice.as_ref()
    }

    /// Keeps how its method was chosen, first among the notes too.
    pub fn chosen_by(mut self, choice: Choice) -> Model {
        let notes = [format!("chose {}: {}", choice.chosen, choice.reason), choice.summary()];
        self.report.notes.splice(..0, notes);
        self.choice = Some(choice);
        self
    }

    /// Thresholds for pooled F1. There are some if the method holds rows out anyway ([`FitReport::held_out`], so `stack`
    /// does), or after [`Model::fit_thresholds`].
    pub fn thresholds(&self) -> &[Thresholds] {
        &self.thresholds
    }

    /// Replaces the thresholds for pooled F1.
    pub(crate) fn set_thresholds(&mut self, thresholds: Vec<Thresholds>) {
        self.thresholds = thresholds;
    }

    /// The model with thresholds for pooled F1.
    pub fn with_thresholds(self, thresholds: Vec<Thresholds>) -> Model {
        Model { thresholds, ..self }
    }

    /// The decision rule in words ([`crate::decide::RULES`]) for this model's labels.
    ///
    /// `macro-f1` and `micro-f1` need thresholds, see [`Model::fit_thresholds`].
    pub fn rule(&self, text: &str) -> Result<Rule> {
        Rule::read_with(text, &self.schema.label_names, &self.thresholds)
    }

    /// Encoded features of raw rows; columns are matched by name.
    pub fn encode<'a>(&self, data: &'a Dataset) -> Result<Cow<'a, Matrix>> {
        Ok(self.features.encode(data)?)
    }

    /// The most probable label set of each row, searched for as the model's parameters say.
    pub fn predict(&self, data: &Dataset) -> Result<Vec<Prediction>> {
        self.predict_with(data, self.predictor.inference())
    }

    /// The most probable label set of each row, searched for as told.
    pub fn predict_with(&self, data: &Dataset, inference: Inference) -> Result<Vec<Prediction>> {
        self.predictor.predict(self.encode(data)?.as_ref(), inference)
    }

    /// P(yᵢ = 1 | x), rows × d.
    pub fn marginals(&self, data: &Dataset) -> Result<DenseMatrix> {
        self.predictor.marginals(self.encode(data)?.as_ref())
    }

    /// The joint distributions of the rows, to ask anything of; refused by methods that are no mixture of trees.
    pub fn rows(&self, data: &Dataset) -> Result<Rows<'_>> {
        let encoded = Cow::Owned(self.encode(data)?.into_owned());
        self.predictor.distributions(encoded).ok_or_else(|| Rows::unsupported(self.method()))
    }

    /// The labels observed in each row of the data, as far as they are labels of the model; matched by name.
    pub fn known(&self, data: &Dataset) -> Vec<Known> {
        let place = |name: &String| self.schema.label_names.iter().position(|other| other == name);
        let places: Vec<Option<usize>> = data.label_names().iter().map(place).collect();
        let known = |row: usize| {
            let cells =
                places.iter().enumerate().filter_map(|(label, &place)| place.zip(data.labels().get(row, label)));
            let nothing = Known::nothing(self.schema.label_names.len());
            cells.fold(nothing, |known, (label, present)| known.with(label, present))
        };
        (0..data.rows()).map(known).collect()
    }

    /// log P(y | x) of the rows' own labels; of the observed ones, summed over the others, in rows with unknown cells.
    ///
    /// Methods that are no mixture of trees refuse unknown cells.
    pub fn log_prob(&self, data: &Dataset) -> Result<Vec<f64>> {
        let (features, labels) = (self.encode(data)?, self.align_labels(data)?);
        if labels.mask().is_none() {
            return self.predictor.log_prob(features.as_ref(), labels.sets());
        }
        if !self.predictor.has_distributions() {
            let (cells, method) = (labels.unknown(), self.method());
            let remedy = "remove these rows, fill in the cells, or use the methods mlme, ctbn, br or chf";
            return Err(DataError::UnknownLabels { cells, method, remedy }.into());
        }
        let known = self.known(data);
        Ok(Rows::of(self.predictor(), features.as_ref())?.ask(|row, mixture| mixture.log_mass(known[row].allowed())))
    }

    /// The rows' label sets in the model's label order; labels are matched by name.
    pub fn true_sets(&self, data: &Dataset) -> Result<Vec<LabelSet>> {
        let labels = self.align_labels(data)?;
        if labels.unknown() > 0 {
            return Err(DataError::UnknownLabels {
                cells: labels.unknown(),
                method: "the probability of a whole label set",
                remedy: "remove these rows or fill in the cells",
            }
            .into());
        }
        Ok(labels.sets().to_vec())
    }

    /// The data's labels in the model's label order; every label of the model must be there.
    pub fn align_labels(&self, data: &Dataset) -> Result<arbormix_data::Labels> {
        let position = |name: &String| data.label_names().iter().position(|other| other == name);
        let places: Vec<Option<usize>> = self.schema.label_names.iter().map(position).collect();
        let needed = places.len();
        let lacking = |(name, place): (&String, &Option<usize>)| place.is_none().then(|| name.clone());
        let missing: Vec<String> = self.schema.label_names.iter().zip(&places).filter_map(lacking).collect();
        if !missing.is_empty() {
            return Err(DataError::MissingLabels { missing, needed }.into());
        }
        let places: Vec<usize> = places.into_iter().flatten().collect();
        let arrange = |set: &LabelSet| {
            let values: Vec<bool> = places.iter().map(|&place| set.get(place)).collect();
            LabelSet::from_bools(&values)
        };
        let sets = data.labels().sets().iter().map(arrange).collect();
        Ok(match data.labels().mask() {
            None => arbormix_data::Labels::new(needed, sets),
            Some(masks) => arbormix_data::Labels::with_mask(needed, sets, masks.iter().map(arrange).collect()),
        })
    }

    /// Writes the model to one file, atomically.
    pub fn save(&self, path: &Path) -> Result<()> {
        file::save(self, path)
    }

    /// The bytes that [`Model::save`] would write.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        Ok(file::to_bytes(self)?)
    }

    /// The model of [`Model::to_bytes`], of one of these methods.
    pub fn from_bytes(bytes: &[u8], methods: &[Method]) -> Result<Model> {
        file::from_bytes(bytes, methods)
    }

    /// Reads a model that [`Model::save`] wrote, of one of these methods; predictions are bit-identical.
    pub fn load(path: &Path, methods: &[Method]) -> Result<Model> {
        file::load(path, methods)
    }
}
