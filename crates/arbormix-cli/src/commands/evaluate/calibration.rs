//! `evaluate --calibration` and `--plots`: what the model said, and how often it was so.

use std::io::Write;
use std::path::Path;

use arbormix::{Model, Result};
use arbormix_base::files::AtomicFile;
use arbormix_base::files::FileError;
use arbormix_data::{Dataset, LabelSet};
use arbormix_matrix::DenseMatrix;
use arbormix_model::measure::{Calibration, Claims, Reliability, calibration};

use super::diagram;
use crate::output::{fixed, table};

/// The claims that are checked: the name of a file, and what they say.
fn kinds(found: &Calibration) -> [(&'static str, &'static str, &Reliability); 3] {
    [
        ("marginals", "a label is present", &found.marginals),
        ("sets", "the predicted set is the true one", &found.sets),
        ("counts", "the row has so many labels", &found.counts),
    ]
}

/// Compares the model's probabilities with the labels of the data; refused by methods without a joint distribution.
pub(super) fn calibrated(model: &Model, data: &Dataset, bins: usize) -> Result<Calibration> {
    let truth = model.align_labels(data)?;
    let answers = model.rows(data)?.ask(|_, mixture| {
        let best = mixture.map(0);
        (mixture.marginals(), (best.labels, best.log_probability.exp()), mixture.label_counts().sizes)
    });
    let mut marginals = Vec::with_capacity(truth.rows() * truth.count());
    let mut predicted: Vec<(LabelSet, f64)> = Vec::with_capacity(truth.rows());
    let mut counts: Vec<Vec<f64>> = Vec::with_capacity(truth.rows());
    for (row_marginals, best, sizes) in answers {
        marginals.extend(row_marginals);
        predicted.push(best);
        counts.push(sizes);
    }
    let marginals = DenseMatrix::new(truth.rows(), truth.count(), marginals);
    calibration(&truth, &Claims { marginals: &marginals, predicted: &predicted, counts: &counts }, bins)
}

/// One table per kind of claim; bins without claims are left out.
pub(super) fn to_text(found: &Calibration) -> String {
    let section = |(_, claim, reliability): (&str, &str, &Reliability)| {
        let rows = reliability.bins.iter().filter_map(|bin| {
            let (said, happened) = bin.said.zip(bin.happened)?;
            let range = format!("{:.2} to {:.2}", bin.above, bin.up_to);
            Some(vec![range, bin.count.to_string(), fixed(said), fixed(happened)])
        });
        let table = table(&["probability", "times", "said", "happened"], 1, rows.collect::<Vec<_>>());
        let error = fixed(reliability.expected_error);
        format!("\n\"{claim}\": {} claims, expected calibration error {error}\n{table}", reliability.count)
    };
    kinds(found).map(section).concat()
}

/// Draws each kind of claim into a file of a folder.
pub(super) fn draw(found: &Calibration, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(arbormix::Error::io(folder))?;
    let file = |(name, claim, reliability): (&str, &str, &Reliability)| {
        let path = folder.join(format!("{name}.svg"));
        let mut file = AtomicFile::create(&path)?;
        file.write_all(diagram::svg(claim, reliability).as_bytes()).map_err(FileError::at(&path))?;
        file.commit()
    };
    Ok(kinds(found).into_iter().try_for_each(file)?)
}
