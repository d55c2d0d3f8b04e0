//! Encoding raw rows: matching columns and categories by name, then coding and scaling.

use std::collections::HashMap;

use super::{FeatureMap, Parts, Scale};
use arbormix_data::Result;
use arbormix_data::{Column, ColumnKind, DataError, Dataset, check_cells};
use arbormix_matrix::{DenseMatrix, Matrix, SparseBuilder, SparseMatrix};

/// Largest encoded value. Sums of squares of larger values would overflow in the solver, and so would their products
/// with weights in a prediction.
const LARGEST: f64 = 1e100;

/// How a cell of the data becomes a raw cell of the map.
#[derive(Debug)]
enum Reading {
    /// Both are numeric, or both have the same categories.
    Same,
    /// The map's category for each of the data's.
    Categories(Vec<Option<usize>>),
    /// The data has numbers, the map categories: the number that each category of the map stands for.
    NumberIsCategory(Vec<Option<f64>>),
    /// The data has categories, the map numbers: every category spells a number.
    CategoryIsNumber(Option<Vec<f64>>),
}

/// One raw column of the map and its place in the data.
#[derive(Debug)]
struct Source {
    /// `None`: not in the data, so zero, because columns are implicit.
    position: Option<usize>,
    reading: Reading,
}

/// Raw columns, matched to a map.
struct Match<'a> {
    map: &'a FeatureMap,
    parts: &'a Parts,
    columns: &'a [Column],
    sources: Vec<Source>,
}

/// Whether encoding leaves every cell of the data unchanged.
pub(crate) fn changes_nothing(parts: &Parts, data: &Dataset) -> bool {
    let numeric = |column: &Column| column.kind == ColumnKind::Numeric;
    let usable = |cell: &f64| cell.abs() <= LARGEST; // not NaN
    parts.scales.iter().all(|scale| *scale == Scale::NONE)
        && parts.columns.iter().all(numeric)
        && parts.columns == data.columns()
        && match data.features() {
            Matrix::Dense(cells) => cells.values().iter().all(usable),
            Matrix::Sparse(cells) => cells.values().iter().all(usable),
        }
}

pub(crate) fn encode(map: &FeatureMap, data: &Dataset) -> Result<Matrix> {
    let columns = data.columns();
    Match { map, parts: &map.parts, columns, sources: sources(&map.parts, data)? }.encode(data.features())
}

/// Encodes cells of the map's own columns.
pub(crate) fn encode_cells(map: &FeatureMap, cells: &Matrix) -> Result<Matrix> {
    let columns = map.columns();
    check_cells(cells, columns)?;
    Match { map, parts: &map.parts, columns, sources: same(columns.len()) }.encode(cells)
}

/// Every column is where the map has it.
fn same(columns: usize) -> Vec<Source> {
    (0..columns).map(|position| Source { position: Some(position), reading: Reading::Same }).collect()
}

fn sources(parts: &Parts, data: &Dataset) -> Result<Vec<Source>, DataError> {
    if parts.columns == data.columns() {
        return Ok(same(parts.columns.len()));
    }
    let positions: HashMap<&str, usize> =
        data.columns().iter().enumerate().map(|(position, column)| (column.name.as_str(), position)).collect();
    // An absent column is zero only if the training data numbered its columns in the same way.
    let zeros = parts.implicit_columns && data.implicit_columns();
    let mut missing = Vec::new();
    let mut sources = Vec::with_capacity(parts.columns.len());
    for column in &parts.columns {
        let position = positions.get(column.name.as_str()).copied();
        if position.is_none() && !zeros {
            missing.push(column.name.clone());
        }
        let kind = position.map_or(&ColumnKind::Numeric, |position| &data.columns()[position].kind);
        sources.push(Source { position, reading: reading(&column.kind, kind) });
    }
    if missing.is_empty() {
        Ok(sources)
    } else {
        Err(DataError::MissingFeatures { missing, needed: parts.columns.len() })
    }
}

fn reading(expected: &ColumnKind, found: &ColumnKind) -> Reading {
    match (expected, found) {
        (ColumnKind::Numeric, ColumnKind::Numeric) => Reading::Same,
        (ColumnKind::Nominal(expected), ColumnKind::Nominal(found)) if expected == found => Reading::Same,
        (ColumnKind::Nominal(expected), ColumnKind::Nominal(found)) => {
            let place = |category| expected.iter().position(|other| other == category);
            Reading::Categories(found.iter().map(place).collect())
        }
        (ColumnKind::Nominal(expected), ColumnKind::Numeric) => {
            Reading::NumberIsCategory(expected.iter().map(|category| number(category)).collect())
        }
        (ColumnKind::Numeric, ColumnKind::Nominal(found)) => {
            Reading::CategoryIsNumber(found.iter().map(|category| number(category)).collect())
        }
    }
}

/// The number a category spells.
fn number(category: &str) -> Option<f64> {
    category.trim().parse().ok().filter(|value: &f64| value.is_finite())
}

