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
//! Sparse data give sparse features. Only cells that are not zero after coding and scaling are stored. The parameter
//! `nystrom` replaces them by [Nyström features](Nystrom), which are dense; by default it does not.

mod encode;
mod fit;
mod notes;
mod nystrom;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::store::{ModelFileError, Stored};
use arbormix_base::{choices, params};
use arbormix_data::Result;
use arbormix_data::{Column, ColumnKind, Dataset};
use arbormix_matrix::Matrix;

pub use nystrom::{EIGEN_SECONDS, Nystrom, NystromParams};
pub use nystrom::{NystromFacts, scale_to};

choices! {
    /// How feature values are scaled.
    pub enum Scaling: Copy, Eq {
        /// `minmax` for dense features, `none` for sparse ones.
        Auto = "auto",
        /// To [0, 1] by the smallest and largest training value; dense only. A constant column becomes 0.
        Minmax = "minmax",
        /// To mean 0 and variance 1 (of the N training rows, imputed cells included, divided by N); dense only. A constant
        /// column becomes 0.
        Standardize = "standardize",
        /// Divided by the largest absolute training value; keeps zeros zero. A column of zeros stays as it is.
        Maxabs = "maxabs",
        /// As it is.
        None = "none",
    }
}

params! {
    /// How raw columns become features.
    pub struct FeatureParams {
        /// How values are scaled.
        scaling: Scaling = Scaling::Auto, level = main;
        /// Nyström features in place of the scaled ones; `null`: none.
        nystrom: Option<NystromParams> = None;
    }
}

/// A fitted map from raw columns to features.
///
/// ```
/// use arbormix_data::{Column, ColumnKind, Dataset, LabelSet, Labels};
/// use arbormix_learn::features::{FeatureMap, FeatureParams};
/// use arbormix_matrix::{DenseMatrix, Matrix};
///
/// let colours = ["red", "green", "blue"].map(String::from).to_vec();
/// let columns = vec![Column::numeric("size"), Column { name: "colour".into(), kind: ColumnKind::Nominal(colours) }];
/// let cells = Matrix::Dense(DenseMatrix::new(3, 2, vec![2.0, 0.0, 4.0, 2.0, f64::NAN, 2.0]));
/// let labels = Labels::new(1, vec![LabelSet::empty(1); 3]);
/// let data = Dataset::with_missing("toys", cells, columns, labels, vec!["good".into()])?;
///
/// let map = FeatureMap::fit(&data, &FeatureParams::default())?;
/// assert_eq!(map.names(), ["size", "colour=red", "colour=green", "colour=blue"]);
/// let Matrix::Dense(features) = map.encode(&data)?.into_owned() else { unreachable!("dense stays dense") };
/// assert_eq!(features.row(0), [0.0, 1.0, 0.0, 0.0]);
/// assert_eq!(features.row(2), [0.5, 0.0, 0.0, 1.0]); // the missing size is read as the mean, 3
/// # Ok::<(), arbormix_data::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureMap {
    parts: Parts,
    /// The features of each raw column.
    spans: Vec<Range<usize>>,
    nystrom: Option<Nystrom>,
}

