//! The model file: safetensors layout (a JSON header, then raw little-endian tensors) with our own metadata.

use std::collections::BTreeMap;
use std::path::Path;

use super::Model;
use crate::error::Result;

/// Version of the layout; raised whenever an older program could not read the file.
pub const FORMAT_VERSION: u32 = 1;

/// A tensor of f64 with its shape.
#[derive(Debug, Clone, PartialEq)]
pub struct Tensor {
    /// Sizes of its dimensions.
    pub shape: Vec<usize>,
    /// Cells, last dimension fastest.
    pub values: Vec<f64>,
}

/// What a predictor puts into a file: small facts as JSON, numbers as tensors.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Stored {
    /// Small facts: sizes, tree structures.
    pub facts: serde_json::Value,
    /// Numbers by name.
    pub tensors: BTreeMap<String, Tensor>,
}

/// A model file that cannot be read.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelFileError {}

pub(super) fn save(_model: &Model, _path: &Path) -> Result<()> {
    todo!()
}

pub(super) fn load(_path: &Path) -> Result<Model> {
    todo!()
}
