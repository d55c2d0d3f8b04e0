//! What every method of the registry must do, whatever it is.
#![allow(clippy::unwrap_used, reason = "the helpers of a test may panic like the test")]

use arbormix::registry::{self, METHODS, Method, Preset};
use arbormix::{Error, Joint, Model};
use arbormix_base::progress::{Progress, Silent};
use arbormix_data::planted::Planted;
use arbormix_data::{Column, Dataset, LabelSet, Labels};
use arbormix_joint::joint::Rows;
use arbormix_matrix::{DenseMatrix, Matrix, SparseBuilder};
use arbormix_model::fit;
use serde_json::{Value, json};

const PRESETS: [Preset; 2] = [Preset::Default, Preset::Paper];

fn try_fit(method: &Method, preset: Preset, overrides: &Value, data: &Dataset) -> arbormix::Result<Model> {
    fit(registry::learner(method.name, preset, overrides)?.as_ref(), data, None, &Silent)
}

fn fitted(method: &Method, data: &Dataset) -> Model {
    try_fit(method, Preset::Default, &json!({}), data).unwrap_or_else(|e| panic!("{}: {e}", method.name))
}

fn planted(rows: usize) -> Dataset {
    Planted { rows, labels: 4, seed: 5, ..Planted::default() }.sample().unwrap().0
}

fn dataset(features: Matrix, labels: Labels) -> Dataset {
    let columns = (0..features.cols()).map(|j| Column::numeric(format!("x{j}"))).collect();
    let names = (0..labels.count()).map(|i| format!("y{i}")).collect();
    Dataset::new("battery", features, columns, labels, names).unwrap()
}

/// The data with other labels.
fn with_labels(data: &Dataset, labels: Labels) -> Dataset {
    dataset(data.features().clone(), labels)
}

fn all_sets(labels: usize) -> Vec<LabelSet> {
    let set = |code: usize| LabelSet::from_bools(&(0..labels).map(|i| code >> i & 1 == 1).collect::<Vec<_>>());
    (0..1 << labels).map(set).collect()
}

/// The overrides whose first name the method knows.
fn known(method: &Method, overrides: &Value) -> Value {
    let defaults = method.defaults(Preset::Default);
    let fields = overrides.as_object().unwrap().iter().filter(|(name, _)| defaults.get(name).is_some());
    Value::Object(fields.map(|(name, value)| (name.clone(), value.clone())).collect())
}

#[test]
fn answers_have_the_right_shape_and_agree() {
    let data = planted(90);
    let sets = all_sets(4);
    for (method, preset) in METHODS.iter().flat_map(|method| PRESETS.map(|preset| (method, preset))) {
        let name = method.name;
        let model = try_fit(method, preset, &json!({}), &data).unwrap();
        // Of the method that only chooses, the model is the chosen one's.
        assert!(model.choice().map_or(model.method(), |_| registry::DEFAULT_METHOD) == name, "{name}");
        let predictor = model.predictor();
        assert_eq!((predictor.label_count(), predictor.feature_count()), (4, 10), "{name}");
        let _learner = registry::learner(name, preset, &json!({})).unwrap();
        // What is said before the fit holds after it; the method that chooses promises nothing.
        let few = data.select_rows(&[3, 0, 7, 11]);
        let (predictions, marginals) = (model.predict(&few).unwrap(), model.marginals(&few).unwrap());
        assert_eq!((predictions.len(), marginals.rows(), marginals.cols()), (4, 4, 4), "{name}");
        assert!(marginals.values().iter().all(|p| (0.0..=1.0).contains(p)), "{name}");
        let kind = predictor.joint();
        if !kind.has_probabilities() {
            assert!(model.log_prob(&few).is_err() && predictions.iter().all(|p| p.log_probability.is_none()), "{name}");
            continue;
        }
        let features = model.encode(&few).unwrap();
        let logs: Vec<Vec<f64>> =
            sets.iter().map(|set| predictor.log_prob(&features, &vec![set.clone(); 4]).unwrap()).collect();
        for (row, prediction) in predictions.iter().enumerate() {
            let mass: f64 = logs.iter().map(|of| of[row].exp()).sum();
            assert!((mass - 1.0).abs() < 1e-9, "{name} row {row}: sums to {mass}");
            let own = logs[sets.iter().position(|set| *set == prediction.labels).unwrap()][row];
            assert!((own - prediction.log_probability.unwrap()).abs() < 1e-9, "{name} row {row}");
            if kind == Joint::Distribution && prediction.certificate.is_some_and(|c| c.certified) {
                assert!(logs.iter().all(|of| of[row] <= own + 1e-9), "{name} row {row}");
            }
        }
        if let Ok(rows) = Rows::of(predictor, &features) {
            for (set, log) in sets.iter().zip(&logs) {
                let of_rows = rows.log_prob(&vec![set.clone(); 4]);
                assert!(of_rows.iter().zip(log).all(|(a, b)| (a - b).abs() < 1e-9), "{name} {set:?}");
            }
            for (row, label) in (0..4).flat_map(|row| (0..4).map(move |label| (row, label))) {
                let with = sets.iter().zip(&logs).filter(|(set, _)| set.get(label));
                let sum: f64 = with.map(|(_, of)| of[row].exp()).sum();
                assert!((sum - marginals.get(row, label)).abs() < 1e-9, "{name} row {row}, label {label}");
            }
            let same = rows.marginals(4).values().iter().zip(marginals.values()).all(|(a, b)| (a - b).abs() < 1e-9);
            assert!(same, "{name}");
        }
        if let Ok(top) = predictor.top_sets(&features, 3) {
            for (row, best) in top.iter().enumerate() {
                let mut expected: Vec<f64> = logs.iter().map(|of| of[row]).collect();
                expected.sort_by(|a, b| b.total_cmp(a));
                assert!(best.iter().zip(&expected).all(|((_, log), want)| (log - want).abs() < 1e-9), "{name} {row}");
            }
        }
    }
}

