//! What is written reads back the same, whatever the names.

use proptest::prelude::*;

use super::fixture::{Folder, known, labels};
use super::{Format, ReadOptions, read, write};
use crate::{Column, ColumnKind, Dataset, LabelSet, Labels};
use arbormix_matrix::{DenseMatrix, Matrix, SparseBuilder};

/// Names with everything that readers trip over.
fn names(count: usize) -> impl Strategy<Value = Vec<String>> {
    prop::collection::btree_set("[a-c0-9 ,;|%'\"\\\\{}?@#éß漢\t\n\r:<&>_-]{0,6}", count)
        .prop_map(|set| set.into_iter().collect::<Vec<_>>())
        .prop_shuffle()
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), Just(1.0), -1e3..1e3, prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL]
}

/// What to build a data set from: names, kinds by column, cells by row.
#[derive(Debug, Clone)]
struct Parts {
    columns: Vec<Column>,
    label_names: Vec<String>,
    cells: Vec<Vec<f64>>,
    labels: Vec<Vec<Option<bool>>>,
}

fn parts() -> impl Strategy<Value = Parts> {
    let sizes = (1..5_usize, 1..5_usize, 1..6_usize);
    sizes.prop_flat_map(|(rows, labels, features)| {
        let categories = prop::collection::vec(prop::option::of((2..4_usize).prop_flat_map(names)), features);
        let cell = (prop::option::weighted(0.8, number()), 0..100_usize);
        let cells = prop::collection::vec(prop::collection::vec(cell, features), rows);
        let label = prop::option::weighted(0.8, any::<bool>());
        let label_cells = prop::collection::vec(prop::collection::vec(label, labels), rows);
        (names(features + labels), categories, cells, label_cells).prop_map(
            move |(names, categories, cells, labels)| {
                let (columns, label_names) = names.split_at(features);
                let cell = |(&(number, code), kind): (&(Option<f64>, usize), &Option<Vec<String>>)| match (number, kind)
                {
                    (None, _) => f64::NAN,
                    (Some(number), None) => number,
                    (Some(_), Some(categories)) => (code % categories.len()) as f64,
                };
                let kind = |kind: &Option<Vec<String>>| kind.clone().map_or(ColumnKind::Numeric, ColumnKind::Nominal);
                Parts {
                    columns: columns
                        .iter()
                        .zip(&categories)
                        .map(|(n, k)| Column { name: n.clone(), kind: kind(k) })
                        .collect(),
                    label_names: label_names.to_vec(),
                    cells: cells.iter().map(|row| row.iter().zip(&categories).map(cell).collect()).collect(),
                    labels,
                }
            },
        )
    })
}

impl Parts {
    fn data(self, name: &str, sparse: bool) -> Dataset {
        let (rows, width) = (self.cells.len(), self.columns.len());
        let features = if sparse {
            let mut builder = SparseBuilder::default();
            for row in &self.cells {
                row.iter().enumerate().for_each(|(column, &value)| builder.push(column, value));
                builder.end_row();
            }
            Matrix::Sparse(builder.finish(width))
        } else {
            Matrix::Dense(DenseMatrix::new(rows, width, self.cells.concat()))
        };
        let bits = |of: fn(&Option<bool>) -> bool| -> Vec<LabelSet> {
            let set = |row: &Vec<Option<bool>>| LabelSet::from_bools(&row.iter().map(of).collect::<Vec<_>>());
            self.labels.iter().map(set).collect()
        };
        let labels = Labels::with_mask(self.label_names.len(), bits(|c| *c == Some(true)), bits(Option::is_some));
        Dataset::with_missing(name, features, self.columns, labels, self.label_names).unwrap()
    }
}

