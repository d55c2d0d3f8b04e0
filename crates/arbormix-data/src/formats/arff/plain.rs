//! Fast parsing of cells in their usual form, without access to the attribute: attributes are large and there may be
//! many.

use super::rows::{Content, Field};
use crate::formats::decimal;
use crate::formats::label_source::Role;

/// What the usual cells of an attribute look like.
#[derive(Clone, Copy)]
pub(super) enum Plain {
    /// A number of this feature.
    Number(u32),
    /// One of two categories of this feature, each a letter or a digit.
    Letter(u32, [u8; 2]),
    /// One of two such categories of this label, and what they mean.
    Label(u32, [u8; 2], [bool; 2]),
    /// There is no usual form.
    No,
}

/// What such a cell holds.
#[derive(Clone, Copy)]
pub(super) enum PlainCell {
    Feature(usize, f64),
    Label(usize, bool),
}

impl Plain {
    pub(super) fn of(field: &Field) -> Plain {
        let narrow = |index: usize| u32::try_from(index).ok();
        let plain = match (field.role, &field.content) {
            (Role::Feature(feature), Content::Number) => narrow(feature).map(Plain::Number),
            (Role::Feature(feature), Content::Category(categories)) => {
                narrow(feature).zip(two_letters(categories.words())).map(|(to, letters)| Plain::Letter(to, letters))
            }
            (Role::Label(label), Content::LabelCategory(categories, meanings)) => match meanings[..] {
                [first, second] => narrow(label)
                    .zip(two_letters(categories.words()))
                    .map(|(to, letters)| Plain::Label(to, letters, [first, second])),
                _ => None,
            },
            _ => None,
        };
        plain.unwrap_or(Plain::No)
    }

    /// The cell at the start of `bytes` and its length, if it has the usual form so far. The caller checks that the
    /// cell ends there.
    #[inline(always)]
    pub(super) fn cell(self, bytes: &[u8]) -> Option<(PlainCell, usize)> {
        let which = |letters: [u8; 2]| {
            let first = *bytes.first()?;
            letters.iter().position(|&letter| letter == first)
        };
        match self {
            Plain::Number(to) => {
                decimal::leading(bytes).map(|(value, length)| (PlainCell::Feature(to as usize, value), length))
            }
            Plain::Letter(to, letters) => which(letters).map(|code| (PlainCell::Feature(to as usize, code as f64), 1)),
            Plain::Label(to, letters, meanings) => {
                which(letters).map(|code| (PlainCell::Label(to as usize, meanings[code]), 1))
            }
            Plain::No => None,
        }
    }
}

/// The bytes of two words, if each is one letter or digit.
fn two_letters(words: &[String]) -> Option<[u8; 2]> {
    match words {
        [first, second] => match (first.as_bytes(), second.as_bytes()) {
            (&[a], &[b]) if a.is_ascii_alphanumeric() && b.is_ascii_alphanumeric() => Some([a, b]),
            _ => None,
        },
        _ => None,
    }
}
