//! The one list of methods; the command line, experiments and tests iterate it.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::{Error, ParamError, Result};
use crate::learner::{Learner, Predictor};
use crate::mixture::stack::{Stack, StackParams};
use crate::mixture::{Mixture, MixtureParams};
use crate::model::{ModelFileError, Stored};
use crate::rivals::br::{BinaryRelevance, BinaryRelevanceParams};
use crate::rivals::cc::{ClassifierChain, ClassifierChainParams};
use crate::rivals::chf::{TwoLayerParams, TwoLayers};
use crate::rivals::ecc::{ChainEnsemble, ChainEnsembleParams};
use crate::rivals::iblr::{NeighbourRegression, NeighbourRegressionParams};
use crate::rivals::lp::{LabelPowerset, LabelPowersetParams};
use crate::rivals::mlknn::{NeighbourBayes, NeighbourParams};
use crate::rivals::mmoc::{OutputCode, OutputCodeParams};
use crate::rivals::pcc::{ProbabilisticChain, ProbabilisticChainParams};
use crate::selection::AutoParams;
use crate::tree::{Tree, TreeParams};

/// A set of defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Preset {
    /// What we recommend.
    #[default]
    Default,
    /// Every choice as in the paper.
    Paper,
}

/// Parameters that have both sets of defaults.
pub trait Presets: Default {
    /// The paper's choices.
    fn paper() -> Self;
    /// The defaults of a preset.
    fn preset(preset: Preset) -> Self {
        match preset {
            Preset::Default => Self::default(),
            Preset::Paper => Self::paper(),
        }
    }
}

/// One method.
#[derive(Debug, Clone, Copy)]
pub struct Method {
    /// Name on the command line and in model files.
    pub name: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// One line on what it does.
    pub summary: &'static str,
    defaults: fn(Preset) -> Value,
    learner: fn(Value) -> Result<Box<dyn Learner>>,
    load: fn(&Stored) -> Result<Box<dyn Predictor>>,
}

impl Method {
    /// Its parameters and their defaults.
    pub fn defaults(&self, preset: Preset) -> Value {
        (self.defaults)(preset)
    }

    /// Brings a stored predictor back.
    pub fn load(&self, stored: &Stored) -> Result<Box<dyn Predictor>> {
        (self.load)(stored)
    }
}

/// What is fitted where nobody names a method.
pub const DEFAULT_METHOD: &str = METHODS[0].name;

