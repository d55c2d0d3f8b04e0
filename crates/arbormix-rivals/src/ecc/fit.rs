//! Learning ECC.

use rayon::prelude::*;

use super::params::{ChainEnsembleParams, Combination, Sampling, Threshold};
use super::predict::ChainEnsemble;
use super::threshold::proportional_cut;
use crate::chain::{Chain, ChainTrainer, Sample};
use arbormix_base::progress::Progress;
use arbormix_base::random::Stream;
use arbormix_joint::Result;
use arbormix_joint::learner::{FitReport, Learner, Predictor, Size, TrainingSet, Workers};
use arbormix_joint::learner::{constant_label_notes, require_observed};
use arbormix_joint::learner_head;

/// The rows one chain learns from.
struct Drawn {
    /// Ascending, each once.
    rows: Vec<usize>,
    /// Weights of all rows, if they are not all 1.
    weights: Option<Vec<f64>>,
}

impl ChainEnsembleParams {
    fn draw(&self, data: &TrainingSet<'_>, chain: u64) -> Drawn {
        let count = data.labels.rows();
        let mut stream = Stream::new(self.seed, "ensemble-rows", chain);
        match self.sampling {
            Sampling::Subset(share) => {
                let size = ((share * count as f64).round() as usize).clamp(1, count);
                let mut rows = stream.permutation(count);
                rows.truncate(size);
                rows.sort_unstable();
                Drawn { rows, weights: data.weights.map(<[f64]>::to_vec) }
            }
            Sampling::Bootstrap => {
                let mut weights = vec![0.0; count];
                for _ in 0..count {
                    weights[stream.below(count)] += 1.0;
                }
                let rows = (0..count).filter(|&row| weights[row] > 0.0).collect();
                if let Some(given) = data.weights {
                    weights.iter_mut().zip(given).for_each(|(weight, own)| *weight *= own);
                }
                Drawn { rows, weights: Some(weights) }
            }
        }
    }

    /// The threshold of each label.
    fn thresholds(&self, data: &TrainingSet<'_>, chains: &[Chain], drawn: &[Drawn]) -> Vec<f64> {
        let count = data.labels.count();
        if self.threshold == Threshold::Half {
            return vec![0.5; count];
        }
        let (rows, scores) = unseen_scores(data, chains, drawn, self.combination);
        let column = |label: usize| scores.iter().map(move |row| row[label]);
        let present = |label: usize| rows.iter().filter(|&&row| data.labels.row(row).get(label)).count();
        match self.threshold {
            Threshold::PcutPerLabel => {
                (0..count).map(|label| proportional_cut(column(label).collect(), present(label))).collect()
            }
            _ => vec![proportional_cut((0..count).flat_map(column).collect(), (0..count).map(present).sum()); count],
        }
    }
}

/// Scores of training rows by the chains that did not learn from them, and which rows these are.
///
/// A row that every chain has seen is left out; if that is all of them, every chain scores every row.
fn unseen_scores(
    data: &TrainingSet<'_>,
    chains: &[Chain],
    drawn: &[Drawn],
    combination: Combination,
) -> (Vec<usize>, Vec<Vec<f64>>) {
    let (count, labels) = (data.labels.rows(), data.labels.count());
    let mut sums = vec![vec![0.0; labels]; count];
    let mut judges = vec![0_usize; count];
    let all_seen = (0..count).all(|row| drawn.iter().all(|drawn| drawn.rows.binary_search(&row).is_ok()));
    for (chain, drawn) in chains.iter().zip(drawn) {
        let rows: Vec<usize> = (0..count).filter(|row| all_seen || drawn.rows.binary_search(row).is_err()).collect();
        let scores = chain.ask(&data.features.select_rows(&rows), |_, chain| combination.scores(chain));
        for (&row, scores) in rows.iter().zip(&scores) {
            sums[row].iter_mut().zip(scores).for_each(|(sum, score)| *sum += score);
            judges[row] += 1;
        }
    }
    let rows: Vec<usize> = (0..count).filter(|&row| judges[row] > 0).collect();
    let mean = |&row: &usize| sums[row].iter().map(|sum| sum / judges[row] as f64).collect();
    let means = rows.iter().map(mean).collect();
    (rows, means)
}

impl Learner for ChainEnsembleParams {
    learner_head!("ecc", check);

    fn seconds(&self, size: &Size) -> f64 {
        size.regression_seconds(self.chains * size.labels)
    }

    fn bytes(&self, size: &Size, workers: Workers) -> usize {
        size.regression_bytes(self.chains, workers)
    }

    fn learn(&self, data: &TrainingSet<'_>, progress: &dyn Progress) -> Result<(Box<dyn Predictor>, FitReport)> {
        require_observed(data, self.method())?;
        let trainer = ChainTrainer::new(data, &self.logistic, self.seed);
        let drawn: Vec<Drawn> = (0..self.chains as u64).map(|chain| self.draw(data, chain)).collect();
        progress.begin("fitting chains", self.chains * data.labels.count());
        let fitted: Vec<(Chain, bool)> = drawn
            .par_iter()
            .enumerate()
            .map(|(chain, drawn)| {
                let order = Stream::new(self.seed, "ensemble-order", chain as u64).permutation(data.labels.count());
                let sample = Sample { rows: Some(&drawn.rows), weights: drawn.weights.as_deref() };
                trainer.fit(&order, sample, progress)
            })
            .collect::<Result<_>>()?;
        let converged = fitted.iter().all(|(_, converged)| *converged);
        let chains: Vec<Chain> = fitted.into_iter().map(|(chain, _)| chain).collect();
        let thresholds = self.thresholds(data, &chains, &drawn);
        let report = FitReport { converged, notes: constant_label_notes(data), ..FitReport::default() };
        Ok((Box::new(ChainEnsemble::new(chains, self.combination, thresholds)), report))
    }
}