/// The choice, the ten methods of the paper, the stacked mixture and the label powerset; a method that falls out of the registry falls out of every test here.
#[test]
fn all_methods_are_there() {
    let names: Vec<&str> = METHODS.iter().map(|method| method.name).collect();
    assert_eq!(
        names,
        ["auto", "mlme", "stack", "ctbn", "br", "cc", "pcc", "ecc", "mlknn", "iblr", "chf", "mmoc", "lp"]
    );
}

/// Everything a model says about some rows, to the last bit.
fn said(model: &Model, data: &Dataset) -> Vec<String> {
    let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    let features = model.encode(data).unwrap();
    let mut out = vec![
        format!("{:?}", model.predict(data).unwrap()),
        format!("{:?}", bits(model.marginals(data).unwrap().values())),
    ];
    out.extend(model.log_prob(data).ok().map(|logs| format!("{:?}", bits(&logs))));
    out.extend(model.predictor().top_sets(&features, 3).ok().map(|sets| format!("{sets:?}")));
    out
}

#[test]
fn the_same_seed_gives_the_same_bits_on_any_number_of_threads() {
    let data = planted(60);
    let folder = tempfile::tempdir().unwrap();
    let work = |method: &Method, preset: Preset, threads: usize| {
        let path = folder.path().join(format!("{}-{threads}", method.name));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let model = try_fit(method, preset, &json!({}), &data).unwrap();
            model.save(&path).unwrap();
            (std::fs::read(path).unwrap(), said(&model, &data))
        })
    };
    for (method, preset) in METHODS.iter().flat_map(|method| PRESETS.map(|preset| (method, preset))) {
        let one = work(method, preset, 1);
        for threads in [2, 3] {
            assert!(work(method, preset, threads) == one, "{} {preset:?} on {threads} threads", method.name);
        }
    }
}

#[test]
fn a_file_brings_back_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    let dense = planted(60);
    let (sparse, _) = Planted { rows: 60, labels: 4, density: 0.4, seed: 8, ..Planted::default() }.sample().unwrap();
    for (method, data) in METHODS.iter().flat_map(|method| [(method, &dense), (method, &sparse)]) {
        let model = try_fit(method, Preset::Paper, &json!({}), data).unwrap();
        model.save(&path).unwrap();
        assert_eq!(said(&arbormix::load(&path).unwrap(), data), said(&model, data), "{}", method.name);
    }
}

