//! Results as files for people and programs.
//!
//! [`Grid`] is the table of one measure; it is rendered as [`Grid::markdown`] and [`Grid::latex`] here, and by programs
//! with a terminal in their own way. [`csv()`] and [`json()`] hold everything. Nothing here depends on when or how fast the
//! cells were run, unless timings are asked for.

mod diagram;
mod grid;
mod records;

pub use diagram::critical_difference;
pub(crate) use grid::Footnotes;
pub use grid::Grid;
pub use records::{csv, json};
