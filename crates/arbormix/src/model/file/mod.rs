//! The model file: safetensors layout (a JSON header, then raw little-endian tensors) with our own metadata.
//!
//! Any safetensors reader opens it: the tensors are f64, and the metadata holds `format` (`arbormix-model`),
//! `format_version`, `crate_version` and `method` as words, and `params`, `schema`, `features`, `report` and `facts`
//! as JSON, and `choice`, `thresholds` and `temperature` if there are any (the tensors are at that temperature already).
//! Nothing in it depends on the time or the machine: the same model gives the same bytes.

mod container;
mod error;
mod label_sets;
mod stored;

pub use error::ModelFileError;
pub(crate) use label_sets::{members_of, sets_of};
pub use stored::{Stored, Tensor};

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use self::container::Container;
use super::{Model, Schema};
use crate::atomic::AtomicFile;
use crate::error::{Error, Result};
use crate::features::FeatureMap;
use crate::registry;

/// Version of the layout; raised whenever an older program could not read the file.
pub const FORMAT_VERSION: u32 = 2;
/// Methods that are stored otherwise since a version, and that version: they cannot be read from older files.
const CHANGED: [(&str, u32); 2] = [("stack", 2), ("lp", 2)];

const FORMAT: &str = "arbormix-model";

pub(super) fn save(model: &Model, path: &Path) -> Result<()> {
    let bytes = to_bytes(model).map_err(|e| e.in_file(path))?;
    let mut file = AtomicFile::create(path)?;
    file.write_all(&bytes).map_err(Error::io(path))?;
    file.commit()
}

pub(super) fn load(path: &Path) -> Result<Model> {
    let bytes = std::fs::read(path).map_err(Error::io(path))?;
    from_bytes(&bytes).map_err(|error| match error {
        Error::ModelFile(problem) => problem.in_file(path).into(),
        other => other,
    })
}

pub(super) fn to_bytes(model: &Model) -> Result<Vec<u8>, ModelFileError> {
    pack(model)?.to_bytes()
}

pub(super) fn from_bytes(bytes: &[u8]) -> Result<Model> {
    unpack(Container::from_bytes(bytes)?)
}

fn pack(model: &Model) -> Result<Container, ModelFileError> {
    let mut stored = model.predictor.store();
    model.features.put(&mut stored);
    let mut entries = vec![
        ("crate_version", env!("CARGO_PKG_VERSION").to_string()),
        ("facts", entry("facts", &stored.facts)?),
        ("features", entry("features", model.features.parts())?),
        ("format", FORMAT.to_string()),
        ("format_version", FORMAT_VERSION.to_string()),
        ("method", model.method().to_string()),
        ("params", entry("params", &model.params)?),
        ("report", entry("report", &model.report)?),
        ("schema", entry("schema", &model.schema)?),
    ];
    if !model.thresholds.is_empty() {
        entries.push(("thresholds", entry("thresholds", &model.thresholds)?));
    }
    if let Some(temperature) = &model.temperature {
        entries.push(("temperature", entry("temperature", temperature)?));
    }
    if let Some(choice) = &model.choice {
        entries.push(("choice", entry("choice", choice)?));
    }
    let metadata = entries.into_iter().map(|(name, text)| (name.to_string(), text)).collect();
    Ok(Container { metadata, tensors: stored.tensors })
}

fn unpack(container: Container) -> Result<Model> {
    let Container { metadata, tensors } = container;
    let format = text(&metadata, "format")?;
    if format != FORMAT {
        let reason = format!("its format is {format:?}");
        return Err(ModelFileError::NotAModel { reason }.into());
    }
    let found = parse(&metadata, "format_version")?;
    if found > FORMAT_VERSION {
        let written_by = text(&metadata, "crate_version")?.to_string();
        return Err(ModelFileError::Version { found, supported: FORMAT_VERSION, written_by }.into());
    }
    let name = text(&metadata, "method")?;
    let Some(method) = registry::METHODS.iter().find(|method| method.name == name) else {
        let known = registry::METHODS.iter().map(|method| method.name).collect::<Vec<_>>().join(", ");
        return Err(ModelFileError::UnknownMethod { name: name.to_string(), known }.into());
    };
    if CHANGED.iter().any(|&(changed, since)| changed == name && found < since) {
        let written_by = text(&metadata, "crate_version")?.to_string();
        return Err(ModelFileError::Outdated { method: name.to_string(), found, written_by }.into());
    }
    let schema: Schema = parse(&metadata, "schema")?;
    let stored = Stored { facts: parse(&metadata, "facts")?, tensors };
    let predictor = method.load(&stored)?;
    let features = FeatureMap::load(parse(&metadata, "features")?, &stored)?;
    agree("names of labels and labels", schema.label_names.len(), predictor.label_count())?;
    agree("features of the rows and of the predictor", features.feature_count(), predictor.feature_count())?;
    let mut model = Model::new(schema, features, parse(&metadata, "params")?, predictor, parse(&metadata, "report")?);
    if metadata.contains_key("thresholds") {
        model.thresholds = parse(&metadata, "thresholds")?;
        for thresholds in &model.thresholds {
            agree("thresholds and labels", thresholds.values.len(), model.schema.label_names.len())?;
        }
    }
    if metadata.contains_key("temperature") {
        model.temperature = Some(parse(&metadata, "temperature")?);
    }
    if metadata.contains_key("choice") {
        model.choice = Some(parse(&metadata, "choice")?);
    }
    Ok(model)
}

/// Errs if two sizes in a file contradict each other.
pub(crate) fn agree(what: &'static str, left: usize, right: usize) -> Result<(), ModelFileError> {
    if left == right { Ok(()) } else { Err(ModelFileError::Contradiction { what, left, right }) }
}

/// A metadata entry as JSON with sorted keys, provided it can be read back unchanged: JSON writes NaN and infinity
/// as null.
fn entry<T: Serialize + DeserializeOwned + PartialEq>(name: &'static str, part: &T) -> Result<String, ModelFileError> {
    let not_representable = |_| ModelFileError::NotRepresentable { name };
    let value = serde_json::to_value(part).map_err(not_representable)?;
    if T::deserialize(&value).map_err(not_representable)? != *part {
        return Err(ModelFileError::NotRepresentable { name });
    }
    Ok(value.to_string())
}

fn text<'a>(metadata: &'a BTreeMap<String, String>, name: &str) -> Result<&'a str, ModelFileError> {
    metadata.get(name).map(String::as_str).ok_or_else(|| ModelFileError::MissingEntry { name: name.to_string() })
}

fn parse<T: DeserializeOwned>(metadata: &BTreeMap<String, String>, name: &str) -> Result<T, ModelFileError> {
    serde_json::from_str(text(metadata, name)?)
        .map_err(|e| ModelFileError::Entry { name: name.to_string(), message: e.to_string() })
}

#[cfg(test)]
mod tests;
