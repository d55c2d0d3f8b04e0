//! Category words and their codes.

use std::collections::HashMap;

/// The categories of a nominal column; a code is a position in the list.
#[derive(Default)]
pub(super) struct Categories {
    words: Vec<String>,
    /// Only for long lists; short lists are searched faster one by one.
    codes: HashMap<String, usize>,
}

const SHORT: usize = 8;

impl Categories {
    pub(super) fn words(&self) -> &[String] {
        &self.words
    }

    pub(super) fn into_words(self) -> Vec<String> {
        self.words
    }

    pub(super) fn code(&self, word: &str) -> Option<usize> {
        if self.words.len() <= SHORT {
            self.words.iter().position(|other| other == word)
        } else {
            self.codes.get(word).copied()
        }
    }

    /// The code of a word; an unknown word becomes a new category.
    pub(super) fn code_or_add(&mut self, word: &str) -> usize {
        self.code(word).unwrap_or_else(|| {
            self.add(word.to_string());
            self.words.len() - 1
        })
    }

    fn add(&mut self, word: String) {
        self.words.push(word);
        if self.words.len() > SHORT {
            let from = self.codes.len();
            self.codes.extend(self.words.iter().cloned().zip(0..).skip(from));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_positions_in_short_and_long_lists() {
        let mut categories = Categories::default();
        for code in 0..20 {
            assert_eq!(categories.code_or_add(&format!("c{code}")), code);
            assert_eq!(categories.code("c0"), Some(0));
        }
        assert_eq!((categories.code("c13"), categories.code("c20")), (Some(13), None));
        assert_eq!((categories.code_or_add("c7"), categories.words().len()), (7, 20));
    }
}
