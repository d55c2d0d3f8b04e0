//! The words of an ARFF line.

use crate::error::FormatError;
use crate::formats::source::Line;

/// Reads a line from left to right.
pub(super) struct Cursor<'a> {
    pub(super) line: Line<'a>,
    at: usize,
}

/// A bare or quoted word.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word<'a> {
    pub(super) text: &'a str,
    pub(super) quoted: bool,
    /// Byte offset in the line.
    pub(super) start: usize,
}

impl Word<'_> {
    /// Whether the word stands for a missing value; a quoted question mark is a category.
    pub(super) fn is_missing(&self) -> bool {
        !self.quoted && self.text == "?"
    }
}

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)
}

/// Whether each byte ends a bare word. A table is faster than comparisons, and every byte of a file is tested.
const ENDS_BARE_WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < table.len() {
        table[byte] = matches!(byte as u8, b',' | b'{' | b'}') || is_blank(byte as u8);
        byte += 1;
    }
    table
};

fn ends_bare_word(byte: u8) -> bool {
    ENDS_BARE_WORD[usize::from(byte)]
}

impl<'a> Cursor<'a> {
    pub(super) fn new(line: Line<'a>) -> Cursor<'a> {
        Cursor { line, at: 0 }
    }

    fn bytes(&self) -> &'a [u8] {
        self.line.text.as_bytes()
    }

    /// Byte offset of what comes next.
    pub(super) fn offset(&self) -> usize {
        self.at
    }

    /// Everything from here on.
    #[inline]
    pub(super) fn remaining(&self) -> &'a str {
        &self.line.text[self.at..]
    }

    /// Everything from here on, without blanks around it.
    pub(super) fn rest(&self) -> &'a str {
        self.remaining().trim()
    }

    /// The next byte after blanks; `None` at the end of the line or before a comment.
    #[inline]
    pub(super) fn peek(&mut self) -> Option<u8> {
        let bytes = self.bytes();
        while self.at < bytes.len() && is_blank(bytes[self.at]) {
            self.at += 1;
        }
        bytes.get(self.at).copied().filter(|&byte| byte != b'%')
    }

    /// Steps over `byte` if it comes next.
    #[inline]
    pub(super) fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// The next word; a quoted one with escapes is put together in `scratch`.
    ///
    /// A bare word ends at a blank, a comma or a brace; a quote or percent sign inside it is part of it.
    #[inline]
    pub(super) fn word<'w>(&mut self, expected: &'static str, scratch: &'w mut String) -> Result<Word<'w>, FormatError>
    where
        'a: 'w,
    {
        let first = self.peek();
        let start = self.at;
        match first {
            Some(quote @ (b'\'' | b'"')) => self.quoted_word(quote, scratch),
            Some(byte) if !ends_bare_word(byte) => {
                let bytes = self.bytes();
                self.at = start + 1;
                while self.at < bytes.len() && !ends_bare_word(bytes[self.at]) {
                    self.at += 1;
                }
                Ok(Word { text: &self.line.text[start..self.at], quoted: false, start })
            }
            _ => Err(self.unexpected(expected)),
        }
    }

    /// Steps over `count` bytes.
    #[inline]
    pub(super) fn advance(&mut self, count: usize) {
        self.at += count;
    }

    fn quoted_word<'w>(&mut self, quote: u8, scratch: &'w mut String) -> Result<Word<'w>, FormatError>
    where
        'a: 'w,
    {
        let start = self.at;
        let inside = &self.line.text[start + 1..];
        let stop = |byte: u8| byte == quote || byte == b'\\';
        if let Some(end) = inside.bytes().position(stop)
            && inside.as_bytes()[end] == quote
        {
            self.at = start + 1 + end + 1;
            return Ok(Word { text: &inside[..end], quoted: true, start });
        }
        scratch.clear();
        let mut characters = inside.char_indices();
        while let Some((offset, character)) = characters.next() {
            if character == char::from(quote) {
                self.at = start + 1 + offset + 1;
                return Ok(Word { text: scratch, quoted: true, start });
            }
            if character != '\\' {
                scratch.push(character);
                continue;
            }
            match characters.next() {
                Some((_, 'n')) => scratch.push('\n'),
                Some((_, 'r')) => scratch.push('\r'),
                Some((_, 't')) => scratch.push('\t'),
                Some((_, other)) => scratch.push(other),
                None => break,
            }
        }
        Err(FormatError::Syntax {
            at: self.line.place(start),
            expected: "the closing quote in the same line (write a quote inside a name as \\' or \\\")",
            found: "the end of the line".to_string(),
        })
    }

    /// The error for something unexpected at this place.
    pub(super) fn unexpected(&mut self, expected: &'static str) -> FormatError {
        let found = match self.peek() {
            None => "the end of the line".to_string(),
            Some(_) => {
                let rest = self.rest();
                let end = rest.bytes().skip(1).position(ends_bare_word).map_or(rest.len(), |end| end + 1);
                format!("{:?}", &rest[..rest.floor_char_boundary(end.min(40))])
            }
        };
        FormatError::Syntax { at: self.line.place(self.at), expected, found }
    }
}
