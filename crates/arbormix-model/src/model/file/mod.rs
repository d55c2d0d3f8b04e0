//! The model file: safetensors layout (a JSON header, then raw little-endian tensors) with our own metadata.
//!
//! Any safetensors reader opens it: the tensors are f64, and the metadata holds `format` (`arbormix-model`),
//! `format_version`, `crate_version` and `method` as words, and `params`, `schema`, `features`, `report` and `facts`
//! as JSON, and `choice` and `thresholds` if there are any.
//! Nothing in it depends on the time or the machine: the same model gives the same bytes.

mod container;

use arbormix_joint::learner::Method;
use arbormix_learn::store::{ModelFileError, Stored, Tensor, agree};

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use self::container::Container;
use super::{Model, Schema};
use arbormix_base::files::{AtomicFile, FileError};
use arbormix_joint::{Error, Result};
use arbormix_learn::features::FeatureMap;

/// Version of the layout; raised whenever an older program could not read the file.
pub const FORMAT_VERSION: u32 = 2;
/// Methods that are stored otherwise since a version, and that version: they cannot be read from older files.
const CHANGED: [(&str, u32); 2] = [("stack", 2), ("lp", 2)];

const FORMAT: &str = "arbormix-model";

pub(crate) fn save(model: &Model, path: &Path) -> Result<()> {
    let bytes = to_bytes(model).map_err(|e| e.in_file(path))?;
    let mut file = AtomicFile::create(path)?;
    file.write_all(&bytes).map_err(FileError::at(path))?;
    Ok(file.commit()?)
}

pub(crate) fn load(path: &Path, methods: &[Method]) -> Result<Model> {
    let bytes = std::fs::read(path).map_err(FileError::at(path))?;
    from_bytes(&bytes, methods).map_err(|error| match error {
        Error::ModelFile(problem) => problem.in_file(path).into(),
        other => other,
    })
}

pub(crate) fn to_bytes(model: &Model) -> Result<Vec<u8>, ModelFileError> {
    pack(model)?.to_bytes()
}

pub(crate) fn from_bytes(bytes: &[u8], methods: &[Method]) -> Result<Model> {
    unpack(Container::from_bytes(bytes)?, methods)
}

/// The parts of a model as they stand in a file.
pub fn pack(model: &Model) -> Result<Container, ModelFileError> {
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
    if let Some(choice) = &model.choice {
        entries.push(("choice", entry("choice", choice)?));
    }
    let metadata = entries.into_iter().map(|(name, text)| (name.to_string(), text)).collect();
    Ok(Container { metadata, tensors: stored.tensors })
}

/// Brings back what [`pack`] gave, of one of these methods.
pub fn unpack(container: Container, methods: &[Method]) -> Result<Model> {
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
    let Some(method) = methods.iter().find(|method| method.name == name) else {
        let known = methods.iter().map(|method| method.name).collect::<Vec<_>>().join(", ");
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
    if metadata.contains_key("choice") {
        model.choice = Some(parse(&metadata, "choice")?);
    }
    Ok(model)
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
