//! What compare and paper share: how cells are run and kept.

use std::path::{Path, PathBuf};

use arbormix_base::files::AtomicFile;
use arbormix_data::formats::label_file;
use arbormix_experiment::{Checkpoint, Experiment, Results, RunOptions, run};
use clap::Args;

use crate::failure::Failure;
use crate::output::{print, require_output};
use crate::progress::Reporter;

/// How the cells of an experiment are run and kept.
#[derive(Debug, Clone, Args)]
pub(crate) struct RunArgs {
    /// Folder for finished cells: the same command begun again goes on from there. Remove it after changing the
    /// program without changing its version
    #[arg(long, value_name = "FOLDER")]
    checkpoint: Option<PathBuf>,
    /// Try cells again that failed before
    #[arg(long)]
    retry: bool,
    /// Bytes that cells running at the same time may need, by a rough estimate, e.g. `4G`; one cell always runs
    /// [default: three quarters of the free memory, where the system tells it]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    memory: Option<usize>,
    /// Run only these folds, separated by commas; counted from 0
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',')]
    only_folds: Option<Vec<usize>>,
}

impl RunArgs {
    /// Runs the experiment; cells go to `folder` unless told otherwise.
    pub(crate) fn run(&self, experiment: Experiment, folder: &str, reporter: &Reporter) -> Result<Results, Failure> {
        let experiment = match &self.only_folds {
            Some(folds) => experiment.only_folds(folds.clone())?,
            None => experiment,
        };
        let checkpoint = Checkpoint::open(self.checkpoint.as_deref().unwrap_or(Path::new(folder)))?;
        let memory = self.memory.or_else(free_memory);
        let options = RunOptions { memory, at_a_time: None, retry: self.retry };
        let results = run(&experiment, Some(&checkpoint), &options, reporter);
        reporter.finish();
        results.map_err(|error| match error {
            arbormix_experiment::Error::Model(arbormix::Error::Cancelled) => Failure::Paused(format!(
                "interrupted; finished cells are kept in {}: run the same command again to go on",
                checkpoint.folder().display()
            )),
            other => other.into(),
        })
    }
}

/// Writes a text file, whole or not at all; `-` is the standard output.
pub(crate) fn write_text(path: &Path, text: &str) -> Result<(), Failure> {
    if path == Path::new("-") {
        return print(text);
    }
    let mut file = AtomicFile::create(path)?;
    std::io::Write::write_all(&mut file, text.as_bytes()).map_err(arbormix::Error::io(path))?;
    Ok(file.commit()?)
}

/// Errs before the work if one of the outputs cannot be written, is read by the command, or is named twice.
pub(crate) fn require_outputs<'a>(
    outputs: impl IntoIterator<Item = Option<&'a PathBuf>>,
    inputs: &[PathBuf],
) -> Result<(), Failure> {
    let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    let outputs: Vec<&PathBuf> = outputs.into_iter().flatten().collect();
    outputs.iter().try_for_each(|path| require_output(path, &inputs))?;
    // Both exist by their folders; a file that does not exist yet has no canonical name of its own.
    let place = |path: &Path| {
        (
            Path::new(".").join(path).parent().and_then(|folder| folder.canonicalize().ok()),
            path.file_name().map(Into::into),
        )
    };
    let places: Vec<(Option<PathBuf>, Option<PathBuf>)> = outputs.iter().map(|path| place(path)).collect();
    match (0..places.len()).find(|&at| places[..at].contains(&places[at])) {
        Some(at) => Err(Failure::Usage(format!("{}: two outputs cannot share a file", outputs[at].display()))),
        None => Ok(()),
    }
}

/// The files that are read for a data file: itself and its label file.
pub(crate) fn inputs_of(data: &Path) -> [PathBuf; 2] {
    [data.to_path_buf(), label_file(data)]
}

/// Three quarters of what the system calls available.
fn free_memory() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: usize = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes.saturating_mul(1024) / 4 * 3)
}

/// Bytes, with a unit if one is given.
pub(crate) fn size(text: &str) -> Result<usize, String> {
    let units = [("K", 1_u64 << 10), ("M", 1 << 20), ("G", 1 << 30), ("T", 1 << 40)];
    let found = units.iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, *factor)));
    let (number, factor) = found.unwrap_or((text, 1));
    let number: f64 = number.parse().map_err(|_| "expected a number of bytes, or one with K, M, G or T".to_string())?;
    if number > 0.0 && number.is_finite() {
        Ok((number * factor as f64) as usize)
    } else {
        Err("must be positive".to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(size("1.5G"), Ok(3 << 29));
        assert_eq!(size("4096"), Ok(4096));
        assert!(size("much").is_err() && size("-1G").is_err() && size("0").is_err());
    }
}