#[test]
fn cells_that_are_no_numbers_are_refused_and_missing_ones_are_filled() {
    let data = planted(60);
    let spoilt = |value: f64| {
        let Matrix::Dense(mut cells) = data.features().clone() else { panic!("planted rows are dense") };
        cells.row_mut(7)[2] = value;
        Matrix::Dense(cells)
    };
    let columns = || data.columns().to_vec();
    let names = || data.label_names().to_vec();
    let labels = || data.labels().clone();
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let error = Dataset::new("spoilt", spoilt(value), columns(), labels(), names()).unwrap_err().to_string();
        let named = format!("feature {:?} is {value} in row 7", data.columns()[2].name);
        assert!(error.starts_with(&named), "{error}");
    }
    assert!(Dataset::with_missing("spoilt", spoilt(f64::INFINITY), columns(), labels(), names()).is_err());
    let missing = Dataset::with_missing("missing", spoilt(f64::NAN), columns(), labels(), names()).unwrap();
    for method in METHODS {
        let marginals = fitted(method, &missing).marginals(&missing).unwrap();
        assert!(marginals.values().iter().all(|p| (0.0..=1.0).contains(p)), "{}", method.name);
    }
}

#[test]
fn every_fit_can_be_stopped() {
    struct Stop;
    impl Progress for Stop {
        fn cancelled(&self) -> bool {
            true
        }
    }
    for method in METHODS {
        let learner = registry::learner(method.name, Preset::Default, &json!({})).unwrap();
        let stopped = fit(learner.as_ref(), &planted(40), None, &Stop);
        assert!(matches!(stopped, Err(Error::Cancelled)), "{}", method.name);
    }
}

#[test]
fn a_constant_label_is_learned_and_noted() {
    let data = planted(60);
    let constant = |set: &LabelSet| {
        let mut set = set.clone();
        set.set(1, true);
        set.set(2, false);
        set
    };
    let data = with_labels(&data, Labels::new(4, data.labels().sets().iter().map(constant).collect()));
    for method in METHODS {
        let model = fitted(method, &data);
        let predictions = model.predict(&data).unwrap();
        assert!(predictions.iter().all(|p| p.labels.get(1) && !p.labels.get(2)), "{}", method.name);
        assert!(model.report().notes.iter().any(|note| note.contains("\"y1\"")), "{}", method.name);
    }
}

#[test]
fn a_single_row_is_learned_or_refused_with_a_reason() {
    let data = planted(1);
    for method in METHODS {
        match try_fit(method, Preset::Default, &json!({}), &data) {
            Ok(model) => {
                let labels = &model.predict(&data).unwrap()[0].labels;
                assert_eq!(labels, data.labels().row(0), "{}", method.name);
            }
            Err(error) => assert!(error.to_string().contains("at least"), "{}: {error}", method.name),
        }
    }
}

#[test]
fn rows_of_zeros_are_learned() {
    let labels = planted(60).labels().clone();
    let empty = || {
        let mut builder = SparseBuilder::default();
        (0..60).for_each(|_| builder.end_row());
        Matrix::Sparse(builder.finish(3))
    };
    for features in [Matrix::Dense(DenseMatrix::zeros(60, 3)), empty()] {
        let data = dataset(features, labels.clone());
        for method in METHODS {
            let model = fitted(method, &data);
            assert!(model.marginals(&data).unwrap().values().iter().all(|p| p.is_finite()), "{}", method.name);
            assert_eq!(model.predict(&data).unwrap().len(), 60, "{}", method.name);
        }
    }
}

#[test]
fn sparse_features_give_what_dense_ones_give() {
    let (sparse, _) = Planted { rows: 80, labels: 4, density: 0.4, seed: 8, ..Planted::default() }.sample().unwrap();
    let mut cells = DenseMatrix::zeros(80, sparse.features().cols());
    for row in 0..80 {
        sparse.features().visit_row(row, |column, value| cells.row_mut(row)[column] = value);
    }
    let sparse = with_labels(&sparse, sparse.labels().clone());
    let dense = dataset(Matrix::Dense(cells), sparse.labels().clone());
    // Whole M-steps: a Newton step that ends early ends elsewhere in other coordinates.
    let exact = json!({"solver": {"tolerance": 1e-12, "max_iterations": 100}});
    let tight = json!({"features": {"scaling": "none"}, "logistic": exact, "em": exact, "gate": exact});
    for method in METHODS {
        let marginals = |data: &Dataset| {
            let model = try_fit(method, Preset::Default, &known(method, &tight), data).unwrap();
            model.marginals(data).unwrap().into_values()
        };
        for (a, b) in marginals(&sparse).into_iter().zip(marginals(&dense)) {
            assert!((a - b).abs() < 1e-4, "{}: {a} against {b}", method.name);
        }
    }
}

