//! Learners that tests fit.

use arbormix_base::params::Preset;
use arbormix_joint::Result;
use arbormix_joint::learner::{Learner, Method};

/// Methods that tests of this crate fit.
pub(crate) const METHODS: [Method; 5] = [
    arbormix_mlme::ctbn::METHOD,
    arbormix_mlme::mlme::METHOD,
    arbormix_rivals::br::METHOD,
    arbormix_rivals::lp::METHOD,
    arbormix_rivals::mlknn::METHOD,
];

/// A learner by its method's name.
pub(crate) fn learner(name: &str, preset: Preset, overrides: &serde_json::Value) -> Result<Box<dyn Learner>> {
    METHODS.iter().find(|method| method.name == name).expect("a method of the tests").with(preset, overrides)
}
