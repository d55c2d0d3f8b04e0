//! The benchmark files, when they are there: their figures are published, so no reader of ours made them.

use std::path::PathBuf;

use super::{ReadOptions, read};
use crate::describe::describe;

/// Name, rows, features, labels, label cardinality, distinct label sets.
const FIGURES: [(&str, usize, usize, usize, f64, usize); 15] = [
    ("emotions.arff", 593, 72, 6, 1.869, 27),
    ("yeast.arff.gz", 2417, 103, 14, 4.237, 198),
    ("scene.arff.gz", 2407, 294, 6, 1.074, 15),
    ("image.arff.gz", 2000, 135, 5, 1.236, 20),
    ("enron.arff", 1702, 1001, 53, 3.378, 753),
    ("rcv1subset1-top10.arff.gz", 6000, 8394, 10, 1.313, 69),
    ("rcv1subset2-top10.arff.gz", 6000, 8304, 10, 1.206, 70),
    ("rcv1subset3-top10.arff.gz", 6000, 8328, 10, 1.219, 74),
    ("rcv1subset4-top10.arff.gz", 6000, 8332, 10, 1.216, 79),
    ("rcv1subset5-top10.arff.gz", 6000, 8367, 10, 1.310, 76),
    ("rcv1subset1.arff.gz", 6000, 47236, 101, 2.880, 1028),
    ("rcv1subset2.arff.gz", 6000, 47236, 101, 2.634, 954),
    ("rcv1subset3.arff.gz", 6000, 47236, 101, 2.614, 939),
    ("rcv1subset4.arff.gz", 6000, 47229, 101, 2.484, 816),
    ("rcv1subset5.arff.gz", 6000, 47235, 101, 2.642, 946),
];

/// Rows of the top-10 files without any of the ten labels.
const WITHOUT_LABELS: [usize; 5] = [817, 748, 835, 616, 811];

fn folder() -> Option<PathBuf> {
    let beside = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data"));
    let folder = std::env::var_os("ARBORMIX_DATA").map_or(beside, PathBuf::from);
    let there = folder.is_dir();
    if !there {
        println!("SKIPPED: no benchmark data in {}; set ARBORMIX_DATA to test with it", folder.display());
    }
    there.then_some(folder)
}

#[test]
fn benchmark_files_have_their_published_figures() {
    let Some(folder) = folder() else { return };
    for (file, rows, features, labels, cardinality, distinct) in FIGURES {
        let data = read(&folder.join(file), &ReadOptions::default()).unwrap();
        let found = describe(&data);
        assert_eq!((found.rows, found.features, found.labels), (rows, features, labels), "{file}");
        // Not half a unit of the last digit: emotions has 1108 / 593 = 1.86847, which is published as 1.869.
        let deviation = (found.label_cardinality - cardinality).abs();
        assert!(deviation < 0.001, "{file}: {}", found.label_cardinality);
        assert_eq!(found.distinct_label_sets, distinct, "{file}");
        assert_eq!((found.missing_cells, found.unknown_labels), (0, 0), "{file}");
        let is_rcv1 = file.starts_with("rcv1");
        assert_eq!(found.sparse, is_rcv1 || file == "enron.arff", "{file}");
        assert_eq!(found.nominal_features, if file == "enron.arff" { 1001 } else { 0 });
        if is_rcv1 {
            assert!((29..=41).contains(&found.repeated_features), "{file}: {}", found.repeated_features);
        }
        if let Some(subset) = file.strip_suffix("-top10.arff.gz").and_then(|name| name.strip_prefix("rcv1subset")) {
            assert_eq!(found.rows_without_labels, WITHOUT_LABELS[subset.parse::<usize>().unwrap() - 1], "{file}");
        }
    }
}

#[test]
fn rows_of_repaired_files_have_at_most_norm_one() {
    let Some(folder) = folder() else { return };
    for subset in 1..=5 {
        let file = format!("rcv1-repaired/rcv1subset{subset}-repaired-top10.arff.gz");
        let data = read(&folder.join(&file), &ReadOptions::default()).unwrap();
        assert_eq!((data.rows(), data.labels().count()), (6000, 10), "{file}");
        // Features were scaled to norm 1 before the rare ones were removed.
        for row in 0..data.rows() {
            let mut square = 0.0;
            data.features().visit_row(row, |_, value| square += value * value);
            assert!(square < 1.001, "{file}, row {row}: {square}");
        }
    }
}
