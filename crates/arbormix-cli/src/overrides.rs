//! Parameters from the command line, laid over a preset's defaults by the registry.

use arbormix::registry::{self, Preset};
use arbormix::{Inference, Learner, Model};
use clap::Args;
use serde_json::{Map, Value};

use crate::assignment::Assignment;
use crate::failure::Failure;
use crate::method_spec::MethodSpec;
use crate::presets::NamedPreset;

/// Parameter of the methods that search.
const INFERENCE: &str = "inference";

/// How a method is set up.
#[derive(Debug, Clone, Args)]
pub(crate) struct LearnerArgs {
    /// Set of defaults: `default` is what we recommend, `paper` is every choice as in the paper, as far as it says. Where no
    /// method is named, also what would else be chosen from: `stack` (forests and trees, stacked), `kernel` (ML-ME on Nyström
    /// features) or `linear` (ML-ME)
    #[arg(long, value_name = "NAME", value_parser = NamedPreset::NAMES, default_value = "default")]
    preset: String,
    /// Number of experts of a mixture, or `auto`
    #[arg(long, value_name = "N|auto")]
    experts: Option<String>,
    /// Nominal seconds of one core that choosing and fitting may take (method `auto`; an hour unless said): candidates that would take longer by
    /// estimate are left out. Reckoned, not measured, so that the same budget gives the same model everywhere
    #[arg(long, value_name = "SECONDS")]
    budget: Option<String>,
    /// Scaling of the features
    #[arg(long, value_name = "NAME", value_parser = ["auto", "minmax", "standardize", "maxabs", "none"])]
    scaling: Option<String>,
    /// Any parameter, e.g. `--set features.scaling=none`; `arbormix methods` lists them
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = Assignment::parse)]
    assignments: Vec<Assignment>,
}

/// Whether a method searches for its prediction, and so can search in several ways; all that `auto` chooses from do.
pub(crate) fn searches(method: &str) -> bool {
    method == registry::DEFAULT_METHOD
        || registry::method(method).is_ok_and(|method| has(&method.defaults(Preset::Default), INFERENCE))
}

impl LearnerArgs {
    /// Every choice as in the paper.
    pub(crate) fn paper() -> LearnerArgs {
        LearnerArgs { preset: "paper".to_string(), experts: None, budget: None, scaling: None, assignments: Vec::new() }
    }

    /// The method where none is named: a number of experts is a mixture's.
    pub(crate) fn default_method(&self) -> &'static str {
        if self.experts.is_some() { "mlme" } else { registry::DEFAULT_METHOD }
    }

    fn preset(&self) -> NamedPreset {
        NamedPreset::named(&self.preset).unwrap_or(NamedPreset::OfMethod(Preset::Default))
    }

    /// One learner for each method, which may have a preset and parameters of its own ([`MethodSpec`]). With several
    /// methods, a parameter goes to those that have it, and one must.
    pub(crate) fn learners(&self, methods: &[String], seed: Option<u64>) -> Result<Vec<Box<dyn Learner>>, Failure> {
        let specs: Vec<MethodSpec> = methods.iter().map(|text| MethodSpec::parse(text)).collect::<Result<_, _>>()?;
        let mut assignments = Vec::new();
        assignments.extend(self.experts.as_ref().map(|value| Assignment::new("experts", value)));
        assignments.extend(self.budget.as_ref().map(|value| Assignment::new("budget", value)));
        assignments.extend(self.scaling.as_ref().map(|value| Assignment::new("features.scaling", value)));
        assignments.extend(self.assignments.iter().cloned());
        let mut learners = Vec::new();
        let preset = |spec: &MethodSpec| {
            let given: Vec<Assignment> = assignments.iter().chain(&spec.assignments).cloned().collect();
            spec.preset.unwrap_or(self.preset()).of_method(&spec.method, &given)
        };
        let defaults = |spec: &MethodSpec| {
            let method = registry::method(&spec.method).map_err(arbormix::Error::from)?;
            Ok::<_, Failure>(method.defaults(preset(spec)?.0))
        };
        let all: Vec<Value> = specs.iter().map(defaults).collect::<Result<_, _>>()?;
        for (spec, defaults) in specs.iter().zip(&all) {
            let elsewhere = |a: &&Assignment| !has(defaults, &a.name) && all.iter().any(|other| has(other, &a.name));
            let mut chosen: Vec<Assignment> = assignments.iter().filter(|a| !elsewhere(a)).cloned().collect();
            chosen.extend(spec.assignments.iter().cloned());
            let (preset, beside) = preset(spec)?;
            chosen.extend(beside);
            // A method without a seed has nothing random: any seed gives the same model. A method's own seed stays.
            let own_seed = spec.assignments.iter().any(|a| a.is_of("seed"));
            if let Some(seed) = seed.filter(|_| has(defaults, "seed") && !own_seed) {
                chosen.push(Assignment { name: "seed".to_string(), value: seed.into() });
            }
            // One seed for everything random, unless the search is set up by hand.
            let by_hand = chosen.iter().any(|a| a.name.split('.').next() == Some(INFERENCE));
            let annealing = format!("{INFERENCE}.annealing.seed");
            if let Some(seed) = seed.filter(|_| !by_hand && has(defaults, &annealing)) {
                chosen.push(Assignment { name: annealing, value: seed.into() });
            }
            learners.push(registry::learner(&spec.method, preset, &nested(&chosen)?)?);
        }
        Ok(learners)
    }
}

