//! CHF, two layers of BR (Godbole & Sarawagi 2004): the second layer sees the features and what the first layer says
//! about all labels.
//!
//! The second layer learns from *out-of-fold* outputs by default: each training row's outputs come from a first layer
//! that has not seen it, as at prediction. With `in_sample` the first layer judges the rows it learned from and looks
//! better than it is. The paper does not say which it did; its large losses on rcv1 suggest in-sample outputs.

mod fit;
mod params;
mod predict;
#[cfg(test)]
mod tests;

use arbormix_joint::learner::Method;

pub use params::TwoLayerParams;
pub use predict::{FirstLayer, TwoLayers};

/// Its entry in the registry.
pub const METHOD: Method = Method::of::<TwoLayerParams>(
    "chf",
    "CHF",
    "CHF",
    "two layers: binary relevance on the features and the first layer's outputs",
    |stored| Ok(Box::new(TwoLayers::load(stored)?)),
);
