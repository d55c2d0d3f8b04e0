//! Synthetic defects, and the public files that have them.

use std::path::PathBuf;

use super::*;
use crate::formats::{ReadOptions, read};
use crate::{Column, LabelSet, Labels};
use arbormix_base::random::Stream;
use arbormix_matrix::{Matrix, SparseBuilder};

const LABELS: usize = 24;

/// Rows whose words tell their topics: topic t has the features 2t and 2t + 1. In the second half the labels are
/// shifted by `shift`; the first `shift` of them become features, if there are `spare` ones for them.
fn topics(shift: usize, spare: usize) -> Dataset {
    topics_cut(shift, spare, 2000, |topic| 0.05 + 0.2 * ((topic * 7 % 10) as f64 / 10.0))
}

/// The same with the shift from row `cut` on, and topics of given frequencies.
fn topics_cut(shift: usize, spare: usize, cut: usize, frequency: impl Fn(usize) -> f64) -> Dataset {
    let mut stream = Stream::new(3, "topics", 0);
    let (rows, words) = (4000, 2 * LABELS);
    let (mut features, mut sets) = (SparseBuilder::default(), Vec::new());
    for row in 0..rows {
        let on: Vec<bool> = (0..LABELS).map(|t| stream.uniform() < frequency(t)).collect();
        for word in 0..words {
            if stream.uniform() < if on[word / 2] { 0.6 } else { 0.05 } {
                features.push(word, 1.0);
            }
        }
        let moved = if row >= cut { shift } else { 0 };
        // Columns as in the file: spare features, then labels; a shifted row begins earlier.
        for topic in 0..moved.min(spare) {
            if on[topic] {
                features.push(words + spare - moved + topic, 1.0);
            }
        }
        features.end_row();
        sets.push(LabelSet::from_bools(&(0..LABELS).map(|t| on.get(t + moved) == Some(&true)).collect::<Vec<_>>()));
    }
    let columns = (0..words + spare).map(|c| Column::numeric(format!("w{c}"))).collect();
    let names = (0..LABELS).map(|t| format!("t{t}")).collect();
    let features = Matrix::Sparse(features.finish(words + spare));
    Dataset::new("topics", features, columns, Labels::new(LABELS, sets), names).unwrap()
}

#[test]
fn shifted_labels_are_found_with_their_shift() {
    assert_eq!(find(&topics(0, 0)), []);
    let found = find(&topics(3, 3));
    let [Defect::ShiftedLabels { pairs, cut, shift, one_sided, correlation: Some(correlation) }] = found.as_slice()
    else {
        panic!("{found:?}");
    };
    assert_eq!((*shift, *cut), (Some(3), 2000));
    assert!(*correlation < 0.6 && pairs.len() > 10, "{correlation} {pairs:?}");
    let apart = |name: &String| name[1..].parse::<usize>().unwrap();
    assert!(pairs.iter().all(|(a, b)| apart(a).abs_diff(apart(b)) == 3), "{pairs:?}");
    assert_eq!(*one_sided, ["w48", "w49", "w50"]);
    let text = found[0].to_string();
    assert!(text.contains("shifted by 3 columns") && text.contains("may be labels: \"w48\""), "{text}");
}

#[test]
fn a_shift_is_found_at_a_quarter_and_among_labels_sorted_by_frequency() {
    let up_and_down = |topic: usize| 0.1 + 0.2 * ((topic * 7 % 10) as f64 / 10.0);
    for (cut, shift) in [(1000, 3), (3000, 2), (2000, 1)] {
        assert!(matches!(&find(&topics_cut(shift, 0, cut, up_and_down))[..], [Defect::ShiftedLabels { .. }]), "{cut}");
    }
    let falling = |topic: usize| 0.3 - 0.01 * topic as f64;
    for shift in [1, 3] {
        let found = find(&topics_cut(shift, 0, 2000, falling));
        assert!(matches!(&found[..], [Defect::ShiftedLabels { .. }]), "{shift}: {found:?}");
    }
    assert_eq!(find(&topics_cut(0, 0, 2000, falling)), []);
}

#[test]
fn a_file_sorted_by_label_is_no_defect() {
    let data = topics(0, 0);
    let mut order: Vec<usize> = (0..data.rows()).collect();
    order.sort_by_key(|&row| data.labels().row(row).members().next());
    assert_eq!(find(&data.select_rows(&order)), []);
}

/// The topics with one more feature, made from whether a row has label 4.
fn leaking(feature: impl Fn(usize, bool) -> f64) -> Vec<Defect> {
    let data = topics(0, 0);
    let mut features = SparseBuilder::default();
    for row in 0..data.rows() {
        data.features().visit_row(row, |column, value| features.push(column, value));
        features.push(2 * LABELS, feature(row, data.labels().row(row).get(4)));
        features.end_row();
    }
    let mut columns = data.columns().to_vec();
    columns.push(Column::numeric("leak"));
    let features = Matrix::Sparse(features.finish(columns.len()));
    let (labels, names) = (data.labels().clone(), data.label_names().to_vec());
    find(&Dataset::new("leaking", features, columns, labels, names).unwrap())
}

#[test]
fn a_feature_that_copies_a_label_is_found_however_it_is_written() {
    let copy = |exceptions| {
        let (feature, label) = ("leak".to_string(), "t4".to_string());
        vec![Defect::CopiedLabel { feature, label, exceptions }]
    };
    let written: [fn(usize, bool) -> f64; 5] = [
        |_, on| if on { 0.5 } else { 0.0 },
        |_, on| f64::from(!on),
        |_, on| if on { 1.0 } else { -1.0 },
        |_, on| if on { 1.0 } else { 2.0 },
        // A score that is only there for rows with the label.
        |row, on| if on { 0.1 + row as f64 } else { 0.0 },
    ];
    for feature in written {
        assert_eq!(leaking(feature), copy(0));
    }
    assert_eq!(leaking(|row, on| f64::from(on != (row % 1500 == 7))), copy(3));
    assert_eq!(leaking(|row, on| f64::from(on != (row % 50 == 7))), []);
    assert!(copy(3)[0].to_string().contains("in all but 3 rows"));
}

#[test]
fn the_public_files_that_are_defective_are_told_from_the_others() {
    let beside = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data"));
    let folder = std::env::var_os("ARBORMIX_DATA").map_or(beside, PathBuf::from);
    if !folder.is_dir() {
        println!("SKIPPED: no benchmark data in {}; set ARBORMIX_DATA to test with it", folder.display());
        return;
    }
    let defects = |file: &str| find(&read(&folder.join(file), &ReadOptions::default()).unwrap());
    for file in ["emotions.arff", "yeast.arff.gz", "scene.arff.gz", "image.arff.gz", "enron.arff"] {
        assert_eq!(defects(file), [], "{file}");
    }
    for (subset, expected) in [(1, 1), (2, 12), (3, 14), (4, 24), (5, 11)] {
        let repaired = format!("rcv1-repaired/rcv1subset{subset}-repaired-top10.arff.gz");
        assert_eq!(defects(&repaired), [], "{repaired}");
        let top = defects(&format!("rcv1subset{subset}-top10.arff.gz"));
        assert!(matches!(top.as_slice(), [Defect::ShiftedLabels { .. }]), "{subset}: {top:?}");
        let whole = defects(&format!("rcv1subset{subset}.arff.gz"));
        let [Defect::ShiftedLabels { shift, .. }] = whole.as_slice() else { panic!("{subset}: {whole:?}") };
        assert_eq!(*shift, Some(expected), "{subset}");
    }
}
