//! What is left of a row's mixture when most labels are closed: a mixture over the others, which is quicker to search.

use crate::joint::expert::RowExpert;
use crate::joint::map::{Found, RowMixture};
use crate::prediction::Certificate;
use crate::tree::Branching;
use crate::tree::inference::{Table, unrestricted};
use arbormix_data::LabelSet;

/// A row's experts over its open labels, for one value of each closed label.
///
/// These are no distributions: an expert's weight of the closed labels' values stands in its gate, and in the tables of
/// open labels that closed ones hang on. So sets have the log-probabilities they have in the whole mixture.
pub(crate) struct OpenLabels {
    /// The open labels, ascending.
    labels: Vec<usize>,
    trees: Vec<Branching>,
    tables: Vec<Vec<Table>>,
    log_gate: Vec<f64>,
}

impl OpenLabels {
    /// Of trees and their tables and gates, where the labels that are not open have the values of `set`.
    pub(crate) fn new(
        trees: &[&Branching],
        tables: &[Vec<Table>],
        log_gate: &[f64],
        open: &[bool],
        set: &LabelSet,
    ) -> Self {
        let labels: Vec<usize> = (0..open.len()).filter(|&label| open[label]).collect();
        let mut places = vec![None; open.len()];
        labels.iter().enumerate().for_each(|(place, &label)| places[label] = Some(place));
        let count = labels.len();
        let mut out = OpenLabels { labels, trees: Vec::new(), tables: Vec::new(), log_gate: Vec::new() };
        for ((tree, tables), gate) in trees.iter().zip(tables).zip(log_gate) {
            let parents = tree.parents();
            let (mut own, mut weight) = (vec![Table::default(); count], *gate);
            for (label, table) in tables.iter().enumerate() {
                let value = usize::from(set.get(label));
                // The table's row, where the parent's value is known.
                let above = parents[label].map_or(0, |parent| usize::from(set.get(parent)));
                match (places[label], parents[label].and_then(|parent| places[parent])) {
                    (Some(place), Some(_)) => add(&mut own[place], |u, v| table[u][v]),
                    (Some(place), None) => add(&mut own[place], |_, v| table[above][v]),
                    (None, Some(parent)) => add(&mut own[parent], |_, v| table[v][value]),
                    (None, None) => weight += table[above][value],
                }
            }
            let parent = |label: &usize| parents[*label].and_then(|parent| places[parent]);
            let branching = Branching::new(out.labels.iter().map(parent).collect());
            out.trees.push(branching.expect("a part of a forest has no cycle"));
            out.tables.push(own);
            out.log_gate.push(weight);
        }
        out
    }

    /// The most probable set, from the best one found and the experts' own sets with log Sₖ there.
    pub(crate) fn search(
        self,
        (set, log_probability): (LabelSet, f64),
        own: &[(LabelSet, f64)],
        node_limit: usize,
    ) -> (LabelSet, Certificate) {
        let part = |whole: &LabelSet| {
            LabelSet::from_bools(&self.labels.iter().map(|&label| whole.get(label)).collect::<Vec<_>>())
        };
        let own =
            own.iter().zip(&self.log_gate).map(|((own, log_share), gate)| (part(own), log_share - gate)).collect();
        let found = (part(&set), log_probability);
        let experts = self.trees.iter().zip(self.tables).map(|(tree, tables)| RowExpert::tree(tree, tables)).collect();
        let mixture = RowMixture { log_gate: self.log_gate, experts };
        let Found { labels, certificate, .. } =
            mixture.search_from(found, own, &unrestricted(self.labels.len()), node_limit);
        let mut whole = set;
        self.labels.iter().enumerate().for_each(|(place, &label)| whole.set(label, labels.get(place)));
        (whole, certificate)
    }
}

fn add(table: &mut Table, by: impl Fn(usize, usize) -> f64) {
    for u in 0..2 {
        for v in 0..2 {
            table[u][v] += by(u, v);
        }
    }
}
