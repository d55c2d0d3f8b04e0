//! Data sets sampled from a known mixture of conditional trees, so that what was learned can be compared with the truth.
//!
//! The truth answers by enumerating all 2^d label sets. That is slow and plain on purpose: it shares no code with the
//! models it checks.

pub mod photos;

use super::{Column, Dataset, LabelSet, Labels};
use crate::error::{ParamError, Result};
use arbormix_base::random::Stream;
use arbormix_matrix::{DenseMatrix, Matrix, SparseBuilder};

/// Enumeration is too slow beyond this many labels.
const MAX_ENUMERATED: usize = 20;

/// Parameters of a planted data set.
#[derive(Debug, Clone, PartialEq)]
pub struct Planted {
    /// Rows, N.
    pub rows: usize,
    /// Features, m.
    pub features: usize,
    /// Labels, d.
    pub labels: usize,
    /// Experts, K.
    pub experts: usize,
    /// Share of feature cells that are not zero; below 1 the features are sparse.
    pub density: f64,
    /// How far true probabilities are pulled towards ½: 0 leaves them, 1 makes labels coin flips.
    pub noise: f64,
    /// Seed.
    pub seed: u64,
}

impl Default for Planted {
    fn default() -> Self {
        Planted { rows: 1000, features: 10, labels: 6, experts: 2, density: 1.0, noise: 0.0, seed: 0 }
    }
}

/// A linear score w · x + b.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// w.
    pub weights: Vec<f64>,
    /// b.
    pub bias: f64,
}

impl Score {
    fn at(&self, x: &[f64]) -> f64 {
        self.bias + self.weights.iter().zip(x).map(|(w, v)| w * v).sum::<f64>()
    }
}

/// One true expert.
#[derive(Debug, Clone, PartialEq)]
pub struct TrueExpert {
    /// Its gate score.
    pub gate: Score,
    /// Parent of each label.
    pub parents: Vec<Option<usize>>,
    /// Log-odds of each label for parent absent and parent present (the same for a label without a parent).
    pub log_odds: Vec<[Score; 2]>,
}

/// The distribution the data was sampled from.
#[derive(Debug, Clone, PartialEq)]
pub struct Truth {
    /// The experts.
    pub experts: Vec<TrueExpert>,
}

impl Planted {
    /// Draws a true mixture and samples rows from it.
    ///
    /// ```
    /// use arbormix_data::planted::Planted;
    /// let (data, truth) = Planted { rows: 50, labels: 3, seed: 4, ..Planted::default() }.sample()?;
    /// let x = vec![0.5; 10];
    /// let total: f64 = truth.distribution(&x).iter().map(|(_, p)| p).sum();
    /// assert!((total - 1.0).abs() < 1e-12);
    /// assert_eq!(data.rows(), 50);
    /// # Ok::<(), arbormix_data::Error>(())
    /// ```
    pub fn sample(&self) -> Result<(Dataset, Truth)> {
        self.validate()?;
        let truth = self.truth();
        let names = (1..=self.features).map(|j| format!("x{j}")).collect();
        let label_names = (1..=self.labels).map(|i| format!("y{i}")).collect();
        let data = truth.sample("planted", names, label_names, self.rows, self.density, self.seed)?;
        Ok((data, truth))
    }

    fn validate(&self) -> Result<(), ParamError> {
        let at_least_one = |name, value: usize| ParamError::require(value > 0, name, value, "must be at least 1");
        at_least_one("rows", self.rows)?;
        at_least_one("features", self.features)?;
        at_least_one("labels", self.labels)?;
        at_least_one("experts", self.experts)?;
        let density = self.density;
        ParamError::require(density > 0.0 && density <= 1.0, "density", density, "must be in (0, 1]")?;
        ParamError::require((0.0..=1.0).contains(&self.noise), "noise", self.noise, "must be in [0, 1]")
    }

    fn truth(&self) -> Truth {
        let expert = |k: u64| {
            let mut stream = Stream::new(self.seed, "planted-expert", k);
            // Scores keep their spread whatever the number and density of the features.
            let unit = 1.0 / (self.features as f64 * self.density).sqrt();
            let mut score = |spread: f64, bias: f64| Score {
                weights: (0..self.features).map(|_| spread * unit * stream.normal()).collect(),
                bias,
            };
            let gate = score(4.0, 0.0);
            let mut order_stream = Stream::new(self.seed, "planted-tree", k);
            let order = order_stream.permutation(self.labels);
            let mut parents = vec![None; self.labels];
            for place in 1..self.labels {
                parents[order[place]] = Some(order[order_stream.below(place)]);
            }
            let log_odds = parents
                .iter()
                .map(|parent: &Option<usize>| {
                    // A present parent makes an unlikely label likely, or a likely label unlikely.
                    let lift = if order_stream.uniform() < 0.5 { 2.0 } else { -2.0 };
                    let mut side = |bias: f64| {
                        let mut side = score(1.5, bias);
                        side.weights.iter_mut().for_each(|w| *w *= 1.0 - self.noise);
                        side.bias *= 1.0 - self.noise;
                        side
                    };
                    match parent {
                        None => {
                            let root = side(0.0);
                            [root.clone(), root]
                        }
                        Some(_) => [side(-lift), side(lift)],
                    }
                })
                .collect();
            TrueExpert { gate, parents, log_odds }
        };
        Truth { experts: (0..self.experts as u64).map(expert).collect() }
    }
}