/// Whether a dotted name leads to a parameter.
fn has(defaults: &Value, name: &str) -> bool {
    name.split('.').try_fold(defaults, |at, part| at.get(part)).is_some()
}

/// The JSON object that the dotted names spell.
fn nested(assignments: &[Assignment]) -> Result<Value, Failure> {
    let mut root = Value::Object(Map::new());
    for Assignment { name, value } in assignments {
        let mut at = &mut root;
        for part in name.split('.') {
            let Value::Object(fields) = at else {
                return Err(Failure::Usage(format!("--set {name}: a part of this name is given a value of its own")));
            };
            at = fields.entry(part).or_insert_with(|| Value::Object(Map::new()));
        }
        if at.as_object().is_none_or(|fields| !fields.is_empty()) {
            return Err(Failure::Usage(format!("parameter {name} is given twice")));
        }
        *at = value.clone();
    }
    Ok(root)
}

/// The way of searching that `--inference` names, or the model's own.
pub(crate) fn chosen_inference(name: Option<&str>, model: &Model, seed: Option<u64>) -> Result<Inference, Failure> {
    let own = model.predictor().inference();
    let chosen = match name {
        Some(name) => inference(name, model.method(), own)?,
        None => own,
    };
    Ok(match (chosen, seed) {
        (Inference::Annealing { iterations, .. }, Some(seed)) => Inference::Annealing { iterations, seed },
        (chosen, _) => chosen,
    })
}

/// The way of searching with a name; its numbers come from the model's own way, else from a preset.
pub(crate) fn inference(name: &str, method: &str, own: Inference) -> Result<Inference, Failure> {
    let method = registry::method(method).map_err(arbormix::Error::from)?;
    let presets = [Preset::Default, Preset::Paper].map(|preset| method.defaults(preset)[INFERENCE].clone());
    if presets.iter().all(Value::is_null) {
        let title = method.title;
        return Err(Failure::Usage(format!(
            "--inference {name}: {title} has only one way of predicting; leave it out"
        )));
    }
    let mut candidates = vec![own];
    candidates.extend(presets.into_iter().flat_map(serde_json::from_value::<Inference>));
    candidates.extend([Inference::default(), Inference::BestExpert]);
    let found = candidates.into_iter().find(|candidate| candidate.word() == name);
    found.ok_or_else(|| Failure::Usage(format!("--inference {name}: {} does not know it", method.title)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dotted_names_nest_and_words_need_no_quotes() {
        let parse = |text: &str| Assignment::parse(text).unwrap();
        let all = [parse("features.scaling=none"), parse("experts=3"), parse("features.other={\"a\":1}")];
        let expected = serde_json::json!({"features": {"scaling": "none", "other": {"a": 1}}, "experts": 3});
        assert_eq!(nested(&all).unwrap(), expected);
    }

    #[test]
    fn contradictions_are_refused() {
        let nest = |texts: &[&str]| {
            let all: Vec<Assignment> = texts.iter().map(|text| Assignment::parse(text).unwrap()).collect();
            nested(&all).unwrap_err().to_string()
        };
        assert_eq!(nest(&["a=1", "a=2"]), "parameter a is given twice");
        assert_eq!(nest(&["a=1", "a.b=2"]), "--set a.b: a part of this name is given a value of its own");
        assert_eq!(nest(&["a.b=1", "a=2"]), "parameter a is given twice");
        assert!(Assignment::parse("a").is_err() && Assignment::parse("=1").is_err());
    }
}
