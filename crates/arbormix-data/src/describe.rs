//! Describes a data set: sizes, sparsity, labels, suspicious columns.

use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};

use serde::Serialize;

use super::defects::{self, Defect};
use super::{ColumnKind, Dataset, LabelSet};
use arbormix_matrix::Matrix;

/// The figures of a data set.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Description {
    /// Name of the data set.
    pub name: String,
    /// Number of rows, N.
    pub rows: usize,
    /// Number of feature columns, m.
    pub features: usize,
    /// How many of them are numeric.
    pub numeric_features: usize,
    /// How many of them are nominal.
    pub nominal_features: usize,
    /// Whether the features are stored sparsely.
    pub sparse: bool,
    /// Share of feature cells that are stored and not 0.
    pub feature_density: f64,
    /// Feature cells without a value.
    pub missing_cells: usize,
    /// Columns with at most one distinct value (missing cells aside).
    pub constant_columns: Vec<String>,
    /// Columns of at least twenty rows in which every cell is a different whole number: such a column probably numbers
    /// the rows.
    pub id_columns: Vec<String>,
    /// Nominal columns with at least twenty observed cells, most of which have a category of their own: names, ids or
    /// free text. Columns of [`Description::id_columns`] are not repeated here.
    pub scattered_columns: Vec<String>,
    /// Rows whose features repeat those of an earlier row.
    pub repeated_features: usize,
    /// Rows whose features and labels repeat those of an earlier row.
    pub repeated_rows: usize,
    /// Number of labels, d.
    pub labels: usize,
    /// Mean number of labels per row. If cells are unknown, it is the sum over labels of the fraction of known cells
    /// that are present.
    pub label_cardinality: f64,
    /// Label cardinality divided by the number of labels.
    pub label_density: f64,
    /// Number of distinct label sets.
    pub distinct_label_sets: usize,
    /// Rows in which all labels are known to be absent.
    pub rows_without_labels: usize,
    /// Label cells that were not observed.
    pub unknown_labels: usize,
    /// Each label and the number of rows that have it, in the data set's order.
    pub label_counts: Vec<LabelCount>,
    /// The pairs of labels that occur together, most frequent first; ties are in the order of the labels.
    pub label_pairs: Vec<LabelPair>,
    /// Bytes that the features and labels take in memory.
    pub memory_bytes: usize,
    /// Signs that the file was put together wrongly.
    pub defects: Vec<Defect>,
}

/// How many of the rows in which a label is known have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LabelCount {
    /// Name of the label.
    pub name: String,
    /// Rows that have it.
    pub count: usize,
    /// Rows in which the label is known.
    pub known: usize,
}

impl LabelCount {
    /// The fraction of rows with the label among those in which it is known; 0 if there are none.
    pub fn share(&self) -> f64 {
        if self.known == 0 { 0.0 } else { self.count as f64 / self.known as f64 }
    }
}

/// How many rows have two labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LabelPair {
    /// Index of the first label.
    pub first: usize,
    /// Index of the second label, which is the larger one.
    pub second: usize,
    /// Rows that have both.
    pub count: usize,
}

impl Description {
    /// How often labels occur together, d × d: the counts of the labels are on the diagonal.
    pub fn co_occurrence(&self) -> Vec<Vec<usize>> {
        let mut matrix = vec![vec![0; self.labels]; self.labels];
        for (label, entry) in self.label_counts.iter().enumerate() {
            matrix[label][label] = entry.count;
        }
        for pair in &self.label_pairs {
            matrix[pair.first][pair.second] = pair.count;
            matrix[pair.second][pair.first] = pair.count;
        }
        matrix
    }
}

