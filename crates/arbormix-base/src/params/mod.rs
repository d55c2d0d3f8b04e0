//! Parameters that describe themselves.
//!
//! [`params!`](crate::params!) declares a group of parameters, [`choices!`](crate::choices!) a parameter that is one of
//! several words. One declaration gives a parameter's name, type, default in both presets, allowed values, meaning, level
//! and name in Python. Everything that shows or sets parameters reads it: validation, `--set`, `arbormix methods`, Python's
//! signatures and documentation.
//!
//! ```
//! use arbormix_base::params::{Allowed, Group, Preset, Value, leaves};
//! use serde_json::json;
//!
//! arbormix_base::params! {
//!     /// When a solver stops.
//!     pub struct Solver {
//!         /// Relative accuracy.
//!         tolerance: f64 = 1e-6, allowed = Allowed::Between(0.0, 1.0), python = "tol";
//!         /// Steps at most.
//!         max_iterations: usize = 100, paper = 50, allowed = Allowed::AtLeast(1.0), level = main;
//!     }
//! }
//!
//! assert_eq!(Solver::default().max_iterations(7).max_iterations, 7);
//! assert_eq!(Solver::preset(Preset::Paper).max_iterations, 50);
//! let mut solver = Solver::default();
//! solver.set(&json!({"tolerance": 0.5}), "solver")?;
//! assert_eq!(solver.tolerance, 0.5);
//! let error = solver.set(&json!({"tolerence": 0.5}), "solver").unwrap_err().to_string();
//! assert!(error.contains("did you mean \"solver.tolerance\"?"), "{error}");
//! assert_eq!(leaves::<Solver>()[0].path, "max_iterations");
//! # Ok::<(), arbormix_base::params::ParamError>(())
//! ```

mod check;
mod choice;
mod describe;
mod error;
mod group;
mod kind;
mod value;

pub use check::check;
pub use describe::{Leaf, describe_leaf, leaves};
pub use error::ParamError;
pub use group::{nearest, set_field, unknown};
pub use kind::{Allowed, Field, Kind, Level, Variant};
pub use value::{Given, Value, expected};

#[doc(hidden)]
pub use choice::{keyed, needs_value, payload, word_of};
#[doc(hidden)]
pub use serde;
#[doc(hidden)]
pub use serde_json;

/// A set of defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Preset {
    /// What we recommend.
    #[default]
    Default,
    /// Every choice as in the paper.
    Paper,
}

impl Preset {
    /// Both of them.
    pub const ALL: [Preset; 2] = [Preset::Default, Preset::Paper];
}

/// A group of parameters with both sets of defaults.
pub trait Group: Value + Default {
    /// Its parameters.
    const FIELDS: &'static [Field];
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

#[cfg(test)]
mod tests;
