//! What a fitted part writes to a model file and reads back from it.

mod error;
mod label_sets;
mod stored;

pub use error::ModelFileError;
pub use label_sets::{members_of, sets_of};
pub use stored::{Stored, Tensor};

/// Fails if two sizes in a file differ.
pub fn agree(what: &'static str, left: usize, right: usize) -> Result<(), ModelFileError> {
    if left == right { Ok(()) } else { Err(ModelFileError::Contradiction { what, left, right }) }
}
