//! Planted rows of any size, sparse ones without ever being dense.
//!
//! The library's own planted data draw a weight for every feature, label and parent value and hold all cells; that is
//! right for tests and too much for 200,000 rows of 50,000 features. Here the scores of gate and labels are linear in a
//! few *topics*, which are themselves linear in the features: the truth is still a mixture of conditional trees.

use std::path::PathBuf;

use arbormix_base::random::Stream;
use arbormix_data::formats::{Format, write};
use arbormix_data::planted::Planted;
use arbormix_data::{Column, Dataset, LabelSet, Labels};
use arbormix_matrix::{Matrix, SparseBuilder};
use clap::Args;

use crate::failure::Result;

/// Directions of the feature space that anything depends on.
const TOPICS: usize = 16;

/// The size of a planted problem.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Size {
    /// Rows, N
    #[arg(long, default_value_t = 2000)]
    pub(crate) rows: usize,
    /// Features, m
    #[arg(long, default_value_t = 40)]
    pub(crate) features: usize,
    /// Labels, d
    #[arg(long, default_value_t = 12)]
    pub(crate) labels: usize,
    /// True experts
    #[arg(long, default_value_t = 3)]
    pub(crate) true_experts: usize,
    /// Non-zeros of a row; the features are then sparse [default: all cells, dense]
    #[arg(long)]
    pub(crate) non_zeros: Option<usize>,
    /// Seed
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
}

impl Size {
    pub(crate) fn sample(&self) -> Result<Dataset> {
        let Some(non_zeros) = self.non_zeros else {
            let planted = Planted {
                rows: self.rows,
                features: self.features,
                labels: self.labels,
                experts: self.true_experts,
                seed: self.seed,
                ..Planted::default()
            };
            return Ok(planted.sample()?.0);
        };
        if non_zeros == 0 || non_zeros > self.features {
            return Err(format!("a row of {} features cannot have {non_zeros} non-zeros", self.features).into());
        }
        if self.rows == 0 || self.labels == 0 || self.true_experts == 0 {
            return Err("planted data need rows, labels and experts".into());
        }
        self.sparse(non_zeros)
    }

    fn sparse(&self, non_zeros: usize) -> Result<Dataset> {
        let mut stream = Stream::new(self.seed, "bench-topics", 0);
        let topics: Vec<[f64; TOPICS]> = (0..self.features).map(|_| direction(&mut stream)).collect();
        let experts: Vec<Expert> =
            (0..self.true_experts as u64).map(|k| Expert::new(self.labels, self.seed, k)).collect();
        let mut stream = Stream::new(self.seed, "bench-rows", 0);
        let (mut builder, mut sets) = (SparseBuilder::default(), Vec::with_capacity(self.rows));
        let mut columns = Vec::with_capacity(non_zeros);
        // Scores keep their spread whatever the number of non-zeros.
        let unit = 1.0 / (non_zeros as f64).sqrt();
        for _ in 0..self.rows {
            choose(self.features, non_zeros, &mut columns, &mut stream);
            let mut place = [0.0; TOPICS];
            for &column in &columns {
                let value = unit * (0.5 + stream.uniform());
                builder.push(column, value);
                place.iter_mut().zip(&topics[column]).for_each(|(at, topic)| *at += value * topic);
            }
            builder.end_row();
            let gate: Vec<f64> = experts.iter().map(|expert| (4.0 * dot(&expert.gate, &place)).exp()).collect();
            sets.push(experts[stream.weighted(&gate)].draw(&place, &mut stream));
        }
        let columns = (1..=self.features).map(|j| Column::numeric(format!("x{j}"))).collect();
        let names = (1..=self.labels).map(|i| format!("y{i}")).collect();
        let features = Matrix::Sparse(builder.finish(self.features));
        Ok(Dataset::new("planted", features, columns, Labels::new(self.labels, sets), names)?)
    }
}

/// `count` different columns, ascending.
fn choose(features: usize, count: usize, columns: &mut Vec<usize>, stream: &mut Stream) {
    columns.clear();
    while columns.len() < count {
        columns.extend((columns.len()..count).map(|_| stream.below(features)));
        columns.sort_unstable();
        columns.dedup();
    }
}

fn direction(stream: &mut Stream) -> [f64; TOPICS] {
    std::array::from_fn(|_| stream.normal())
}

fn dot(a: &[f64; TOPICS], b: &[f64; TOPICS]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() / (TOPICS as f64).sqrt()
}

/// A true tree; labels are drawn in `order`, in which parents come before their children.
struct Expert {
    gate: [f64; TOPICS],
    order: Vec<usize>,
    parents: Vec<Option<usize>>,
    weights: Vec<[f64; TOPICS]>,
    /// Added to a label's log-odds when its parent is present.
    lift: Vec<f64>,
}

impl Expert {
    fn new(labels: usize, seed: u64, number: u64) -> Expert {
        let mut stream = Stream::new(seed, "bench-expert", number);
        let order = stream.permutation(labels);
        let mut parents = vec![None; labels];
        for place in 1..labels {
            parents[order[place]] = Some(order[stream.below(place)]);
        }
        let gate = direction(&mut stream);
        let weights = (0..labels).map(|_| direction(&mut stream)).collect();
        let lift = (0..labels).map(|_| if stream.uniform() < 0.5 { 3.0 } else { -3.0 }).collect();
        Expert { gate, order, parents, weights, lift }
    }

    fn draw(&self, place: &[f64; TOPICS], stream: &mut Stream) -> LabelSet {
        let mut set = LabelSet::empty(self.order.len());
        for &label in &self.order {
            let lift = if self.parents[label].is_some_and(|parent| set.get(parent)) { self.lift[label] } else { 0.0 };
            let log_odds = 1.5 * dot(&self.weights[label], place) - 1.0 + lift;
            set.set(label, stream.uniform() < 1.0 / (1.0 + (-log_odds).exp()));
        }
        set
    }
}

/// A file of planted rows.
#[derive(Debug, Args)]
pub(crate) struct GenerateArgs {
    #[command(flatten)]
    size: Size,
    /// File to write; its name tells the format
    #[arg(long)]
    to: PathBuf,
}

pub(crate) fn run(args: &GenerateArgs) -> Result<()> {
    let data = args.size.sample()?;
    Ok(write(&data, &args.to, Format::from_path(&args.to)?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sparse_rows_have_their_non_zeros_and_labels_depend_on_their_parents() {
        let size = Size { rows: 3000, features: 500, labels: 4, true_experts: 1, non_zeros: Some(20), seed: 3 };
        let data = size.sample().unwrap();
        let Matrix::Sparse(sparse) = data.features() else { panic!("sparse") };
        assert!((0..3000).all(|row| sparse.row(row).0.len() == 20));
        let truth = Expert::new(4, 3, 0);
        for (label, parent) in truth.parents.iter().enumerate().filter_map(|(l, p)| p.map(|p| (l, p))) {
            let rate = |on: bool| {
                let rows: Vec<bool> =
                    data.labels().sets().iter().filter(|s| s.get(parent) == on).map(|s| s.get(label)).collect();
                rows.iter().filter(|present| **present).count() as f64 / rows.len() as f64
            };
            assert_eq!(rate(true) > rate(false) + 0.1, truth.lift[label] > 0.0, "{label} given {parent}");
        }
        assert!(Size { non_zeros: Some(501), ..size }.sample().is_err());
    }
}
