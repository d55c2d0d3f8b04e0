//! Logistic regressions, extra-trees and feature maps, and how what was learned is stored.
//!
//! An inner crate of arbormix: its interface may change with any version. Use the crate `arbormix`.

pub mod features;
pub mod forest;
pub mod logistic;
pub mod store;
