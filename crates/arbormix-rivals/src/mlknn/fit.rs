//! Learning MLKNN.

use super::params::NeighbourParams;
use super::predict::NeighbourBayes;
use crate::neighbours::Neighbours;
use arbormix_base::progress::Progress;
use arbormix_joint::Result;
use arbormix_joint::learner::{FitReport, Learner, Predictor, Size, TrainingSet, Workers};
use arbormix_joint::learner::{constant_label_notes, require_observed};
use arbormix_joint::learner_head;
use arbormix_matrix::DenseMatrix;

impl NeighbourParams {
    /// `[label][j]`: log-odds of the label when j of the neighbours have it.
    ///
    /// Weights of rows count in the tables; as neighbours all rows are alike.
    fn log_odds(&self, data: &TrainingSet<'_>, counts: &DenseMatrix) -> DenseMatrix {
        let mut out = DenseMatrix::zeros(data.labels.count(), self.neighbours + 1);
        for label in 0..data.labels.count() {
            // tables[value][j]: weight of the rows with this value of the label and j such neighbours.
            let mut tables = [vec![0.0; self.neighbours + 1], vec![0.0; self.neighbours + 1]];
            for row in 0..counts.rows() {
                let value = usize::from(data.labels.row(row).get(label));
                tables[value][counts.get(row, label) as usize] += data.weights.map_or(1.0, |weights| weights[row]);
            }
            let totals = tables.each_ref().map(|table| table.iter().sum::<f64>());
            let prior = ((self.smoothing + totals[1]) / (self.smoothing + totals[0])).ln();
            let cells = self.smoothing * (self.neighbours + 1) as f64;
            let share = |value: usize, j: usize| (self.smoothing + tables[value][j]) / (cells + totals[value]);
            for (j, odds) in out.row_mut(label).iter_mut().enumerate() {
                *odds = prior + (share(1, j) / share(0, j)).ln();
            }
        }
        out
    }
}

impl Learner for NeighbourParams {
    learner_head!("mlknn");

    fn seconds(&self, size: &Size) -> f64 {
        size.neighbour_seconds()
    }

    fn bytes(&self, size: &Size, workers: Workers) -> usize {
        size.bytes + 2 * size.encoded_bytes() + workers.threads * size.rows * size_of::<f64>()
    }

    fn learn(&self, data: &TrainingSet<'_>, progress: &dyn Progress) -> Result<(Box<dyn Predictor>, FitReport)> {
        require_observed(data, self.method())?;
        let neighbours = Neighbours::new(data, self.neighbours)?;
        progress.begin("finding neighbours", 1);
        progress.check()?;
        let log_odds = self.log_odds(data, &neighbours.training_counts());
        progress.advance(1);
        let report = FitReport { converged: true, notes: constant_label_notes(data), ..FitReport::default() };
        Ok((Box::new(NeighbourBayes::new(neighbours, log_odds)), report))
    }
}
