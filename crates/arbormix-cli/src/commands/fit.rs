//! `arbormix fit DATA -o MODEL`.

use std::path::{Path, PathBuf};

use arbormix::{Learner, Model, registry};
use arbormix_base::progress::Progress;
use arbormix_data::Dataset;
use arbormix_data::splits::Folds;
use clap::Args;
use serde_json::json;

use crate::args::{Common, DataArgs};
use crate::commands::runner::size;
use crate::failure::Failure;
use crate::output::{print, print_json, require_output};
use crate::overrides::LearnerArgs;
use crate::progress::Reporter;

/// Folds in which each row is predicted by a model that had not seen it, for thresholds.
const FOLDS: usize = 5;

/// Fit a model to a data file
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  arbormix fit photos-train.arff -o photos.model\n  \
    arbormix fit photos-train.arff -o three.model --experts 3 --seed 7\n  \
    arbormix fit photos-train.arff -o br.model --method br --set logistic.folds=5\n  \
    arbormix fit photos-train.arff -o f1.model --method ctbn --thresholds")]
pub(crate) struct Fit {
    /// The data file
    #[arg(value_name = "DATA")]
    data: PathBuf,
    /// Where the model goes
    #[arg(long, short, value_name = "MODEL")]
    output: PathBuf,
    /// The method; `arbormix methods` lists them [default: auto, which chooses; mlme with --experts]
    #[arg(long, value_name = "NAME")]
    method: Option<String>,
    #[command(flatten)]
    learner: LearnerArgs,
    /// File with one weight per row of the data
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Also fit thresholds for `predict --for macro-f1` and `micro-f1`, on rows predicted by models of the other rows;
    /// takes five more fits, unless the model has them already: `stack`, which `auto` mostly chooses, finds them as it is
    /// fitted
    #[arg(long)]
    thresholds: bool,
    /// Bytes that the fit may need, by a rough estimate, e.g. `4G`: fewer regressions are in work at a time and fewer
    /// threads work if need be, and a fit that would need more even so is refused
    #[arg(long, value_name = "SIZE", value_parser = size)]
    memory: Option<usize>,
    #[command(flatten)]
    how: DataArgs,
}

impl Fit {
    pub(crate) fn run(&self, common: &Common, reporter: &Reporter) -> Result<(), Failure> {
        if self.output == Path::new("-") {
            return Err(Failure::Usage("a model cannot go to the standard output; name a file after -o".to_string()));
        }
        let inputs = [Some(self.data.as_path()), self.how.xml(), self.weights.as_deref()];
        require_output(&self.output, &inputs.into_iter().flatten().collect::<Vec<_>>())?;
        let method = self.method.as_deref().unwrap_or(self.learner.default_method());
        let learners = self.learner.learners(&[method.to_string()], common.seed)?;
        let data = self.how.read(&self.data)?;
        let weights = self.weights.as_deref().map(|path| read_weights(path, data.rows())).transpose()?;
        for learner in &learners {
            let (learner, weights) = (learner.as_ref(), weights.as_deref());
            let work = || self.fitted(learner, &data, weights, common, reporter);
            let model = match self.memory {
                Some(bound) => arbormix_model::within_memory(bound, learner, &data, reporter, work)?,
                None => work()?,
            };
            // The library passes on what the data shows as it goes; what the fit itself found is in its report.
            model.report().notes.iter().for_each(|note| reporter.note(note));
            reporter.finish();
            model.save(&self.output)?;
            self.tell(&model, common.json)?;
        }
        Ok(())
    }

    /// The model, with thresholds if they are wanted.
    fn fitted(
        &self,
        learner: &dyn Learner,
        data: &Dataset,
        weights: Option<&[f64]>,
        common: &Common,
        reporter: &Reporter,
    ) -> arbormix::Result<Model> {
        let mut model = arbormix_model::fit(learner, data, weights, reporter)?;
        // A method that holds rows out anyway has found them already.
        if self.thresholds && model.thresholds().is_empty() {
            let folds = Folds::shuffled(data.rows(), FOLDS, common.seed.unwrap_or_default())?;
            model.fit_thresholds(registry::learner_of(&model)?.as_ref(), data, weights, &folds, reporter)?;
        }
        Ok(model)
    }

    fn tell(&self, model: &Model, as_json: bool) -> Result<(), Failure> {
        let (schema, report, trees) = (model.schema(), model.report(), model.predictor().trees().len());
        let labels = schema.label_names.len();
        if as_json {
            return print_json(&json!({
                "model": self.output.display().to_string(),
                "method": model.method(),
                "choice": model.choice(),
                "rows": schema.rows,
                "columns": model.features().columns().len(),
                "features": model.predictor().feature_count(),
                "labels": labels,
                "trees": trees,
                "converged": report.converged,
                "notes": report.notes,
            }));
        }
        let trees = match trees {
            0 => String::new(),
            1 => ", 1 tree".to_string(),
            more => format!(", {more} trees"),
        };
        let converged = if report.converged { "converged" } else { "not converged" };
        print(&format!(
            "{}: {} fitted on {} rows, {} features, {labels} labels{trees}; {converged}\n",
            self.output.display(),
            model.method(),
            schema.rows,
            features_of(model)
        ))
    }
}

/// How many features the user gave, and as how many numbers the model sees them if that differs.
pub(super) fn features_of(model: &Model) -> String {
    match (model.features().columns().len(), model.predictor().feature_count()) {
        (columns, encoded) if columns == encoded => columns.to_string(),
        (columns, encoded) => format!("{columns} (encoded as {encoded})"),
    }
}

/// One number per line and row; empty lines at the end do not count.
fn read_weights(path: &Path, rows: usize) -> Result<Vec<f64>, Failure> {
    let text = std::fs::read_to_string(path).map_err(arbormix::Error::io(path))?;
    let parse = |(number, line): (usize, &str)| match line.trim().parse::<f64>() {
        Ok(weight) if weight.is_finite() && weight >= 0.0 => Ok(weight),
        _ => {
            let place = format!("{}, line {}", path.display(), number + 1);
            Err(Failure::Work(format!("{place}: {line:?} is not a weight; give one number from 0 up per line")))
        }
    };
    let weights: Vec<f64> = text.trim_end().lines().enumerate().map(parse).collect::<Result<_, _>>()?;
    if weights.len() != rows {
        let found = format!("{}: {} weights for {rows} rows of data", path.display(), weights.len());
        return Err(Failure::Work(format!("{found}; give one number per row")));
    }
    Ok(weights)
}
