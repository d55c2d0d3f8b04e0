//! The tree of cliques that holds as much as it can of given weights between labels.

use super::CliqueTree;
use arbormix_matrix::DenseMatrix;

/// Sums of the same weights in another order differ by no more than this share.
const ROUNDING: f64 = 1e-9;

impl CliqueTree {
    /// Grows a tree of cliques with up to `width` parents per label, the heaviest first: every step adds the label that has the most
    /// weight with the members of some clique. (The best such tree is hard to find for widths above 1.)
    ///
    /// `weights` is symmetric, d × d, with nothing negative. Of a clique's members a label takes those with which its weight is at least
    /// `least`, then those that labels still to come have most weight with: so they stay within reach.
    pub fn heaviest(weights: &DenseMatrix, width: usize, least: f64) -> CliqueTree {
        let labels = weights.rows();
        let total = |label: usize| weights.row(label).iter().sum::<f64>();
        // Of equal ones the first.
        let heavier = |best: usize, next: usize| if total(next) > total(best) { next } else { best };
        let mut next = (1..labels).fold(0, heavier);
        let (mut order, mut parents) = (Vec::with_capacity(labels), Vec::<Vec<usize>>::with_capacity(labels));
        let mut places = vec![0; labels];
        let mut left: Vec<usize> = (0..labels).collect();
        // Of every label: its weight with the best clique so far, and that clique's place.
        let mut best = vec![(0.0, 0); labels];
        let mut needed: Vec<f64> = (0..labels).map(total).collect();
        while !left.is_empty() {
            left.retain(|&label| label != next);
            needed.iter_mut().zip(weights.row(next)).for_each(|(needed, weight)| *needed -= weight);
            let place = order.len();
            let mut own = Vec::new();
            if place > 0 {
                own = clique(&order, &parents, best[next].1);
                let key = |other: usize| {
                    let weight = weights.get(next, other);
                    (if weight >= least { weight } else { 0.0 }, needed[other])
                };
                own.sort_by(|&a, &b| {
                    let (a_key, b_key) = (key(a), key(b));
                    b_key.0.total_cmp(&a_key.0).then(b_key.1.total_cmp(&a_key.1)).then(a.cmp(&b))
                });
                own.truncate(width);
            }
            places[next] = place;
            order.push(next);
            parents.push(own.iter().map(|&label| places[label]).collect());
            let members = clique(&order, &parents, place);
            for &label in &left {
                let with: Vec<f64> = members.iter().map(|&member| weights.get(label, member)).collect();
                let lightest = with.iter().copied().fold(f64::INFINITY, f64::min);
                let over = if with.len() > width { lightest } else { 0.0 };
                let held = with.iter().sum::<f64>() - over;
                // Of equal ones, but for rounding, the latest: it has more of the labels that are still needed.
                if held >= best[label].0 * (1.0 - ROUNDING) {
                    best[label] = (held, place);
                }
            }
            let further = |a: usize, b: usize| if best[b].0 > best[a].0 { b } else { a };
            next = left.iter().copied().reduce(further).unwrap_or(next);
        }
        CliqueTree::new(order, parents).unwrap_or_else(|| CliqueTree::isolated(labels))
    }

    /// Labels without parents.
    fn isolated(labels: usize) -> CliqueTree {
        let none = vec![Vec::new(); labels];
        CliqueTree {
            order: (0..labels).collect(),
            parents: none,
            above: vec![None; labels],
            seen_from_above: vec![Vec::new(); labels],
        }
    }
}

/// The labels of a clique.
fn clique(order: &[usize], parents: &[Vec<usize>], place: usize) -> Vec<usize> {
    std::iter::once(order[place]).chain(parents[place].iter().map(|&parent| order[parent])).collect()
}
