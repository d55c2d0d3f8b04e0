//! Stub.

use super::Dataset;
use crate::error::Result;

/// Planted.
#[derive(Debug, Clone, Default)]
pub struct Planted {
    /// Rows.
    pub rows: usize,
    /// Seed.
    pub seed: u64,
}

/// Truth.
#[derive(Debug, Clone)]
pub struct Truth;

impl Planted {
    /// Samples.
    pub fn sample(&self) -> Result<(Dataset, Truth)> {
        todo!()
    }
}
