//! A method as one word of the command line: `mlme`, `mlme@paper`, `mlme@paper+experts=3`.

use arbormix::registry::METHODS;

use crate::assignment::Assignment;
use crate::failure::Failure;
use crate::presets::NamedPreset;

/// A method, with a preset and parameters of its own if it names any.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MethodSpec {
    /// Name in the registry.
    pub(crate) method: String,
    pub(crate) preset: Option<NamedPreset>,
    pub(crate) assignments: Vec<Assignment>,
}

impl MethodSpec {
    /// `NAME[@PRESET][+PARAMETER=VALUE]…`
    pub(crate) fn parse(text: &str) -> Result<MethodSpec, Failure> {
        let wrong = |what: &str| Failure::Usage(format!("method {text:?}: {what}"));
        let mut parts = text.split('+');
        let (method, preset) = match parts.next().unwrap_or_default().split_once('@') {
            None => (text.split('+').next().unwrap_or_default(), None),
            Some((method, name)) => match NamedPreset::named(name) {
                Some(preset) => (method, Some(preset)),
                None => return Err(wrong(&format!("no preset {name:?}; known: {}", NamedPreset::NAMES.join(", ")))),
            },
        };
        let assignments: Vec<Assignment> =
            parts.map(Assignment::parse).collect::<Result<_, _>>().map_err(|e| wrong(&e))?;
        Ok(MethodSpec { method: method.to_string(), preset, assignments })
    }
}

/// The methods of a list, separated by commas outside brackets; `all` stands for every method there is.
pub(crate) fn split_list(text: &str) -> Vec<String> {
    let mut depth = 0_i32;
    let words = text.split(|c: char| {
        depth += i32::from("[{".contains(c)) - i32::from("]}".contains(c));
        c == ',' && depth == 0
    });
    words
        .flat_map(|word| match word.trim() {
            "all" => METHODS.iter().map(|method| method.name.to_string()).collect(),
            word => vec![word.to_string()],
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_may_have_a_preset_and_parameters() {
        let spec = MethodSpec::parse("mlme@paper+experts=3+logistic.costs=[1,10]").unwrap();
        let paper = NamedPreset::named("paper");
        assert_eq!((spec.method.as_str(), spec.preset, spec.assignments.len()), ("mlme", paper, 2));
        assert_eq!(spec.assignments[0], Assignment::parse("experts=3").unwrap());
        let plain = MethodSpec::parse("br").unwrap();
        assert_eq!(plain, MethodSpec { method: "br".to_string(), preset: None, assignments: vec![] });
        let error = MethodSpec::parse("br@best").unwrap_err().to_string();
        assert_eq!(error, "method \"br@best\": no preset \"best\"; known: default, paper, stack, kernel, linear");
        assert!(MethodSpec::parse("br+seed").is_err());
    }

    #[test]
    fn commas_within_brackets_do_not_separate() {
        assert_eq!(split_list("br, cc+logistic.costs=[1,2],ctbn"), ["br", "cc+logistic.costs=[1,2]", "ctbn"]);
        assert_eq!(split_list("all").len(), METHODS.len());
    }
}
