//! The rows that level 1 is fitted to, with the out-of-fold answers of level 0.

use std::sync::Arc;

use super::blend::Blend;
use super::tree::{self, StackedTree};
use crate::level0::Level0Answers;
use crate::params::StackParams;
use arbormix_base::progress::Progress;
use arbormix_base::random::Stream;
use arbormix_data::{LabelSet, SeenSets};
use arbormix_joint::Result;
use arbormix_learn::forest::Shares;
use arbormix_learn::logistic::Design;
use arbormix_matrix::Columns;

/// The training rows with the out-of-fold answers of level 0.
pub(crate) struct Stacking<'a> {
    pub(crate) params: &'a StackParams,
    pub(crate) labels: &'a [LabelSet],
    pub(crate) weights: Option<&'a [f64]>,
    pub(crate) seen: &'a SeenSets,
    pub(crate) design: &'a Design,
    /// Of each part of level 0.
    pub(crate) answers: &'a [Level0Answers],
    pub(crate) progress: &'a dyn Progress,
}

impl Stacking<'_> {
    pub(crate) fn weight(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[row])
    }

    /// Number of labels.
    pub(crate) fn label_count(&self) -> usize {
        self.answers.first().map_or(0, |answers| answers.log_odds.cols())
    }

    /// The classes of these rows' label sets.
    pub(crate) fn classes(&self, rows: &[usize]) -> Vec<usize> {
        rows.iter().map(|&row| self.seen.class_of()[row]).collect()
    }

    /// P(s | x) of a row by each part of level 0 that has such a distribution.
    pub(crate) fn shares(&self, row: usize) -> Vec<&Shares> {
        self.answers.iter().filter_map(|answers| answers.sets.as_ref().map(|sets| &sets[row])).collect()
    }

    pub(crate) fn sample(&self, rows: &[usize]) -> Sample {
        let sets: Vec<&LabelSet> = rows.iter().map(|&row| &self.labels[row]).collect();
        let weights = rows.iter().map(|&row| self.weight(row)).collect();
        let log_odds = self.answers.iter().map(|answers| answers.log_odds.select_rows(rows)).collect();
        Sample::new(self.design.with_rows(rows), log_odds, &sets, weights)
    }
}

/// Some rows: the answers of level 0, and the true labels.
pub(crate) struct Sample {
    /// φ of the rows.
    pub(crate) design: Design,
    /// Log-odds by each part of level 0, n × d.
    pub(crate) log_odds: Vec<Columns>,
    /// The labels as 0 and 1, n × d.
    pub(crate) labels: Columns,
    /// The rows that have each label.
    pub(crate) rows_with: Vec<Vec<u32>>,
    /// Weights of the rows.
    pub(crate) weights: Vec<f64>,
}

impl Sample {
    /// From the log-odds of the rows of a design, and their label sets.
    pub(crate) fn new(design: Design, log_odds: Vec<Columns>, sets: &[&LabelSet], weights: Vec<f64>) -> Sample {
        let count = log_odds.first().map_or(0, Columns::cols);
        let mut labels = Columns::zeros(sets.len(), count);
        let mut rows_with = vec![Vec::new(); count];
        for (row, set) in (0_u32..).zip(sets) {
            for label in set.members() {
                labels.column_mut(label)[row as usize] = 1.0;
                rows_with[label].push(row);
            }
        }
        Sample { design, log_odds, labels, rows_with, weights }
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.weights.len()
    }

    /// `count` of its rows at random, in their order; `None` if it has no more.
    pub(crate) fn at_most(&self, count: usize, seed: u64) -> Option<Sample> {
        if self.len() <= count {
            return None;
        }
        let mut rows = Stream::new(seed, "some-rows", 0).permutation(self.len());
        rows.truncate(count);
        rows.sort_unstable();
        let set = |&row: &usize| {
            let on: Vec<bool> = (0..self.labels.cols()).map(|label| self.labels.get(row, label) > 0.0).collect();
            LabelSet::from_bools(&on)
        };
        let sets: Vec<LabelSet> = rows.iter().map(set).collect();
        let weights = rows.iter().map(|&row| self.weights[row]).collect();
        let log_odds = self.log_odds.iter().map(|log_odds| log_odds.select_rows(&rows)).collect();
        Some(Sample::new(self.design.with_rows(&rows), log_odds, &sets.iter().collect::<Vec<_>>(), weights))
    }

    /// ± the weight of every row: + where it has the label.
    pub(crate) fn signed(&self, label: usize) -> Vec<f64> {
        self.labels.column(label).iter().zip(&self.weights).map(|(on, weight)| (2.0 * on - 1.0) * weight).collect()
    }
}

/// What all parts of level 1 build on: the blended log-odds of a sample, and the stacked tree.
pub(crate) struct Base {
    pub(crate) blend: Blend,
    /// The blended log-odds of the sample, n × d.
    pub(crate) log_odds: Columns,
    pub(crate) tree: Arc<StackedTree>,
}

impl Base {
    pub(crate) fn fit(sample: &Sample, params: &StackParams, progress: &dyn Progress) -> Result<Base> {
        let blend = Blend::fit(sample, &params.blend);
        let log_odds = blend.log_odds(&sample.log_odds.iter().collect::<Vec<_>>());
        let tree = Arc::new(tree::fit(sample, &log_odds, &params.structure, progress)?);
        Ok(Base { blend, log_odds, tree })
    }

    /// The blended log-odds of other rows.
    pub(crate) fn log_odds_of(&self, sample: &Sample) -> Columns {
        self.blend.log_odds(&sample.log_odds.iter().collect::<Vec<_>>())
    }
}

/// The rows that a part is fitted to, and what it builds on.
#[derive(Clone, Copy)]
pub(crate) struct Fitting<'a> {
    pub(crate) stacking: &'a Stacking<'a>,
    pub(crate) rows: &'a [usize],
    /// The same rows.
    pub(crate) sample: &'a Sample,
    pub(crate) base: &'a Base,
    /// Whether the fit starts from what the plan found on the first fold.
    pub(crate) is_warm: bool,
    /// Number of pooled parts behind this one in the list.
    pub(crate) pooled: usize,
    /// The exponents of the label-set table, once held-out rows have given them.
    pub(crate) exponents: Option<&'a [f64]>,
}
