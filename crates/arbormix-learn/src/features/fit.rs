//! Fits a map: the value of missing cells, and the scale of every feature.

use super::{FeatureMap, FeatureParams, Parts, Scale, Scaling, notes};
use arbormix_data::Result;
use arbormix_data::{ColumnKind, DataError, Dataset};

/// Statistics of a raw column from one pass over the training rows. Omitted cells of sparse rows are observed zeros.
#[derive(Debug, Clone)]
pub(crate) struct Summary {
    pub(crate) missing: usize,
    pub(crate) observed: usize,
    pub(crate) smallest: f64,
    pub(crate) largest: f64,
    /// Whether every observed cell is a whole number.
    pub(crate) whole: bool,
    sum: f64,
    /// Rows per category; empty for numeric columns.
    counts: Vec<usize>,
}

impl Summary {
    fn of(kind: &ColumnKind) -> Summary {
        let counts = match kind {
            ColumnKind::Numeric => Vec::new(),
            ColumnKind::Nominal(categories) => vec![0; categories.len()],
        };
        let (smallest, largest) = (f64::INFINITY, f64::NEG_INFINITY);
        Summary { missing: 0, observed: 0, smallest, largest, whole: true, sum: 0.0, counts }
    }

    fn add(&mut self, value: f64, times: usize) {
        if times == 0 {
            return;
        }
        if value.is_nan() {
            self.missing += times;
            return;
        }
        self.observed += times;
        self.smallest = self.smallest.min(value);
        self.largest = self.largest.max(value);
        self.whole &= value.fract() == 0.0;
        self.sum += value * times as f64;
        if let Some(count) = self.counts.get_mut(value as usize) {
            *count += times;
        }
    }

    /// Categories that occur; 0 for numeric columns.
    pub(crate) fn categories(&self) -> usize {
        self.counts.iter().filter(|&&count| count > 0).count()
    }

    /// Whether all observed cells are equal (also when there are none).
    pub(crate) fn is_constant(&self) -> bool {
        self.observed == 0 || self.smallest == self.largest
    }

    /// The value of a missing cell.
    fn fill(&self, kind: &ColumnKind) -> f64 {
        match kind {
            _ if self.observed == 0 => 0.0,
            // Rounding can push the mean of equal cells beyond them.
            ColumnKind::Numeric => (self.sum / self.observed as f64).clamp(self.smallest, self.largest),
            ColumnKind::Nominal(_) => {
                let most = self.counts.iter().max().copied().unwrap_or(0);
                self.counts.iter().position(|&count| count == most).unwrap_or(0) as f64
            }
        }
    }
}

/// Smallest, largest, mean and variance of a feature over all training rows, imputed cells included.
#[derive(Debug, Clone, Copy)]
struct Spread {
    smallest: f64,
    largest: f64,
    mean: f64,
    variance: f64,
}

impl Spread {
    /// For a feature that is 1 in `ones` of `rows` rows and 0 in the others.
    fn of_indicator(ones: usize, rows: usize) -> Spread {
        let mean = ones as f64 / rows as f64;
        let (smallest, largest) = (f64::from(ones == rows), f64::from(ones > 0));
        Spread { smallest, largest, mean, variance: mean * (1.0 - mean) }
    }

    fn scale(self, scaling: Scaling) -> Scale {
        match scaling {
            Scaling::Auto | Scaling::None => Scale::NONE,
            Scaling::Minmax => Scale { shift: self.smallest, divisor: self.largest - self.smallest },
            // Without the test, scaling would magnify a rounding error in the mean of a constant column.
            Scaling::Standardize if self.smallest == self.largest => Scale { shift: self.mean, divisor: 0.0 },
            Scaling::Standardize => Scale { shift: self.mean, divisor: self.variance.sqrt() },
            Scaling::Maxabs => {
                let largest = self.smallest.abs().max(self.largest.abs());
                Scale { shift: 0.0, divisor: if largest == 0.0 { 1.0 } else { largest } }
            }
        }
    }
}

