use super::*;
use crate::LabelSet;
use crate::error::Error;
use proptest::prelude::*;

/// Labels of very different frequency, some of them nearly copies of others, some rows without any.
fn uneven_labels(rows: usize, seed: u64) -> Labels {
    let mut stream = Stream::new(seed, "uneven", 0);
    let rates = [0.4, 0.2, 0.1, 0.05, 0.02];
    let sets = (0..rows).map(|_| {
        let mut values: Vec<bool> = rates.iter().map(|&rate| stream.uniform() < rate).collect();
        values.push(values[1] && stream.uniform() < 0.8);
        LabelSet::from_bools(&values)
    });
    Labels::new(6, sets.collect())
}

fn sizes(folds: &Folds) -> Vec<usize> {
    (0..folds.count()).map(|fold| folds.test(fold).len()).collect()
}

/// Mean over labels and folds of |positives in the fold − its fair share|, in rows.
fn unevenness(labels: &Labels, folds: &Folds) -> f64 {
    let mut total = 0.0;
    for label in 0..labels.count() {
        let column = labels.column(label);
        let positives = column.iter().filter(|&&on| on).count() as f64;
        for fold in 0..folds.count() {
            let test = folds.test(fold);
            let share = positives * test.len() as f64 / labels.rows() as f64;
            total += (test.iter().filter(|&&row| column[row]).count() as f64 - share).abs();
        }
    }
    total / (labels.count() * folds.count()) as f64
}

#[test]
fn stratified_folds_spread_labels_more_evenly_than_shuffled_ones() {
    for seed in 0..5 {
        let labels = uneven_labels(600, seed);
        let plain = unevenness(&labels, &Folds::shuffled(600, 10, seed).unwrap());
        let stratified = unevenness(&labels, &Folds::stratified(&labels, 10, seed).unwrap());
        assert!(stratified < 1.0 && stratified < 0.5 * plain, "{stratified} against {plain}");
    }
}

#[test]
fn rows_without_labels_are_spread() {
    let mut sets = vec![LabelSet::from_bools(&[true]); 20];
    sets.extend(vec![LabelSet::empty(1); 20]);
    let folds = Folds::stratified(&Labels::new(1, sets), 4, 3).unwrap();
    for fold in 0..4 {
        let empty = folds.test(fold).into_iter().filter(|&row| row >= 20).count();
        assert_eq!((folds.test(fold).len(), empty), (10, 5));
    }
}

#[test]
fn a_rare_label_reaches_as_many_folds_as_it_has_rows() {
    let mut sets = vec![LabelSet::from_bools(&[true, false]); 97];
    sets.extend(vec![LabelSet::from_bools(&[true, true]); 3]);
    let folds = Folds::stratified(&Labels::new(2, sets), 3, 1).unwrap();
    let mut of_rare = folds.ids()[97..].to_vec();
    of_rare.sort_unstable();
    assert_eq!(of_rare, [0, 1, 2]);
}

#[test]
fn the_seed_decides_everything() {
    let labels = uneven_labels(100, 1);
    assert_eq!(Folds::shuffled(100, 5, 1).unwrap(), Folds::shuffled(100, 5, 1).unwrap());
    assert_ne!(Folds::shuffled(100, 5, 1).unwrap(), Folds::shuffled(100, 5, 2).unwrap());
    assert_eq!(Folds::stratified(&labels, 5, 1).unwrap(), Folds::stratified(&labels, 5, 1).unwrap());
    assert_ne!(Folds::stratified(&labels, 5, 1).unwrap(), Folds::stratified(&labels, 5, 2).unwrap());
    assert_ne!(holdout(100, 0.3, 1), holdout(100, 0.3, 2));
    assert_ne!(stratified_holdout(&labels, 0.3, 1), stratified_holdout(&labels, 0.3, 2));
}

