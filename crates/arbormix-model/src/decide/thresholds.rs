//! Thresholds of the marginals for F1 over many rows.
//!
//! Macro and micro F1 pool the counts of all rows, so no decision about one row alone is best for them. Thresholds are:
//! they are fitted to marginals of rows that the model had not seen: by a method that holds rows out anyway
//! ([`crate::FitReport::held_out`]), or by [`crate::Model::fit_thresholds`].

use serde::{Deserialize, Serialize};

use arbormix_base::params::ParamError;
use arbormix_data::{LabelSet, Labels};
use arbormix_matrix::DenseMatrix;

/// An F1 whose counts are pooled over rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PooledF1 {
    /// The mean of the labels' F1.
    MacroF1,
    /// F1 of all cells.
    MicroF1,
}

impl PooledF1 {
    /// Both.
    pub const ALL: [PooledF1; 2] = [PooledF1::MacroF1, PooledF1::MicroF1];

    /// The rule's word.
    pub fn word(self) -> &'static str {
        match self {
            PooledF1::MacroF1 => "macro-f1",
            PooledF1::MicroF1 => "micro-f1",
        }
    }
}

/// A label is said to be present if its marginal is above its threshold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Thresholds {
    /// What they are for.
    pub measure: PooledF1,
    /// One per label; all alike for micro F1.
    pub values: Vec<f64>,
    /// The measure they reached on the rows they were fitted to; new rows will mostly get a little less.
    pub reached: f64,
    /// Number of rows they were fitted to; 0 in a file from before this was kept.
    #[serde(default)]
    pub rows: usize,
}

impl Thresholds {
    /// The best thresholds for marginals (N × d) of rows with known labels; unknown cells do not count.
    ///
    /// 0/0 counts as 0, and ties go to the larger threshold. A label that is never present gets the threshold 1; one
    /// that is never known takes no part in macro F1.
    ///
    /// ```
    /// use arbormix_data::{LabelSet, Labels};
    /// use arbormix_model::decide::{PooledF1, Thresholds};
    /// use arbormix_matrix::DenseMatrix;
    ///
    /// let marginals = DenseMatrix::new(3, 1, vec![0.1, 0.3, 0.4]);
    /// let truth = [false, true, true].map(|present| LabelSet::from_bools(&[present]));
    /// let fitted = Thresholds::fit(PooledF1::MacroF1, &marginals, &Labels::new(1, truth.to_vec()), None);
    /// assert!((fitted.values[0] - 0.2).abs() < 1e-12); // midway between 0.1 and 0.3
    /// assert_eq!(fitted.reached, 1.0);
    /// ```
    ///
    /// # Panics
    /// If the marginals, labels and weights are not of the same rows and labels.
    pub fn fit(measure: PooledF1, marginals: &DenseMatrix, truth: &Labels, weights: Option<&[f64]>) -> Thresholds {
        Thresholds::fit_believing(measure, marginals, truth, weights, 0.0)
    }

    /// The same, where a cell counts as present by a share: that much of its marginal, the rest of what is true. A label that few
    /// rows have says little about its best threshold; marginals say more, as far as they are right.
    pub fn fit_believing(
        measure: PooledF1,
        marginals: &DenseMatrix,
        truth: &Labels,
        weights: Option<&[f64]>,
        share: f64,
    ) -> Thresholds {
        assert_eq!((marginals.rows(), marginals.cols()), (truth.rows(), truth.count()), "marginals of the same cells");
        let cells = |label: usize| {
            (0..truth.rows()).filter_map(move |row| {
                let (p, weight) = (marginals.get(row, label), weights.map_or(1.0, |weights| weights[row]));
                let present = truth.get(row, label)?;
                let held_present = (1.0 - share) * f64::from(u8::from(present)) + share * p;
                Some(Cell { p, present, held_present, weight })
            })
        };
        let (values, reached) = match measure {
            PooledF1::MacroF1 => {
                let each: Vec<(f64, f64)> = (0..truth.count()).map(|label| best(cells(label).collect())).collect();
                let known = (0..truth.count()).filter(|&label| cells(label).next().is_some()).count();
                let mean = each.iter().map(|(_, f1)| f1).sum::<f64>() / known.max(1) as f64;
                (each.into_iter().map(|(threshold, _)| threshold).collect(), mean)
            }
            PooledF1::MicroF1 => {
                let (threshold, f1) = best((0..truth.count()).flat_map(cells).collect());
                (vec![threshold; truth.count()], f1)
            }
        };
        Thresholds { measure, values, reached, rows: truth.rows() }
    }

    /// The labels whose marginals are above their thresholds; errs if there is another number of them.
    pub(crate) fn decide(&self, marginals: &[f64]) -> Result<LabelSet, ParamError> {
        let (count, rule) = (self.values.len(), "must have one threshold per label of the model");
        ParamError::require(count == marginals.len(), "thresholds", count, rule)?;
        let above: Vec<bool> = marginals.iter().zip(&self.values).map(|(p, threshold)| p > threshold).collect();
        Ok(LabelSet::from_bools(&above))
    }
}

/// A known label cell.
struct Cell {
    p: f64,
    present: bool,
    /// How far it counts as present when thresholds are compared.
    held_present: f64,
    weight: f64,
}

/// The threshold with the largest F1 = 2TP / (predicted + present), and the F1 that it reaches.
fn best(mut cells: Vec<Cell>) -> (f64, f64) {
    cells.sort_by(|a, b| b.p.total_cmp(&a.p));
    let is_present = |cell: &Cell| if cell.present { cell.weight } else { 0.0 };
    let held_present: f64 = cells.iter().map(|cell| cell.weight * cell.held_present).sum();
    let present: f64 = cells.iter().map(is_present).sum();
    let (mut held_hits, mut hits, mut predicted) = (0.0, 0.0, 0.0);
    let (mut top, mut threshold, mut reached) = (0.0, 1.0, 0.0);
    if present == 0.0 {
        return (threshold, reached);
    }
    for (at, cell) in cells.iter().enumerate() {
        predicted += cell.weight;
        hits += is_present(cell);
        held_hits += cell.weight * cell.held_present;
        let next = cells.get(at + 1).map_or(0.0, |next| next.p);
        // Cells with the same marginal cannot be told apart by any threshold.
        if next < cell.p {
            let f1 = 2.0 * held_hits / (predicted + held_present);
            if f1 > top {
                let middle = 0.5 * (cell.p + next);
                threshold = if middle < cell.p { middle } else { next };
                (top, reached) = (f1, 2.0 * hits / (predicted + present));
            }
        }
    }
    (threshold, reached)
}
