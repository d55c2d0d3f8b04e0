//! Options that several commands have; a command's own options stand with the command.

use std::path::{Path, PathBuf};

use arbormix::Model;
use arbormix_base::progress::Progress;
use arbormix_data::Dataset;
use arbormix_data::formats::{self, Format, LabelSource, ReadOptions};
use clap::{Args, value_parser};

use crate::failure::Failure;
use crate::progress::Reporter;

/// Options of every command.
#[derive(Debug, Clone, Args)]
pub(crate) struct Common {
    /// Seed of everything random; the same seed gives the same bits on any number of threads
    #[arg(long, global = true, value_name = "NUMBER")]
    pub(crate) seed: Option<u64>,
    /// Number of threads, at most 1024 [default: one per core]
    #[arg(long, global = true, value_name = "NUMBER", value_parser = value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Show no progress and no notes
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Print JSON instead of tables
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

/// How a data file is read.
#[derive(Debug, Clone, Args)]
pub(crate) struct FileArgs {
    /// Format of the data file [default: by its name and contents]
    #[arg(long, value_name = "NAME")]
    format: Option<Format>,
    /// Mulan XML file that names the labels of an ARFF file
    #[arg(long, value_name = "FILE")]
    xml: Option<PathBuf>,
    /// Delimiter of a CSV file: one character, or `tab` [default: found out]
    #[arg(long, value_name = "CHARACTER", value_parser = delimiter)]
    delimiter: Option<u8>,
    /// The word that means "present" in label cells, if it is none of the usual ones
    #[arg(long, value_name = "WORD")]
    positive: Option<String>,
    /// Columns to leave out, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    drop: Vec<String>,
    /// Columns of a table that hold categories even if they look like numbers, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    nominal: Vec<String>,
    /// Number of the first feature of a LIBSVM file [default: 0 if that index occurs, else 1]
    #[arg(long, value_name = "0|1", value_parser = clap::value_parser!(u32).range(..=1))]
    first_index: Option<u32>,
}

/// Which columns are labels, and how the file is read.
#[derive(Debug, Clone, Args)]
pub(crate) struct DataArgs {
    /// Which columns are labels: `cat,dog`, `first:6`, `last:6`, `prefix:tag_` [default: as the file says]
    #[arg(long, value_name = "WHICH")]
    labels: Option<LabelSource>,
    #[command(flatten)]
    file: FileArgs,
}

impl DataArgs {
    /// Reads a data set with its labels.
    pub(crate) fn read(&self, path: &Path) -> Result<Dataset, Failure> {
        self.file.read(path, self.labels.clone().unwrap_or_default())
    }

    /// The XML file, if one was named.
    pub(crate) fn xml(&self) -> Option<&Path> {
        self.file.xml.as_deref()
    }
}

impl FileArgs {
    /// Reads a data set for a model, whose labels need not all be there; says which columns the model does not know.
    pub(crate) fn read_for(&self, path: &Path, model: &Model, reporter: &Reporter) -> Result<Dataset, Failure> {
        let data = self.read(path, LabelSource::Known(model.schema().label_names.clone()))?;
        let ignored = model.features().ignored(&data);
        if let [first, rest @ ..] = ignored.as_slice() {
            let some: Vec<String> = rest.iter().take(4).map(|name| format!(", {name:?}")).collect();
            let more = rest.len() - some.len();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let what = if rest.is_empty() { "column is" } else { "columns are" };
            let names = format!("{first:?}{}{more}", some.concat());
            reporter.note(&format!("{} {what} not among the model's features and ignored: {names}", ignored.len()));
        }
        Ok(data)
    }

    fn read(&self, path: &Path, labels: LabelSource) -> Result<Dataset, Failure> {
        let options = ReadOptions {
            format: self.format,
            labels,
            xml: self.xml.clone(),
            delimiter: self.delimiter,
            positive: self.positive.clone(),
            drop: self.drop.clone(),
            nominal: self.nominal.clone(),
            first_index: self.first_index,
        };
        Ok(formats::read(path, &options)?)
    }
}

fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"tab" | b"\\t" => Ok(b'\t'),
        [byte] if byte.is_ascii() => Ok(*byte),
        _ => Err("expected one ASCII character, or `tab`".to_string()),
    }
}
