//! Which columns are labels.

use std::collections::HashSet;
use std::path::Path;
use std::str::FromStr;

use crate::error::{FormatError, ParamError, Result, quoted};

/// Where the labels are.
///
/// Labels are in the order of the columns in the file, not in the order of a list or of an XML file. Only
/// [`LabelSource::Known`] keeps its own order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum LabelSource {
    /// As the format says: for ARFF a Mulan XML beside the file (`NAME.xml`, also for `NAME.arff.gz`), else the
    /// MEKA option `-C n` in the relation's name; LIBSVM and XC rows begin with their labels. Tables have no such
    /// place, so CSV and Parquet need one of the others.
    #[default]
    Auto,
    /// The columns with these names.
    Names(Vec<String>),
    /// The first columns, counted without those that are left out.
    First(usize),
    /// The last columns, counted without those that are left out.
    Last(usize),
    /// The columns whose names begin with this.
    Prefix(String),
    /// The labels of a model, in the model's order: a column with such a name is a label, and a label without a
    /// column has only unknown cells. In LIBSVM and XC, labels that are not in the list follow those that are.
    Known(Vec<String>),
}

/// The forms of the command line's `--labels`:
///
/// - `first:6`, `last:6`; a bare `6` is `last:6`, because most files end with their labels. A negative number is
///   refused: it would read one way here and the other way in MEKA.
/// - `prefix:tag_`
/// - `cat,dog`: names; one with a comma in it in double quotes. `names:6,7` for names that look like another form.
/// - `auto`
///
/// ```
/// use arbormix_data::formats::LabelSource;
/// assert_eq!("first:6".parse(), Ok(LabelSource::First(6)));
/// assert_eq!("6".parse(), Ok(LabelSource::Last(6)));
/// assert_eq!("prefix:tag_".parse(), Ok(LabelSource::Prefix("tag_".to_string())));
/// assert_eq!("cat,\"a,b\"".parse(), Ok(LabelSource::Names(vec!["cat".to_string(), "a,b".to_string()])));
/// assert!("-6".parse::<LabelSource>().is_err());
/// ```
impl LabelSource {
    /// Turns a number of first or last columns into their names. The header of a file counts all columns, also those
    /// that are dropped later.
    pub(super) fn counted_in(self, names: &[&str]) -> LabelSource {
        let named = |columns: &[&str]| LabelSource::Names(columns.iter().map(ToString::to_string).collect());
        match self {
            LabelSource::First(count) if count <= names.len() => named(&names[..count]),
            LabelSource::Last(count) if count <= names.len() => named(&names[names.len() - count..]),
            other => other,
        }
    }
}

impl FromStr for LabelSource {
    type Err = ParamError;

    fn from_str(text: &str) -> Result<LabelSource, ParamError> {
        let refusal = |message: String| ParamError::Form { name: "labels".to_string(), message };
        let count = |number: &str| match number.parse::<usize>() {
            Ok(count) if count > 0 => Ok(count),
            _ => Err(refusal(format!("{number:?} is not a number of labels; write e.g. first:6 or last:6"))),
        };
        if let Some(number) = text.strip_prefix("first:") {
            return Ok(LabelSource::First(count(number)?));
        }
        if let Some(number) = text.strip_prefix("last:") {
            return Ok(LabelSource::Last(count(number)?));
        }
        if let Some(prefix) = text.strip_prefix("prefix:") {
            return Ok(LabelSource::Prefix(prefix.to_string()));
        }
        if text == "auto" {
            return Ok(LabelSource::Auto);
        }
        if let Ok(number) = text.parse::<i64>() {
            if number < 0 {
                let size = number.unsigned_abs();
                return Err(refusal(format!("{text} is ambiguous; write first:{size} or last:{size}")));
            }
            return Ok(LabelSource::Last(count(text)?));
        }
        let list = text.strip_prefix("names:").unwrap_or(text);
        let mut names = csv::ReaderBuilder::new().has_headers(false).from_reader(list.as_bytes()).into_records();
        match (names.next(), names.next()) {
            (Some(Ok(record)), None) if record.iter().all(|name| !name.is_empty()) => {
                let mut seen = HashSet::new();
                if let Some(name) = record.iter().find(|name| !seen.insert(*name)) {
                    return Err(refusal(format!("{name:?} is listed twice")));
                }
                Ok(LabelSource::Names(record.iter().map(str::to_string).collect()))
            }
            _ => Err(refusal(format!("{text:?} is no list of names; write e.g. cat,dog or last:6 or prefix:tag_"))),
        }
    }
}

