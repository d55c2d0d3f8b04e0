//! A data set: raw feature columns, labels, and the names of both.

use super::labels::{LabelSet, Labels};
use crate::error::{DataError, Result};
use arbormix_matrix::{DenseMatrix, Matrix, SparseBuilder};

/// What a raw feature column holds.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnKind {
    /// Numbers.
    Numeric,
    /// One of several named categories; cells hold the category's index.
    Nominal(Vec<String>),
}

/// A raw feature column.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Column {
    /// Its name, unique in the data set.
    pub name: String,
    /// What it holds.
    pub kind: ColumnKind,
}

impl Column {
    /// A numeric column.
    pub fn numeric(name: impl Into<String>) -> Column {
        Column { name: name.into(), kind: ColumnKind::Numeric }
    }
}

/// Rows with features and labels.
///
/// Features are *raw*: what the file held, before imputation, one-hot coding and scaling, all of which are fitted
/// with the model (`arbormix_learn::features`). A missing feature cell is NaN; a nominal cell is the index of its category.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    name: String,
    features: Matrix,
    columns: Vec<Column>,
    implicit_columns: bool,
    labels: Labels,
    label_names: Vec<String>,
}

impl Dataset {
    /// A data set without missing feature cells.
    ///
    /// ```
    /// use arbormix_data::{Column, Dataset, LabelSet, Labels};
    /// use arbormix_matrix::{DenseMatrix, Matrix};
    ///
    /// let features = Matrix::Dense(DenseMatrix::new(2, 1, vec![0.5, -1.0]));
    /// let labels = Labels::new(2, vec![LabelSet::from_bools(&[true, false]), LabelSet::from_bools(&[true, true])]);
    /// let names = vec!["cat".to_string(), "pet".to_string()];
    /// let data = Dataset::new("photos", features, vec![Column::numeric("size")], labels, names)?;
    /// assert_eq!((data.rows(), data.labels().count()), (2, 2));
    /// # Ok::<(), arbormix_data::Error>(())
    /// ```
    pub fn new(
        name: impl Into<String>,
        features: Matrix,
        columns: Vec<Column>,
        labels: Labels,
        label_names: Vec<String>,
    ) -> Result<Dataset> {
        let data = Dataset::with_missing(name, features, columns, labels, label_names)?;
        find_cell(&data.features, &data.columns, |value| value.is_nan())?;
        Ok(data)
    }

    /// A data set in which a NaN feature cell means "missing"; infinities are still refused.
    pub fn with_missing(
        name: impl Into<String>,
        features: Matrix,
        columns: Vec<Column>,
        labels: Labels,
        label_names: Vec<String>,
    ) -> Result<Dataset> {
        let equal = |what, left, right| {
            if left == right { Ok(()) } else { Err(DataError::Sizes { what, left, right }) }
        };
        equal("rows of features and of labels", features.rows(), labels.rows())?;
        equal("labels and their names", labels.count(), label_names.len())?;
        unique("feature", columns.iter().map(|c| c.name.as_str()))?;
        unique("label", label_names.iter().map(String::as_str))?;
        check_cells(&features, &columns)?;
        Ok(Dataset { name: name.into(), features, columns, implicit_columns: false, labels, label_names })
    }

    /// Marks the column names as made up by the format, as LIBSVM numbers its columns. A column that another such file
    /// does not have is then all zero, not missing.
    pub fn with_implicit_columns(mut self) -> Dataset {
        self.implicit_columns = true;
        self
    }

