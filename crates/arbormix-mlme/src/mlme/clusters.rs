//! Experts from clusters of label sets: rows whose labels are alike begin with one expert.

use std::collections::BTreeMap;

use crate::ctbn::Trainer;
use arbormix_base::random::Stream;
use arbormix_matrix::Columns;

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
pub(crate) fn responsibilities(
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
pub fn grouped(sets: &[&Vec<bool>], masses: &[f64], count: usize, seed: u64, restart: u64) -> (Vec<usize>, usize) {
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
    let members_of = |set: &&Vec<bool>| (0..set.len()).filter(|&label| set[label]).collect::<Vec<usize>>();
    let points: Vec<Vec<usize>> = sets.iter().map(members_of).collect();
    let centre_at = |place: usize| points[place].iter().map(|&label| (label, 1.0)).collect::<Centre>();
    // k-means++: each further centre is a set drawn with probability mass × squared distance to the nearest centre.
    let mut centres = vec![centre_at(stream.weighted(masses))];
    let mut gaps: Vec<f64> = points.iter().map(|point| distance(&centres[0], point)).collect();
    while centres.len() < count {
        let pulls: Vec<f64> = gaps.iter().zip(masses).map(|(gap, mass)| mass * gap).collect();
        let next = centre_at(stream.weighted(&pulls));
        gaps.iter_mut().zip(&points).for_each(|(gap, point)| *gap = gap.min(distance(&next, point)));
        centres.push(next);
    }
    let mut assignment = vec![usize::MAX; sets.len()];
    for _ in 0..MAX_ROUNDS {
        let next: Vec<usize> = points.iter().map(|point| nearest(&centres, point).0).collect();
        if next == assignment {
            break;
        }
        assignment = next;
        let mut sums: Vec<(f64, BTreeMap<usize, f64>)> = vec![(0.0, BTreeMap::new()); centres.len()];
        for ((point, mass), &cluster) in points.iter().zip(masses).zip(&assignment) {
            sums[cluster].0 += mass;
            point.iter().for_each(|&label| *sums[cluster].1.entry(label).or_default() += mass);
        }
        for (centre, (mass, sum)) in centres.iter_mut().zip(sums).filter(|(_, (mass, _))| *mass > 0.0) {
            *centre = sum.into_iter().map(|(label, part)| (label, part / mass)).collect();
        }
    }
    let cost = points.iter().zip(masses).map(|(point, mass)| mass * nearest(&centres, point).1).sum();
    (assignment, cost)
}

/// The labels at which a centre is not 0, ascending: of many labels, a cluster has few.
type Centre = Vec<(usize, f64)>;

/// The nearest centre and the squared distance to it; ties go to the first.
fn nearest(centres: &[Centre], point: &[usize]) -> (usize, f64) {
    let start = (0, distance(&centres[0], point));
    centres.iter().enumerate().skip(1).fold(start, |best, (index, centre)| {
        let d = distance(centre, point);
        if d < best.1 { (index, d) } else { best }
    })
}

/// The squared distance of a centre and a set, given by its labels, ascending.
fn distance(centre: &[(usize, f64)], point: &[usize]) -> f64 {
    let (mut sum, mut rest) = (0.0, point);
    for &(label, value) in centre {
        while let Some((_, later)) = rest.split_first().filter(|(next, _)| **next < label) {
            (sum, rest) = (sum + 1.0, later);
        }
        let on = rest.first() == Some(&label);
        rest = &rest[usize::from(on)..];
        let gap = value - f64::from(on);
        sum += gap * gap;
    }
    sum + rest.len() as f64
}
