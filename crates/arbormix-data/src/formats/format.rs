//! What a file format is, and the list of those that are known.

use std::fmt;
use std::io::BufRead;
use std::path::Path;
use std::str::FromStr;

use super::ReadOptions;
use super::source::Source;
use crate::Dataset;
use crate::error::{FormatError, ParamError, Result};

/// The known formats. Names, recognition, messages, the command line and Python come from this list.
pub const FORMATS: [Format; 6] = [Format::ARFF, Format::LIBSVM, Format::XC, Format::CSV, Format::TSV, Format::PARQUET];

/// Writes a data set to a path.
pub(super) type Writer = fn(&Dataset, &Path) -> Result<()>;

/// The declaration of a format. A new format is a module with one of these, and an entry in [`FORMATS`].
pub(super) trait Declaration: Sync {
    /// Its name, as on the command line.
    fn name(&self) -> &'static str;

    /// How names of its files end, without the dot and in lower case.
    fn endings(&self) -> &'static [&'static str];

    /// Whether a file that begins with these bytes certainly has this format. Used if the name does not tell.
    fn begins(&self, _start: &[u8]) -> bool {
        false
    }

    /// The reading options that apply to it, see [`ReadOptions`]; others are refused.
    fn options(&self) -> &'static [&'static str];

    /// Reads a file, with options that were checked.
    fn read(&self, path: &Path, options: &ReadOptions) -> Result<Dataset>;

    /// What writes a file, if it can be written.
    fn writer(&self) -> Option<Writer> {
        None
    }
}

/// A file format.
#[derive(Clone, Copy)]
pub struct Format(pub(super) &'static dyn Declaration);

impl Format {
    /// Name on the command line.
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// The format by the end of the file's name; a `.gz` after it does not matter.
    ///
    /// ```
    /// use arbormix_data::formats::Format;
    /// assert_eq!(Format::from_path("scene.arff.gz".as_ref())?, Format::ARFF);
    /// # Ok::<(), arbormix_data::Error>(())
    /// ```
    pub fn from_path(path: &Path) -> Result<Format, FormatError> {
        let plain = super::without_gz(path);
        let ending = plain.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let known = FORMATS.into_iter().find(|format| format.0.endings().contains(&ending.as_str()));
        known.ok_or_else(|| FormatError::UnknownFormat { path: path.to_path_buf(), known: names() })
    }

    /// The format by the end of the file's name, else by the first bytes of the file.
    pub(super) fn of_file(path: &Path) -> Result<Format> {
        let by_name = Format::from_path(path);
        if by_name.is_err()
            && let Ok(start) = Source::open(path)?.fill_buf()
            && let Some(format) = FORMATS.into_iter().find(|format| format.0.begins(start))
        {
            return Ok(format);
        }
        Ok(by_name?)
    }
}

/// The names of all formats.
fn names() -> String {
    FORMATS.map(Format::name).join(", ")
}

/// The names of the formats that can be written, as a choice: `arff, csv or tsv`.
pub(super) fn writable() -> String {
    let names: Vec<&str> = FORMATS.iter().filter(|format| format.0.writer().is_some()).map(|f| f.name()).collect();
    match names.as_slice() {
        [others @ .., last] if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        names => names.concat(),
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Format) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Format {}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Format({:?})", self.name())
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = ParamError;

    fn from_str(name: &str) -> Result<Format, ParamError> {
        let known = FORMATS.into_iter().find(|format| format.name().eq_ignore_ascii_case(name));
        known.ok_or_else(|| ParamError::Form {
            name: "format".to_string(),
            message: format!("{name:?} is not a format; known: {}", names()),
        })
    }
}