    /// Name of the data set, e.g. its file's stem.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.features.rows()
    }

    /// Raw features, rows × columns.
    pub fn features(&self) -> &Matrix {
        &self.features
    }

    /// The raw feature columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Whether column names were made up by the format.
    pub fn implicit_columns(&self) -> bool {
        self.implicit_columns
    }

    /// The labels, rows × d.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// Names of the labels.
    pub fn label_names(&self) -> &[String] {
        &self.label_names
    }

    /// The same data under another name.
    pub fn renamed(mut self, name: impl Into<String>) -> Dataset {
        self.name = name.into();
        self
    }

    /// The rows with the given indices, in that order.
    pub fn select_rows(&self, rows: &[usize]) -> Dataset {
        Dataset {
            name: self.name.clone(),
            features: self.features.select_rows(rows),
            columns: self.columns.clone(),
            implicit_columns: self.implicit_columns,
            labels: self.labels.select_rows(rows),
            label_names: self.label_names.clone(),
        }
    }

    /// The rows of this data set and then those of another with the same columns, under this one's name.
    ///
    /// ```
    /// use arbormix_data::planted::Planted;
    ///
    /// let (data, _truth) = Planted { rows: 30, seed: 1, ..Planted::default() }.sample()?;
    /// let [first, second]: [Vec<usize>; 2] = [(0..10).collect(), (10..30).collect()];
    /// assert_eq!(data.select_rows(&first).followed_by(&data.select_rows(&second))?, data);
    /// # Ok::<(), arbormix_data::Error>(())
    /// ```
    pub fn followed_by(&self, other: &Dataset) -> Result<Dataset> {
        let differ = |what| DataError::Joined { first: self.name.clone(), second: other.name.clone(), what };
        if self.columns != other.columns || self.features.is_sparse() != other.features.is_sparse() {
            return Err(differ("features").into());
        }
        if self.label_names != other.label_names {
            return Err(differ("labels").into());
        }
        let parts = [self, other];
        let known = |part: &Dataset, row| {
            LabelSet::from_bools(&(0..part.labels.count()).map(|i| part.labels.is_observed(row, i)).collect::<Vec<_>>())
        };
        let rows = || parts.into_iter().flat_map(|part| (0..part.rows()).map(move |row| (part, row)));
        let (sets, masks) = rows().map(|(part, row)| (part.labels.row(row).clone(), known(part, row))).unzip();
        let features = match (&self.features, &other.features) {
            (Matrix::Dense(first), Matrix::Dense(second)) => {
                let values = [first.values(), second.values()].concat();
                Matrix::Dense(DenseMatrix::new(first.rows() + second.rows(), first.cols(), values))
            }
            _ => {
                let mut builder = SparseBuilder::default();
                for (part, row) in rows() {
                    part.features.visit_row(row, |column, value| builder.push(column, value));
                    builder.end_row();
                }
                Matrix::Sparse(builder.finish(self.columns.len()))
            }
        };
        let labels = Labels::with_mask(self.labels.count(), sets, masks);
        let joined =
            Dataset::with_missing(&*self.name, features, self.columns.clone(), labels, self.label_names.clone())?;
        Ok(if self.implicit_columns { joined.with_implicit_columns() } else { joined })
    }
}

/// Checks cells against their columns: their number, no infinities, and valid category indices in nominal columns.
pub fn check_cells(cells: &Matrix, columns: &[Column]) -> Result<(), DataError> {
    if cells.cols() != columns.len() {
        let what = "columns of features and their names";
        return Err(DataError::Sizes { what, left: cells.cols(), right: columns.len() });
    }
    find_cell(cells, columns, f64::is_infinite)?;
    check_categories(cells, columns)
}

/// Fails at the first stored cell for which `bad` holds.
fn find_cell(cells: &Matrix, columns: &[Column], bad: impl Fn(f64) -> bool) -> Result<(), DataError> {
    let values = match cells {
        Matrix::Dense(dense) => dense.values(),
        Matrix::Sparse(sparse) => sparse.values(),
    };
    // All cells are tested without an early exit, so that the loop becomes vector instructions.
    if !values.iter().fold(false, |any, &value| any | bad(value)) {
        return Ok(());
    }
    let mut found = None;
    for row in 0..cells.rows() {
        cells.visit_row(row, |column, value| {
            if found.is_none() && bad(value) {
                found = Some((column, row, value));
            }
        });
        if let Some((column, row, value)) = found {
            return Err(DataError::NotFinite { column: columns[column].name.clone(), row, value });
        }
    }
    Ok(())
}

fn check_categories(cells: &Matrix, columns: &[Column]) -> Result<(), DataError> {
    let count = |column: &Column| match &column.kind {
        ColumnKind::Numeric => None,
        ColumnKind::Nominal(categories) => Some(categories.len()),
    };
    let counts: Vec<Option<usize>> = columns.iter().map(count).collect();
    if counts.iter().all(Option::is_none) {
        return Ok(());
    }
    let mut found = None;
    for row in 0..cells.rows() {
        cells.visit_row(row, |place, value| {
            // Most stored cells are the second of two categories. A number that is not an index changes when it is
            // converted to an index and back.
            if let Some(count) = counts[place]
                && !(value == 1.0 && count > 1)
                && !value.is_nan()
                && (value as usize as f64 != value || value >= count as f64)
            {
                let column = columns[place].name.clone();
                found.get_or_insert(DataError::NotACategory { column, count, row, value });
            }
        });
    }
    found.map_or(Ok(()), Err)
}

/// Fails if a name occurs twice.
fn unique<'a>(what: &'static str, names: impl Iterator<Item = &'a str>) -> Result<(), DataError> {
    let mut seen = std::collections::HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(DataError::DuplicateName { what, name: name.to_string() });
        }
    }
    Ok(())
}
