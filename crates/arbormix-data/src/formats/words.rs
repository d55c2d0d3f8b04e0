//! What the words in label columns mean.

/// Words for a label that is absent and one that is present, in lower case.
const PAIRS: [(&str, &str); 8] = [
    ("0", "1"),
    ("no", "yes"),
    ("false", "true"),
    ("n", "y"),
    ("f", "t"),
    ("absent", "present"),
    ("off", "on"),
    ("-1", "+1"),
];

/// Whether a usual word means present (`true`) or absent (`false`).
pub(super) fn meaning(word: &str) -> Option<bool> {
    for (absent, present) in PAIRS {
        if word.eq_ignore_ascii_case(present) {
            return Some(true);
        }
        if word.eq_ignore_ascii_case(absent) {
            return Some(false);
        }
    }
    // 0.0, 1.0, 1e0: numbers as other programs write them.
    match word.parse::<f64>() {
        Ok(1.0) => Some(true),
        Ok(0.0 | -1.0) => Some(false),
        _ => None,
    }
}

/// The words of one label column, read by meaning.
///
/// The column's own words may be unusual: then `positive` says which one means present, and the one other unusual
/// word of the column means absent.
#[derive(Debug, Clone, Default)]
pub(super) struct Words {
    positive: Option<String>,
    /// The unusual word that means absent, once seen.
    absent: Option<String>,
    zero: bool,
    minus: bool,
}

pub(super) const UNUSUAL: &str = "does not say whether the label is present; use 0 and 1 (or no/yes, false/true), \
                                  or give the word that means present as `positive`";
const SECOND_UNUSUAL: &str = "is a further word in a label that has its two; a label is either present or absent";
const ZERO_AND_MINUS: &str = "stands beside 0 and -1 in one label, and one of them may mean unknown; \
                              write ? for unknown cells and 0 for absent ones";

impl Words {
    pub(super) fn new(positive: Option<&str>) -> Words {
        Words { positive: positive.map(str::to_string), ..Words::default() }
    }

    /// Whether a word means present, or why it cannot be used.
    pub(super) fn read(&mut self, word: &str) -> Result<bool, &'static str> {
        match word {
            "0" => self.zero = true,
            "1" => return Ok(true),
            "-1" => self.minus = true,
            _ => {}
        }
        if self.zero && self.minus {
            return Err(ZERO_AND_MINUS);
        }
        if self.positive.as_deref() == Some(word) {
            return Ok(true);
        }
        if let Some(present) = meaning(word) {
            return Ok(present);
        }
        match &self.absent {
            _ if self.positive.is_none() => Err(UNUSUAL),
            None => {
                self.absent = Some(word.to_string());
                Ok(false)
            }
            Some(absent) if absent == word => Ok(false),
            Some(_) => Err(SECOND_UNUSUAL),
        }
    }

    /// What each declared category of a label means: one word, or two that say different things.
    pub(super) fn categories(&mut self, categories: &[String]) -> Result<Vec<bool>, &'static str> {
        let meanings = categories.iter().map(|word| self.read(word)).collect::<Result<Vec<bool>, _>>()?;
        match meanings[..] {
            [_] => Ok(meanings),
            [first, second] if first != second => Ok(meanings),
            [_, _] => Err("say the same; give the word that means present as `positive`"),
            _ => Err("are not two words; a label is either present or absent"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_read_by_meaning_in_any_order_and_case() {
        for (absent, present) in [("0", "1"), ("NO", "Yes"), ("False", "TRUE"), ("n", "Y"), ("f", "T"), ("-1", "1")] {
            let words = |a: &str, b: &str| Words::default().categories(&[a.to_string(), b.to_string()]);
            assert_eq!(words(absent, present), Ok(vec![false, true]), "{absent} {present}");
            assert_eq!(words(present, absent), Ok(vec![true, false]), "{present} {absent}");
        }
    }

    #[test]
    fn an_unusual_word_needs_positive_and_may_have_one_opposite() {
        assert_eq!(Words::default().read("ill"), Err(UNUSUAL));
        let mut words = Words::new(Some("ill"));
        assert_eq!((words.read("ill"), words.read("well"), words.read("well")), (Ok(true), Ok(false), Ok(false)));
        assert_eq!(words.read("dead"), Err(SECOND_UNUSUAL));
        // A column with ordinary words in the same file is not inverted.
        let mut ordinary = Words::new(Some("ill"));
        assert_eq!((ordinary.read("1"), ordinary.read("0.0")), (Ok(true), Ok(false)));
    }

    #[test]
    fn zero_and_minus_one_in_one_column_are_refused() {
        let mut words = Words::default();
        assert_eq!((words.read("-1"), words.read("1"), words.read("0")), (Ok(false), Ok(true), Err(ZERO_AND_MINUS)));
    }

    #[test]
    fn categories_that_are_not_a_pair_are_refused() {
        let words =
            |list: &[&str]| Words::default().categories(&list.iter().map(|w| w.to_string()).collect::<Vec<_>>());
        assert!(words(&["yes", "1"]).is_err());
        assert!(words(&["0", "1", "no"]).is_err());
        assert_eq!(words(&["0"]), Ok(vec![false]));
        assert!(words(&[]).is_err());
    }
}
