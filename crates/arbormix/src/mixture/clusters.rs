//! Experts from clusters of label sets: rows whose labels are alike begin with one expert.

use std::collections::BTreeMap;

use crate::matrix::Columns;
use crate::random::Stream;
use crate::tree::Trainer;

/// Share of a row that its own cluster's expert gets at the start; the rest is spread evenly over all experts, so
/// that no expert begins with a certainty it cannot take back.
const OWN_SHARE: f64 = 0.9;
/// Runs of k-means, of which the tightest is taken.
const RESTARTS: u64 = 5;
/// Rounds of one run at most.
const MAX_ROUNDS: usize = 100;

/// First responsibilities of (up to) `count` experts, N × K.
///
/// `labels` are the trainer's, with a guess in cells that are unknown.
pub(super) fn responsibilities(
    trainer: &Trainer<'_>,
    labels: &[Vec<bool>],
    count: usize,
    seed: u64,
    restart: u64,
) -> Columns {
    let (assignment, count) = clusters(trainer, labels, count, seed, restart);
    let mut out = Columns::zeros(assignment.len(), count);
    out.values_mut().fill((1.0 - OWN_SHARE) / count as f64);
    for (row, &cluster) in assignment.iter().enumerate() {
        out.column_mut(cluster)[row] += OWN_SHARE;
    }
    out
}

/// Cluster of every row, and the number of clusters: k-means on the label vectors.
fn clusters(trainer: &Trainer<'_>, labels: &[Vec<bool>], count: usize, seed: u64, restart: u64) -> (Vec<usize>, usize) {
    let rows = trainer.design.rows();
    let mut points: BTreeMap<Vec<bool>, f64> = BTreeMap::new();
    let set_of = |row: usize| labels.iter().map(|label| label[row]).collect::<Vec<bool>>();
    for row in 0..rows {
        *points.entry(set_of(row)).or_default() += trainer.row_weight(row);
    }
    let sets: Vec<&Vec<bool>> = points.keys().collect();
    let masses: Vec<f64> = points.values().copied().collect();
    let (assignment, count) = grouped(&sets, &masses, count, seed, restart);
    let cluster_of: BTreeMap<&Vec<bool>, usize> = sets.iter().copied().zip(assignment).collect();
    ((0..rows).map(|row| cluster_of[&set_of(row)]).collect(), count)
}

/// Cluster of each label set, and the number of clusters (up to `count`): the tightest of some runs of k-means.
pub(super) fn grouped(
    sets: &[&Vec<bool>],
    masses: &[f64],
    count: usize,
    seed: u64,
    restart: u64,
) -> (Vec<usize>, usize) {
    let count = count.min(masses.iter().filter(|&&mass| mass > 0.0).count()).max(1);
    let first = restart * RESTARTS;
    let run = |number| k_means(sets, masses, count, &mut Stream::new(seed, "label-clusters", number));
    let mut best = run(first);
    for number in first + 1..first + RESTARTS {
        let next = run(number);
        if next.1 < best.1 {
            best = next;
        }
    }
    (best.0, count)
}

/// Cluster of each set, and the sum of squared distances to the centres; sets count with their masses.
fn k_means(sets: &[&Vec<bool>], masses: &[f64], count: usize, stream: &mut Stream) -> (Vec<usize>, f64) {
    let as_point = |set: &[bool]| set.iter().map(|&on| f64::from(on)).collect::<Vec<f64>>();
    // k-means++: each further centre is a set drawn with probability mass × squared distance to the nearest centre.
    let mut centres = vec![as_point(sets[stream.weighted(masses)])];
    while centres.len() < count {
        let pull = |(set, mass): (&&Vec<bool>, &f64)| mass * nearest(&centres, set).1;
        let pulls: Vec<f64> = sets.iter().zip(masses).map(pull).collect();
        centres.push(as_point(sets[stream.weighted(&pulls)]));
    }
    let mut assignment = vec![usize::MAX; sets.len()];
    for _ in 0..MAX_ROUNDS {
        let next: Vec<usize> = sets.iter().map(|set| nearest(&centres, set).0).collect();
        if next == assignment {
            break;
        }
        assignment = next;
        for (cluster, centre) in centres.iter_mut().enumerate() {
            let members: Vec<usize> = (0..sets.len()).filter(|&s| assignment[s] == cluster).collect();
            let mass: f64 = members.iter().map(|&s| masses[s]).sum();
            if mass > 0.0 {
                for (label, value) in centre.iter_mut().enumerate() {
                    *value = members.iter().map(|&s| masses[s] * f64::from(sets[s][label])).sum::<f64>() / mass;
                }
            }
        }
    }
    let cost = sets.iter().zip(masses).map(|(set, mass)| mass * nearest(&centres, set).1).sum();
    (assignment, cost)
}

/// The nearest centre and the squared distance to it; ties go to the first.
fn nearest(centres: &[Vec<f64>], set: &[bool]) -> (usize, f64) {
    let distance = |centre: &Vec<f64>| -> f64 {
        centre.iter().zip(set).map(|(c, &on)| (c - f64::from(on)) * (c - f64::from(on))).sum()
    };
    let start = (0, distance(&centres[0]));
    centres.iter().enumerate().skip(1).fold(start, |best, (index, centre)| {
        let d = distance(centre);
        if d < best.1 { (index, d) } else { best }
    })
}
