//! Labels whose values are known.

use super::{QuestionError, label};
use crate::tree::inference::{Allowed, unrestricted};

/// Which values each label may still have.
///
/// ```
/// use arbormix_joint::question::Known;
/// let names = ["cat", "dog", "pet"].map(String::from);
/// let known = Known::parse("cat=1, dog=no", &names)?;
/// assert_eq!(known.allowed(), [[false, true], [true, false], [true, true]]);
/// # Ok::<(), arbormix_joint::question::QuestionError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known(Allowed);

impl Known {
    /// Nothing is known of `labels` labels.
    pub fn nothing(labels: usize) -> Known {
        Known(unrestricted(labels))
    }

    /// From `name=value` pairs separated by commas; values are 1 or 0, yes or no, true or false.
    ///
    /// A name may itself hold commas and equals signs if it stands in double quotes.
    pub fn parse(text: &str, names: &[String]) -> Result<Known, QuestionError> {
        let mut known = Known::nothing(names.len());
        let mut column = 1;
        for part in split(text) {
            let start = column + part.chars().take_while(|c| c.is_whitespace()).count();
            column += part.chars().count() + 1;
            let expected = |found: &str| QuestionError::Expected {
                question: text.to_string(),
                column: start,
                expected: "a label's name, = and its value (1 or 0)",
                found: if found.is_empty() { "nothing".to_string() } else { format!("{found:?}") },
            };
            let (name, value) = part.trim().rsplit_once('=').ok_or_else(|| expected(part.trim()))?;
            let present = match value.trim().to_ascii_lowercase().as_str() {
                "1" | "yes" | "true" => true,
                "0" | "no" | "false" => false,
                _ => return Err(expected(part.trim())),
            };
            let name = name.trim();
            let name = name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(name);
            let at = label(text, start, name, names)?;
            if !known.0[at][usize::from(present)] {
                return Err(QuestionError::Contradiction { question: text.to_string(), name: name.to_string() });
            }
            known = known.with(at, present);
        }
        Ok(known)
    }

    /// Also knowing one label; it replaces what was known of it. A label that is not there changes nothing.
    #[must_use]
    pub fn with(mut self, label: usize, present: bool) -> Known {
        if let Some(values) = self.0.get_mut(label) {
            *values = [!present, present];
        }
        self
    }

    /// Also knowing what `other` knows, which replaces what was known of the same labels.
    #[must_use]
    pub fn and(mut self, other: &Known) -> Known {
        for (values, theirs) in self.0.iter_mut().zip(&other.0).filter(|(_, theirs)| **theirs != [true; 2]) {
            *values = *theirs;
        }
        self
    }

    /// Which values each label may have.
    pub fn allowed(&self) -> &[[bool; 2]] {
        &self.0
    }

    /// Whether nothing is known.
    pub fn is_nothing(&self) -> bool {
        self.0.iter().all(|values| *values == [true; 2])
    }
}

/// The parts between commas that do not stand in double quotes.
fn split(text: &str) -> Vec<&str> {
    let mut quoted = false;
    text.split(|c: char| {
        quoted ^= c == '"';
        c == ',' && !quoted
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Known, String> {
        let names = ["cat", "a,b=c", "pet"].map(String::from);
        Known::parse(text, &names).map_err(|error| error.to_string())
    }

    #[test]
    fn names_may_hold_separators() {
        assert_eq!(parse("\"a,b=c\"=1,cat=0").unwrap().allowed(), [[true, false], [false, true], [true, true]]);
        assert!(Known::nothing(3).is_nothing() && !parse("pet=TRUE").unwrap().is_nothing());
    }

    #[test]
    fn errors_name_the_place() {
        let message = |text| parse(text).unwrap_err();
        assert_eq!(
            message("cat=1, dog=0"),
            "\"cat=1, dog=0\", column 8: no label is called \"dog\"; the model's labels: cat, a,b=c, pet"
        );
        assert!(
            message("cat=2").ends_with("column 1: expected a label's name, = and its value (1 or 0), found \"cat=2\"")
        );
        assert!(message("cat=1,,pet=1").contains("column 7: expected") && message("").contains("found nothing"));
        assert!(message("cat=1,cat=0").contains("both present and absent"));
        assert!(parse("cat=1,cat=1").is_ok());
    }
}
