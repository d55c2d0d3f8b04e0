//! `arbormix compare DATA…`.

mod outputs;

use std::path::{Path, PathBuf};

use arbormix::registry;
use arbormix_data::formats::data_name;
use arbormix_data::splits::Folds;
use arbormix_experiment::{Contestant, Experiment, PairedTest, Task, method_named};
use clap::Args;

use self::outputs::Outputs;
use super::runner::{RunArgs, inputs_of};
use crate::args::{Common, DataArgs};
use crate::failure::Failure;
use crate::method_spec::split_list;
use crate::overrides::LearnerArgs;
use crate::progress::Reporter;

/// Where finished cells go.
const CELLS: &str = "arbormix-compare.cells";

/// Compare methods on data sets: the same folds for all, tests of significance, ranks
///
/// Every finished (data set, method, fold) is kept in a folder, `arbormix-compare.cells` unless --checkpoint names
/// another: killed at any moment and started again, the work goes on and ends with the same outputs. A method may have
/// a preset and parameters of its own: `mlme@paper`, `mlme+experts=3`. With several methods, a parameter of --set goes
/// to the methods that have it.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  arbormix compare photos-train.arff photos-test.arff --folds 3 --methods br,ctbn\n  \
    arbormix compare photos-train.arff --folds 2 --methods mlme+experts=2,br,br@paper --csv c.csv"
)]
pub(crate) struct Compare {
    /// The data files
    #[arg(value_name = "DATA", required = true)]
    data: Vec<PathBuf>,
    /// The methods, separated by commas, or `all`; `arbormix methods` lists them
    #[arg(long, value_name = "NAMES", default_value = "all")]
    methods: String,
    /// Number of folds
    #[arg(long, value_name = "NUMBER", default_value_t = 10)]
    folds: usize,
    /// Spread every label evenly over the folds
    #[arg(long)]
    stratified: bool,
    /// Files with the fold of each row, one per data file in their order, separated by commas; or a folder with
    /// NAME.txt for each data set
    #[arg(long, value_name = "FILES|FOLDER", value_delimiter = ',', conflicts_with_all = ["folds", "stratified"])]
    fold_file: Vec<PathBuf>,
    /// The method that the others are tested against [default: auto, else mlme, else the
    /// first method]
    #[arg(long, value_name = "METHOD")]
    reference: Option<String>,
    /// The test on the folds of a data set: `paired` is the paper's t-test, `corrected` allows for overlapping
    /// training sets (Nadeau and Bengio)
    #[arg(long, value_name = "NAME", value_parser = ["paired", "corrected"], default_value = "paired")]
    test: String,
    #[command(flatten)]
    outputs: Outputs,
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    learner: LearnerArgs,
    #[command(flatten)]
    how: DataArgs,
}

impl Compare {
    pub(crate) fn run(&self, common: &Common, reporter: &Reporter) -> Result<(), Failure> {
        let names = split_list(&self.methods);
        let learners = self.learner.learners(&names, common.seed)?;
        let contestants: Vec<Contestant> =
            names.into_iter().zip(learners).map(|(name, learner)| Contestant { name, learner }).collect();
        let reference = self.reference_name(&contestants)?;
        self.outputs.require(&self.inputs()?, self.data.len(), contestants.len())?;
        let tasks = (0..self.data.len()).map(|at| self.task(at, common)).collect::<Result<_, _>>()?;
        let results = self.run.run(Experiment::new(tasks, contestants)?, CELLS, reporter)?;
        let test = if self.test == "corrected" { PairedTest::Corrected } else { PairedTest::Paired };
        let reference = method_named(&results, &reference)?;
        self.outputs.write(&results, reference, test, common.json)
    }

    /// Checked before the work, not after it.
    fn reference_name(&self, methods: &[Contestant]) -> Result<String, Failure> {
        let names: Vec<&str> = methods.iter().map(|method| method.name.as_str()).collect();
        match &self.reference {
            Some(name) if names.contains(&name.as_str()) => Ok(name.clone()),
            Some(name) => Err(Failure::Usage(format!("--reference {name}: the methods are {}", names.join(", ")))),
            None => {
                let ours = [registry::DEFAULT_METHOD, "mlme"].into_iter().find(|name| names.contains(name));
                Ok(ours.unwrap_or(names[0]).to_string())
            }
        }
    }

    fn task(&self, at: usize, common: &Common) -> Result<Task, Failure> {
        let data = self.how.read(&self.data[at])?;
        let seed = common.seed.unwrap_or_default();
        let folds = match self.fold_path(at)? {
            Some(path) => Folds::from_file(&path, data.rows())?,
            None if self.stratified => Folds::stratified(data.labels(), self.folds, seed)?,
            None => Folds::shuffled(data.rows(), self.folds, seed)?,
        };
        Ok(Task { data, folds })
    }

    /// Every file that is read.
    fn inputs(&self) -> Result<Vec<PathBuf>, Failure> {
        let mut inputs: Vec<PathBuf> = self.data.iter().flat_map(|path| inputs_of(path)).collect();
        inputs.extend(self.how.xml().map(Path::to_path_buf));
        for at in 0..self.data.len() {
            inputs.extend(self.fold_path(at)?);
        }
        Ok(inputs)
    }

    fn fold_path(&self, at: usize) -> Result<Option<PathBuf>, Failure> {
        match self.fold_file.as_slice() {
            [] => Ok(None),
            [folder] if folder.is_dir() => Ok(Some(folder.join(format!("{}.txt", data_name(&self.data[at]))))),
            files if files.len() == self.data.len() => Ok(Some(files[at].clone())),
            files => Err(Failure::Usage(format!(
                "--fold-file: {} files for {} data files; give one for each, or a folder with NAME.txt for each",
                files.len(),
                self.data.len()
            ))),
        }
    }
}
