//! Edge scores when some label cells are unknown.

use rayon::prelude::*;

use super::PartialRows;
use crate::error::Result;
use crate::matrix::DenseMatrix;
use crate::tree::EdgeScores;
use crate::tree::scores::{Division, Split, Task};

/// What a parent adds to each label on held-out rows where both are known, and the weight of those rows.
struct Gains {
    gains: Vec<f64>,
    masses: Vec<f64>,
}

impl Task<'_> {
    /// Scores all edges from the rows on which both labels are known.
    ///
    /// A pair that is known more often must not look better (or worse) for it: with W the weight of all held-out rows
    /// and Wᵢ, Wᵢⱼ that of the rows on which i, or i and j, are known, W(φ → i) is scaled by W / Wᵢ, and
    /// W(j → i) = W(φ → i) + (what j adds on its rows) · W / Wᵢⱼ, both regressions fitted on rows where j is known.
    pub(in crate::tree) fn partial_scores(&self, splits: &[Split], partial: &PartialRows<'_>) -> Result<EdgeScores> {
        let progress = self.progress;
        let count = self.labels.len();
        let total: f64 = splits.iter().map(|split| mass(self.weights, &split.rows.held)).sum();
        let mut alone = Gains { gains: vec![0.0; count], masses: vec![0.0; count] };
        for split in splits {
            alone.add(&self.gains(split, None, partial)?);
        }
        progress.begin("scoring edges", splits.len() * count);
        let of_parent = |parent: usize| {
            let mut sum = Gains { gains: vec![0.0; count], masses: vec![0.0; count] };
            for split in splits {
                progress.check()?;
                sum.add(&self.gains(split, Some(parent), partial)?);
                progress.advance(1);
            }
            Ok(sum)
        };
        let parents: Vec<Gains> = (0..count).into_par_iter().map(of_parent).collect::<Result<_>>()?;
        let alone = alone.scaled(total);
        let mut given = DenseMatrix::zeros(count, count);
        for (parent, gains) in parents.iter().enumerate() {
            let scores = alone.iter().zip(gains.scaled(total)).map(|(alone, gain)| alone + gain);
            given.row_mut(parent).iter_mut().zip(scores).for_each(|(cell, score)| *cell = score);
        }
        Ok(EdgeScores { alone, given })
    }

    /// What a parent adds to every label; without one, the labels' own scores.
    fn gains(&self, split: &Split, parent: Option<usize>, partial: &PartialRows<'_>) -> Result<Gains> {
        let masses = |held: &[usize]| partial.weights.iter().map(|weights| mass(Some(weights), held)).collect();
        let Some(parent) = parent else {
            return Ok(Gains { gains: self.alone_scores(split), masses: masses(&split.rows.held) });
        };
        let known = |rows: &[usize]| -> Vec<usize> {
            rows.iter().copied().filter(|&row| partial.observed.has(row, parent)).collect()
        };
        let rows = Division { train: known(&split.rows.train), held: known(&split.rows.held) };
        let split = self.fit_alone(rows)?;
        let (children, without) = (self.others(parent), self.alone_scores(&split));
        let mut gains = vec![0.0; self.labels.len()];
        for (&child, with) in children.iter().zip(self.with_parent(&split, parent, &children)?) {
            gains[child] = with - without[child];
        }
        Ok(Gains { gains, masses: masses(&split.rows.held) })
    }
}

impl Gains {
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
