//! PCC, the probabilistic classifier chain (Dembczyński et al. 2010): a `Chain` whose most
//! probable label set is searched for, by default exactly and with a certificate.

mod fit;
mod params;
mod predict;

use arbormix_joint::learner::Method;

pub use crate::chain::Search;
pub use params::ProbabilisticChainParams;
pub use predict::ProbabilisticChain;

/// Its entry in the registry.
pub const METHOD: Method = Method::of::<ProbabilisticChainParams>(
    "pcc",
    "PCC",
    "ProbabilisticChain",
    "probabilistic classifier chain: the chain's most probable label set, proven",
    |stored| Ok(Box::new(ProbabilisticChain::load(stored)?)),
);