/// Asserts that two data sets are the same, missing cells included.
fn assert_same(left: &Dataset, right: &Dataset) {
    assert_eq!((left.name(), left.columns(), left.label_names()), (right.name(), right.columns(), right.label_names()));
    assert_eq!(left.labels(), right.labels());
    assert_eq!(left.features().is_sparse(), right.features().is_sparse());
    let cells = |data: &Dataset| {
        let mut all = Vec::new();
        for row in 0..data.rows() {
            // -0 may lose its sign: it is the same number.
            data.features().visit_row(row, |column, value| all.push((row, column, (value + 0.0).to_bits())));
        }
        all
    };
    assert_eq!(cells(left), cells(right));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn arff(parts in parts(), sparse: bool, gzip: bool) {
        let folder = Folder::new();
        let path = folder.path(if gzip { "set.arff.gz" } else { "set.arff" });
        let data = parts.data("set", sparse);
        write(&data, &path, Format::ARFF).unwrap();
        assert_same(&read(&path, &ReadOptions::default()).unwrap(), &data);
        prop_assert_eq!(std::fs::read_dir(folder.path("")).unwrap().count(), 2, "no temporary file is left");
    }

    #[test]
    fn csv_and_tsv(mut parts in parts(), tsv: bool) {
        // The words of a nominal column are numbered anew by first use, so give them in that order.
        let mut nominal = Vec::new();
        for (index, column) in parts.columns.iter_mut().enumerate() {
            let ColumnKind::Nominal(categories) = &mut column.kind else { continue };
            nominal.push(column.name.clone());
            let mut used: Vec<usize> = Vec::new();
            for row in &mut parts.cells {
                if !row[index].is_nan() {
                    let code = row[index] as usize;
                    let place = used.iter().position(|&other| other == code).unwrap_or(used.len());
                    if place == used.len() { used.push(code) }
                    row[index] = place as f64;
                }
            }
            // A word that reads as missing is refused; see the test below.
            *categories = used.iter().map(|&code| format!("{}~", categories[code])).collect();
        }
        let (folder, format) = (Folder::new(), if tsv { Format::TSV } else { Format::CSV });
        let path = folder.path(&format!("set.{format}"));
        let data = parts.data("set", false);
        write(&data, &path, format).unwrap();
        let options = ReadOptions { nominal, ..known(&data.label_names().iter().map(String::as_str).collect::<Vec<_>>()) };
        assert_same(&read(&path, &options).unwrap(), &data);
    }

    #[test]
    fn libsvm(mut parts in parts(), first in 0..2_usize) {
        for (number, column) in (first..).zip(&mut parts.columns) {
            *column = Column::numeric(number.to_string());
        }
        parts.cells.iter_mut().flatten().filter(|cell| cell.is_nan()).for_each(|cell| *cell = 0.0);
        parts.labels.iter_mut().flatten().for_each(|cell| *cell = Some(*cell == Some(true)));
        parts.labels[0].fill(Some(true));
        parts.label_names = (0..parts.label_names.len()).map(|label| (label * 7).to_string()).collect();
        let folder = Folder::new();
        let path = folder.path("set.svm");
        let data = parts.data("set", true);
        write(&data, &path, Format::LIBSVM).unwrap();
        assert_same(&read(&path, &ReadOptions::default()).unwrap(), &data);
    }
}

#[test]
fn what_a_format_cannot_hold_is_refused() {
    let folder = Folder::new();
    let refusal = |text: &str, target: &str| {
        let data = read(&folder.file("in.csv", text), &labels("y,z")).unwrap();
        let path = folder.path(target);
        let error = write(&data, &path, Format::from_path(&path).unwrap()).unwrap_err();
        assert!(!path.exists());
        error.to_string().replace(&format!("{}", folder.path("").display()), "")
    };
    let other = "; write arff or csv";
    for (text, what) in [
        ("x,y,z\nred,1,1\n", "the nominal feature \"x\""),
        ("x,y,z\n1,1,1\n,1,1\n", "the missing cell of feature \"x\" in row 1 (counted from 0)"),
        ("x,y,z\n1,1,1\n1,,?\n", "2 unknown label cells"),
        ("x,y,z\n1,1,0\n", "the label \"z\", which no row has"),
        ("y,z\n1,1\n", "a data set without features"),
    ] {
        assert_eq!(refusal(text, "out.svm"), format!("out.svm: libsvm cannot hold {what}{other}"));
    }
    assert_eq!(
        refusal("x,y,z\n1,1,0\n", "out.parquet"),
        "out.parquet: parquet cannot be written here; choose arff, libsvm, csv or tsv"
    );
    assert_eq!(refusal("x,y,z\n1,1,0\n", "none/out.csv"), "none/out.csv: No such file or directory (os error 2)");
}

#[test]
fn words_and_names_with_a_second_meaning_are_refused_in_tables() {
    let folder = Folder::new();
    let message = |column: Column, label: &str, format: Format| {
        let labels = Labels::new(1, vec![LabelSet::from_bools(&[true])]);
        let features = Matrix::Dense(DenseMatrix::new(1, 1, vec![0.0]));
        let data = Dataset::new("set", features, vec![column], labels, vec![label.to_string()]).unwrap();
        let error = write(&data, &folder.path("out.x"), format).unwrap_err().to_string();
        error.replace(&format!("{}", folder.path("").display()), "")
    };
    let nominal = Column { name: "x".to_string(), kind: ColumnKind::Nominal(vec!["NA".to_string()]) };
    assert_eq!(
        message(nominal, "y", Format::CSV),
        "out.x: csv cannot hold the category \"NA\" of \"x\", which means a missing cell there; write arff, or rename the category"
    );
    for format in [Format::ARFF, Format::CSV] {
        assert_eq!(
            message(Column::numeric("a"), "a", format),
            format!("out.x: {format} cannot hold a feature and a label that are both named \"a\"; rename one of them")
        );
    }
}