#[test]
fn holdout_keeps_proportions_and_extremes_are_defined() {
    let labels = uneven_labels(500, 4);
    let (train, test) = stratified_holdout(&labels, 0.3, 4);
    assert_eq!((train.len(), test.len()), (350, 150));
    for label in 0..labels.count() {
        let count = |part: &[usize]| part.iter().filter(|&&row| labels.row(row).get(label)).count() as f64;
        assert!((count(&test) - 0.3 * (count(&train) + count(&test))).abs() < 2.0);
    }
    let lengths = |rows, fraction| {
        let (train, test) = holdout(rows, fraction, 0);
        (train.len(), test.len())
    };
    assert_eq!(lengths(3, 0.01), (2, 1));
    assert_eq!(lengths(3, 0.99), (1, 2));
    assert_eq!(lengths(1, 0.7), (0, 1));
    assert_eq!(lengths(0, 0.5), (0, 0));
    assert_eq!((lengths(4, f64::NAN), lengths(4, -1.0), lengths(4, 7.0)), ((4, 0), (4, 0), (0, 4)));
}

#[test]
fn impossible_numbers_of_folds_are_refused() {
    let message = |result: Result<Folds>| result.unwrap_err().to_string();
    assert_eq!(message(Folds::shuffled(5, 1, 0)), "parameter folds = 1: must be at least 2");
    let few = "rows, one per fold: 3 found, at least 4 needed; use fewer folds";
    assert_eq!(message(Folds::shuffled(3, 4, 0)), few);
    assert_eq!(message(Folds::stratified(&uneven_labels(3, 0), 4, 0)), few);
}

#[test]
fn fold_files_are_read_and_their_faults_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("folds.txt");
    let read = |text: &str, rows| {
        std::fs::write(&path, text).unwrap();
        Folds::from_file(&path, rows)
    };
    assert_eq!(read("1\r\n0\r\n 2 \r\n0\r\n\r\n", 4).unwrap().ids(), [1, 0, 2, 0]);
    let fault = |text, rows| match read(text, rows).unwrap_err() {
        Error::Data(DataError::Folds { message }) => message.split_once("folds.txt: ").unwrap().1.to_string(),
        other => panic!("{other}"),
    };
    assert_eq!(fault("0\n1\n", 3), "2 lines for 3 rows of data; one fold id per row is needed");
    assert_eq!(fault("0\nx\n1\n", 3), "line 2 is \"x\", not a fold id (a whole number from 0)");
    assert_eq!(fault("0\n\n1\n", 3), "line 2 is \"\", not a fold id (a whole number from 0)");
    assert_eq!(fault("0\n-1\n1\n", 3), "line 2 is \"-1\", not a fold id (a whole number from 0)");
    let gap = "line 2 names fold 3, but no line names fold 1; ids run from 0 to k - 1 without gaps";
    assert_eq!(fault("0\n3\n3\n", 3), gap);
    assert_eq!(fault("0\n0\n", 2), "every one of its 2 lines names the same fold; at least 2 folds are needed");
    assert_eq!(fault("", 2), "0 lines for 2 rows of data; one fold id per row is needed");
    assert!(matches!(Folds::from_file(&folder.path().join("none.txt"), 2), Err(Error::File(_))));
}

proptest! {
    #[test]
    fn folds_partition_the_rows(rows in 2_usize..80, k in 2_usize..12, seed: u64) {
        prop_assume!(k <= rows);
        let labels = uneven_labels(rows, seed);
        for folds in [Folds::shuffled(rows, k, seed).unwrap(), Folds::stratified(&labels, k, seed).unwrap()] {
            let sizes = sizes(&folds);
            prop_assert_eq!(sizes.iter().sum::<usize>(), rows);
            prop_assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1, "{:?}", sizes);
            for fold in 0..k {
                let mut all = folds.train(fold);
                all.extend(folds.test(fold));
                all.sort_unstable();
                prop_assert!(all.into_iter().eq(0..rows));
            }
        }
    }

    #[test]
    fn holdouts_partition_the_rows(rows in 0_usize..60, fraction in 0.0..1.0, seed: u64) {
        let labels = uneven_labels(rows, seed);
        let plain = holdout(rows, fraction, seed);
        let stratified = stratified_holdout(&labels, fraction, seed);
        prop_assert_eq!(plain.1.len(), stratified.1.len());
        for (mut train, test) in [plain, stratified] {
            train.extend(test);
            train.sort_unstable();
            prop_assert!(train.into_iter().eq(0..rows));
        }
    }
}
