use serde::Deserialize;

use super::*;
use arbormix_data::Error;
use arbormix_data::{DataError, LabelSet, Labels};
use arbormix_matrix::{DenseMatrix, SparseBuilder};

const MISSING: f64 = f64::NAN;

fn nominal(name: &str, categories: &[&str]) -> Column {
    Column { name: name.into(), kind: ColumnKind::Nominal(categories.iter().map(ToString::to_string).collect()) }
}

fn dataset(features: Matrix, columns: Vec<Column>) -> Dataset {
    let labels = Labels::new(1, vec![LabelSet::empty(1); features.rows()]);
    Dataset::with_missing("test", features, columns, labels, vec!["label".into()]).unwrap()
}

fn dense(columns: Vec<Column>, rows: &[&[f64]]) -> Dataset {
    dataset(Matrix::Dense(DenseMatrix::new(rows.len(), columns.len(), rows.concat())), columns)
}

/// Sparse rows: every cell that is not 0 is stored.
fn sparse(columns: Vec<Column>, rows: &[&[f64]]) -> Dataset {
    let mut builder = SparseBuilder::default();
    for row in rows {
        row.iter().enumerate().for_each(|(column, &value)| builder.push(column, value));
        builder.end_row();
    }
    dataset(Matrix::Sparse(builder.finish(columns.len())), columns)
}

fn fit(data: &Dataset, scaling: Scaling) -> FeatureMap {
    FeatureMap::fit(data, &FeatureParams { scaling, nystrom: None }).unwrap()
}

/// All cells, zeros included, row after row.
fn cells(matrix: &Matrix) -> Vec<Vec<f64>> {
    let row = |row| {
        let mut cells = vec![0.0; matrix.cols()];
        matrix.visit_row(row, |column, value| cells[column] = value);
        cells
    };
    (0..matrix.rows()).map(row).collect()
}

fn encoded(map: &FeatureMap, data: &Dataset) -> Vec<Vec<f64>> {
    cells(&map.encode(data).unwrap())
}

fn fault(map: &FeatureMap, data: &Dataset) -> DataError {
    match map.encode(data).unwrap_err() {
        Error::Data(error) => error,
        other => panic!("{other}"),
    }
}

#[derive(Deserialize)]
struct Reference {
    cases: Vec<Case>,
}

/// One case of tests/reference/features.py, which describes the fields.
#[derive(Deserialize)]
struct Case {
    scaling: Scaling,
    categories: Vec<Option<Vec<String>>>,
    train: Vec<Vec<Option<f64>>>,
    other: Vec<Vec<Option<f64>>>,
    train_encoded: Vec<Vec<f64>>,
    other_encoded: Vec<Vec<f64>>,
}

#[test]
fn encoded_features_equal_those_of_scikit_learn() {
    let text = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/reference/features.json"));
    let reference: Reference = serde_json::from_str(text).unwrap();
    assert_eq!(reference.cases.len(), 4);
    for case in reference.cases {
        let column = |(index, categories): (usize, Option<Vec<String>>)| Column {
            name: index.to_string(),
            kind: categories.map_or(ColumnKind::Numeric, ColumnKind::Nominal),
        };
        let columns: Vec<Column> = case.categories.into_iter().enumerate().map(column).collect();
        let data = |rows: Vec<Vec<Option<f64>>>| {
            let rows: Vec<Vec<f64>> =
                rows.into_iter().map(|row| row.into_iter().map(|cell| cell.unwrap_or(MISSING)).collect()).collect();
            dense(columns.clone(), &rows.iter().map(Vec::as_slice).collect::<Vec<_>>())
        };
        let (train, other) = (data(case.train), data(case.other));
        let map = fit(&train, case.scaling);
        for (data, expected) in [(&train, case.train_encoded), (&other, case.other_encoded)] {
            for (found, expected) in encoded(&map, data).concat().into_iter().zip(expected.concat()) {
                assert!((found - expected).abs() <= 1e-12 * (1.0 + expected.abs()), "{found} against {expected}");
            }
        }
    }
}

