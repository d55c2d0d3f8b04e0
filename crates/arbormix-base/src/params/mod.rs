//! Parameters of methods.

mod error;

pub use error::ParamError;

/// A set of defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Preset {
    /// What we recommend.
    #[default]
    Default,
    /// Every choice as in the paper.
    Paper,
}

/// Parameters that have both sets of defaults.
pub trait Presets: Default {
    /// The paper's choices.
    fn paper() -> Self;
    /// The defaults of a preset.
    fn preset(preset: Preset) -> Self {
        match preset {
            Preset::Default => Self::default(),
            Preset::Paper => Self::paper(),
        }
    }
}
