//! Label trees and exact answers from joint distributions; what a method is.
//!
//! An inner crate of arbormix: its interface may change with any version. Use the crate `arbormix`.

pub mod error;
pub mod joint;
pub mod learner;
pub mod prediction;
pub mod question;
pub mod testing;
pub mod tree;

pub use error::{Error, Result};
