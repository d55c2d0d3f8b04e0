//! The methods ML-ME is compared with; CTBN is [`crate::tree`] itself.

pub mod br;
