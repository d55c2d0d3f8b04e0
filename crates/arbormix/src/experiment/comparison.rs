//! One measure of all methods on all data sets: means, tests against a reference method, ranks.

use serde::{Deserialize, Serialize};

use super::error::ExperimentError;
use super::results::{Results, mean_and_error};
use super::significance::{Friedman, TTest, Wilcoxon, corrected_resampled_t, friedman, paired_t, wilcoxon};
use crate::measure::Direction;

/// Level at which a difference counts.
pub const LEVEL: f64 = 0.05;

/// Which test two methods are compared with on the folds of a data set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PairedTest {
    /// The paired t-test, as in the paper.
    #[default]
    Paired,
    /// The t-test that allows for overlapping training sets.
    Corrected,
}

/// How the *reference* does against a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The reference is significantly better.
    Superior,
    /// The reference is significantly worse.
    Inferior,
    /// Neither.
    Tied,
}

impl Verdict {
    /// The paper's marker: ∗ if the reference is superior, ⊛ if it is inferior.
    pub fn marker(self) -> &'static str {
        match self {
            Verdict::Superior => "∗",
            Verdict::Inferior => "⊛",
            Verdict::Tied => "",
        }
    }
}

/// One method on one data set.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Entry {
    /// Mean over the folds that have a value.
    pub mean: f64,
    /// Its standard error; `None` for one fold.
    pub standard_error: Option<f64>,
    /// The value in each fold, `None` where there is none.
    pub folds: Vec<Option<f64>>,
    /// The test against the reference on the folds that both have; `None` for the reference, or without two folds.
    pub test: Option<TTest>,
    /// What the test says at the level .05.
    pub verdict: Option<Verdict>,
}

impl Entry {
    /// Folds that have a value.
    pub fn present(&self) -> usize {
        self.folds.iter().flatten().count()
    }
}

/// Friedman's test on the data sets and methods that can be ranked.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ranking {
    /// The methods that have the measure, by number.
    pub methods: Vec<usize>,
    /// The data sets on which all of these have it in every fold, by number.
    pub data: Vec<usize>,
    /// Mean rank of each of these methods; 1 is the best.
    pub mean_ranks: Vec<f64>,
    /// Whether they differ; needs two data sets.
    pub friedman: Option<Friedman>,
}

/// One measure of an experiment.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Name of the measure.
    pub measure: String,
    /// Whether more is better.
    pub better: Direction,
    /// Number of the reference method.
    pub reference: usize,
    /// Data sets × methods; `None` where no fold has a value.
    pub entries: Vec<Vec<Option<Entry>>>,
    /// Mean ranks, if any method can be ranked on any data set.
    pub ranking: Option<Ranking>,
    /// The reference against each method over the means of the data sets that both have.
    pub wilcoxon: Vec<Option<Wilcoxon>>,
}

impl Comparison {
    /// Compares all methods with `reference` by a measure.
    pub fn new(results: &Results, measure: &str, better: Direction, reference: usize, test: PairedTest) -> Comparison {
        let (data, methods) = (results.data().len(), results.methods().len());
        let values = |task: usize, method: usize| results.values(task, method, measure);
        let entry = |task: usize, method: usize| {
            let folds = values(task, method);
            let present: Vec<f64> = folds.iter().copied().flatten().collect();
            if present.is_empty() {
                return None;
            }
            let (mean, error) = mean_and_error(&present);
            let common: Vec<(f64, f64)> =
                values(task, reference).into_iter().zip(&folds).filter_map(|(a, b)| a.zip(*b)).collect();
            let (ours, theirs): (Vec<f64>, Vec<f64>) = common.into_iter().unzip();
            let found = match test {
                PairedTest::Paired => paired_t(&ours, &theirs),
                PairedTest::Corrected => corrected_resampled_t(&ours, &theirs, results.data()[task].test_share),
            };
            let found = found.filter(|_| method != reference);
            let verdict = found.map(|test| verdict(&test, better));
            Some(Entry { mean, standard_error: error.is_finite().then_some(error), folds, test: found, verdict })
        };
        let entries: Vec<Vec<Option<Entry>>> =
            (0..data).map(|task| (0..methods).map(|method| entry(task, method)).collect()).collect();
        let mean = |task: usize, method: usize| entries[task][method].as_ref().map(|entry| entry.mean);
        let over_data = |method: usize| {
            let both = (0..data).filter_map(|task| mean(task, reference).zip(mean(task, method)));
            let (ours, theirs): (Vec<f64>, Vec<f64>) = both.unzip();
            wilcoxon(&ours, &theirs).filter(|_| method != reference)
        };
        let wilcoxon = (0..methods).map(over_data).collect();
        let ranking = Ranking::of(&entries, methods, better);
        Comparison { measure: measure.to_string(), better, reference, entries, ranking, wilcoxon }
    }

    /// The number of the best mean of a data set.
    pub fn best(&self, data: usize) -> Option<usize> {
        let sign = sign(self.better);
        let means = self.entries[data].iter().enumerate().filter_map(|(at, entry)| Some((at, entry.as_ref()?.mean)));
        means.min_by(|a, b| (sign * a.1).total_cmp(&(sign * b.1))).map(|(at, _)| at)
    }
}

/// The number of the method with a name.
pub fn method_named(results: &Results, name: &str) -> Result<usize, ExperimentError> {
    results.methods().iter().position(|method| method.name == name).ok_or_else(|| ExperimentError::NoMethod {
        name: name.to_string(),
        known: results.methods().iter().map(|method| method.name.as_str()).collect::<Vec<_>>().join(", "),
    })
}

/// What turns a measure into one where less is better.
fn sign(better: Direction) -> f64 {
    match better {
        Direction::Higher => -1.0,
        Direction::Lower => 1.0,
    }
}

/// What a test of reference − method says about the reference.
pub(super) fn verdict(test: &TTest, better: Direction) -> Verdict {
    match test.statistic * sign(better) {
        _ if test.p_value >= LEVEL => Verdict::Tied,
        lower if lower < 0.0 => Verdict::Superior,
        _ => Verdict::Inferior,
    }
}

impl Ranking {
    fn of(entries: &[Vec<Option<Entry>>], methods: usize, better: Direction) -> Option<Ranking> {
        let complete = |task: usize, method: usize| {
            entries[task][method].as_ref().is_some_and(|entry| entry.present() == entry.folds.len())
        };
        // A method that nowhere has the measure (votes have no likelihood) must not keep the others from being ranked.
        let chosen: Vec<usize> =
            (0..methods).filter(|&method| (0..entries.len()).any(|task| complete(task, method))).collect();
        let data: Vec<usize> =
            (0..entries.len()).filter(|&task| chosen.iter().all(|&method| complete(task, method))).collect();
        if data.is_empty() || chosen.is_empty() {
            return None;
        }
        let mean = |task: usize, method: usize| entries[task][method].as_ref().map_or(f64::NAN, |entry| entry.mean);
        let row = |&task: &usize| chosen.iter().map(|&method| sign(better) * mean(task, method)).collect::<Vec<f64>>();
        let rows: Vec<Vec<f64>> = data.iter().map(row).collect();
        let mut mean_ranks = vec![0.0; chosen.len()];
        for row in &rows {
            let ranks = super::significance::ranks(row);
            mean_ranks.iter_mut().zip(ranks).for_each(|(sum, rank)| *sum += rank / rows.len() as f64);
        }
        Some(Ranking { methods: chosen, data, mean_ranks, friedman: friedman(&rows) })
    }
}
