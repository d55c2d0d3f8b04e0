//! Data sets: features, labels, names; splits; the planted generator; readers and writers.
//!
//! An inner crate of arbormix: its interface may change with any version. Use the crate `arbormix`.

mod dataset;
pub mod defects;
pub mod describe;
mod error;
pub mod formats;
mod labels;
pub mod planted;
mod seen;
pub mod splits;
mod views;

pub use dataset::check_cells;
pub use dataset::{Column, ColumnKind, Dataset};
pub use error::{DataError, Error, FormatError, Result};
pub use labels::{LabelSet, Labels};
pub use seen::SeenSets;