#[test]
fn nominal_columns_become_one_hot() {
    let columns = vec![nominal("b", &["no", "yes"]), nominal("c", &["r", "g", "b"]), nominal("one", &["x"])];
    let data = dense(columns, &[&[0.0, 2.0, 0.0], &[1.0, 0.0, 0.0]]);
    let map = fit(&data, Scaling::None);
    assert_eq!(map.names(), ["b=yes", "c=r", "c=g", "c=b", "one"]);
    assert_eq!(map.feature_count(), 5);
    assert_eq!(encoded(&map, &data), [[0.0, 0.0, 0.0, 1.0, 0.0], [1.0, 1.0, 0.0, 0.0, 0.0]]);
}

#[test]
fn sparse_zeros_are_observed_and_stay_sparse() {
    let columns = || vec![Column::numeric("x"), nominal("b", &["no", "yes"]), nominal("c", &["r", "g", "b"])];
    let data = sparse(columns(), &[&[4.0, 0.0, 0.0], &[0.0, 1.0, 2.0], &[MISSING, 0.0, 0.0], &[-8.0, 0.0, 0.0]]);
    let map = fit(&data, Scaling::Auto);
    assert_eq!((map.scaling(), map.fills()), (Scaling::None, [-4.0 / 3.0, 0.0, 0.0].as_slice()));
    let expected = [
        [4.0, 0.0, 1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0, 0.0, 1.0],
        [-4.0 / 3.0, 0.0, 1.0, 0.0, 0.0],
        [-8.0, 0.0, 1.0, 0.0, 0.0],
    ];
    let matrix = map.encode(&data).unwrap();
    assert_eq!(cells(&matrix), expected);
    let Matrix::Sparse(matrix) = matrix.into_owned() else { panic!("sparse stays sparse") };
    assert_eq!(matrix.stored(), 8);
    let maxabs = fit(&data, Scaling::Maxabs);
    assert_eq!(encoded(&maxabs, &data)[0], [0.5, 0.0, 1.0, 0.0, 0.0]);
    // The same rows, written densely, get the same features.
    let rows: [&[f64]; 2] = [&[4.0, 0.0, 0.0], &[0.0, 1.0, 2.0]];
    assert_eq!(encoded(&map, &dense(columns(), &rows)), expected[..2]);
}

#[test]
fn a_map_fitted_on_dense_rows_reads_sparse_ones() {
    let columns = || vec![Column::numeric("x"), Column::numeric("y")];
    let rows: [&[f64]; 3] = [&[-1.0, 0.0], &[3.0, 5.0], &[0.0, 10.0]];
    let map = fit(&dense(columns(), &rows), Scaling::Minmax);
    let data = sparse(columns(), &rows);
    let matrix = map.encode(&data).unwrap();
    assert!(matrix.is_sparse());
    assert_eq!(cells(&matrix), [[0.0, 0.0], [1.0, 0.5], [0.25, 1.0]]);
}

#[test]
fn scaling_that_would_fill_sparse_rows_is_refused() {
    let data = sparse(vec![Column::numeric("x")], &[&[1.0]]);
    for scaling in [Scaling::Minmax, Scaling::Standardize] {
        let message = FeatureMap::fit(&data, &FeatureParams { scaling, nystrom: None }).unwrap_err().to_string();
        assert!(message.starts_with(&format!("scaling {:?} would turn", scaling.word())), "{message}");
        assert!(message.contains("use \"maxabs\" or \"none\""), "{message}");
    }
}

#[test]
fn constant_and_unobserved_columns_are_kept_as_zero() {
    let columns = vec![Column::numeric("same"), Column::numeric("empty"), Column::numeric("x")];
    // Three times 0.1 sums to more than 0.3: the mean must not leave the column's range.
    let data = dense(columns.clone(), &[&[0.1, MISSING, 1.0], &[0.1, MISSING, 2.0], &[0.1, MISSING, MISSING]]);
    for scaling in [Scaling::Minmax, Scaling::Standardize] {
        let map = fit(&data, scaling);
        assert!(encoded(&map, &data).iter().all(|row| row[..2] == [0.0, 0.0]), "{scaling:?}");
        let other = dense(columns.clone(), &[&[9.0, 9.0, 1.0]]);
        assert_eq!(encoded(&map, &other)[0][..2], [0.0, 0.0], "{scaling:?}");
    }
    let map = fit(&data, Scaling::None);
    assert_eq!(map.fills(), [0.1, 0.0, 1.5]);
    assert_eq!(encoded(&map, &data)[2], [0.1, 0.0, 1.5]);
    assert_eq!(
        map.notes(),
        [
            "1 missing feature cell is read: \"x\" (1) as its mean 1.5",
            "1 feature has no observed cell (nothing to learn from): \"empty\"",
            "1 feature is constant (nothing to learn from): \"same\"",
        ]
    );
}

