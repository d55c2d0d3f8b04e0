//! One measure of all methods on all data sets: means, tests against a reference method, ranks.

use serde::{Deserialize, Serialize};

use super::error::ExperimentError;
use super::results::{Results, mean_and_error};
use super::significance::{
    Friedman, TTest, Wilcoxon, corrected_resampled_t, friedman, nemenyi_distance, paired_t, wilcoxon,
};
use arbormix_model::measure::Direction;

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
    /// The methods that are ranked, by number.
    pub methods: Vec<usize>,
    /// The data sets on which all of these have it in every fold, by number.
    pub data: Vec<usize>,
    /// Mean rank of each of these methods; 1 is the best.
    pub mean_ranks: Vec<f64>,
    /// Methods that have the measure somewhere but not on all of these data sets, by number.
    pub left_out: Vec<usize>,
    /// Whether they differ; needs two data sets.
    pub friedman: Option<Friedman>,
    /// Mean ranks further apart than this differ by Nemenyi's test; needs two data sets.
    pub critical_difference: Option<f64>,
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
    /// The test on the folds of a data set.
    pub test: PairedTest,
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
        Comparison { measure: measure.to_string(), better, reference, test, entries, ranking, wilcoxon }
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
pub(crate) fn verdict(test: &TTest, better: Direction) -> Verdict {
    match test.statistic * sign(better) {
        _ if test.p_value >= LEVEL => Verdict::Tied,
        lower if lower < 0.0 => Verdict::Superior,
        _ => Verdict::Inferior,
    }
}

impl Ranking {
    /// Ranks the methods that are complete on every data set, or all methods on the data sets where all are complete:
    /// whichever keeps more. So neither a method that fails somewhere nor a data set that is too large for some costs
    /// the others their ranks.
    fn of(entries: &[Vec<Option<Entry>>], methods: usize, better: Direction) -> Option<Ranking> {
        let complete = |task: usize, method: usize| {
            entries[task][method].as_ref().is_some_and(|entry| entry.present() == entry.folds.len())
        };
        // A method that nowhere has the measure (votes have no likelihood) is no candidate; nor is a data set that none has.
        let some: Vec<usize> =
            (0..methods).filter(|&method| (0..entries.len()).any(|task| complete(task, method))).collect();
        let used: Vec<usize> =
            (0..entries.len()).filter(|&task| some.iter().any(|&method| complete(task, method))).collect();
        let everywhere: Vec<usize> =
            some.iter().copied().filter(|&method| used.iter().all(|&task| complete(task, method))).collect();
        let shared: Vec<usize> =
            used.iter().copied().filter(|&task| some.iter().all(|&method| complete(task, method))).collect();
        let (chosen, data) = if everywhere.len() * used.len() >= some.len() * shared.len() {
            (everywhere, used)
        } else {
            (some.clone(), shared)
        };
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
        let friedman = friedman(&rows);
        let critical_difference = friedman.as_ref().map(|_| nemenyi_distance(chosen.len(), rows.len(), LEVEL));
        let left_out = some.into_iter().filter(|method| !chosen.contains(method)).collect();
        Some(Ranking { methods: chosen, data, mean_ranks, left_out, friedman, critical_difference })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Entries of two folds; `None` for a method that failed.
    fn entries(means: &[&[Option<f64>]]) -> Vec<Vec<Option<Entry>>> {
        let entry = |mean: &Option<f64>| {
            mean.map(|mean| Entry { mean, standard_error: None, folds: vec![Some(mean); 2], test: None, verdict: None })
        };
        means.iter().map(|row| row.iter().map(entry).collect()).collect()
    }

    #[test]
    fn a_method_that_fails_somewhere_does_not_cost_the_others_their_ranks() {
        let one_fails = entries(&[&[Some(0.3), Some(0.2), Some(0.1)], &[Some(0.3), Some(0.4), None]]);
        let ranking = Ranking::of(&one_fails, 3, Direction::Higher).unwrap();
        assert_eq!((ranking.methods, ranking.data, ranking.left_out), (vec![0, 1], vec![0, 1], vec![2]));
        assert_eq!(ranking.mean_ranks, [1.5, 1.5]);
        assert!(ranking.critical_difference.is_some());
        // Two that fail in different places leave the third; it is ranked alone, against nobody, on both.
        let two_fail = entries(&[&[Some(0.3), None, Some(0.1)], &[Some(0.3), Some(0.4), None]]);
        assert_eq!(Ranking::of(&two_fail, 3, Direction::Higher).unwrap().methods, [0]);
    }

    #[test]
    fn a_data_set_that_most_methods_fail_on_is_left_out_instead() {
        let row = [Some(0.3), Some(0.2), Some(0.1)];
        let large = entries(&[&row, &row, &[Some(0.3), None, None]]);
        let ranking = Ranking::of(&large, 3, Direction::Higher).unwrap();
        assert_eq!((ranking.methods, ranking.data), (vec![0, 1, 2], vec![0, 1]));
        assert!(ranking.left_out.is_empty());
    }
}
