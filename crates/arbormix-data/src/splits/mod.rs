//! Splits of rows: folds for cross-validation and hold-out parts, plain or stratified, all by seed.
//!
//! Row indices in a part are ascending. The same seed gives the same split on every machine.

mod file;
mod stratify;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::Path;

use super::{DataError, Labels};
use crate::error::{ParamError, Result};
use arbormix_base::random::Stream;

/// A partition of rows into folds; each fold is the test part of one round of cross-validation.
///
/// ```
/// use arbormix_data::splits::Folds;
/// let folds = Folds::shuffled(10, 3, 7)?;
/// assert_eq!(folds.count(), 3);
/// assert_eq!(folds.train(0).len() + folds.test(0).len(), 10);
/// # Ok::<(), arbormix_data::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folds {
    ids: Vec<usize>,
    count: usize,
}

impl Folds {
    /// `k` folds of shuffled rows; sizes differ by at most one.
    pub fn shuffled(rows: usize, k: usize, seed: u64) -> Result<Folds> {
        check_count(rows, k)?;
        let mut ids = vec![0; rows];
        for (place, row) in Stream::new(seed, "folds", k as u64).permutation(rows).into_iter().enumerate() {
            ids[row] = place % k;
        }
        Ok(Folds { ids, count: k })
    }

    /// `k` folds in which every label is as evenly spread as iterative stratification gets it (Sechidis, Tsoumakas
    /// and Vlahavas 2011); sizes differ by at most one. Unknown label cells count as absent.
    pub fn stratified(labels: &Labels, k: usize, seed: u64) -> Result<Folds> {
        let rows = labels.rows();
        check_count(rows, k)?;
        let sizes: Vec<usize> = (0..k).map(|fold| rows / k + usize::from(fold < rows % k)).collect();
        Ok(Folds { ids: stratify::assign(labels, &sizes, seed), count: k })
    }

    /// Folds from a text file with one fold id (0 to k − 1) per line, in row order.
    pub fn from_file(path: &Path, rows: usize) -> Result<Folds> {
        let (ids, count) = file::read(path, rows)?;
        Ok(Folds { ids, count })
    }

    /// Folds from the fold (0 to k − 1) of each row.
    ///
    /// ```
    /// use arbormix_data::splits::Folds;
    /// assert_eq!(Folds::from_ids(vec![0, 1, 1])?.test(1), [1, 2]);
    /// assert!(Folds::from_ids(vec![0, 2, 2]).is_err());
    /// # Ok::<(), arbormix_data::Error>(())
    /// ```
    pub fn from_ids(ids: Vec<usize>) -> Result<Folds> {
        let distinct: BTreeSet<usize> = ids.iter().copied().collect();
        if let Some((absent, &id)) = distinct.iter().enumerate().find(|(place, id)| place != *id) {
            let message =
                format!("a row is of fold {id}, but none of fold {absent}; ids run from 0 to k - 1 without gaps");
            return Err(DataError::Folds { message }.into());
        }
        check_count(ids.len(), distinct.len())?;
        Ok(Folds { ids, count: distinct.len() })
    }

    /// Number of folds, k.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Fold of each row.
    pub fn ids(&self) -> &[usize] {
        &self.ids
    }

    /// The rows outside a fold.
    pub fn train(&self, fold: usize) -> Vec<usize> {
        self.rows_where(|id| id != fold)
    }

    /// The rows of a fold.
    pub fn test(&self, fold: usize) -> Vec<usize> {
        self.rows_where(|id| id == fold)
    }

    fn rows_where(&self, wanted: impl Fn(usize) -> bool) -> Vec<usize> {
        (0..self.ids.len()).filter(|&row| wanted(self.ids[row])).collect()
    }
}

fn check_count(rows: usize, k: usize) -> Result<()> {
    ParamError::require(k >= 2, "folds", k, "must be at least 2")?;
    if k > rows {
        let (what, remedy) = ("rows, one per fold", "; use fewer folds");
        return Err(DataError::TooFew { what, found: rows, needed: k, remedy }.into());
    }
    Ok(())
}

/// Shuffles rows into a training part and a test part that holds `fraction` of them.
///
/// The test part has `fraction · rows` rows, rounded, but for a fraction strictly between 0 and 1 neither part is left
/// empty if there are two rows. Fractions outside [0, 1] act like the nearer end, and NaN like 0: parameters are
/// checked where they enter.
pub fn holdout(rows: usize, fraction: f64, seed: u64) -> (Vec<usize>, Vec<usize>) {
    let held_out = held_out(rows, fraction);
    let order = Stream::new(seed, "hold-out", 0).permutation(rows);
    let mut ids = vec![0; rows];
    order[..held_out].iter().for_each(|&row| ids[row] = 1);
    parts(ids)
}

/// Like [`holdout`], with every label spread over the two parts as evenly as iterative stratification gets it.
pub fn stratified_holdout(labels: &Labels, fraction: f64, seed: u64) -> (Vec<usize>, Vec<usize>) {
    let held_out = held_out(labels.rows(), fraction);
    parts(stratify::assign(labels, &[labels.rows() - held_out, held_out], seed))
}

fn held_out(rows: usize, fraction: f64) -> usize {
    // A float cast to usize saturates, and takes NaN to 0.
    let rounded = ((rows as f64 * fraction).round() as usize).min(rows);
    if rows >= 2 && 0.0 < fraction && fraction < 1.0 { rounded.clamp(1, rows - 1) } else { rounded }
}

fn parts(ids: Vec<usize>) -> (Vec<usize>, Vec<usize>) {
    let folds = Folds { ids, count: 2 };
    (folds.test(0), folds.test(1))
}
