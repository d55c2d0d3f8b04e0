//! Reading files.

use std::path::PathBuf;

use arbormix_data::Dataset;
use arbormix_data::formats::{LabelSource, ReadOptions, read};
use clap::Args;
use serde_json::{Value, json};

use crate::clock;
use crate::failure::Result;

/// A file to read.
#[derive(Debug, Args)]
pub(crate) struct LoadArgs {
    /// Data file
    path: PathBuf,
    /// Which columns are labels [default: as the file says]
    #[arg(long)]
    labels: Option<LabelSource>,
}

pub(crate) fn run(args: &LoadArgs) -> Result<()> {
    let options = ReadOptions { labels: args.labels.clone().unwrap_or_default(), ..ReadOptions::default() };
    let bytes = std::fs::metadata(&args.path)?.len();
    let mut prepared = contents(&read(&args.path, &options)?);
    prepared["bytes"] = bytes.into();
    clock::serve(&prepared, || {
        // Dropping a data set is no part of reading it, and of the measure.
        let (_, seconds) = clock::timed(|| Ok(read(&args.path, &options)?))?;
        let mut answer = seconds.json();
        answer["megabytes_per_second"] = json!(bytes as f64 * 1e-6 / seconds.wall);
        Ok(answer)
    })
}

/// What must be the same whoever reads the file.
fn contents(data: &Dataset) -> Value {
    let mut sum = 0.0;
    for row in 0..data.rows() {
        data.features().visit_row(row, |_, value| sum += if value.is_nan() { 0.0 } else { value });
    }
    let present: usize = data.labels().sets().iter().map(|set| set.count()).sum();
    json!({
        "rows": data.rows(),
        "features": data.features().cols(),
        "labels": data.labels().count(),
        "sum_of_features": sum,
        "labels_present": present,
    })
}
