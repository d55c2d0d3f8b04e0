//! Readers and writers, one module each.
//!
//! A module declares its format (`format::Declaration`): its name, how its files are recognised, the options it uses, how it is
//! read and written. [`FORMATS`] lists them.
//!
//! [`read`] takes ARFF (dense and sparse; labels by a Mulan XML, a MEKA header or the caller), multi-label LIBSVM, the
//! format of the Extreme Classification Repository, CSV and TSV, and Parquet with the crate feature `parquet`; plain
//! or gzip. [`write()`] writes ARFF with its XML, LIBSVM, CSV and TSV.
//!
//! | file | features | names |
//! |---|---|---|
//! | ARFF with dense rows, CSV, TSV, Parquet | dense | from the file |
//! | ARFF with sparse rows | sparse | from the file |
//! | LIBSVM, XC | sparse | the numbers in the file |
//!
//! Files are read line by line; a missing cell (`?`, in tables also an empty cell or `NA`) becomes NaN in features and
//! an unknown cell in labels. Numbers must be finite. The two words of a label are read by meaning in any order and
//! case: 0/1, no/yes, false/true, n/y, f/t, absent/present, off/on, -1/1.

mod arff;
mod categories;
mod csv;
mod decimal;
#[cfg(test)]
mod fixture;
mod format;
mod label_rows;
mod label_source;
mod libsvm;
mod mulan;
mod output;
mod parquet;
#[cfg(test)]
mod round_trip;
#[cfg(test)]
mod shared_data;
mod source;
#[cfg_attr(not(feature = "parquet"), allow(dead_code, reason = "only Parquet has cells with a type"))]
mod table;
#[cfg(test)]
mod tests;
mod words;

use std::path::{Path, PathBuf};

use self::format::writable;
pub use self::format::{FORMATS, Format};
pub use self::label_source::LabelSource;
use super::Dataset;
pub use crate::error::{FormatError, Place};
use crate::error::{ParamError, Result};

/// How to read a file. An option that does not apply to the format is refused.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReadOptions {
    /// The format, if neither the file's name nor its first bytes tell it.
    pub format: Option<Format>,
    /// Which columns are labels.
    pub labels: LabelSource,
    /// ARFF: the label file for [`LabelSource::Auto`], instead of the one beside the data.
    pub xml: Option<PathBuf>,
    /// CSV: the character between cells, instead of the one of `,` `;` tab `|` that the header has most of.
    pub delimiter: Option<u8>,
    /// The word that means "present" in label columns whose words are not the usual ones.
    pub positive: Option<String>,
    /// ARFF, CSV, Parquet: columns to leave out.
    pub drop: Vec<String>,
    /// CSV, Parquet: columns whose cells are categories even if they look like numbers.
    pub nominal: Vec<String>,
    /// LIBSVM: the number of the first feature, 0 or 1, instead of 0 if that index occurs and 1 otherwise.
    pub first_index: Option<u32>,
}

/// Whether an option is set.
type IsSet = fn(&ReadOptions) -> bool;

/// The options other than the format: their names, and whether they were given.
const OPTIONS: [(&str, IsSet); 7] = [
    // Every format can find its own labels, and take the labels of a model.
    ("labels", |options| !matches!(options.labels, LabelSource::Auto | LabelSource::Known(_))),
    ("xml", |options| options.xml.is_some()),
    ("delimiter", |options| options.delimiter.is_some()),
    ("positive", |options| options.positive.is_some()),
    ("drop", |options| !options.drop.is_empty()),
    ("nominal", |options| !options.nominal.is_empty()),
    ("first_index", |options| options.first_index.is_some()),
];