/// The part of a [`FeatureMap`] that is stored as JSON; the rest are tensors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Parts {
    columns: Vec<Column>,
    /// The value of a missing cell of each raw column: a number or the index of a category.
    fills: Vec<f64>,
    /// Never `Auto`.
    scaling: Scaling,
    /// Per feature.
    scales: Vec<Scale>,
    implicit_columns: bool,
    notes: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    nystrom: Option<NystromFacts>,
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
        let mut map = fit::fit(data, params)?;
        if let Some(params) = &params.nystrom {
            let encoded = map.encode(data)?;
            map.nystrom = Some(Nystrom::fit(&encoded, params)?);
            map.parts.nystrom = map.nystrom.as_ref().map(Nystrom::facts);
        }
        Ok(map)
    }

    /// Encodes raw rows.
    ///
    /// Columns are matched by name, in any order, and categories by theirs; columns the map does not know are ignored.
    /// A numeric cell is read as the category with that number as its name and the reverse, so that a file which
    /// declares `{0,1}` and one which does not are the same. A column that is not there is an error, except among data
    /// sets with [implicit columns](Dataset::with_implicit_columns), where it is zero. Cells that the map leaves as they
    /// are, such as counts of words without scaling, are lent, not copied.
    pub fn encode<'a>(&self, data: &'a Dataset) -> Result<Cow<'a, Matrix>> {
        if self.nystrom.is_none() && encode::changes_nothing(&self.parts, data) {
            return Ok(Cow::Borrowed(data.features()));
        }
        Ok(Cow::Owned(self.mapped(encode::encode(self, data)?)))
    }

    /// Encodes raw cells of the map's own [columns](FeatureMap::columns), in their order, without matching names. For
    /// programs that predict one row at a time. NaN means "missing", as in a data set.
    pub fn encode_cells(&self, cells: &Matrix) -> Result<Matrix> {
        Ok(self.mapped(encode::encode_cells(self, cells)?))
    }

    fn mapped(&self, encoded: Matrix) -> Matrix {
        match &self.nystrom {
            None => encoded,
            Some(nystrom) => nystrom.encode(&encoded),
        }
    }

    /// Names of the data's columns that the map does not know: [`FeatureMap::encode`] ignores them.
    pub fn ignored<'a>(&self, data: &'a Dataset) -> Vec<&'a str> {
        let known: HashSet<&str> = self.parts.columns.iter().map(|column| column.name.as_str()).collect();
        let names = data.columns().iter().map(|column| column.name.as_str());
        names.filter(|name| !known.contains(name)).collect()
    }

    /// Notes for the user: imputed cells, constant columns, columns that look like row numbers.
    pub fn notes(&self) -> &[String] {
        &self.parts.notes
    }

    /// The raw columns.
    pub fn columns(&self) -> &[Column] {
        &self.parts.columns
    }

    /// The value of a missing cell of each raw column: a number, or the index of a category.
    pub fn fills(&self) -> &[f64] {
        &self.parts.fills
    }

    /// How values are scaled; never [`Scaling::Auto`].
    pub fn scaling(&self) -> Scaling {
        self.parts.scaling
    }

    /// Whether some or all of the features are kernel features.
    pub fn has_kernel(&self) -> bool {
        self.nystrom.is_some()
    }

    /// Number of encoded features, m.
    pub fn feature_count(&self) -> usize {
        self.nystrom.as_ref().map_or(self.parts.scales.len(), Nystrom::feature_count)
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
        let encoded = self.parts.columns.iter().flat_map(names).collect();
        match &self.nystrom {
            None => encoded,
            Some(nystrom) => nystrom.names(encoded),
        }
    }

    /// What the file holds of it, other than the tensors.
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// Adds the tensors, if there are any.
    pub fn put(&self, stored: &mut Stored) {
        if let Some(nystrom) = &self.nystrom {
            nystrom.put(stored, NYSTROM_TENSORS);
        }
    }

    /// From the parts and the tensors.
    pub fn load(parts: Parts, stored: &Stored) -> Result<FeatureMap, ModelFileError> {
        let damaged =
            |error: DamagedMap| ModelFileError::Entry { name: "features".to_string(), message: error.to_string() };
        let facts = parts.nystrom.clone();
        let mut map = FeatureMap::from_parts(parts).map_err(damaged)?;
        if let Some(facts) = facts {
            let nystrom = Nystrom::load(&facts, stored, NYSTROM_TENSORS)?;
            equal("features of the landmarks:", nystrom.encoded_features(), map.parts.scales.len()).map_err(damaged)?;
            map.nystrom = Some(nystrom);
        }
        Ok(map)
    }
}

/// Prefix of the names of the tensors of Nyström features.
const NYSTROM_TENSORS: &str = "feature-map.nystrom.";

/// Number of features of a raw column.
pub fn width(kind: &ColumnKind) -> usize {
    match kind {
        ColumnKind::Nominal(categories) if categories.len() > 2 => categories.len(),
        _ => 1,
    }
}

/// The error for a stored map with parts that do not fit together, from a damaged file.
#[derive(Debug, thiserror::Error)]
#[error("feature map: {what} {found}, {needed} needed")]
struct DamagedMap {
    what: &'static str,
    found: usize,
    needed: usize,
}

impl FeatureMap {
    /// A map without Nyström features, if its parts fit together.
    fn from_parts(parts: Parts) -> Result<FeatureMap, DamagedMap> {
        let mut end = 0;
        let mut span = |column: &Column| {
            let start = end;
            end += width(&column.kind);
            start..end
        };
        let spans: Vec<Range<usize>> = parts.columns.iter().map(&mut span).collect();
        equal("values for missing cells:", parts.fills.len(), parts.columns.len())?;
        equal("scaled features:", parts.scales.len(), end)?;
        Ok(FeatureMap { parts, spans, nystrom: None })
    }
}

fn equal(what: &'static str, found: usize, needed: usize) -> Result<(), DamagedMap> {
    if found == needed { Ok(()) } else { Err(DamagedMap { what, found, needed }) }
}
