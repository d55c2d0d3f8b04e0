//! The rows a job works on.

use std::path::PathBuf;

use arbormix_data::formats::{LabelSource, ReadOptions, read};
use arbormix_data::splits::Folds;
use arbormix_data::{Dataset, Labels};
use arbormix_joint::learner::TrainingSet;
use arbormix_learn::features::{FeatureMap, FeatureParams};
use arbormix_matrix::Matrix;
use clap::Args;
use serde_json::{Value, json};

use crate::arrays;
use crate::failure::Result;

/// Which rows.
#[derive(Debug, Clone, Args)]
pub(crate) struct Source {
    /// Data file
    path: PathBuf,
    /// Which columns are labels [default: as the file says]
    #[arg(long)]
    labels: Option<LabelSource>,
    /// File with the fold of each row
    #[arg(long, requires = "fold")]
    folds: Option<PathBuf>,
    /// The fold that is predicted; the others are learned from [default: all rows are learned from and predicted]
    #[arg(long, requires = "folds")]
    fold: Option<usize>,
    /// Every so many-th row is predicted, the others are learned from
    #[arg(long, conflicts_with = "folds")]
    test_every: Option<usize>,
}

/// Rows to learn from and rows to predict, encoded.
pub(crate) struct Problem {
    pub(crate) train: Dataset,
    pub(crate) map: FeatureMap,
    pub(crate) features: Matrix,
    /// Encoded rows to predict, and their labels.
    pub(crate) test: (Matrix, Labels),
}

impl Source {
    /// Reads and encodes; the scale of the features is that of the rows to learn from.
    pub(crate) fn problem(&self, params: &FeatureParams) -> Result<Problem> {
        let options = ReadOptions { labels: self.labels.clone().unwrap_or_default(), ..ReadOptions::default() };
        let data = read(&self.path, &options)?;
        let (train, test) = match (&self.folds, self.fold, self.test_every) {
            (Some(path), Some(fold), _) => {
                let folds = Folds::from_file(path, data.rows())?;
                if fold >= folds.count() {
                    return Err(format!("there is no fold {fold}, only 0 to {}", folds.count() - 1).into());
                }
                (folds.train(fold), folds.test(fold))
            }
            (_, _, Some(step @ 2..)) => (0..data.rows()).partition(|row| row % step != 0),
            (_, _, Some(step)) => return Err(format!("--test-every {step} leaves nothing to learn from").into()),
            _ => ((0..data.rows()).collect(), (0..data.rows()).collect()),
        };
        let (train, test) = (data.select_rows(&train), data.select_rows(&test));
        let map = FeatureMap::fit(&train, params)?;
        let features = map.encode(&train)?.into_owned();
        let test = (map.encode(&test)?.into_owned(), test.labels().clone());
        Ok(Problem { train, map, features, test })
    }
}

impl Problem {
    /// What a learner sees.
    pub(crate) fn set(&self) -> TrainingSet<'_> {
        TrainingSet {
            features: &self.features,
            labels: self.train.labels(),
            weights: None,
            label_names: self.train.label_names(),
        }
    }

    /// Sizes, and digests by which both sides see that they have the same rows.
    pub(crate) fn facts(&self) -> Value {
        let part = |features: &Matrix, labels: &Labels| {
            let arrays = arrays::of_features(features);
            let label_array = arrays::of_labels(labels);
            arrays::digest(arrays.iter().map(|(_, array)| array).chain([&label_array]))
        };
        json!({
            "rows": self.features.rows(),
            "features": self.features.cols(),
            "labels": self.train.labels().count(),
            "sparse": self.features.is_sparse(),
            "test_rows": self.test.0.rows(),
            "train_digest": part(&self.features, self.train.labels()),
            "test_digest": part(&self.test.0, &self.test.1),
        })
    }
}

/// Where to write encoded rows.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    source: Source,
    /// Folder to write to; it must exist
    #[arg(long)]
    to: PathBuf,
}

/// Writes `train-*.npy` and `test-*.npy` with the default scaling.
pub(crate) fn export(args: &ExportArgs) -> Result<()> {
    let problem = args.source.problem(&FeatureParams::default())?;
    let parts = [("train", &problem.features, problem.train.labels()), ("test", &problem.test.0, &problem.test.1)];
    for (part, features, labels) in parts {
        for (name, array) in arrays::of_features(features) {
            array.write(&args.to.join(format!("{part}-{name}.npy")))?;
        }
        arrays::of_labels(labels).write(&args.to.join(format!("{part}-labels.npy")))?;
    }
    println!("{}", problem.facts());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_third_row_is_predicted_and_scaled_as_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        std::fs::write(&path, "x,y\n9,1\n0,0\n2,1\n-5,0\n1,1\n2,0\n").unwrap();
        let labels = Some(LabelSource::Last(1));
        let source = Source { path, labels, folds: None, fold: None, test_every: Some(3) };
        let problem = source.problem(&FeatureParams::default()).unwrap();
        let Matrix::Dense(train) = &problem.features else { panic!("a table is dense") };
        let Matrix::Dense(test) = &problem.test.0 else { panic!("a table is dense") };
        assert_eq!(train.values(), [0.0, 1.0, 0.5, 1.0]);
        assert_eq!(test.values(), [4.5, -2.5]);
        assert_ne!(problem.facts()["train_digest"], problem.facts()["test_digest"]);
        let refused = Source { test_every: Some(1), ..source };
        assert!(refused.problem(&FeatureParams::default()).is_err());
    }
}
