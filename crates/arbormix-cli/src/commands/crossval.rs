//! `arbormix crossval DATA`.

mod misses;
mod summary;

use std::path::PathBuf;

use arbormix::Learner;
use arbormix_base::progress::Progress;
use arbormix_data::Dataset;
use arbormix_data::splits::Folds;
use arbormix_experiment::run_fold;
use clap::Args;

use self::misses::Misses;
use self::summary::{Fold, Results};
use crate::args::{Common, DataArgs};
use crate::failure::Failure;
use crate::output::{print, print_json};
use crate::overrides::{self, LearnerArgs};
use crate::progress::{Part, Reporter};

/// Compare methods by cross-validation: means and standard errors over the folds
///
/// With several methods, a parameter goes to the methods that have it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  arbormix crossval photos-train.arff --folds 3 --methods br,ctbn\n  \
    arbormix crossval photos-train.arff --folds 2 --experts 2 --count-misses")]
pub(crate) struct Crossval {
    /// The data file
    #[arg(value_name = "DATA")]
    data: PathBuf,
    /// The methods, separated by commas; `arbormix methods` lists them [default: auto, which chooses; mlme with
    /// --experts]
    #[arg(long, alias = "method", value_name = "NAMES", value_delimiter = ',')]
    methods: Vec<String>,
    /// Number of folds
    #[arg(long, value_name = "NUMBER", default_value_t = 10)]
    folds: usize,
    /// Spread every label evenly over the folds
    #[arg(long)]
    stratified: bool,
    /// File with the fold of each row, one number from 0 per line
    #[arg(long, value_name = "FILE", conflicts_with_all = ["folds", "stratified"])]
    fold_file: Option<PathBuf>,
    /// Count the rows on which the heuristics miss the most probable set (methods that search)
    #[arg(long)]
    count_misses: bool,
    #[command(flatten)]
    learner: LearnerArgs,
    #[command(flatten)]
    how: DataArgs,
}

impl Crossval {
    pub(crate) fn run(&self, common: &Common, reporter: &Reporter) -> Result<(), Failure> {
        let methods = match self.methods.as_slice() {
            [] => vec![self.learner.default_method().to_string()],
            named => named.to_vec(),
        };
        let learners = self.learner.learners(&methods, common.seed)?;
        if self.count_misses && !methods.iter().any(|method| overrides::searches(method)) {
            let methods = methods.join(", ");
            return Err(Failure::Usage(format!("--count-misses: none of the methods searches: {methods}")));
        }
        let data = self.how.read(&self.data)?;
        let seed = common.seed.unwrap_or_default();
        let folds = match &self.fold_file {
            Some(path) => Folds::from_file(path, data.rows())?,
            None if self.stratified => Folds::stratified(data.labels(), self.folds, seed)?,
            None => Folds::shuffled(data.rows(), self.folds, seed)?,
        };
        let mut all = Vec::new();
        for learner in &learners {
            let mut results = Results { method: learner.method(), folds: Vec::new() };
            for fold in 0..folds.count() {
                let name = format!("{}, fold {} of {}", learner.method(), fold + 1, folds.count());
                let progress = Part { name, inner: reporter };
                results.folds.push(self.fold(learner.as_ref(), &data, &folds, fold, &progress)?);
            }
            all.push(results);
        }
        reporter.finish();
        if common.json { print_json(&summary::to_json(&all)) } else { print(&summary::to_text(&all, &data)) }
    }

    fn fold(
        &self,
        learner: &dyn Learner,
        data: &Dataset,
        folds: &Folds,
        fold: usize,
        progress: &dyn Progress,
    ) -> Result<Fold, Failure> {
        let round = run_fold(learner, data, folds, fold, progress)?;
        let count = self.count_misses && overrides::searches(round.model.method());
        let misses = count.then(|| Misses::count(&round.model, &round.test, progress)).transpose()?;
        let (full_rows, cells) = (round.measures.full_rows(), round.measures.cells());
        let measures = round.measures.iter().map(|(name, value, _)| (name.to_string(), value)).collect();
        Ok(Fold { measures, full_rows, cells, misses })
    }
}
