//! Rows of labels and `index:value` pairs.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use crate::error::{FormatError, Result};
use crate::formats::label_rows::LabelRows;
use crate::formats::label_source::LabelSource;
use crate::formats::source::Line;
use crate::formats::{data_name, decimal, number};
use crate::{Column, Dataset, LabelSet};
use arbormix_matrix::{Matrix, SparseBuilder};

/// The numbers a row may use.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub(super) first: u32,
    pub(super) last: u32,
    /// Number of labels, if the header has it; then all features of the header exist, used or not.
    pub(super) labels: Option<u32>,
}

/// The rows read so far.
pub(super) struct Rows {
    limits: Limits,
    /// Number of the first feature. Taken to be 1 until a 0 occurs, unless the caller knows.
    base: u32,
    largest: Option<u32>,
    features: SparseBuilder,
    /// Start of each row's labels in `labels`.
    starts: Vec<usize>,
    labels: Vec<i64>,
}

impl Rows {
    pub(super) fn new(limits: Limits, base: u32) -> Rows {
        let (features, starts, labels) = (SparseBuilder::default(), Vec::new(), Vec::new());
        Rows { limits, base, largest: None, features, starts, labels }
    }

    pub(super) fn count(&self) -> usize {
        self.starts.len()
    }

    /// Reads the part of a line before any comment.
    pub(super) fn read(&mut self, line: Line<'_>, text: &str) -> Result<()> {
        self.starts.push(self.labels.len());
        let mut previous: Option<u32> = None;
        let (mut at, mut first) = (0, true);
        while let Some(blanks) = text.as_bytes()[at..].iter().position(|byte| !byte.is_ascii_whitespace()) {
            let start = at + blanks;
            let (index, value, length) = match self.plain_pair(&text.as_bytes()[start..]) {
                Some(plain) => plain,
                None => {
                    let rest = &text[start..];
                    let word = &rest[..rest.bytes().position(|byte| byte.is_ascii_whitespace()).unwrap_or(rest.len())];
                    if first && !word.contains(':') {
                        self.read_labels(line, word, start)?;
                        (at, first) = (start + word.len(), false);
                        continue;
                    }
                    let (index, value) = self.pair(line, word, start)?;
                    (index, value, word.len())
                }
            };
            (at, first) = (start + length, false);
            if let Some(previous) = previous.filter(|&previous| previous >= index) {
                let (at, index, previous) = (line.place(start), u64::from(index), u64::from(previous));
                return Err(match index == previous {
                    true => FormatError::RepeatedIndex { at, index },
                    false => FormatError::NotAscending { at, index, previous },
                }
                .into());
            }
            previous = Some(index);
            if index < self.base {
                self.rebase();
            }
            self.features.push((index - self.base) as usize, value);
            self.largest = self.largest.max(Some(index));
        }
        self.features.end_row();
        Ok(())
    }

    /// The first index 0 shows that features count from 0: those read so far move one to the right.
    ///
    /// A 0 is the first index of its row, so the row under construction has no cells yet.
    fn rebase(&mut self) {
        let width = self.largest.map_or(0, |largest| (largest + 1 - self.base) as usize);
        let read = std::mem::take(&mut self.features).finish(width);
        for row in 0..read.rows() {
            let (columns, values) = read.row(row);
            for (&column, &value) in columns.iter().zip(values) {
                self.features.push(column as usize + 1, value);
            }
            self.features.end_row();
        }
        self.base = 0;
    }

    fn read_labels(&mut self, line: Line<'_>, word: &str, start: usize) -> Result<(), FormatError> {
        let mut offset = start;
        for text in word.split(',') {
            let Ok(label) = text.parse::<i64>() else {
                let (at, found) = (line.place(offset), format!("{text:?}"));
                let expected = "labels as whole numbers with commas between them, then index:value pairs";
                return Err(FormatError::Syntax { at, expected, found });
            };
            if let Some(count) = self.limits.labels
                && !(0..i64::from(count)).contains(&label)
            {
                let (at, found) = (line.place(offset), label.to_string());
                let expected = "a label below the header's number of labels, counted from 0";
                return Err(FormatError::Syntax { at, expected, found });
            }
            self.labels.push(label);
            offset += text.len() + 1;
        }
        Ok(())
    }

