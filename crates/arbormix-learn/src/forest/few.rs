//! Splits of nodes with few stored cells: features are listed instead of drawn.
//!
//! In a node of a few sparse rows nearly every feature is constant, so drawing features until one can split would try
//! hundreds in vain. If V of m features are not constant, the number of them among L features drawn without replacement
//! has a hypergeometric distribution. So that number is drawn first, and then as many features from the V. If it is 0,
//! drawing would go on until it found one of the V, each equally likely.

use arbormix_base::random::Stream;
use arbormix_matrix::SparseMatrix;

/// Features are listed only if less than one in this many cells is stored.
const SPARSE: f64 = 16.0;
/// Features of a node are listed if it has at most this many stored cells per feature that a split tries: listing a
/// cell is much faster than trying a drawn feature.
const LISTED: f64 = 24.0;

/// The features of a node.
pub(crate) struct Tally {
    /// Most rows of a node whose features are listed.
    rows: usize,
    looked_at: usize,
    /// For each feature: the number of rows of the node with a stored cell, and the smallest and largest value of these
    /// cells.
    spans: Vec<(u32, f64, f64)>,
    /// The features with stored cells.
    listed: Vec<u32>,
}

impl Tally {
    /// For sparse rows and splits that try so many features.
    pub(crate) fn new(rows: Option<&SparseMatrix>, looked_at: usize) -> Tally {
        let wide = |rows: &&SparseMatrix| {
            let cells = rows.stored() as f64 / rows.rows().max(1) as f64;
            cells > 0.0 && cells * SPARSE <= rows.cols() as f64
        };
        let Some(rows) = rows.filter(wide) else {
            return Tally { rows: 0, looked_at, spans: Vec::new(), listed: Vec::new() };
        };
        let cells = rows.stored() as f64 / rows.rows() as f64;
        let most = (LISTED * looked_at as f64 / cells) as usize;
        Tally { rows: most, looked_at, spans: vec![(0, 0.0, 0.0); rows.cols()], listed: Vec::new() }
    }

    /// Whether a node of so many rows is small enough.
    pub(crate) fn suits(&self, rows: usize) -> bool {
        rows <= self.rows
    }

    /// Draws features that are not constant on the rows of a node, with their smallest and largest values.
    pub(crate) fn drawn(&mut self, rows: &SparseMatrix, node: &[u32], stream: &mut Stream) -> Vec<(u32, f64, f64)> {
        for &row in node {
            let (columns, values) = rows.row(row as usize);
            for (&column, &value) in columns.iter().zip(values) {
                let (count, low, high) = &mut self.spans[column as usize];
                if *count == 0 {
                    self.listed.push(column);
                    (*low, *high) = (value, value);
                }
                (*count, *low, *high) = (*count + 1, low.min(value), high.max(value));
            }
        }
        let mut varying = Vec::new();
        for feature in self.listed.drain(..) {
            let (count, mut low, mut high) = std::mem::take(&mut self.spans[feature as usize]);
            if (count as usize) < node.len() {
                (low, high) = (low.min(0.0), high.max(0.0));
            }
            if low < high {
                varying.push((feature, low, high));
            }
        }
        let (mut tickets, mut features) = (self.looked_at as f64, rows.cols() as f64);
        let mut is_drawn = |_: &(u32, f64, f64)| {
            let hit = stream.uniform() * features < tickets;
            (tickets, features) = (tickets - f64::from(hit), features - 1.0);
            hit
        };
        let drawn: Vec<_> = varying.iter().copied().filter(|span| is_drawn(span)).collect();
        match drawn.is_empty() && !varying.is_empty() {
            true => vec![varying[stream.below(varying.len())]],
            false => drawn,
        }
    }
}
