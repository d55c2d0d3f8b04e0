//! The race: candidates are fitted to some rows and asked about others.

use super::candidates::Candidate;
use super::params::AutoParams;
use arbormix_base::paired;
use arbormix_base::progress::{OnlyStops, Progress};
use arbormix_base::random::Stream;
use arbormix_data::Dataset;
use arbormix_joint::learner::Size;
use arbormix_joint::{Error, Result};
use arbormix_model::fit;
use arbormix_model::model::Model;

/// Rows of a race that have a label at least, or that lack it if that is rarer, in the mean over the labels.
const LEAST_PRESENT: f64 = 5.0;
/// A shorter race has this part of the rows to fit to.
pub(super) const SHORTER: usize = 4;

/// The rows of a race.
pub(super) struct Race {
    train: Dataset,
    train_weights: Option<Vec<f64>>,
    held: Dataset,
    held_weights: Option<Vec<f64>>,
}

/// How a candidate did.
pub(super) struct Score {
    /// log P of every held-out row's labels.
    pub(super) logs: Vec<f64>,
    /// Mean over the held-out rows.
    pub(super) log_likelihood: f64,
    pub(super) exact_match: Option<f64>,
}

/// Rows to fit to, so that all candidates together keep to the race's share of the cost. Where too few of them would have a label it
/// errs with the reason: such a race would tell who copes with labels that are hardly there.
pub(super) fn race_rows(
    params: &AutoParams,
    size: &Size,
    candidates: &[Candidate],
    rows: usize,
) -> Result<usize, String> {
    let full = candidates.iter().map(|&candidate| candidate.seconds(params, size)).collect::<Vec<_>>();
    let dearest = full.iter().copied().fold(0.0, f64::max);
    let allowed = (params.race_share * full[0]).min(params.budget - dearest);
    let cost = |rows: usize| candidates.iter().map(|&c| c.seconds(params, &size.with_rows(rows))).sum::<f64>();
    let (mut low, mut high) = (params.min_race_rows.min(rows / 2), params.max_race_rows.min(rows / 2));
    // The largest number of rows that is allowed; costs grow with rows.
    while low < high {
        let middle = (low + high).div_ceil(2);
        if cost(middle) <= allowed {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    let present = low as f64 * size.rarer_share();
    if present < LEAST_PRESENT {
        return Err(format!(
            "a race could be fitted to {low} rows, and a label would be present (or absent, if that is rarer) in {present:.1} of \
             them in the mean, fewer than {LEAST_PRESENT}"
        ));
    }
    Ok(low)
}

impl Race {
    /// Draws `train` rows to fit to and as many others to judge by as are allowed, of those with a positive weight. Races of the
    /// same `full` number of rows to fit to are judged by the same rows; shorter ones are fitted to some of the longest's.
    pub(super) fn draw(
        data: &Dataset,
        weights: Option<&[f64]>,
        positive: &[usize],
        train: usize,
        full: usize,
        params: &AutoParams,
    ) -> Race {
        let order = Stream::new(params.seed, "race", 0).permutation(positive.len());
        let pick = |places: &[usize]| {
            let mut rows: Vec<usize> = places.iter().map(|&place| positive[place]).collect();
            rows.sort_unstable();
            let weights = weights.map(|weights| rows.iter().map(|&row| weights[row]).collect());
            (data.select_rows(&rows), weights)
        };
        let end = order.len().min(full + params.held_out_rows);
        let (train, held) = (pick(&order[..train]), pick(&order[full..end]));
        Race { train: train.0, train_weights: train.1, held: held.0, held_weights: held.1 }
    }

    /// Rows to fit to.
    pub(super) fn fitted(&self) -> usize {
        self.train.rows()
    }

    /// Rows to judge by.
    pub(super) fn held_out(&self) -> usize {
        self.held.rows()
    }

    /// Fits a candidate and asks it; the inner error says why it cannot be judged.
    pub(super) fn run(
        &self,
        candidate: Candidate,
        params: &AutoParams,
        progress: &dyn Progress,
    ) -> Result<Result<Score, String>> {
        let learner = candidate.learner(params, self.train.features().is_sparse());
        let quiet = OnlyStops(progress);
        let fitted = fit(learner.as_ref(), &self.train, self.train_weights.as_deref(), &quiet);
        match fitted.and_then(|model| self.judge(&model)) {
            Ok(score) if score.log_likelihood.is_finite() => Ok(Ok(score)),
            Ok(_) => Ok(Err("a held-out row has no probability in the race".to_string())),
            Err(Error::Cancelled) => Err(Error::Cancelled),
            Err(error) => Ok(Err(format!("failed in the race: {error}"))),
        }
    }

    fn judge(&self, model: &Model) -> Result<Score> {
        let logs = model.log_prob(&self.held)?;
        let labels = self.held.labels();
        let full = |row: usize| labels.mask().is_none_or(|masks| masks[row].count() == labels.count());
        let (mut hits, mut tried, mut total) = (0.0, 0.0, 0.0);
        for (row, prediction) in model.predict(&self.held)?.iter().enumerate() {
            let weight = self.weight(row);
            total += weight * logs[row];
            if full(row) {
                tried += weight;
                hits += if prediction.labels == *labels.row(row) { weight } else { 0.0 };
            }
        }
        let exact_match = (tried > 0.0).then(|| hits / tried);
        Ok(Score { log_likelihood: total / self.mass(), logs, exact_match })
    }

    fn weight(&self, row: usize) -> f64 {
        self.held_weights.as_ref().map_or(1.0, |weights| weights[row])
    }

    fn mass(&self) -> f64 {
        (0..self.held.rows()).map(|row| self.weight(row)).sum()
    }

    /// What the first gains on the second when fitted to `rows` rows, reckoned from both races: in proportion to the logarithm of
    /// their number, as learning curves go at first. `shorter` are their scores in a race with a quarter of the rows.
    pub(super) fn projected(&self, scores: [&Score; 2], shorter: [&Score; 2], rows: usize) -> f64 {
        let gain = |[first, second]: [&Score; 2]| first.log_likelihood - second.log_likelihood;
        let quarters = (rows as f64 / self.train.rows() as f64).ln() / (SHORTER as f64).ln();
        gain(scores) + (gain(scores) - gain(shorter)) * quarters
    }

    /// By how many standard errors the first is ahead of the second, row by row; 0 if they cannot be told apart.
    pub(super) fn lead(&self, first: &Score, second: &Score) -> f64 {
        let gains: Vec<f64> = first.logs.iter().zip(&second.logs).map(|(a, b)| a - b).collect();
        paired::lead(&gains, |row| self.weight(row))
    }
}