    /// The `index:value` at the start of `bytes`, if it has the usual form, and its length.
    #[inline]
    fn plain_pair(&self, bytes: &[u8]) -> Option<(u32, f64, usize)> {
        let (index, length) = decimal::leading_index(bytes, b':')?;
        let index = u32::try_from(index).ok().filter(|index| (self.limits.first..=self.limits.last).contains(index))?;
        let (value, digits) = decimal::leading(&bytes[length..])?;
        let end = length + digits;
        let ends = bytes.get(end).is_none_or(u8::is_ascii_whitespace);
        ends.then_some((index, value, end))
    }

    /// One `index:value`.
    fn pair(&self, line: Line<'_>, word: &str, start: usize) -> Result<(u32, f64), FormatError> {
        const EXPECTED: &str = "index:value, a whole number and a number";
        // Words are short; the search of `split_once` would cost more to set up.
        let colon = word.bytes().position(|byte| byte == b':');
        let (index, value) = colon.map_or((word, ""), |colon| (&word[..colon], &word[colon + 1..]));
        let Some(parsed) = index.parse::<u64>().ok().filter(|_| !value.is_empty()) else {
            return Err(FormatError::Syntax { at: line.place(start), expected: EXPECTED, found: format!("{word:?}") });
        };
        let (first, last) = (u64::from(self.limits.first), u64::from(self.limits.last));
        match u32::try_from(parsed) {
            Ok(narrow) if (first..=last).contains(&parsed) => {
                Ok((narrow, number(value, index, || line.place(start + index.len() + 1))?))
            }
            _ => Err(FormatError::IndexRange { at: line.place(start), index: parsed, first, last }),
        }
    }

    /// The data set; features and labels are named by their numbers.
    pub(super) fn finish(self, path: &Path, source: &LabelSource) -> Result<Dataset> {
        let last = if self.limits.labels.is_some() { Some(self.limits.last) } else { self.largest };
        let columns: Vec<Column> =
            last.map_or(Vec::new(), |last| (self.base..=last).map(|i| Column::numeric(i.to_string())).collect());
        let features = Matrix::Sparse(self.features.finish(columns.len()));
        let numbers: Vec<i64> = match self.limits.labels {
            Some(count) => (0..i64::from(count)).collect(),
            None => {
                let mut numbers = self.labels.clone();
                numbers.sort_unstable();
                numbers.dedup();
                numbers
            }
        };
        let (names, unknown) = label_names(&numbers, source, self.limits.labels.is_some());
        if names.is_empty() {
            let reason = "no row has any; write them as the first word of each row, e.g. 1,3 2:0.5".to_string();
            return Err(FormatError::NoLabels { path: path.to_path_buf(), reason }.into());
        }
        let places: HashMap<&str, usize> = names.iter().map(String::as_str).zip(0..).collect();
        let place_of: Vec<usize> = numbers.iter().map(|label| places[label.to_string().as_str()]).collect();
        let mut labels = LabelRows::new(LabelSet::empty(names.len()), &unknown);
        for (row, &start) in self.starts.iter().enumerate() {
            let end = self.starts.get(row + 1).copied().unwrap_or(self.labels.len());
            labels.start_row();
            for label in &self.labels[start..end] {
                if let Ok(position) = numbers.binary_search(label) {
                    labels.set(place_of[position], Some(true));
                }
            }
        }
        let data = Dataset::with_missing(data_name(path), features, columns, labels.finish(), names)?;
        Ok(data.with_implicit_columns())
    }
}

/// Names of the labels, and the labels that are unknown in this file.
///
/// The labels of a model come first. A label that no row has is absent, not unknown, because rows list only present
/// labels. But in a file without any label all are unknown: it was written for prediction. A label is also unknown if
/// its name is not a number or exceeds the number of labels in the header.
fn label_names(numbers: &[i64], source: &LabelSource, counted: bool) -> (Vec<String>, Vec<usize>) {
    let mut found: Vec<String> = numbers.iter().map(i64::to_string).collect();
    let LabelSource::Known(known) = source else { return (found, Vec::new()) };
    let occurs = |name: &String| match name.parse::<i64>() {
        Ok(number) if counted => numbers.binary_search(&number).is_ok(),
        Ok(number) => !numbers.is_empty() && number.to_string() == *name,
        Err(_) => false,
    };
    let unknown = (0..known.len()).filter(|&label| !occurs(&known[label])).collect();
    let listed: HashSet<&String> = known.iter().collect();
    found.retain(|name| !listed.contains(name));
    (known.iter().cloned().chain(found).collect(), unknown)
}
