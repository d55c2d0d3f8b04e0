//! From raw columns to features: imputation, one-hot coding, scaling; fitted, stored in the model, applied at
//! prediction.
//!
//! | raw column | missing cell becomes | features |
//! |---|---|---|
//! | numeric | the mean of the observed training cells | 1, named like the column |
//! | nominal, 2 categories | the most frequent category (ties: the first) | 1, named `column=second`, 1 for the second |
//! | nominal, k > 2 categories | the most frequent category (ties: the first) | k, named `column=category` |
//!
//! The cells that sparse rows omit are observed zeros (in a nominal column: the first category). A column without any
//! observed cell reads as 0 or as its first category. Then every feature is scaled as [`Scaling`] says. Nothing is
//! dropped: constant columns and columns that look like row numbers are kept and named in [`FeatureMap::notes`].
//!
//! Sparse data give sparse features. Only cells that are not zero after coding and scaling are stored.

mod encode;
mod fit;
mod notes;
#[cfg(test)]
mod tests;

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::data::{Column, ColumnKind, Dataset};
use crate::error::Result;
use crate::matrix::Matrix;

/// How feature values are scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scaling {
    /// `Minmax` for dense features, `None` for sparse ones.
    #[default]
    Auto,
    /// To [0, 1] by the smallest and largest training value; dense only. A constant column becomes 0.
    Minmax,
    /// To mean 0 and variance 1 (of the N training rows, imputed cells included, divided by N); dense only. A constant
    /// column becomes 0.
    Standardize,
    /// Divided by the largest absolute training value; keeps zeros zero. A column of zeros stays as it is.
    Maxabs,
    /// As it is.
    None,
}

impl Scaling {
    /// Its name in parameters and messages.
    pub fn name(self) -> &'static str {
        match self {
            Scaling::Auto => "auto",
            Scaling::Minmax => "minmax",
            Scaling::Standardize => "standardize",
            Scaling::Maxabs => "maxabs",
            Scaling::None => "none",
        }
    }
}

/// How raw columns become features.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeatureParams {
    /// How values are scaled.
    pub scaling: Scaling,
}

/// A fitted map from raw columns to features.
///
/// ```
/// use arbormix::data::{Column, ColumnKind, Dataset, LabelSet, Labels};
/// use arbormix::features::{FeatureMap, FeatureParams};
/// use arbormix::matrix::{DenseMatrix, Matrix};
///
/// let colours = ["red", "green", "blue"].map(String::from).to_vec();
/// let columns = vec![Column::numeric("size"), Column { name: "colour".into(), kind: ColumnKind::Nominal(colours) }];
/// let cells = Matrix::Dense(DenseMatrix::new(3, 2, vec![2.0, 0.0, 4.0, 2.0, f64::NAN, 2.0]));
/// let labels = Labels::new(1, vec![LabelSet::empty(1); 3]);
/// let data = Dataset::with_missing("toys", cells, columns, labels, vec!["good".into()])?;
///
/// let map = FeatureMap::fit(&data, &FeatureParams::default())?;
/// assert_eq!(map.names(), ["size", "colour=red", "colour=green", "colour=blue"]);
/// let Matrix::Dense(features) = map.encode(&data)? else { unreachable!("dense stays dense") };
/// assert_eq!(features.row(0), [0.0, 1.0, 0.0, 0.0]);
/// assert_eq!(features.row(2), [0.5, 0.0, 0.0, 1.0]); // the missing size is read as the mean, 3
/// # Ok::<(), arbormix::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Parts", into = "Parts")]
pub struct FeatureMap {
    parts: Parts,
    /// The features of each raw column.
    spans: Vec<Range<usize>>,
}

/// What is stored of a [`FeatureMap`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Parts {
    columns: Vec<Column>,
    /// Per raw column, what a missing cell is read as: a number or the index of a category.
    fills: Vec<f64>,
    /// Never `Auto`.
    scaling: Scaling,
    /// Per feature.
    scales: Vec<Scale>,
    implicit_columns: bool,
    notes: Vec<String>,
}

/// `(x − shift) / divisor`, or 0 for every x if the divisor is 0.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Scale {
    shift: f64,
    divisor: f64,
}

impl Scale {
    const NONE: Scale = Scale { shift: 0.0, divisor: 1.0 };

    fn apply(self, value: f64) -> f64 {
        if self.divisor == 0.0 { 0.0 } else { (value - self.shift) / self.divisor }
    }
}

impl FeatureMap {
    /// Learns the map from training rows.
    pub fn fit(data: &Dataset, params: &FeatureParams) -> Result<FeatureMap> {
        fit::fit(data, params)
    }

    /// Encodes raw rows.
    ///
    /// Columns are matched by name, in any order, and categories by theirs; columns the map does not know are ignored.
    /// A numeric cell is read as the category with that number as its name and the reverse, so that a file which
    /// declares `{0,1}` and one which does not are the same. A column that is not there is an error, except among data
    /// sets with [implicit columns](Dataset::with_implicit_columns), where it is zero.
    pub fn encode(&self, data: &Dataset) -> Result<Matrix> {
        encode::encode(self, data)
    }

    /// What a person should know: imputed cells, constant columns, columns that look like row numbers.
    pub fn notes(&self) -> &[String] {
        &self.parts.notes
    }

    /// The raw columns.
    pub fn columns(&self) -> &[Column] {
        &self.parts.columns
    }

    /// What a missing cell of each raw column is read as: a number, or the index of a category.
    pub fn fills(&self) -> &[f64] {
        &self.parts.fills
    }

    /// How values are scaled; never [`Scaling::Auto`].
    pub fn scaling(&self) -> Scaling {
        self.parts.scaling
    }

    /// Number of encoded features, m.
    pub fn feature_count(&self) -> usize {
        self.parts.scales.len()
    }

    /// Names of the encoded features.
    pub fn names(&self) -> Vec<String> {
        let names = |column: &Column| match &column.kind {
            ColumnKind::Nominal(categories) if categories.len() > 2 => {
                categories.iter().map(|category| format!("{}={category}", column.name)).collect()
            }
            ColumnKind::Nominal(categories) if categories.len() == 2 => {
                vec![format!("{}={}", column.name, categories[1])]
            }
            _ => vec![column.name.clone()],
        };
        self.parts.columns.iter().flat_map(names).collect()
    }
}

/// Number of features of a raw column.
fn width(kind: &ColumnKind) -> usize {
    match kind {
        ColumnKind::Nominal(categories) if categories.len() > 2 => categories.len(),
        _ => 1,
    }
}

/// A stored map whose parts do not fit together; only a damaged file has one.
#[derive(Debug, thiserror::Error)]
#[error("feature map: {what} {found}, {needed} needed")]
struct DamagedMap {
    what: &'static str,
    found: usize,
    needed: usize,
}

impl TryFrom<Parts> for FeatureMap {
    type Error = DamagedMap;

    fn try_from(parts: Parts) -> Result<FeatureMap, DamagedMap> {
        let mut end = 0;
        let mut span = |column: &Column| {
            let start = end;
            end += width(&column.kind);
            start..end
        };
        let spans: Vec<Range<usize>> = parts.columns.iter().map(&mut span).collect();
        let equal = |what, found, needed| {
            if found == needed { Ok(()) } else { Err(DamagedMap { what, found, needed }) }
        };
        equal("values for missing cells:", parts.fills.len(), parts.columns.len())?;
        equal("scaled features:", parts.scales.len(), end)?;
        Ok(FeatureMap { parts, spans })
    }
}

impl From<FeatureMap> for Parts {
    fn from(map: FeatureMap) -> Parts {
        map.parts
    }
}
