//! The registry for the Python layer, which makes its estimators from it.

use arbormix::registry::{METHODS, Method, Preset};
use arbormix_base::params::describe_leaf;
use pyo3::prelude::*;
use serde_json::{Value, json};

/// All methods with their parameters, as JSON: `name`, `title`, `class`, `summary`, `default`, `paper`, and `parameters`, each as it is
/// declared (see `describe_leaf` in the library).
#[pyfunction]
pub(crate) fn methods() -> String {
    let describe = |method: &Method| {
        json!({
            "name": method.name,
            "title": method.title,
            "class": method.class,
            "summary": method.summary,
            "default": method.defaults(Preset::Default),
            "paper": method.defaults(Preset::Paper),
            "parameters": method.parameters().iter().map(describe_leaf).collect::<Vec<_>>(),
        })
    };
    Value::Array(METHODS.iter().map(describe).collect()).to_string()
}
