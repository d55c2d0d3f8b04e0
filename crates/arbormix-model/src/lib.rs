//! Fitted models: how they are made, asked, judged and kept.
//!
//! An inner crate of arbormix: its interface may change with any version. Use the crate `arbormix`.

pub mod ask;
pub mod decide;
mod fit;
pub mod helpers;
pub mod measure;
mod memory;
pub mod model;
mod needs;
mod out_of_fold;
pub mod scoring;
#[cfg(test)]
mod testing;

pub use arbormix_joint::error;
pub use fit::fit;
pub use memory::{fit_bytes, within_memory};
pub use model::Model;
pub use needs::Needs;
pub use out_of_fold::out_of_fold_marginals;
