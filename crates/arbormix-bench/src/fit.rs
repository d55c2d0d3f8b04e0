//! Fits and predictions.

use std::path::PathBuf;

use arbormix::registry::{Preset, learner};
use arbormix::{FitReport, Learner, Model};
use arbormix_base::progress::Silent;
use arbormix_joint::learner::Predictor;
use arbormix_model::model::Schema;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use crate::failure::Result;
use crate::problem::{Problem, Source};
use crate::{arrays, clock};

/// What is timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Timed {
    Fit,
    /// The fit is made once, before.
    Predict,
    Both,
}

/// A method and its rows.
#[derive(Debug, Args)]
pub(crate) struct FitArgs {
    /// Name of the method
    method: String,
    #[command(flatten)]
    source: Source,
    /// Parameters to set, as a JSON object laid over the defaults
    #[arg(long, default_value = "{}")]
    set: Value,
    /// What is timed
    #[arg(long, value_enum, default_value = "fit")]
    timed: Timed,
    /// File for the fitted model: the others' weights are compared with its own
    #[arg(long)]
    model: Option<PathBuf>,
    /// File for the predicted label cells of the rows to predict, as .npy
    #[arg(long)]
    predictions: Option<PathBuf>,
}

type Fitted = (Box<dyn Predictor>, FitReport);

pub(crate) fn run(args: &FitArgs) -> Result<()> {
    let learner = learner(&args.method, Preset::Default, &args.set)?;
    let problem = args.source.problem(learner.features())?;
    let fit = || -> Result<Fitted> { Ok(learner.learn(&problem.set(), &Silent)?) };
    let before = if args.timed == Timed::Predict { Some(fit()?) } else { None };
    let mut prepared = problem.facts();
    prepared["params"] = learner.params();
    let mut kept = false;
    clock::serve(&prepared, || {
        let (fitted, seconds) = match &before {
            Some((predictor, _)) => {
                let ((), seconds) = clock::timed(|| predict(predictor.as_ref(), &problem))?;
                (None, seconds)
            }
            None if args.timed == Timed::Both => {
                let (fitted, seconds) = clock::timed(|| {
                    let fitted = fit()?;
                    predict(fitted.0.as_ref(), &problem)?;
                    Ok(fitted)
                })?;
                (Some(fitted), seconds)
            }
            None => {
                let (fitted, seconds) = clock::timed(&fit)?;
                (Some(fitted), seconds)
            }
        };
        let mut answer = seconds.json();
        if let Some((predictor, report)) = fitted.as_ref().or(before.as_ref()) {
            answer["converged"] = report.converged.into();
            answer["cll_loss"] = json!(cll_loss(predictor.as_ref(), &problem)?);
            if let Some(path) = &args.predictions {
                let sets = predictor.predict(&problem.test.0, predictor.inference())?;
                let sets = sets.into_iter().map(|prediction| prediction.labels).collect();
                let labels = arbormix_data::Labels::new(predictor.label_count(), sets);
                arrays::of_labels(&labels).write(path)?;
            }
        }
        if let (Some(path), Some(fitted), false) = (&args.model, fitted, kept) {
            save(fitted, learner.as_ref(), &problem)?.save(path)?;
            kept = true;
        }
        Ok(answer)
    })
}

fn predict(predictor: &dyn Predictor, problem: &Problem) -> Result<()> {
    // Without the hint the compiler could see that nobody looks.
    std::hint::black_box(predictor.predict(&problem.test.0, predictor.inference())?);
    Ok(())
}

/// −Σ log P(y | x) of the rows to predict, for methods with joint probabilities.
fn cll_loss(predictor: &dyn Predictor, problem: &Problem) -> Result<Option<f64>> {
    if !predictor.joint().has_probabilities() {
        return Ok(None);
    }
    let (features, labels) = &problem.test;
    Ok(Some(-predictor.log_prob(features, labels.sets())?.iter().sum::<f64>()))
}

fn save((predictor, report): Fitted, learner: &dyn Learner, problem: &Problem) -> Result<Model> {
    let schema = Schema {
        label_names: problem.train.label_names().to_vec(),
        trained_on: problem.train.name().to_string(),
        rows: problem.train.rows(),
    };
    Ok(Model::new(schema, problem.map.clone(), learner.params(), predictor, report))
}