/// Measures a data set.
///
/// ```
/// use arbormix_data::describe::describe;
/// use arbormix_data::{Column, Dataset, LabelSet, Labels};
/// use arbormix_matrix::{DenseMatrix, Matrix};
///
/// let features = Matrix::Dense(DenseMatrix::new(2, 1, vec![0.5, -1.0]));
/// let labels = Labels::new(2, vec![LabelSet::from_bools(&[true, false]), LabelSet::from_bools(&[true, true])]);
/// let names = vec!["cat".to_string(), "pet".to_string()];
/// let data = Dataset::new("photos", features, vec![Column::numeric("size")], labels, names)?;
/// let figures = describe(&data);
/// assert_eq!((figures.label_cardinality, figures.distinct_label_sets), (1.5, 2));
/// assert_eq!(figures.co_occurrence(), [[2, 1], [1, 1]]);
/// # Ok::<(), arbormix_data::Error>(())
/// ```
pub fn describe(data: &Dataset) -> Description {
    let (rows, features, labels) = (data.rows(), data.columns().len(), data.labels().count());
    let columns = ColumnFigures::of(data);
    let ids = columns.ids(data);
    let scattered = scattered(data).into_iter().filter(|column| !ids.contains(column)).collect();
    let nominal_features = data.columns().iter().filter(|c| matches!(c.kind, ColumnKind::Nominal(_))).count();
    let sets = data.labels().sets();
    let (label_counts, label_pairs) = label_figures(data);
    let cardinality: f64 = label_counts.iter().map(LabelCount::share).sum();
    let hash_features = |row: usize, hasher: &mut DefaultHasher| cells(data, row, |cell| cell.hash(hasher));
    let hash_row = |row: usize, hasher: &mut DefaultHasher| {
        hash_features(row, hasher);
        data.labels().row(row).hash(hasher);
    };
    let same = |left, right| same_features(data, left, right) && same_labels(data, left, right);
    let ratio = |part: usize, whole: usize| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
    let names = |chosen: Vec<usize>| chosen.into_iter().map(|c| data.columns()[c].name.clone()).collect();
    Description {
        name: data.name().to_string(),
        rows,
        features,
        numeric_features: features - nominal_features,
        nominal_features,
        sparse: data.features().is_sparse(),
        feature_density: ratio(columns.non_zero.iter().sum(), rows * features),
        missing_cells: columns.missing.iter().sum(),
        constant_columns: names((0..features).filter(|&c| columns.is_constant(c, rows)).collect()),
        id_columns: names(ids),
        scattered_columns: names(scattered),
        repeated_features: repeats(rows, hash_features, |left, right| same_features(data, left, right)),
        repeated_rows: repeats(rows, hash_row, same),
        labels,
        label_cardinality: cardinality,
        label_density: if labels == 0 { 0.0 } else { cardinality / labels as f64 },
        distinct_label_sets: sets.iter().collect::<HashSet<_>>().len(),
        rows_without_labels: (0..rows).filter(|&row| is_known_empty(data, row)).count(),
        unknown_labels: data.labels().unknown(),
        label_counts,
        label_pairs,
        memory_bytes: memory(data),
        defects: defects::find(data),
    }
}

/// What one pass over the stored cells finds in each column.
struct ColumnFigures {
    /// Stored cells that are neither 0 nor missing.
    non_zero: Vec<usize>,
    missing: Vec<usize>,
    least: Vec<f64>,
    greatest: Vec<f64>,
    /// Whether all cells are whole numbers.
    whole: Vec<bool>,
}

/// With fewer rows, a column of different whole numbers is not suspicious.
pub const ID_ROWS: usize = 20;

/// Whether most categories are too rare to be useful for new rows.
pub fn is_scattered(categories: usize, cells: usize) -> bool {
    2 * categories > cells
}

/// Nominal columns with enough observed cells, most of which have a category of their own.
fn scattered(data: &Dataset) -> Vec<usize> {
    let count = data.columns().len();
    let mut occurring: Vec<HashSet<usize>> = vec![HashSet::new(); count];
    let (mut stored, mut missing) = (vec![0_usize; count], vec![0_usize; count]);
    let nominal = |column: usize| matches!(data.columns()[column].kind, ColumnKind::Nominal(_));
    for row in 0..data.rows() {
        data.features().visit_row(row, |column, value| {
            stored[column] += 1;
            if value.is_nan() {
                missing[column] += 1;
            } else if nominal(column) {
                occurring[column].insert(value as usize);
            }
        });
    }
    let is_one = |&column: &usize| {
        // Cells that sparse rows omit hold the first category.
        let omitted = stored[column] < data.rows() && !occurring[column].contains(&0);
        let (categories, cells) = (occurring[column].len() + usize::from(omitted), data.rows() - missing[column]);
        nominal(column) && cells >= ID_ROWS && is_scattered(categories, cells)
    };
    (0..count).filter(is_one).collect()
}