impl Match<'_> {
    fn encode(&self, cells: &Matrix) -> Result<Matrix> {
        Ok(match cells {
            Matrix::Dense(cells) => Matrix::Dense(self.dense(cells)?),
            Matrix::Sparse(cells) => Matrix::Sparse(self.sparse(cells)?),
        })
    }

    fn dense(&self, cells: &DenseMatrix) -> Result<DenseMatrix, DataError> {
        let mut out = DenseMatrix::zeros(cells.rows(), self.parts.scales.len());
        for row in 0..cells.rows() {
            let from = cells.row(row);
            for (column, source) in self.sources.iter().enumerate() {
                let cell = source.position.map_or(0.0, |position| from[position]);
                self.features_of(column, cell, row, |feature, value| out.row_mut(row)[feature] = value)?;
            }
        }
        Ok(out)
    }

    fn sparse(&self, cells: &SparseMatrix) -> Result<SparseMatrix, DataError> {
        let mut places = vec![None; cells.cols()];
        for (column, source) in self.sources.iter().enumerate() {
            if let Some(position) = source.position {
                places[position] = Some(column);
            }
        }
        let loud = self.columns_with_something_at_zero();
        let mut builder = SparseBuilder::default();
        // The last row, counted from 1, in which a column was stored.
        let mut stored = vec![0; self.sources.len()];
        let mut line: Vec<(usize, f64)> = Vec::new();
        for row in 0..cells.rows() {
            line.clear();
            let (positions, values) = cells.row(row);
            for (&position, &value) in positions.iter().zip(values) {
                if let Some(column) = places[position as usize] {
                    stored[column] = row + 1;
                    self.features_of(column, value, row, |feature, value| line.push((feature, value)))?;
                }
            }
            for &column in &loud {
                if stored[column] != row + 1 {
                    self.features_of(column, 0.0, row, |feature, value| line.push((feature, value)))?;
                }
            }
            line.sort_unstable_by_key(|&(feature, _)| feature);
            line.iter().for_each(|&(feature, value)| builder.push(feature, value));
            builder.end_row();
        }
        Ok(builder.finish(self.parts.scales.len()))
    }

    /// Columns that must be encoded even in rows that omit them: a zero cell does not encode to zeros there, or it is
    /// an error.
    fn columns_with_something_at_zero(&self) -> Vec<usize> {
        let loud = |column: &usize| {
            let mut silent = true;
            self.features_of(*column, 0.0, 0, |_, value| silent &= value == 0.0).is_err() || !silent
        };
        (0..self.sources.len()).filter(loud).collect()
    }

    /// Calls `emit(feature, value)` for every feature of a raw column.
    fn features_of(
        &self,
        column: usize,
        cell: f64,
        row: usize,
        mut emit: impl FnMut(usize, f64),
    ) -> Result<(), DataError> {
        let raw = if cell.is_nan() { self.parts.fills[column] } else { self.read(column, cell, row)? };
        let span = self.map.spans[column].clone();
        let start = span.start;
        for feature in span.clone() {
            let code = match &self.parts.columns[column].kind {
                ColumnKind::Numeric => raw,
                ColumnKind::Nominal(_) if span.len() == 1 => f64::from(raw == 1.0),
                ColumnKind::Nominal(_) => f64::from(raw == (feature - start) as f64),
            };
            let value = self.parts.scales[feature].apply(code);
            if value.is_nan() || value.abs() > LARGEST {
                let (name, scaling) = (self.parts.columns[column].name.clone(), self.parts.scaling.word());
                return Err(DataError::TooLarge { column: name, row, value: cell, scaling });
            }
            emit(feature, value);
        }
        Ok(())
    }

    /// The map's raw value of a cell that is not missing.
    fn read(&self, column: usize, cell: f64, row: usize) -> Result<f64, DataError> {
        let known = &self.parts.columns[column];
        let source = &self.sources[column];
        let found = source.position.map(|position| &self.columns[position]);
        match &source.reading {
            Reading::Same => Ok(cell),
            Reading::Categories(places) => match places.get(cell as usize).copied().flatten() {
                Some(place) => Ok(place as f64),
                None => Err(unknown(known, category_text(found, cell), row)),
            },
            Reading::NumberIsCategory(numbers) => match numbers.iter().position(|&number| number == Some(cell)) {
                Some(place) => Ok(place as f64),
                None if numbers.iter().any(Option::is_some) => Err(unknown(known, cell.to_string(), row)),
                None => Err(other_kind(known, "nominal", "numeric")),
            },
            Reading::CategoryIsNumber(numbers) => numbers
                .as_ref()
                .and_then(|numbers| numbers.get(cell as usize).copied())
                .ok_or_else(|| other_kind(known, "numeric", "nominal")),
        }
    }
}

fn category_text(column: Option<&Column>, cell: f64) -> String {
    match column.map(|column| &column.kind) {
        Some(ColumnKind::Nominal(categories)) => categories.get(cell as usize).cloned(),
        _ => None,
    }
    .unwrap_or_else(|| cell.to_string())
}

fn unknown(column: &Column, category: String, row: usize) -> DataError {
    let known = match &column.kind {
        ColumnKind::Nominal(categories) => categories.join(", "),
        ColumnKind::Numeric => String::new(),
    };
    DataError::UnknownCategory { column: column.name.clone(), category, row, known }
}

fn other_kind(column: &Column, expected: &'static str, found: &'static str) -> DataError {
    DataError::ColumnKind { column: column.name.clone(), expected, found }
}