/// All methods, ours first, the default at their head.
pub const METHODS: &[Method] = &[
    Method {
        name: "auto",
        title: "Auto",
        summary: "the best of several presets of our methods, by a race on held-out rows within a budget",
        defaults: defaults::<AutoParams>,
        learner: learner_from::<AutoParams>,
        load: |_| Err(ModelFileError::MethodOfNoModel { name: "auto" }.into()),
    },
    Method {
        name: "mlme",
        title: "ML-ME",
        summary: "mixture of conditional tree-structured Bayesian networks with a softmax gate",
        defaults: defaults::<MixtureParams>,
        learner: learner_from::<MixtureParams>,
        load: |stored| Ok(Box::new(Mixture::load(stored)?)),
    },
    Method {
        name: "stack",
        title: "Stacked ML-ME",
        summary: "forest, mixture of tied trees and stacked tree or chain, joined by weights that held-out rows choose",
        defaults: defaults::<StackParams>,
        learner: learner_from::<StackParams>,
        load: |stored| Ok(Box::new(Stack::load(stored)?)),
    },
    Method {
        name: "ctbn",
        title: "CTBN",
        summary: "one conditional tree-structured Bayesian network",
        defaults: defaults::<TreeParams>,
        learner: learner_from::<TreeParams>,
        load: |stored| Ok(Box::new(Tree::load(stored)?)),
    },
    Method {
        name: "br",
        title: "BR",
        summary: "binary relevance: one logistic regression per label",
        defaults: defaults::<BinaryRelevanceParams>,
        learner: learner_from::<BinaryRelevanceParams>,
        load: |stored| Ok(Box::new(BinaryRelevance::load(stored)?)),
    },
    Method {
        name: "cc",
        title: "CC",
        summary: "classifier chain: each label given the predictions of the earlier ones",
        defaults: defaults::<ClassifierChainParams>,
        learner: learner_from::<ClassifierChainParams>,
        load: |stored| Ok(Box::new(ClassifierChain::load(stored)?)),
    },
    Method {
        name: "pcc",
        title: "PCC",
        summary: "probabilistic classifier chain: the chain's most probable label set, proven",
        defaults: defaults::<ProbabilisticChainParams>,
        learner: learner_from::<ProbabilisticChainParams>,
        load: |stored| Ok(Box::new(ProbabilisticChain::load(stored)?)),
    },
    Method {
        name: "ecc",
        title: "ECC",
        summary: "ensemble of classifier chains in random orders on random rows, which vote",
        defaults: defaults::<ChainEnsembleParams>,
        learner: learner_from::<ChainEnsembleParams>,
        load: |stored| Ok(Box::new(ChainEnsemble::load(stored)?)),
    },
    Method {
        name: "mlknn",
        title: "MLKNN",
        summary: "each label by how many of the nearest training rows have it",
        defaults: defaults::<NeighbourParams>,
        learner: learner_from::<NeighbourParams>,
        load: |stored| Ok(Box::new(NeighbourBayes::load(stored)?)),
    },
    Method {
        name: "iblr",
        title: "IBLR",
        summary: "logistic regressions on the labels of the nearest training rows and, unless `plus` is off, on the features",
        defaults: defaults::<NeighbourRegressionParams>,
        learner: learner_from::<NeighbourRegressionParams>,
        load: |stored| Ok(Box::new(NeighbourRegression::load(stored)?)),
    },
    Method {
        name: "chf",
        title: "CHF",
        summary: "two layers: binary relevance on the features and the first layer's outputs",
        defaults: defaults::<TwoLayerParams>,
        learner: learner_from::<TwoLayerParams>,
        load: |stored| Ok(Box::new(TwoLayers::load(stored)?)),
    },
    Method {
        name: "mmoc",
        title: "MMOC",
        summary: "maximum margin output coding: a learned code of the labels, decoded with binary relevance",
        defaults: defaults::<OutputCodeParams>,
        learner: learner_from::<OutputCodeParams>,
        load: |stored| Ok(Box::new(OutputCode::load(stored)?)),
    },
    Method {
        name: "lp",
        title: "LP",
        summary: "label powerset: every label set seen is a class of a forest of extra-trees, or of a softmax",
        defaults: defaults::<LabelPowersetParams>,
        learner: learner_from::<LabelPowersetParams>,
        load: |stored| Ok(Box::new(LabelPowerset::load(stored)?)),
    },
];

/// The method with a name.
pub fn method(name: &str) -> Result<&'static Method, ParamError> {
    METHODS.iter().find(|method| method.name == name).ok_or_else(|| ParamError::UnknownMethod {
        name: name.to_string(),
        known: METHODS.iter().map(|method| method.name).collect::<Vec<_>>().join(", "),
    })
}

/// A learner: a preset's defaults with `overrides` (a JSON object of the same shape) laid over them.
///
/// ```
/// use arbormix::registry::{Preset, learner};
/// let overrides = serde_json::json!({"experts": 3, "seed": 7});
/// assert_eq!(learner("mlme", Preset::Paper, &overrides)?.params()["experts"], 3);
/// assert!(learner("mlme", Preset::Paper, &serde_json::json!({"expert": 3})).is_err());
/// let held_out = serde_json::json!({"structure": {"scoring": {"holdout": 0.3}}});
/// assert_eq!(learner("ctbn", Preset::Default, &held_out)?.params()["structure"]["scoring"]["holdout"], 0.3);
/// assert!(learner("ctbn", Preset::Default, &serde_json::json!({"features": {"scale": "none"}})).is_err());
/// # Ok::<(), arbormix::Error>(())
/// ```
pub fn learner(name: &str, preset: Preset, overrides: &Value) -> Result<Box<dyn Learner>> {
    let method = method(name)?;
    let defaults = method.defaults(preset);
    let mut params = defaults.clone();
    overlay(&mut params, overrides, "").map_err(|error| name_owners(error, preset))?;
    let learner = (method.learner)(params).map_err(|error| blame(method, &defaults, overrides, error))?;
    learner.validate()?;
    learner.features().validate()?;
    Ok(learner)
}

