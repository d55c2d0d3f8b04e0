//! Probabilities of many label sets by the tied trees at once.

use pulp::{Arch, NullaryFnOnce};

use crate::level1::NEGLIGIBLE;
use arbormix_data::LabelSet;
use arbormix_joint::tree::Branching;
use arbormix_joint::tree::inference::Table;
use arbormix_learn::logistic::exponential::exp_in_place;

/// The label sets of the table, and how they differ from the empty set in a tree.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TableSets {
    pub(crate) sets: Vec<LabelSet>,
    pub(crate) codes: SetCodes,
}

impl TableSets {
    pub(crate) fn new(tree: &Branching, sets: Vec<LabelSet>) -> TableSets {
        let codes = SetCodes::new(tree, &sets);
        TableSets { sets, codes }
    }
}

/// Σₖ gₖ P(set | x, k) of many sets, from the experts' tables (one expert after the other) and the logarithms of their gate.
/// Experts of negligible weight are left out.
pub(crate) fn set_probabilities(labels: usize, tables: &[Table], log_gate: &[f64], codes: &SetCodes) -> Vec<f64> {
    let experts = tables.chunks_exact(labels).zip(log_gate.iter().copied());
    let experts: Vec<(&[Table], f64)> = experts.filter(|(_, gate)| *gate > NEGLIGIBLE).collect();
    Arch::new().dispatch(SetProbabilities { labels, experts: &experts, codes })
}

/// Experts that are computed side by side.
const LANES: usize = 8;

/// The vectorised part of [`set_probabilities`].
struct SetProbabilities<'a> {
    labels: usize,
    experts: &'a [(&'a [Table], f64)],
    codes: &'a SetCodes,
}

impl NullaryFnOnce for SetProbabilities<'_> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn call(self) -> Vec<f64> {
        let mut sums = vec![[0.0; LANES]; self.codes.len()];
        let mut steps = vec![[0.0; LANES]; CODES * self.labels];
        let (mut places, mut logs) = (Vec::new(), Vec::new());
        for experts in self.experts.chunks(LANES) {
            // The log-probability of a set is that of the empty set and a few differences.
            let mut empty = [f64::NEG_INFINITY; LANES];
            for (lane, (tables, gate)) in experts.iter().enumerate() {
                empty[lane] = gate + tables.iter().map(|table| table[0][0]).sum::<f64>();
                for (steps, [[off, on], above]) in steps.chunks_exact_mut(CODES).zip(*tables) {
                    steps[0][lane] = on - off;
                    steps[1][lane] = above[0] - off;
                    steps[2][lane] = above[1] - off;
                }
            }
            places.clear();
            logs.clear();
            for (place, code) in self.codes.sets().enumerate() {
                let mut log = empty;
                for &step in code {
                    let step = &steps[step as usize];
                    for lane in 0..LANES {
                        log[lane] += step[lane];
                    }
                }
                for lane in 0..LANES {
                    log[lane] = if log[lane] > NEGLIGIBLE { log[lane] } else { f64::NEG_INFINITY };
                }
                // Most sets have a negligible probability.
                if log != [f64::NEG_INFINITY; LANES] {
                    places.push(place);
                    logs.push(log);
                }
            }
            exp_in_place(logs.as_flattened_mut());
            for (&place, terms) in places.iter().zip(&logs) {
                for lane in 0..LANES {
                    sums[place][lane] += terms[lane];
                }
            }
        }
        sums.into_iter().map(|lanes| lanes.iter().sum()).collect()
    }
}

/// Pairs of a parent's and a label's value that are not both 0.
const CODES: usize = 3;

/// Label sets as their differences from the empty set in a tree: the labels that are present or whose parent is, with both
/// values. Most sets have few labels.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SetCodes {
    /// Where each set's codes begin, and at last their number.
    starts: Vec<usize>,
    /// `CODES` · label + 0 for present, 1 for absent under a present parent, 2 for present under one.
    codes: Vec<u32>,
}

impl SetCodes {
    pub(crate) fn new<'a>(tree: &Branching, sets: impl IntoIterator<Item = &'a LabelSet>) -> SetCodes {
        let (mut starts, mut codes) = (vec![0], Vec::new());
        for set in sets {
            for label in 0..tree.len() {
                let above = tree.parents()[label].is_some_and(|parent| set.get(parent));
                let kind = match (above, set.get(label)) {
                    (false, false) => continue,
                    (false, true) => 0,
                    (true, false) => 1,
                    (true, true) => 2,
                };
                codes.push((CODES * label + kind) as u32);
            }
            starts.push(codes.len());
        }
        SetCodes { starts, codes }
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn sets(&self) -> impl Iterator<Item = &[u32]> {
        self.starts.windows(2).map(|pair| &self.codes[pair[0]..pair[1]])
    }
}
