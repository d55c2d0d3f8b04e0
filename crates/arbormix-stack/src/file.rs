//! The stacked mixture in a model file. Every part writes and reads its own facts and tensors.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::level0::feature_map::{MapFacts, PhiMap};
use crate::level0::{Level0File, Level0Model};
use crate::level1::blend::Blend;
use crate::level1::tree::StackedTree;
use crate::level1::{FittedPart, Level1File};
use crate::model::Stack;
use crate::parts::{LEVEL0, LEVEL1};
use crate::stored::{add_facts, rows_of};
use arbormix_joint::Result;
use arbormix_joint::learner::Inference;
use arbormix_joint::tree::Branching;
use arbormix_learn::store::{ModelFileError, Stored, agree, members_of, sets_of};

/// What the file holds beside the tensors and the facts of the parts.
#[derive(Serialize, Deserialize)]
struct StackFacts {
    labels: usize,
    /// The labels present in each set.
    sets: Vec<Vec<usize>>,
    tree: Branching,
    map: MapFacts,
    inference: Inference,
    /// Names of the parts. Older files have none.
    parts: Option<PartNames>,
}

#[derive(Serialize, Deserialize)]
struct PartNames {
    level0: Vec<String>,
    level1: Vec<String>,
}

impl PartNames {
    /// The parts of files that do not name them.
    fn of_older_file(stored: &Stored) -> PartNames {
        let stacked = if stored.facts["chain"].is_null() { "tree" } else { "chain" };
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        PartNames { level0: names(&["regressions", "forest"]), level1: names(&["label_sets", "tied", stacked]) }
    }
}

pub(crate) fn load(stored: &Stored) -> Result<Stack> {
    let facts: StackFacts = stored.facts_as()?;
    let labels = facts.labels;
    // First of all: the rest makes room for so many labels.
    agree("labels and nodes of the tree", labels, facts.tree.len())?;
    stored.require_finite()?;
    let map = PhiMap::load(&facts.map, stored)?;
    let seen = sets_of(labels, &facts.sets)?;
    let tree = Arc::new(StackedTree { branching: facts.tree, coefficients: rows_of(stored, "tree", labels)? });
    let names = facts.parts.unwrap_or_else(|| PartNames::of_older_file(stored));
    let (map_of, seen_of) = (&map, seen.as_slice());
    let below = Level0File { stored, labels, map: map_of, seen: seen_of };
    let mut context = Level1File { stored, labels, map: map_of, tree: &tree, seen: seen_of, distributions: 0 };
    let mut level0: Vec<Arc<dyn Level0Model>> = Vec::with_capacity(names.level0.len());
    for name in &names.level0 {
        let part = LEVEL0.iter().find(|part| part.name() == name).ok_or_else(|| unknown_part(name))?;
        let model = part.load(&below)?;
        context.distributions += usize::from(model.has_sets());
        level0.push(model);
    }
    // From the last to the first: the label-set table stands before the parts that it reads.
    let mut parts: Vec<FittedPart> = Vec::with_capacity(names.level1.len());
    for name in names.level1.iter().rev() {
        let part = LEVEL1.iter().find(|part| part.name() == name).ok_or_else(|| unknown_part(name))?;
        let own = part.load(&context)?;
        context.distributions += usize::from(own.model.is_pooled());
        parts.push(own);
    }
    parts.reverse();
    let width = level0.len() + 1;
    let blend = Blend { coefficients: stored.tensor("blend", &[labels, width])?.to_vec(), width };
    let weights = stored.tensor("weights", &[1, parts.len()])?.to_vec();
    if level0.is_empty() || parts.is_empty() {
        return Err(entry("facts", "a model needs parts of both levels").into());
    }
    if weights.iter().any(|weight| *weight < 0.0) || (weights.iter().sum::<f64>() - 1.0).abs() > 1e-6 {
        return Err(entry("weights", "they are not the weights of a mixture").into());
    }
    Ok(Stack { map, seen, level0, blend, tree, parts, weights, inference: facts.inference })
}

pub(crate) fn store(model: &Stack) -> Stored {
    let mut file = Stored::default();
    let labels = model.blend.labels();
    let facts = StackFacts {
        labels,
        sets: members_of(&model.seen),
        tree: model.tree.branching.clone(),
        map: model.map.put(&mut file),
        inference: model.inference,
        parts: Some(PartNames {
            level0: model.level0.iter().map(|part| part.name().to_string()).collect(),
            level1: model.parts.iter().map(|part| part.model.name().to_string()).collect(),
        }),
    };
    add_facts(&mut file, &facts);
    file.put("blend", &[labels, model.blend.width], model.blend.coefficients.clone());
    file.put("tree", &[labels, 4], model.tree.coefficients.concat());
    file.put("weights", &[1, model.weights.len()], model.weights.clone());
    model.parts.iter().for_each(|part| part.model.store(part.gate.as_ref(), &mut file));
    model.level0.iter().for_each(|part| part.store(&mut file));
    file
}

fn entry(name: &str, message: &str) -> ModelFileError {
    ModelFileError::Entry { name: name.to_string(), message: message.to_string() }
}

fn unknown_part(name: &str) -> ModelFileError {
    entry("facts", &format!("the part {name:?} is unknown"))
}