/// Says which methods have a parameter that this one has not: users of `auto` look for those of what it may choose.
fn name_owners(error: ParamError, preset: Preset) -> ParamError {
    let ParamError::UnknownName { name, known, .. } = error else { return error };
    let place = format!("/{}", name.replace('.', "/"));
    let has = |method: &&Method| method.defaults(preset).pointer(&place).is_some();
    let methods = METHODS.iter().filter(has).map(|method| method.name).collect();
    ParamError::UnknownName { name, known, methods }
}

/// Finds which of several overrides the learner refuses, so that the message can name it.
fn blame(method: &Method, defaults: &Value, overrides: &Value, error: Error) -> Error {
    for (path, value) in leaves(overrides, String::new()) {
        let alone = path.rsplit('.').fold(value.clone(), |inner, name| serde_json::json!({ name: inner }));
        let mut params = defaults.clone();
        if overlay(&mut params, &alone, "").is_ok()
            && let Err(Error::Params(ParamError::Form { message, .. })) = (method.learner)(params)
        {
            let message = wanted_number(method, defaults, &path, value).unwrap_or(message);
            return ParamError::Form { name: path, message }.into();
        }
    }
    error
}

/// For a word that needs a number of its own, such as `beam`: where that is set.
fn wanted_number(method: &Method, defaults: &Value, path: &str, word: &Value) -> Option<String> {
    let word = word.as_str()?;
    let mut params = defaults.clone();
    let place = params.pointer_mut(&format!("/{}", path.replace('.', "/")))?;
    *place = serde_json::json!({ word: {} });
    let Err(Error::Params(ParamError::Form { message, .. })) = (method.learner)(params) else { return None };
    let name = message.strip_prefix("missing field `")?.split('`').next()?;
    Some(format!("{word} needs a number of its own: set {path}.{word}.{name}"))
}

/// Every override with its dotted path.
fn leaves(value: &Value, path: String) -> Vec<(String, &Value)> {
    match value {
        Value::Object(fields) if !fields.is_empty() => fields
            .iter()
            .flat_map(|(name, field)| {
                leaves(field, if path.is_empty() { name.clone() } else { format!("{path}.{name}") })
            })
            .collect(),
        _ => vec![(path, value)],
    }
}

/// Lays `over` over `base`; names that `base` does not have are refused with the list of those it has.
fn overlay(base: &mut Value, over: &Value, path: &str) -> Result<(), ParamError> {
    match (base, over) {
        // A variant of an enum ({"exact": {...}}, {"folds": 3}) is replaced whole: its keys are not parameters.
        (Value::Object(fields), Value::Object(changes)) if !is_variant(fields, changes) => {
            for (name, change) in changes {
                let place = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                let known = || fields.keys().cloned().collect::<Vec<_>>().join(", ");
                if !fields.contains_key(name) {
                    return Err(ParamError::UnknownName { name: place, known: known(), methods: Vec::new() });
                }
                if let Some(field) = fields.get_mut(name) {
                    overlay(field, change, &place)?;
                }
            }
        }
        (base, over) => *base = over.clone(),
    }
    Ok(())
}

fn is_variant(fields: &serde_json::Map<String, Value>, changes: &serde_json::Map<String, Value>) -> bool {
    // A group of one parameter given another name looks the same; it is then refused by its type.
    fields.len() == 1 && changes.len() == 1 && fields.keys().next() != changes.keys().next()
}

fn defaults<P: Presets + Serialize>(preset: Preset) -> Value {
    serde_json::to_value(P::preset(preset)).expect("parameters are plain data")
}

fn learner_from<P: Learner + DeserializeOwned + 'static>(params: Value) -> Result<Box<dyn Learner>> {
    // serde_json names the type it expected but not the parameter; `blame` finds that.
    let parsed: P = serde_json::from_value(params)
        .map_err(|e| ParamError::Form { name: "value".to_string(), message: e.to_string() })?;
    Ok(Box::new(parsed))
}
