//! The methods ML-ME is compared with; CTBN is [`crate::tree`] itself.

pub mod br;
pub mod cc;
pub mod chain;
pub mod ecc;
pub mod pcc;