#[test]
fn columns_that_look_like_ids_are_named() {
    let columns = || {
        vec![Column::numeric("id"), Column::numeric("real"), Column::numeric("count"), Column::numeric("zero-based")]
    };
    let rows: Vec<[f64; 4]> =
        (0..25).map(f64::from).map(|row| [900.0 - 7.0 * row, row + 0.5, (row / 2.0).floor(), row]).collect();
    let rows: Vec<&[f64]> = rows.iter().map(<[f64; 4]>::as_slice).collect();
    let note = "2 features look like a row number or id (another value in every row), which does not \
                carry over to new rows: \"id\", \"zero-based\"";
    assert_eq!(fit(&dense(columns(), &rows), Scaling::Auto).notes(), [note]);
    assert_eq!(fit(&sparse(columns(), &rows), Scaling::Auto).notes(), [note]);
    assert!(fit(&dense(columns(), &rows[..10]), Scaling::Auto).notes().is_empty());
}

#[test]
fn nominal_columns_with_nearly_as_many_categories_as_rows_are_named() {
    let names: Vec<String> = (0..30).map(|number| format!("n{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let columns = || vec![nominal("name", &names), nominal("colour", &names), nominal("id", &names)];
    let row = |row: u32| [f64::from(row % 20), f64::from(row % 15), f64::from(row)];
    let rows: Vec<[f64; 3]> = (0..30).map(row).collect();
    let rows: Vec<&[f64]> = rows.iter().map(<[f64; 3]>::as_slice).collect();
    let notes = fit(&dense(columns(), &rows), Scaling::Auto).notes().to_vec();
    assert!(notes[0].contains("like a row number or id") && notes[0].ends_with(": \"id\""), "{notes:?}");
    let expected = "1 nominal feature has nearly as many categories as rows; each becomes a feature of its own, and new \
                    rows will have other ones: leave out names, ids and free text: \"name\" (20 in 30 rows)";
    assert_eq!(notes[1..], [expected]);
}

#[test]
fn missing_nominal_cells_take_the_most_frequent_category_and_ties_the_first() {
    let columns = vec![nominal("c", &["r", "g", "b"])];
    let data = dense(columns.clone(), &[&[2.0], &[2.0], &[1.0], &[MISSING], &[1.0]]);
    let map = fit(&data, Scaling::Auto);
    assert_eq!(map.fills(), [1.0]);
    assert_eq!(encoded(&map, &data)[3], [0.0, 1.0, 0.0]);
    let note = "1 missing feature cell is read: \"c\" (1) as its most frequent category \"g\"";
    // No note on "r", which training never saw: the column itself varies.
    assert_eq!(map.notes(), [note]);
}

#[test]
fn columns_and_categories_are_matched_by_name() {
    let columns = vec![Column::numeric("x"), nominal("c", &["r", "g", "b"]), nominal("b", &["no", "yes"])];
    let train = dense(columns, &[&[1.0, 0.0, 0.0], &[3.0, 1.0, 1.0], &[2.0, 2.0, 1.0]]);
    let map = fit(&train, Scaling::Minmax);
    let other = vec![
        nominal("b", &["yes", "maybe", "no"]),
        Column::numeric("extra"),
        nominal("c", &["b", "r"]),
        Column::numeric("x"),
    ];
    let data = dense(other.clone(), &[&[0.0, 9.0, 0.0, 3.0], &[2.0, 9.0, MISSING, 1.0]]);
    assert_eq!(encoded(&map, &data), [[1.0, 0.0, 0.0, 1.0, 1.0], [0.0, 1.0, 0.0, 0.0, 0.0]]);
    // In sparse rows an omitted cell is the first category of the data, not of the model.
    let data = sparse(other.clone(), &[&[0.0, 9.0, 0.0, 3.0], &[2.0, 9.0, 1.0, 1.0]]);
    assert_eq!(encoded(&map, &data), [[1.0, 0.0, 0.0, 1.0, 1.0], [0.0, 1.0, 0.0, 0.0, 0.0]]);
    let data = dense(other, &[&[0.0, 9.0, 0.0, 3.0], &[1.0, 9.0, 0.0, 3.0]]);
    let (column, category, known) = ("b".to_string(), "maybe".to_string(), "no, yes".to_string());
    assert_eq!(fault(&map, &data), DataError::UnknownCategory { column, category, row: 1, known });
    let data = dense(vec![Column::numeric("x")], &[&[1.0]]);
    let missing = vec!["c".to_string(), "b".to_string()];
    assert_eq!(fault(&map, &data), DataError::MissingFeatures { missing, needed: 3 });
}

#[test]
fn cells_of_the_own_columns_are_encoded_like_a_data_set_of_them() {
    let columns = || vec![Column::numeric("size"), nominal("colour", &["red", "green", "blue"])];
    let data = dense(columns(), &[&[2.0, 0.0], &[4.0, 2.0], &[f64::NAN, 1.0]]);
    let map = fit(&data, Scaling::Minmax);
    assert_eq!(map.encode_cells(data.features()).unwrap(), *map.encode(&data).unwrap());
    let fault = |row: &[f64]| {
        let cells = Matrix::Dense(DenseMatrix::new(1, row.len(), row.to_vec()));
        map.encode_cells(&cells).unwrap_err().to_string()
    };
    assert!(fault(&[1.0]).contains("1 against 2"));
    assert!(fault(&[f64::INFINITY, 0.0]).contains("\"size\" is inf in row 0"));
    assert!(fault(&[1.0, 3.0]).contains("\"colour\" has 3 categories"));
}

#[test]
fn numbers_and_categories_that_spell_them_are_the_same() {
    let nominals = fit(&dense(vec![nominal("b", &["1", "0"])], &[&[0.0], &[1.0]]), Scaling::None);
    let numeric = |values: &[f64]| {
        dense(vec![Column::numeric("b")], &values.iter().map(std::slice::from_ref).collect::<Vec<_>>())
    };
    assert_eq!(encoded(&nominals, &numeric(&[0.0, 1.0])), [[1.0], [0.0]]);
    assert_eq!(encoded(&nominals, &sparse(vec![Column::numeric("b")], &[&[0.0], &[1.0]])), [[1.0], [0.0]]);
    let (column, known) = ("b".to_string(), "1, 0".to_string());
    let expected = DataError::UnknownCategory { column: column.clone(), category: "0.5".into(), row: 1, known };
    assert_eq!(fault(&nominals, &numeric(&[0.0, 0.5])), expected);

    let numbers = fit(&numeric(&[0.0, 1.0, 4.0]), Scaling::None);
    let data = dense(vec![nominal("b", &["4", "0"])], &[&[0.0], &[1.0], &[MISSING]]);
    assert_eq!(encoded(&numbers, &data), [[4.0], [0.0], [5.0 / 3.0]]);

    let words = fit(&dense(vec![nominal("b", &["no", "yes"])], &[&[0.0], &[1.0]]), Scaling::None);
    let expected = DataError::ColumnKind { column: column.clone(), expected: "nominal", found: "numeric" };
    assert_eq!(fault(&words, &numeric(&[0.0])), expected);
    assert_eq!(encoded(&words, &numeric(&[MISSING])), [[0.0]]);
    let data = dense(vec![nominal("b", &["no", "yes"])], &[&[0.0]]);
    assert_eq!(fault(&numbers, &data), DataError::ColumnKind { column, expected: "numeric", found: "nominal" });
    let data = dense(vec![nominal("b", &[])], &[&[MISSING]]);
    assert_eq!(encoded(&numbers, &data), [[5.0 / 3.0]]);
}

#[test]
fn implicit_columns_that_are_not_there_are_zero() {
    let columns = |names: &[&str]| names.iter().copied().map(Column::numeric).collect::<Vec<_>>();
    let train = sparse(columns(&["1", "2", "3"]), &[&[1.0, 0.0, 2.0]]);
    let other = || sparse(columns(&["4", "3"]), &[&[7.0, 5.0], &[0.0, 0.0]]);
    let map = fit(&train.clone().with_implicit_columns(), Scaling::Auto);
    assert_eq!(encoded(&map, &other().with_implicit_columns()), [[0.0, 0.0, 5.0], [0.0, 0.0, 0.0]]);
    assert_eq!(map.ignored(&other()), ["4"]);
    assert!(map.ignored(&train).is_empty());
    assert!(matches!(fault(&map, &other()), DataError::MissingFeatures { .. }));
    // Numbered columns say nothing about columns with real names.
    let named = fit(&train, Scaling::Auto);
    assert!(matches!(fault(&named, &other().with_implicit_columns()), DataError::MissingFeatures { .. }));
}

#[test]
fn overflow_is_an_error_that_names_the_cell() {
    let huge = dense(vec![Column::numeric("x")], &[&[1e308], &[-1.5e308]]);
    let error = FeatureMap::fit(&huge, &FeatureParams::default().scaling(Scaling::Minmax)).unwrap_err().to_string();
    let expected =
        "feature \"x\" is -1.5e308 in row 1 (counted from 0), too large to compute with under scaling \"minmax\"";
    assert!(error.starts_with(expected), "{error}");
    let map = fit(&dense(vec![Column::numeric("x")], &[&[0.0], &[1e-300]]), Scaling::Minmax);
    let column = "x".to_string();
    let expected = DataError::TooLarge { column, row: 1, value: 1e20, scaling: "minmax" };
    assert_eq!(fault(&map, &dense(vec![Column::numeric("x")], &[&[0.0], &[1e20]])), expected);
}

#[test]
fn a_map_comes_back_from_json_bit_by_bit_and_damage_is_noticed() {
    let columns = vec![Column::numeric("x"), nominal("c", &["r", "g", "b"])];
    let data = dense(columns, &[&[0.1, 0.0], &[1.0 / 3.0, 1.0], &[MISSING, 2.0]]);
    for scaling in [Scaling::Minmax, Scaling::Standardize, Scaling::Maxabs, Scaling::None] {
        let map = fit(&data, scaling);
        let json = serde_json::to_string(map.parts()).unwrap();
        let load = |parts: Parts| FeatureMap::load(parts, &Stored::default());
        let back = load(serde_json::from_str(&json).unwrap()).unwrap();
        assert_eq!(back, map);
        assert_eq!(back.encode(&data).unwrap(), map.encode(&data).unwrap());
        let mut damaged = serde_json::to_value(map.parts()).unwrap();
        damaged["scales"].as_array_mut().unwrap().pop();
        let error = load(serde_json::from_value(damaged).unwrap()).unwrap_err().to_string();
        assert!(error.contains("feature map: scaled features: 3, 4 needed"), "{error}");
    }
}

#[test]
fn no_rows_are_refused() {
    let data = dense(vec![Column::numeric("x")], &[]);
    let error = FeatureMap::fit(&data, &FeatureParams::default()).unwrap_err().to_string();
    assert_eq!(error, "rows to fit features on: 0 found, at least 1 needed");
}

#[test]
fn cells_that_stay_as_they_are_are_lent() {
    use std::borrow::Cow;
    let columns = || vec![Column::numeric("x"), Column::numeric("y")];
    let rows: [&[f64]; 3] = [&[-1.0, 0.0], &[3.0, 5.0], &[0.0, 10.0]];
    for data in [dense(columns(), &rows), sparse(columns(), &rows)] {
        let lent = |scaling, data| matches!(fit(data, scaling).encode(data).unwrap(), Cow::Borrowed(_));
        assert!(lent(Scaling::None, &data) && !lent(Scaling::Maxabs, &data));
        // A column that the map does not know, or another order, is no longer the same.
        let other = [Column::numeric("y"), Column::numeric("x")];
        let turned = dense(other.to_vec(), &[&[1.0, 2.0]]);
        assert_eq!(encoded(&fit(&data, Scaling::None), &turned), [[2.0, 1.0]]);
    }
    // A missing cell is read as the mean, so it must be written.
    let missing = dense(columns(), &[&[1.0, f64::NAN], &[1.0, 4.0]]);
    assert_eq!(encoded(&fit(&missing, Scaling::None), &missing), [[1.0, 4.0], [1.0, 4.0]]);
}
