//! What is fitted to held-out rows, which level 1 has not seen: the exponents of the label-set table, the weights of the parts,
//! and the choice between plans.
//!
//! - [`held_out`]: level 1 without a fold, and its answers to the rows of that fold
//! - [`weights`]: those of the parts
//! - [`mixture`]: both together, and how likely they make the held-out rows
//! - [`select`]: which plan each part gets

pub(crate) mod held_out;
pub(crate) mod mixture;
pub(crate) mod select;
pub(crate) mod weights;
