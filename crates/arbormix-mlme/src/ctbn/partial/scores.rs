//! Edge scores when some label cells are unknown.

use rayon::prelude::*;

use super::PartialRows;
use crate::ctbn::scores::{Division, Split, Task};
use crate::ctbn::screening::Surprises;
use arbormix_joint::Result;
use arbormix_joint::tree::EdgeScores;
use arbormix_learn::logistic::Coefficients;
use arbormix_matrix::DenseMatrix;

/// What a parent adds to each label on held-out rows where both are known, and the weight of those rows.
struct Gains {
    gains: Vec<f64>,
    masses: Vec<f64>,
}

impl Task<'_> {
    /// Scores the edges that are candidates from the rows on which both labels are known.
    ///
    /// A pair that is known more often must not look better (or worse) for it: with W the weight of all held-out rows
    /// and Wᵢ, Wᵢⱼ that of the rows on which i, or i and j, are known, W(φ → i) is scaled by W / Wᵢ, and
    /// W(j → i) = W(φ → i) + (what j adds on its rows) · W / Wᵢⱼ, both regressions fitted on rows where j is known.
    pub(crate) fn partial_scores(&self, splits: &[Split], partial: &PartialRows<'_>) -> Result<EdgeScores> {
        let progress = self.progress;
        let count = self.labels.len();
        let total: f64 = splits.iter().map(|split| mass(self.weights, &split.rows.held)).sum();
        let limit = self.params.candidates.limit(count);
        let mut surprises = limit.map(|_| Surprises::new(count));
        let mut alone = Gains::none(count);
        for split in splits {
            let gains = self.judge_alone(split, surprises.as_mut());
            alone.add(&Gains { gains, masses: partial.masses(&split.rows.held) });
        }
        let children = self.candidates(surprises.as_ref());
        progress.begin("scoring edges", splits.len() * count);
        let of_parent = |parent: usize| {
            let mut sum = Gains::none(count);
            for split in splits {
                progress.check()?;
                sum.add(&self.gains(split, parent, &children[parent], partial)?);
                progress.advance(1);
            }
            Ok(sum)
        };
        let parents: Vec<Gains> = (0..count).into_par_iter().map(of_parent).collect::<Result<_>>()?;
        let alone = alone.scaled(total);
        let mut given = DenseMatrix::new(count, count, vec![f64::NEG_INFINITY; count * count]);
        for (parent, gains) in parents.iter().enumerate() {
            let gains = gains.scaled(total);
            for &child in &children[parent] {
                given.row_mut(parent)[child] = alone[child] + gains[child];
            }
        }
        Ok(EdgeScores { alone, given })
    }

    /// What a parent adds to some labels.
    fn gains(&self, split: &Split, parent: usize, children: &[usize], partial: &PartialRows<'_>) -> Result<Gains> {
        if children.is_empty() {
            return Ok(Gains::none(self.labels.len()));
        }
        let known = |rows: &[usize]| -> Vec<usize> {
            rows.iter().copied().filter(|&row| partial.observed.has(row, parent)).collect()
        };
        let rows = Division { train: known(&split.rows.train), held: known(&split.rows.held) };
        // Only the children's regressions are asked for.
        let mut alone = vec![Coefficients::Constant(0.0); self.labels.len()];
        children.iter().zip(self.solve_alone(&rows.train, children)?).for_each(|(&child, own)| alone[child] = own);
        let own: Vec<&Coefficients> = children.iter().map(|&child| &alone[child]).collect();
        let without = self.held_out(&self.design.block(Some(&rows.held), &[]), children, &own);
        let (masses, split) = (partial.masses(&rows.held), Split { rows, alone });
        let mut gains = vec![0.0; self.labels.len()];
        let with = self.with_parent(&split, parent, children)?;
        for ((&child, with), without) in children.iter().zip(with).zip(without) {
            gains[child] = with - without;
        }
        Ok(Gains { gains, masses })
    }
}

impl PartialRows<'_> {
    /// The weight of these rows for every label.
    fn masses(&self, held: &[usize]) -> Vec<f64> {
        self.weights.iter().map(|weights| mass(Some(weights), held)).collect()
    }
}

impl Gains {
    fn none(labels: usize) -> Gains {
        Gains { gains: vec![0.0; labels], masses: vec![0.0; labels] }
    }

    fn add(&mut self, other: &Gains) {
        self.gains.iter_mut().zip(&other.gains).for_each(|(sum, gain)| *sum += gain);
        self.masses.iter_mut().zip(&other.masses).for_each(|(sum, mass)| *sum += mass);
    }

    /// As if all of the weight had been seen; nothing where nothing was.
    fn scaled(&self, total: f64) -> Vec<f64> {
        let scale = |(gain, mass): (&f64, &f64)| if *mass > 0.0 { gain * total / mass } else { 0.0 };
        self.gains.iter().zip(&self.masses).map(scale).collect()
    }
}

fn mass(weights: Option<&[f64]>, rows: &[usize]) -> f64 {
    rows.iter().map(|&row| weights.map_or(1.0, |weights| weights[row])).sum()
}
