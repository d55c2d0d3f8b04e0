//! Data sets: features, labels, names; splits; the planted generator; readers and writers.

mod dataset;
pub mod defects;
pub mod describe;
pub mod formats;
mod labels;
pub mod planted;
mod seen;
pub mod splits;

pub(crate) use dataset::check_cells;
pub use dataset::{Column, ColumnKind, DataError, Dataset};
pub use formats::FormatError;
pub use labels::{LabelSet, Labels};
pub use seen::SeenSets;