impl Truth {
    /// Number of labels.
    pub fn labels(&self) -> usize {
        self.experts[0].parents.len()
    }

    /// Gate weights g(x).
    pub fn gate(&self, x: &[f64]) -> Vec<f64> {
        let scores: Vec<f64> = self.experts.iter().map(|expert| expert.gate.at(x)).collect();
        let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = scores.iter().map(|s| (s - top).exp()).collect();
        let total: f64 = weights.iter().sum();
        weights.iter().map(|w| w / total).collect()
    }

    /// The true log P(y | x).
    pub fn log_prob(&self, x: &[f64], set: &LabelSet) -> f64 {
        let of = |expert: &TrueExpert| -> f64 {
            (0..self.labels())
                .map(|i| {
                    let u = expert.parents[i].is_some_and(|parent| set.get(parent));
                    let z = expert.log_odds[i][usize::from(u)].at(x);
                    let signed = if set.get(i) { z } else { -z };
                    -((-signed).max(0.0) + (-signed.abs()).exp().ln_1p())
                })
                .sum()
        };
        self.experts.iter().zip(self.gate(x)).map(|(expert, g)| g * of(expert).exp()).sum::<f64>().ln()
    }

    /// Every label set with its true probability.
    ///
    /// # Panics
    /// With more than 20 labels: there are too many sets.
    pub fn distribution(&self, x: &[f64]) -> Vec<(LabelSet, f64)> {
        let labels = self.labels();
        assert!(labels <= MAX_ENUMERATED, "2^{labels} label sets are too many to list");
        (0..1_u64 << labels)
            .map(|code| {
                let set = LabelSet::from_bools(&(0..labels).map(|i| code >> i & 1 == 1).collect::<Vec<_>>());
                let p = self.log_prob(x, &set).exp();
                (set, p)
            })
            .collect()
    }

    /// The most probable label set. No method has more exact matches in expectation.
    ///
    /// # Panics
    /// With more than 20 labels.
    pub fn best_set(&self, x: &[f64]) -> LabelSet {
        let empty = (LabelSet::empty(self.labels()), f64::NEG_INFINITY);
        self.distribution(x).into_iter().fold(empty, |best, next| if next.1 > best.1 { next } else { best }).0
    }

    /// True P(yᵢ = 1 | x).
    ///
    /// # Panics
    /// With more than 20 labels.
    pub fn marginals(&self, x: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.labels()];
        for (set, p) in self.distribution(x) {
            set.members().for_each(|i| out[i] += p);
        }
        out
    }

    /// Samples rows: features standard normal (zero where not dense), labels from P(y | x).
    pub fn sample(
        &self,
        name: &str,
        feature_names: Vec<String>,
        label_names: Vec<String>,
        rows: usize,
        density: f64,
        seed: u64,
    ) -> Result<Dataset> {
        let m = feature_names.len();
        let mut stream = Stream::new(seed, "planted-rows", 0);
        let mut cells = Vec::with_capacity(rows * m);
        let mut sets = Vec::with_capacity(rows);
        for _ in 0..rows {
            let mut cell = || if density < 1.0 && stream.uniform() >= density { 0.0 } else { stream.normal() };
            let x: Vec<f64> = (0..m).map(|_| cell()).collect();
            sets.push(self.draw(&x, &mut stream));
            cells.extend(x);
        }
        let dense = DenseMatrix::new(rows, m, cells);
        let features = if density < 1.0 { sparse_of(&dense) } else { Matrix::Dense(dense) };
        let columns = feature_names.into_iter().map(Column::numeric).collect();
        Dataset::new(name, features, columns, Labels::new(self.labels(), sets), label_names)
    }

    /// One label set: an expert by the gate, then labels from parents to children.
    fn draw(&self, x: &[f64], stream: &mut Stream) -> LabelSet {
        let expert = &self.experts[stream.weighted(&self.gate(x))];
        let mut value: Vec<Option<bool>> = vec![None; self.labels()];
        while value.iter().any(Option::is_none) {
            for i in 0..self.labels() {
                let parent = match expert.parents[i] {
                    None => Some(false),
                    Some(parent) => value[parent],
                };
                if let (None, Some(u)) = (value[i], parent) {
                    let z = expert.log_odds[i][usize::from(u)].at(x);
                    value[i] = Some(stream.uniform() < 1.0 / (1.0 + (-z).exp()));
                }
            }
        }
        LabelSet::from_bools(&value.into_iter().map(|v| v == Some(true)).collect::<Vec<_>>())
    }
}

fn sparse_of(dense: &DenseMatrix) -> Matrix {
    let mut builder = SparseBuilder::default();
    for row in 0..dense.rows() {
        dense.row(row).iter().enumerate().for_each(|(column, &value)| builder.push(column, value));
        builder.end_row();
    }
    Matrix::Sparse(builder.finish(dense.cols()))
}
