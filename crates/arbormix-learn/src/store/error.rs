//! What can be wrong with a model file.

use std::path::{Path, PathBuf};

/// A model file that cannot be read, or a model that cannot be written.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelFileError {
    /// One of the other problems, with the file it was found in.
    #[error("{}: {problem}", path.display())]
    InFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: Box<ModelFileError>,
    },
    /// The file is something else.
    #[error("not an arbormix model: {reason}; give a file that `arbormix fit` or Model::save wrote")]
    NotAModel {
        /// What shows it.
        reason: String,
    },
    /// The end of the file is missing.
    #[error("the model file is truncated: it has {found} of at least {expected} bytes; copy it again or fit again")]
    Truncated {
        /// Bytes that the part that is there promises.
        expected: u64,
        /// Bytes that are there.
        found: u64,
    },
    /// The contents are not those that were written.
    #[error(
        "the model file was altered after it was written: its checksum is {stored}, its contents give {computed}; \
         copy it again or fit again"
    )]
    Altered {
        /// Checksum in the file.
        stored: String,
        /// Checksum of the contents.
        computed: String,
    },
    /// The file needs a newer program.
    #[error(
        "the model file has format version {found}, written by arbormix {written_by}; this is arbormix {}, which reads \
         versions up to {supported}: use a newer arbormix",
        env!("CARGO_PKG_VERSION")
    )]
    Version {
        /// Version of the file.
        found: u32,
        /// Newest version that can be read.
        supported: u32,
        /// Version of the program that wrote it.
        written_by: String,
    },
    /// The storage format of the method has changed.
    #[error(
        "the model file holds {method} in format version {found}, written by arbormix {written_by}; this is arbormix {}, \
         which stores it otherwise: fit again",
        env!("CARGO_PKG_VERSION")
    )]
    Outdated {
        /// Method of the file.
        method: String,
        /// Version of the file.
        found: u32,
        /// Version of the program that wrote it.
        written_by: String,
    },
    /// The registry has no such method.
    #[error("the model's method {name:?} is unknown to arbormix {}; known: {known}", env!("CARGO_PKG_VERSION"))]
    UnknownMethod {
        /// Name in the file.
        name: String,
        /// The registry's names.
        known: String,
    },
    /// The method only chooses among others; models are models of those.
    #[error("no model is of the method {name:?}, which only chooses among others; fit again")]
    MethodOfNoModel {
        /// Name in the file.
        name: &'static str,
    },
    /// A part of the metadata is missing.
    #[error("the model file lacks the metadata entry {name:?}; fit again")]
    MissingEntry {
        /// Its name.
        name: String,
    },
    /// A part of the metadata does not hold what it should.
    #[error("the model file's metadata entry {name:?} cannot be read: {message}; fit again")]
    Entry {
        /// Its name.
        name: String,
        /// What was expected.
        message: String,
    },
    /// A tensor is missing.
    #[error("the model file lacks the tensor {name:?}; it has: {present}")]
    MissingTensor {
        /// Its name.
        name: String,
        /// The tensors that are there.
        present: String,
    },
    /// A tensor has another shape than the model's sizes demand.
    #[error("the model file's tensor {name:?} has shape {found:?}, but the model's sizes demand {expected:?}")]
    Shape {
        /// Its name.
        name: String,
        /// The shape it must have.
        expected: Vec<usize>,
        /// The shape it has.
        found: Vec<usize>,
    },
    /// A tensor does not hold 64-bit floats.
    #[error("the model file's tensor {name:?} holds {found}; arbormix stores F64 only")]
    ElementType {
        /// Its name.
        name: String,
        /// Its element type.
        found: String,
    },
    /// The model's parts do not belong together.
    #[error("the model file contradicts itself: {what}: {left} against {right}; fit again")]
    Contradiction {
        /// What was compared.
        what: &'static str,
        /// The first number.
        left: usize,
        /// The second number.
        right: usize,
    },
    /// The file is no valid safetensors file although its checksum is right.
    #[error("the model file's layout is not safetensors: {message}")]
    Layout {
        /// What the safetensors reader said.
        message: String,
    },
    /// The model holds a number that JSON cannot store.
    #[error("the model cannot be written: its {name} would not be read back unchanged; does it hold NaN or infinity?")]
    NotRepresentable {
        /// The metadata entry concerned.
        name: &'static str,
    },
    /// The metadata is larger than safetensors allows.
    #[error("the model cannot be written: its metadata has {bytes} bytes, and a model file can hold {limit}")]
    TooLarge {
        /// Its size.
        bytes: usize,
        /// The largest size.
        limit: usize,
    },
}

impl ModelFileError {
    /// The same problem with the file it was found in; a file that is already named stays.
    pub fn in_file(self, path: &Path) -> ModelFileError {
        match self {
            ModelFileError::InFile { .. } => self,
            problem => ModelFileError::InFile { path: path.to_path_buf(), problem: Box::new(problem) },
        }
    }
}