impl ColumnFigures {
    fn of(data: &Dataset) -> ColumnFigures {
        let count = data.columns().len();
        let mut figures = ColumnFigures {
            non_zero: vec![0; count],
            missing: vec![0; count],
            least: vec![f64::INFINITY; count],
            greatest: vec![f64::NEG_INFINITY; count],
            whole: vec![true; count],
        };
        for row in 0..data.rows() {
            data.features().visit_row(row, |column, value| {
                if value.is_nan() {
                    figures.missing[column] += 1;
                } else if value != 0.0 {
                    figures.non_zero[column] += 1;
                    figures.least[column] = figures.least[column].min(value);
                    figures.greatest[column] = figures.greatest[column].max(value);
                    figures.whole[column] &= value.fract() == 0.0;
                }
            });
        }
        figures
    }

    fn is_constant(&self, column: usize, rows: usize) -> bool {
        let zeros = rows - self.non_zero[column] - self.missing[column];
        self.non_zero[column] == 0 || zeros == 0 && self.least[column] == self.greatest[column]
    }

    /// Columns in which every row has a different whole number. They have at most one zero, so sparse data costs
    /// little.
    fn ids(&self, data: &Dataset) -> Vec<usize> {
        let rows = data.rows();
        if rows < ID_ROWS {
            return Vec::new();
        }
        let candidate = |&column: &usize| self.whole[column] && self.non_zero[column] + 1 >= rows;
        let complete = |column: &usize| self.missing[*column] == 0;
        let candidates: Vec<usize> = (0..data.columns().len()).filter(candidate).filter(complete).collect();
        let mut place = vec![usize::MAX; data.columns().len()];
        candidates.iter().enumerate().for_each(|(position, &column)| place[column] = position);
        let mut seen: Vec<HashSet<u64>> = vec![HashSet::new(); candidates.len()];
        for row in 0..rows {
            data.features().visit_row(row, |column, value| {
                if value != 0.0
                    && let Some(values) = seen.get_mut(place[column])
                {
                    values.insert(value.to_bits());
                }
            });
        }
        let distinct = |position: &usize| seen[*position].len() == self.non_zero[candidates[*position]];
        (0..candidates.len()).filter(distinct).map(|position| candidates[position]).collect()
    }
}

/// Counts of labels, and of pairs of labels.
fn label_figures(data: &Dataset) -> (Vec<LabelCount>, Vec<LabelPair>) {
    let mut counts = vec![0; data.labels().count()];
    let mut together: HashMap<(usize, usize), usize> = HashMap::new();
    for set in data.labels().sets() {
        let members: Vec<usize> = set.members().collect();
        for (position, &first) in members.iter().enumerate() {
            counts[first] += 1;
            for &second in &members[position + 1..] {
                *together.entry((first, second)).or_default() += 1;
            }
        }
    }
    let mut pairs: Vec<LabelPair> =
        together.into_iter().map(|((first, second), count)| LabelPair { first, second, count }).collect();
    pairs.sort_unstable_by_key(|pair| (std::cmp::Reverse(pair.count), pair.first, pair.second));
    let known = |label: usize| (0..data.rows()).filter(|&row| data.labels().is_observed(row, label)).count();
    let named = data.label_names().iter().zip(counts).enumerate();
    let count = |(label, (name, count)): (usize, (&String, usize))| {
        let known = if data.labels().unknown() == 0 { data.rows() } else { known(label) };
        LabelCount { name: name.clone(), count, known }
    };
    (named.map(count).collect(), pairs)
}

/// Whether all labels of a row are known to be absent.
fn is_known_empty(data: &Dataset, row: usize) -> bool {
    let labels = data.labels();
    labels.row(row).is_empty() && (0..labels.count()).all(|label| labels.is_observed(row, label))
}

/// How many rows are the same as an earlier one.
fn repeats(rows: usize, hash: impl Fn(usize, &mut DefaultHasher), same: impl Fn(usize, usize) -> bool) -> usize {
    // Rows are grouped by hash and compared within a group, so that no second copy of the data is needed.
    let mut firsts: HashMap<u64, Vec<usize>> = HashMap::new();
    let mut repeated = 0;
    for row in 0..rows {
        let mut hasher = DefaultHasher::new();
        hash(row, &mut hasher);
        let group = firsts.entry(hasher.finish()).or_default();
        if group.iter().any(|&earlier| same(earlier, row)) {
            repeated += 1;
        } else {
            group.push(row);
        }
    }
    repeated
}