impl ReadOptions {
    /// The names of all options, as messages have them.
    pub fn names() -> impl Iterator<Item = &'static str> {
        std::iter::once("format").chain(OPTIONS.map(|(name, _)| name))
    }

    fn check(&self, path: &Path, format: Format) -> Result<()> {
        let used = format.0.options();
        if let Some((option, _)) = OPTIONS.into_iter().find(|(name, given)| given(self) && !used.contains(name)) {
            return Err(FormatError::Option { path: path.to_path_buf(), option, format: format.name() }.into());
        }
        let absent = self.positive.as_deref().filter(|word| words::meaning(word) == Some(false));
        ParamError::require(absent.is_none(), "positive", absent, "this word means absent; rename it in the file")?;
        let first = self.first_index;
        ParamError::require(first.is_none_or(|index| index < 2), "first_index", first, "must be 0 or 1")?;
        Ok(())
    }
}

/// Who asked, in messages about [`ReadOptions::labels`].
const LABEL_OPTION: &str = "the given labels";

/// Reads a data file.
///
/// ```
/// use arbormix_data::formats::{LabelSource, ReadOptions, read};
/// # let folder = tempfile::tempdir().expect("a temporary folder");
/// # let path = folder.path().join("photos.csv");
/// # std::fs::write(&path, "size,cat,pet\n0.5,1,1\n,no,yes\n").expect("a file");
/// let options = ReadOptions { labels: LabelSource::Last(2), ..ReadOptions::default() };
/// let data = read(&path, &options)?;
/// assert_eq!((data.name(), data.rows(), data.label_names().join(" ")), ("photos", 2, "cat pet".to_string()));
/// # Ok::<(), arbormix_data::Error>(())
/// ```
pub fn read(path: &Path, options: &ReadOptions) -> Result<Dataset> {
    // For a missing file the message of the system is better than one about the name of the file.
    source::open_file(path)?;
    let format = options.format.map_or_else(|| Format::of_file(path), Ok)?;
    options.check(path, format)?;
    format.0.read(path, options)
}

/// Writes a data file, so that [`read`] gives the same data set back; compressed if the name ends in `.gz`.
///
/// The file is written under another name and then renamed, so it is complete or not there. Data that a format cannot
/// hold is refused, except for names and order:
///
/// - ARFF holds everything; a label file `NAME.xml` is written beside it.
/// - CSV and TSV hold all cells and names (labels last), but not which columns are nominal: a column of categories
///   that look like numbers must be listed in [`ReadOptions::nominal`] to come back as one, and categories come back
///   in the order of their first use. Sparse features come back dense.
/// - LIBSVM holds numbers and observed labels. Columns and labels are written as their names if these are numbers
///   as LIBSVM has them, else as their positions: features from 1, labels from 0. Features come back sparse.
pub fn write(data: &Dataset, path: &Path, format: Format) -> Result<()> {
    output::refuse_empty(data, path, format)?;
    match format.0.writer() {
        Some(write) => write(data, path),
        None => {
            let (path, format, remedy) = (path.to_path_buf(), format.name(), format!("choose {}", writable()));
            Err(FormatError::Unavailable { path, format, action: "written", remedy }.into())
        }
    }
}

/// The label file that is read with an ARFF file if it is there: `NAME.xml` beside `NAME.arff` or `NAME.arff.gz`.
pub fn label_file(arff: &Path) -> PathBuf {
    mulan::path_beside(arff)
}

/// The path without a final `.gz`.
fn without_gz(path: &Path) -> PathBuf {
    match path.extension() {
        Some(extension) if extension.eq_ignore_ascii_case("gz") => path.with_extension(""),
        _ => path.to_path_buf(),
    }
}

/// Name of a data set: its file's name without extensions.
pub fn data_name(path: &Path) -> String {
    without_gz(path).file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// A finite number.
fn number(text: &str, column: &str, at: impl Fn() -> Place) -> Result<f64, FormatError> {
    match decimal::parse(text) {
        Ok(number) if number.is_finite() => Ok(number),
        Ok(_) => Err(FormatError::NotFinite { at: at(), value: text.to_string(), column: column.to_string() }),
        Err(_) => Err(FormatError::NotANumber { at: at(), value: text.to_string(), column: column.to_string() }),
    }
}
