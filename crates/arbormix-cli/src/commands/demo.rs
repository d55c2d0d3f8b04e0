//! `arbormix demo`.

mod story;

use std::path::PathBuf;

use arbormix::Model;
use arbormix::registry::{self, Preset};
use arbormix_data::formats::{self, Format};
use arbormix_data::planted::{Truth, photos};
use arbormix_data::{Dataset, LabelSet};
use arbormix_matrix::{DenseMatrix, Matrix};
use arbormix_model::fit;
use arbormix_model::measure::{MeasureOptions, Measures, Outcome, evaluate};
use arbormix_model::scoring::measure_model;
use clap::Args;
use serde_json::json;

use crate::args::Common;
use crate::failure::Failure;
use crate::output::{fixed, print, print_json, table};
use crate::progress::{Part, Reporter};

const TRAINING_ROWS: usize = 1500;
const TEST_ROWS: usize = 1000;
/// The measures shown, with the words for people.
const SHOWN: [(&str, &str); 4] = [
    ("exact_match", "all tags right"),
    ("cll_loss_mean", "log loss"),
    ("hamming_loss", "tags wrong"),
    ("micro_f1", "micro F1"),
];

/// Learn from photos with tags (generated, no file needed) and show what comes out
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  arbormix demo\n  arbormix demo --write .")]
pub(crate) struct Demo {
    /// Write the photos' data into this folder, as photos-train.arff and photos-test.arff, and stop
    #[arg(long, value_name = "FOLDER")]
    write: Option<PathBuf>,
}

impl Demo {
    pub(crate) fn run(&self, common: &Common, reporter: &Reporter) -> Result<(), Failure> {
        let seed = common.seed.unwrap_or_default();
        let (all, truth) = photos::sample(TRAINING_ROWS + TEST_ROWS, seed)?;
        let train = all.select_rows(&(0..TRAINING_ROWS).collect::<Vec<_>>());
        let test = all.select_rows(&(TRAINING_ROWS..all.rows()).collect::<Vec<_>>());
        if let Some(folder) = &self.write {
            let mut written = Vec::new();
            for (name, part) in [("photos-train.arff", &train), ("photos-test.arff", &test)] {
                let path = folder.join(name);
                formats::write(part, &path, Format::ARFF)?;
                written.push(json!({"file": path.display().to_string(), "rows": part.rows()}));
                if !common.json {
                    print(&format!("{}: {} photos\n", path.display(), part.rows()))?;
                }
            }
            return if common.json { print_json(&json!(written)) } else { Ok(()) };
        }
        let mut models = Vec::new();
        for name in ["br", "ctbn", "mlme"] {
            // How many experts pay is decided on held-out training photos, never on the test photos.
            let overrides =
                if name == "mlme" { json!({"seed": seed, "experts": "auto"}) } else { json!({"seed": seed}) };
            let learner = registry::learner(name, Preset::Default, &overrides)?;
            let progress = Part { name: name.to_string(), inner: reporter };
            let model = fit(learner.as_ref(), &train, None, &progress)?;
            let measures =
                measure_model(&model, &test, model.predictor().inference(), &MeasureOptions::default(), &progress)?;
            models.push((registry::method(name).map_err(arbormix::Error::from)?.title, model, measures));
        }
        let best = best_possible(&truth, &test)?;
        reporter.finish();
        if common.json {
            let row = |title: &str, measures: &Measures| {
                let values = SHOWN.map(|(name, _)| (name, measures.get(name)));
                json!({"method": title, "measures": values.into_iter().collect::<std::collections::BTreeMap<_, _>>()})
            };
            let mut rows: Vec<_> = models.iter().map(|(title, _, measures)| row(title, measures)).collect();
            rows.push(row("truth", &best));
            return print_json(&json!({"training_rows": TRAINING_ROWS, "test_rows": TEST_ROWS, "methods": rows}));
        }
        print(&story::opening(TRAINING_ROWS, TEST_ROWS))?;
        print(&comparison(&models, &best))?;
        if let [(_, independent, _), _, (_, mixture, _)] = models.as_slice() {
            print(&story::tree(mixture, &test)?)?;
            print(&story::prediction(independent, mixture, &test)?)?;
        }
        print(story::NEXT)
    }
}

/// One line per method and one for the distribution that the tags were drawn from.
fn comparison(models: &[(&str, Model, Measures)], best: &Measures) -> String {
    let line = |title: &str, measures: &Measures| {
        let value = |(name, _): (&str, &str)| measures.get(name).map(fixed).unwrap_or_default();
        std::iter::once(title.to_string()).chain(SHOWN.map(value)).collect::<Vec<_>>()
    };
    let mut rows: Vec<Vec<String>> = models.iter().map(|(title, _, measures)| line(title, measures)).collect();
    rows.push(line("the truth itself", best));
    let header = ["", SHOWN[0].1, SHOWN[1].1, SHOWN[2].1, SHOWN[3].1];
    table(&header, 1, rows) + story::AFTER_TABLE
}

/// The measures of someone who knows the true distribution and always says its most probable set.
fn best_possible(truth: &Truth, test: &Dataset) -> Result<Measures, Failure> {
    let rows: Vec<Vec<f64>> = (0..test.rows()).map(|row| cells(test.features(), row)).collect();
    let predicted: Vec<LabelSet> = rows.iter().map(|x| truth.best_set(x)).collect();
    let marginals: Vec<f64> = rows.iter().flat_map(|x| truth.marginals(x)).collect();
    let marginals = DenseMatrix::new(test.rows(), truth.labels(), marginals);
    let log_probs: Vec<f64> = rows.iter().zip(test.labels().sets()).map(|(x, y)| truth.log_prob(x, y)).collect();
    let outcome = Outcome {
        truth: test.labels(),
        predicted: &predicted,
        marginals: Some(&marginals),
        log_probs: Some(&log_probs),
    };
    Ok(evaluate(&outcome, &MeasureOptions::default())?)
}

fn cells(features: &Matrix, row: usize) -> Vec<f64> {
    let mut cells = vec![0.0; features.cols()];
    features.visit_row(row, |column, value| cells[column] = value);
    cells
}
