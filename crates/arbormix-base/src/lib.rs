//! The base of all crates: parameters, progress, random streams and files that appear whole.
//!
//! An inner crate of arbormix: its interface may change with any version. Use the crate `arbormix`.

pub mod files;
pub mod paired;
pub mod params;
pub mod progress;
pub mod random;