/// What a column of the file is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// The feature with this index.
    Feature(usize),
    /// The label with this index.
    Label(usize),
    /// Left out at the user's wish.
    Dropped,
}

/// The use of every column.
pub(super) struct Roles {
    pub(super) of: Vec<Role>,
    pub(super) label_names: Vec<String>,
    /// Labels that no column holds.
    pub(super) unknown: Vec<usize>,
}

impl Roles {
    /// Assigns the columns with the given names; `origin` says who chose `source`, in the plural, for messages.
    pub(super) fn assign(
        path: &Path,
        names: &[&str],
        source: &LabelSource,
        origin: &str,
        drop: &[String],
    ) -> Result<Roles> {
        require_names(path, "the columns to leave out", drop, names)?;
        let kept: Vec<usize> = (0..names.len()).filter(|&c| !drop.iter().any(|name| name == names[c])).collect();
        let no_labels = |reason: String| FormatError::NoLabels { path: path.to_path_buf(), reason };
        let counted = |asked: usize| match kept.len() {
            columns if asked <= columns => Ok(asked),
            columns => {
                let (path, origin) = (path.to_path_buf(), origin.to_string());
                Err(FormatError::LabelCount { path, origin, asked, columns })
            }
        };
        let chosen: Vec<usize> = match source {
            LabelSource::Known(known) => return Ok(Roles::known(names, &kept, known)),
            LabelSource::Auto => {
                let reason = "nothing in the file says which columns they are; give `labels` as names, first:N, last:N or prefix:P";
                return Err(no_labels(reason.to_string()).into());
            }
            LabelSource::Names(wanted) => {
                require_names(path, origin, wanted, names)?;
                let wanted: HashSet<&str> = wanted.iter().map(String::as_str).collect();
                kept.iter().copied().filter(|&column| wanted.contains(names[column])).collect()
            }
            LabelSource::First(count) => kept[..counted(*count)?].to_vec(),
            LabelSource::Last(count) => kept[kept.len() - counted(*count)?..].to_vec(),
            LabelSource::Prefix(prefix) => {
                kept.iter().copied().filter(|&column| names[column].starts_with(prefix.as_str())).collect()
            }
        };
        if chosen.is_empty() {
            let found = quoted(names.iter().copied());
            return Err(no_labels(format!("{origin} choose none of the columns {found}")).into());
        }
        let label_names = chosen.iter().map(|&column| names[column].to_string()).collect();
        Ok(Roles::with(names.len(), &kept, label_names, &chosen, Vec::new()))
    }

    fn known(names: &[&str], kept: &[usize], known: &[String]) -> Roles {
        let columns: std::collections::HashMap<&str, usize> = kept.iter().map(|&c| (names[c], c)).collect();
        let place = |name: &String| columns.get(name.as_str()).copied().unwrap_or(usize::MAX);
        let places: Vec<usize> = known.iter().map(place).collect();
        let unknown = (0..known.len()).filter(|&label| places[label] == usize::MAX).collect();
        Roles::with(names.len(), kept, known.to_vec(), &places, unknown)
    }

    /// `places[l]` is the column of label l; a place beyond the columns means that there is none.
    fn with(columns: usize, kept: &[usize], label_names: Vec<String>, places: &[usize], unknown: Vec<usize>) -> Roles {
        let mut of = vec![Role::Dropped; columns];
        for (label, &column) in places.iter().enumerate().filter(|(_, column)| **column < columns) {
            of[column] = Role::Label(label);
        }
        let mut features = 0;
        for &column in kept {
            if of[column] == Role::Dropped {
                of[column] = Role::Feature(features);
                features += 1;
            }
        }
        Roles { of, label_names, unknown }
    }
}

/// Fails if the file does not have a name.
pub(super) fn require_names(path: &Path, origin: &str, wanted: &[String], names: &[&str]) -> Result<()> {
    // Few names are wanted and the file may have many, so those that are found are struck off.
    let mut missing: HashSet<&str> = wanted.iter().map(String::as_str).collect();
    for name in names {
        if missing.is_empty() {
            break;
        }
        missing.remove(name);
    }
    if missing.is_empty() {
        return Ok(());
    }
    let missing = wanted.iter().map(String::as_str).filter(|name| missing.contains(name));
    Err(FormatError::UnknownNames {
        path: path.to_path_buf(),
        origin: origin.to_string(),
        missing: quoted(missing),
        known: quoted(names.iter().copied()),
    }
    .into())
}