/// Methods that treat all labels alike, or are told the order of a chain.
#[test]
fn permuted_labels_give_permuted_answers() {
    let data = planted(80);
    let place = [2, 0, 3, 1]; // label i of the permuted data is label place[i]
    let permute = |set: &LabelSet| LabelSet::from_bools(&place.map(|label| set.get(label)));
    let data = with_labels(&data, data.labels().clone());
    let moved = with_labels(&data, Labels::new(4, data.labels().sets().iter().map(permute).collect()));
    let orders = [json!({"order": place}), json!({"order": "given"})];
    for method in METHODS.iter().filter(|method| !["auto", "mlme", "stack", "ctbn", "ecc"].contains(&method.name)) {
        let marginals = |data: &Dataset, order: &Value| {
            let model = try_fit(method, Preset::Default, &known(method, order), data).unwrap();
            model.marginals(data).unwrap()
        };
        // The chain 2, 0, 3, 1 of the original labels is 0, 1, 2, 3 of the permuted ones.
        let (before, after) = (marginals(&data, &orders[0]), marginals(&moved, &orders[1]));
        for row in 0..80 {
            for (to, &from) in place.iter().enumerate() {
                let (a, b) = (before.get(row, from), after.get(row, to));
                assert!((a - b).abs() < 1e-4, "{} row {row}: {a} against {b}", method.name);
            }
        }
    }
}

#[test]
fn unknown_cells_are_left_out_or_refused_with_a_remedy() {
    let data = planted(60);
    let mut masks = vec![LabelSet::from_bools(&[true; 4]); 60];
    masks[7].set(2, false);
    let data = with_labels(&data, Labels::with_mask(4, data.labels().sets().to_vec(), masks));
    for method in METHODS {
        match try_fit(method, Preset::Default, &json!({}), &data) {
            Ok(_) => assert!(["auto", "stack", "mlme", "ctbn", "br", "chf"].contains(&method.name), "{}", method.name),
            Err(error) => {
                let text = error.to_string();
                assert!(text.contains(method.name) && text.contains("remove these rows, fill in the cells"), "{text}");
            }
        }
    }
}

#[test]
fn rows_and_labels_of_which_nothing_is_known_are_allowed() {
    let data = planted(60);
    // Row 4 has no known cell, and label 3 none from which to learn.
    let mask = |row: usize| LabelSet::from_bools(&[row != 4, row != 4, row != 4 && !row.is_multiple_of(3), false]);
    let data = with_labels(&data, Labels::with_mask(4, data.labels().sets().to_vec(), (0..60).map(mask).collect()));
    for name in ["auto", "stack", "mlme", "ctbn", "br"] {
        let method = registry::method(name).unwrap();
        let model = fitted(method, &data);
        assert!(model.report().notes.iter().any(|note| note.contains("\"y3\" is unknown in every row")), "{name}");
        assert!(model.marginals(&data).unwrap().values().iter().all(|p| (0.0..=1.0).contains(p)), "{name}");
        // The probability of a partly observed row is the sum over its unknown cells.
        let logs = model.log_prob(&data).unwrap();
        let features = model.encode(&data).unwrap();
        let mut sums = vec![0.0; 60];
        for set in all_sets(4) {
            let each = model.predictor().log_prob(&features, &vec![set.clone(); 60]).unwrap();
            for (row, log) in each.into_iter().enumerate() {
                let agrees = (0..4).all(|label| data.labels().get(row, label).is_none_or(|on| on == set.get(label)));
                sums[row] += if agrees { log.exp() } else { 0.0 };
            }
        }
        assert!(logs.iter().zip(&sums).all(|(log, sum)| (log.exp() - sum).abs() < 1e-9), "{name}");
        assert!(logs[4].abs() < 1e-9, "{name}: a row of which nothing is known is certain");
    }
    let nothing = vec![LabelSet::empty(4); 60];
    let data = with_labels(&data, Labels::with_mask(4, data.labels().sets().to_vec(), nothing));
    for method in METHODS {
        let error = try_fit(method, Preset::Default, &json!({}), &data).unwrap_err().to_string();
        assert!(error.contains("label cells that are known"), "{}: {error}", method.name);
    }
}
