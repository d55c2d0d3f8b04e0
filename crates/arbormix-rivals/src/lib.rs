//! The methods ML-ME is compared with.
//!
//! CTBN, which it is compared with too, is a part of it and lives beside it. CC, PCC and ECC share one fitted chain
//! (`chain`); MLKNN and IBLR share the search for neighbours (`neighbours`); IBLR and CHF are BR on derived features
//! (`stacked`).
//!
//! An inner crate of arbormix: its interface may change with any version. Use the crate `arbormix`.

pub mod br;
pub mod cc;
mod chain;
pub mod chf;
pub mod ecc;
pub mod iblr;
mod independent;
pub mod lp;
pub mod mlknn;
pub mod mmoc;
mod neighbours;
pub mod pcc;
mod stacked;

pub use chain::{Order, OrderRule};

use arbormix_joint::learner::Method;

/// All methods of this crate, in the order in which they are listed.
pub const METHODS: &[Method] = &[
    br::METHOD,
    cc::METHOD,
    pcc::METHOD,
    ecc::METHOD,
    mlknn::METHOD,
    iblr::METHOD,
    chf::METHOD,
    mmoc::METHOD,
    lp::METHOD,
];
