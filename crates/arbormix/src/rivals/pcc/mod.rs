//! PCC, the probabilistic classifier chain (Dembczyński et al. 2010): a [`Chain`](super::chain::Chain) whose most
//! probable label set is searched for, by default exactly and with a certificate.

mod fit;
mod params;
mod predict;

pub use params::ProbabilisticChainParams;
pub use predict::ProbabilisticChain;
