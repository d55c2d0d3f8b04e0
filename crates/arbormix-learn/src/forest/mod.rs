//! Extra-trees (Geurts, Ernst and Wehenkel 2006) over classes: a probabilistic forest.
//!
//! Every tree is grown on all rows until its leaves are pure. A split looks at a few random features (√m) with one
//! random threshold each and keeps the pair that lowers the Gini impurity most. A prediction is the mean over the trees
//! of the class shares in the leaf that the row falls into. With label sets as classes ([`SeenSets`](arbormix_data::SeenSets))
//! this is a label powerset.
//!
//! - `values`: the features by column, dense or sparse, for the rows of a node
//! - `grow`: one tree, in flat arrays; `few`: splits of nodes with few stored cells
//! - [`ForestParams::grow`]: all trees; [`Forest`]: what was grown; `file`: how it is kept

mod few;
mod file;
mod grow;
mod params;
mod predict;
#[cfg(test)]
mod tests;
mod tree;
mod values;

pub use params::{ForestParams, grow_seconds, grown_bytes};
pub use predict::{Forest, Shares};
