//! The model file: safetensors layout (a JSON header, then raw little-endian tensors) with our own metadata.

mod error;
mod stored;

pub use error::ModelFileError;
pub use stored::{Stored, Tensor};

use std::path::Path;

use super::Model;
use crate::error::Result;

/// Version of the layout; raised whenever an older program could not read the file.
pub const FORMAT_VERSION: u32 = 1;

pub(super) fn save(_model: &Model, _path: &Path) -> Result<()> {
    todo!()
}

pub(super) fn load(_path: &Path) -> Result<Model> {
    todo!()
}
