//! The one list of methods; the command line, experiments and tests iterate it.

use arbormix_base::params::ParamError;
pub use arbormix_base::params::Preset;
use arbormix_joint::learner::Learner;
pub use arbormix_joint::learner::Method;
use arbormix_joint::{Error, Result};
use arbormix_model::Model;
use arbormix_rivals::METHODS as RIVALS;
use serde_json::Value;

/// What is fitted where nobody names a method.
pub const DEFAULT_METHOD: &str = METHODS[0].name;

/// Our methods, the default at their head.
const OURS: &[Method] =
    &[crate::selection::METHOD, arbormix_mlme::mlme::METHOD, arbormix_stack::METHOD, arbormix_mlme::ctbn::METHOD];

/// All methods, ours first, the default at their head.
pub const METHODS: &[Method] = &joined::<{ OURS.len() + RIVALS.len() }>();

const fn joined<const N: usize>() -> [Method; N] {
    let mut out = [OURS[0]; N];
    let mut place = 1;
    while place < N {
        out[place] = if place < OURS.len() { OURS[place] } else { RIVALS[place - OURS.len()] };
        place += 1;
    }
    out
}

/// The method with a name.
pub fn method(name: &str) -> Result<&'static Method, ParamError> {
    METHODS.iter().find(|method| method.name == name).ok_or_else(|| ParamError::UnknownMethod {
        name: name.to_string(),
        known: METHODS.iter().map(|method| method.name).collect::<Vec<_>>().join(", "),
    })
}

/// A learner: a preset's defaults with `overrides` (a JSON object of the same shape) laid over them.
///
/// ```
/// use arbormix::registry::{Preset, learner};
/// let overrides = serde_json::json!({"experts": 3, "seed": 7});
/// assert_eq!(learner("mlme", Preset::Paper, &overrides)?.params()["experts"], 3);
/// assert!(learner("mlme", Preset::Paper, &serde_json::json!({"expert": 3})).is_err());
/// let held_out = serde_json::json!({"structure": {"scoring": {"holdout": 0.3}}});
/// assert_eq!(learner("ctbn", Preset::Default, &held_out)?.params()["structure"]["scoring"]["holdout"], 0.3);
/// assert!(learner("ctbn", Preset::Default, &serde_json::json!({"features": {"scale": "none"}})).is_err());
/// # Ok::<(), arbormix::Error>(())
/// ```
pub fn learner(name: &str, preset: Preset, overrides: &Value) -> Result<Box<dyn Learner>> {
    method(name)?.with(preset, overrides).map_err(|error| match error {
        Error::Params(error) => name_owners(error, preset).into(),
        other => other,
    })
}

/// The learner that fits such a model again: that of its method, with its parameters.
pub fn learner_of(model: &Model) -> Result<Box<dyn Learner>> {
    learner(model.method(), Preset::Default, model.params())
}

/// Says which methods have a parameter that this one has not: users of `auto` look for those of what it may choose.
fn name_owners(error: ParamError, preset: Preset) -> ParamError {
    let ParamError::UnknownName { name, known, near, .. } = error else { return error };
    let place = format!("/{}", name.replace('.', "/"));
    let has = |method: &&Method| method.defaults(preset).pointer(&place).is_some();
    let methods = METHODS.iter().filter(has).map(|method| method.name).collect();
    ParamError::UnknownName { name, known, near, methods }
}