/// The cells of a row that are not 0, as bits; all missing cells are alike.
fn cells(data: &Dataset, row: usize, mut visit: impl FnMut((usize, u64))) {
    data.features().visit_row(row, |column, value| {
        if value != 0.0 {
            visit((column, if value.is_nan() { u64::MAX } else { value.to_bits() }));
        }
    });
}

fn same_features(data: &Dataset, left: usize, right: usize) -> bool {
    let collect = |row| {
        let mut list = Vec::new();
        cells(data, row, |cell| list.push(cell));
        list
    };
    collect(left) == collect(right)
}

fn same_labels(data: &Dataset, left: usize, right: usize) -> bool {
    let labels = data.labels();
    labels.row(left) == labels.row(right) && labels.mask().is_none_or(|masks| masks[left] == masks[right])
}

/// Bytes of the features and labels.
pub fn memory(data: &Dataset) -> usize {
    let features = match data.features() {
        Matrix::Dense(dense) => size_of_val(dense.values()),
        Matrix::Sparse(sparse) => {
            size_of_val(sparse.values()) + size_of_val(sparse.columns()) + (sparse.rows() + 1) * size_of::<usize>()
        }
    };
    let set = size_of::<LabelSet>() + data.labels().count().div_ceil(64) * size_of::<u64>();
    let sets = data.rows() * (1 + usize::from(data.labels().mask().is_some()));
    features + sets * set
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::{LabelSource, ReadOptions, read};

    fn table(text: &str) -> Dataset {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        std::fs::write(&path, text).unwrap();
        let labels = LabelSource::Prefix("y".to_string());
        read(&path, &ReadOptions { labels, ..ReadOptions::default() }).unwrap()
    }

    #[test]
    fn figures_of_a_small_table() {
        let text = "a,b,c,y1,y2,y3\n1,0,red,1,1,0\n1,0,red,1,1,0\n1,0,red,0,?,0\n?,2,blue,1,1,1\n";
        let found = describe(&table(text));
        assert_eq!((found.rows, found.features, found.labels), (4, 3, 3));
        assert_eq!((found.numeric_features, found.nominal_features, found.sparse), (2, 1, false));
        assert_eq!((found.missing_cells, found.unknown_labels), (1, 1));
        assert_eq!(found.feature_density, 5.0 / 12.0);
        assert_eq!(found.constant_columns, ["a"]);
        assert_eq!((found.repeated_features, found.repeated_rows), (2, 1));
        assert_eq!((found.label_cardinality, found.distinct_label_sets, found.rows_without_labels), (2.0, 3, 0));
        assert_eq!(found.label_counts.iter().map(|label| label.count).collect::<Vec<_>>(), [3, 3, 1]);
        assert_eq!(found.label_counts.iter().map(|label| label.known).collect::<Vec<_>>(), [4, 3, 4]);
        assert_eq!(found.label_pairs[0], LabelPair { first: 0, second: 1, count: 3 });
        assert_eq!(found.co_occurrence(), [[3, 3, 1], [3, 3, 1], [1, 1, 1]]);
        assert!(found.id_columns.is_empty());
        assert_eq!(found.memory_bytes, 4 * 3 * 8 + 2 * 4 * (size_of::<LabelSet>() + 8));
    }

    #[test]
    fn a_nominal_column_with_most_cells_apart_is_scattered() {
        let row = |i: usize| format!("n{},c{},id{i},{}\n", i % 16, i % 10, i % 2);
        let rows = |count: usize| -> String { (0..count).map(row).collect() };
        let header = "name,colour,id,y\n";
        let found = describe(&table(&format!("{header}{}", rows(20))));
        assert_eq!((found.id_columns, found.scattered_columns), (vec!["id".to_string()], vec!["name".to_string()]));
        assert!(describe(&table(&format!("{header}{}", rows(19)))).scattered_columns.is_empty());
    }

    #[test]
    fn a_column_of_distinct_whole_numbers_looks_like_an_id() {
        let rows =
            |count: usize| -> String { (0..count).map(|i| format!("{i},{},{}.5,{}\n", i % 9, i, i % 2)).collect() };
        let header = "id,repeats,fractions,y\n";
        assert_eq!(describe(&table(&format!("{header}{}", rows(20)))).id_columns, ["id"]);
        assert!(describe(&table(&format!("{header}{}", rows(19)))).id_columns.is_empty());
    }
}
