//! CTBN and ML-ME, the models of the paper.
//!
//! An inner crate of arbormix: its interface may change with any version. Use the crate `arbormix`.

pub mod ctbn;
pub mod mlme;