pub(crate) fn fit(data: &Dataset, params: &FeatureParams) -> Result<FeatureMap> {
    if data.rows() == 0 {
        let what = "rows to fit features on";
        return Err(DataError::TooFew { what, found: 0, needed: 1, remedy: "" }.into());
    }
    let scaling = resolve(params.scaling, data.features().is_sparse())?;
    let summaries = summarise(data);
    let fill = |(summary, column): (&Summary, &arbormix_data::Column)| summary.fill(&column.kind);
    let fills: Vec<f64> = summaries.iter().zip(data.columns()).map(fill).collect();
    let squares = squared_deviations(data, &fills, scaling);
    let mut scales = Vec::new();
    for (index, (column, summary)) in data.columns().iter().zip(&summaries).enumerate() {
        let first_new = scales.len();
        match &column.kind {
            ColumnKind::Numeric => {
                let (smallest, largest) =
                    if summary.observed == 0 { (0.0, 0.0) } else { (summary.smallest, summary.largest) };
                let variance = squares[index] / data.rows() as f64;
                scales.push(Spread { smallest, largest, mean: fills[index], variance }.scale(scaling));
            }
            ColumnKind::Nominal(categories) => {
                let features = if categories.len() > 2 { 0..categories.len() } else { 1..2 };
                scales.extend(features.map(|category| {
                    let imputed = if fills[index] == category as f64 { summary.missing } else { 0 };
                    let ones = summary.counts.get(category).map_or(0, |count| count + imputed);
                    Spread::of_indicator(ones, data.rows()).scale(scaling)
                }));
            }
        }
        let finite = scales[first_new..].iter().all(|scale| scale.shift.is_finite() && scale.divisor.is_finite());
        if !finite || !fills[index].is_finite() || !summary.sum.is_finite() {
            return Err(too_large(data, index, scaling).into());
        }
    }
    let notes = notes::notes(data, &summaries, &fills);
    let (columns, implicit_columns) = (data.columns().to_vec(), data.implicit_columns());
    let parts = Parts { columns, fills, scaling, scales, implicit_columns, notes, nystrom: None };
    Ok(FeatureMap::from_parts(parts).expect("one fill per column and one scale per feature were just made"))
}

fn resolve(scaling: Scaling, sparse: bool) -> Result<Scaling, DataError> {
    match (scaling, sparse) {
        (Scaling::Auto, true) => Ok(Scaling::None),
        (Scaling::Auto, false) => Ok(Scaling::Minmax),
        (Scaling::Minmax | Scaling::Standardize, true) => Err(DataError::Scaling {
            scaling: scaling.word(),
            reason: "would turn the zeros of sparse features into stored numbers; use \"maxabs\" or \"none\", \
                     or give the data in a dense form",
        }),
        (scaling, _) => Ok(scaling),
    }
}

fn summarise(data: &Dataset) -> Vec<Summary> {
    let mut summaries: Vec<Summary> = data.columns().iter().map(|column| Summary::of(&column.kind)).collect();
    for row in 0..data.rows() {
        data.features().visit_row(row, |column, value| summaries[column].add(value, 1));
    }
    for summary in &mut summaries {
        let omitted = data.rows() - summary.observed - summary.missing;
        summary.add(0.0, omitted);
    }
    summaries
}

/// Σ (x − mean)² of every column; only dense data are ever standardised, and an imputed cell deviates by nothing.
fn squared_deviations(data: &Dataset, means: &[f64], scaling: Scaling) -> Vec<f64> {
    let mut squares = vec![0.0; means.len()];
    if scaling == Scaling::Standardize {
        for row in 0..data.rows() {
            data.features().visit_row(row, |column, value| {
                if !value.is_nan() {
                    squares[column] += (value - means[column]) * (value - means[column]);
                }
            });
        }
    }
    squares
}

/// Reports the largest cell of a column whose mean or range overflows.
fn too_large(data: &Dataset, column: usize, scaling: Scaling) -> DataError {
    let mut worst = (0, 0.0_f64);
    for row in 0..data.rows() {
        data.features().visit_row(row, |other, value| {
            if other == column && value.abs() > worst.1.abs() {
                worst = (row, value);
            }
        });
    }
    let name = data.columns()[column].name.clone();
    DataError::TooLarge { column: name, row: worst.0, value: worst.1, scaling: scaling.word() }
}
