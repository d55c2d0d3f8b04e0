//! The registry for the Python layer, which makes its estimators from it.

use arbormix::registry::{METHODS, Method, Preset, learner};
use pyo3::prelude::*;
use serde_json::{Map, Value, json};

/// All methods with their parameters, as JSON: `name`, `title`, `summary`, `default`, `paper`, and `choices`, which maps
/// the dotted path of every parameter that is one of several words to what may stand there.
#[pyfunction]
pub(crate) fn methods() -> String {
    let describe = |method: &Method| {
        let default = method.defaults(Preset::Default);
        let mut choices = Map::new();
        find_choices(method, &default, &mut Vec::new(), &mut choices);
        json!({
            "name": method.name,
            "title": method.title,
            "summary": method.summary,
            "default": default,
            "paper": method.defaults(Preset::Paper),
            "choices": choices,
        })
    };
    Value::Array(METHODS.iter().map(describe).collect()).to_string()
}

/// Finds the parameters that are one of several words, some with numbers of their own: `{"folds": 3}` looks like a group
/// of parameters, but the words are alternatives. Asking for a word that cannot be there tells them apart.
fn find_choices<'a>(method: &Method, value: &'a Value, path: &mut Vec<&'a str>, found: &mut Map<String, Value>) {
    if !path.is_empty() {
        let impossible = path.iter().rev().fold(json!("?"), |inner, name| json!({ *name: inner }));
        let refusal = learner(method.name, Preset::Default, &impossible).err().map(|error| error.to_string());
        if let Some(words) = refusal.as_deref().and_then(|text| text.split_once("unknown variant `?`, expected ")) {
            let words: Vec<&str> = words.1.split('`').skip(1).step_by(2).collect();
            found.insert(path.join("."), json!(words));
            return;
        }
    }
    for (name, inner) in value.as_object().into_iter().flatten() {
        path.push(name);
        find_choices(method, inner, path, found);
        path.pop();
    }
}
