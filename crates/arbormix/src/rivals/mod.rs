//! The methods ML-ME is compared with; CTBN is [`crate::tree`] itself.

pub mod br;
pub mod cc;
pub mod chain;
pub mod chf;
pub mod ecc;
pub mod iblr;
mod independent;
pub mod lp;
pub mod mlknn;
pub mod mmoc;
pub mod neighbours;
pub mod pcc;
pub mod stacked;
