//! Presets as the command line names them.

use arbormix::registry::{self, Preset};
use arbormix::selection::Candidate;

use crate::assignment::Assignment;
use crate::failure::Failure;

/// A set of defaults that every method has, or one of those that `auto` chooses from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum NamedPreset {
    OfMethod(Preset),
    Chosen(Candidate),
}

impl NamedPreset {
    /// All names. `paper` is the paper's preset of any method, which for `auto` is the candidate of that name.
    pub(crate) const NAMES: [&str; 5] = ["default", "paper", "stack", "kernel", "linear"];

    pub(crate) fn named(name: &str) -> Option<NamedPreset> {
        match name {
            "default" => Some(NamedPreset::OfMethod(Preset::Default)),
            "paper" => Some(NamedPreset::OfMethod(Preset::Paper)),
            _ => Candidate::ALL.into_iter().find(|one| one.word() == name).map(NamedPreset::Chosen),
        }
    }

    /// The method's set of defaults, and what is set beside it; `given`: what is set by hand.
    pub(crate) fn of_method(self, method: &str, given: &[Assignment]) -> Result<(Preset, Option<Assignment>), Failure> {
        match self {
            NamedPreset::OfMethod(preset) => Ok((preset, None)),
            NamedPreset::Chosen(one) if method != registry::DEFAULT_METHOD => Err(Failure::Usage(format!(
                "preset {0} is one of those that method {1} chooses from, not of {method}; leave out the method, or \
                 the preset",
                one.word(),
                registry::DEFAULT_METHOD
            ))),
            NamedPreset::Chosen(one) if given.iter().any(|other| other.is_of("candidates")) => Err(Failure::Usage(
                format!("preset {} and parameter candidates say twice what to choose from; leave one out", one.word()),
            )),
            NamedPreset::Chosen(one) => {
                Ok((Preset::Default, Some(Assignment::new("candidates", &format!("[\"{}\"]", one.word())))))
            }
        }
    }
}
