//! A method's entry in the registry.

use arbormix_base::params::{Group, Leaf, Preset, leaves};
use arbormix_learn::store::Stored;
use serde_json::Value;

use super::{Learner, Predictor};
use crate::error::Result;

/// One method: its names, its parameters, and how it is brought back from a file.
#[derive(Debug, Clone, Copy)]
pub struct Method {
    /// Name on the command line and in model files.
    pub name: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// Name of its class in Python.
    pub class: &'static str,
    /// One line on what it does.
    pub summary: &'static str,
    parameters: fn() -> Vec<Leaf>,
    defaults: fn(Preset) -> Value,
    learner: fn(Preset, &Value) -> Result<Box<dyn Learner>>,
    load: fn(&Stored) -> Result<Box<dyn Predictor>>,
}

impl Method {
    /// The method whose learner is `P`.
    pub const fn of<P: Learner + Group + 'static>(
        name: &'static str,
        title: &'static str,
        class: &'static str,
        summary: &'static str,
        load: fn(&Stored) -> Result<Box<dyn Predictor>>,
    ) -> Method {
        let (parameters, defaults) = (leaves::<P>, defaults::<P>);
        Method { name, title, class, summary, parameters, defaults, learner: learner::<P>, load }
    }

    /// Its parameters, those for everyone first.
    pub fn parameters(&self) -> Vec<Leaf> {
        (self.parameters)()
    }

    /// All its parameters with the defaults of a preset.
    pub fn defaults(&self, preset: Preset) -> Value {
        (self.defaults)(preset)
    }

    /// The learner with a preset's defaults and `overrides` (a JSON object of the same shape) laid over them.
    pub fn with(&self, preset: Preset, overrides: &Value) -> Result<Box<dyn Learner>> {
        let learner = (self.learner)(preset, overrides)?;
        learner.validate()?;
        Ok(learner)
    }

    /// Brings a stored predictor back.
    pub fn load(&self, stored: &Stored) -> Result<Box<dyn Predictor>> {
        (self.load)(stored)
    }
}

fn defaults<P: Group>(preset: Preset) -> Value {
    P::preset(preset).write()
}

fn learner<P: Learner + Group + 'static>(preset: Preset, overrides: &Value) -> Result<Box<dyn Learner>> {
    let mut params = P::preset(preset);
    params.set(overrides, "")?;
    Ok(Box::new(params))
}
