use crate::formats::ReadOptions;
use crate::formats::fixture::{error_of, features, known, label_text, labels, read_text};

fn names(data: &crate::Dataset) -> (String, String) {
    let columns: Vec<&str> = data.columns().iter().map(|column| column.name.as_str()).collect();
    (columns.join(" "), data.label_names().join(" "))
}

#[test]
fn rows_may_lack_labels_or_features_and_labels_sort_as_numbers() {
    let text = "# header\n10,2 1:0.5 3:-1e2 # tail\n 2:1\n2:4 3:1\n2\n";
    let data = read_text("a.svm", text, &ReadOptions::default());
    assert_eq!(names(&data), ("1 2 3".into(), "2 10".into()));
    assert_eq!(features(&data), [[0.5, 0.0, -100.0], [0.0, 1.0, 0.0], [0.0, 4.0, 1.0], [0.0; 3]]);
    assert_eq!(label_text(&data), ["11", "00", "00", "10"]);
    assert!(data.implicit_columns() && data.features().is_sparse());
}

#[test]
fn an_index_0_anywhere_shows_that_features_count_from_0() {
    let data = read_text("a.svm", "1 2:2\n1 1:1 2:3\n1 0:5 2:6\n", &ReadOptions::default());
    assert_eq!(names(&data).0, "0 1 2");
    assert_eq!(features(&data), [[0.0, 0.0, 2.0], [0.0, 1.0, 3.0], [5.0, 0.0, 6.0]]);
    let given = |first| ReadOptions { first_index: Some(first), ..ReadOptions::default() };
    assert_eq!(names(&read_text("a.svm", "1 2:2\n", &given(0))).0, "0 1 2");
    assert_eq!(names(&read_text("a.svm", "1 2:2\n", &given(1))).0, "1 2");
    assert_eq!(
        error_of("a.svm", "1 0:2\n", &given(1)),
        "a.svm, line 1, column 3: the index 0 is out of range; indices go from 1 to 67108863"
    );
    assert_eq!(error_of("a.svm", "1 0:2\n", &given(2)), "parameter first_index = Some(2): must be 0 or 1");
}

#[test]
fn labels_of_a_model_come_first() {
    let data = read_text("a.svm", "7,3 1:1\n 1:2\n", &known(&["5", "3", "cat"]));
    assert_eq!((names(&data).1, label_text(&data)), ("5 3 cat 7".into(), vec!["01?1".into(), "00?0".into()]));
    let unlabelled = read_text("a.svm", "1:1\n1:2\n", &known(&["5", "3"]));
    assert_eq!(label_text(&unlabelled), ["??", "??"]);
    let counted = read_text("a.txt", "1 1 2\n0 0:1\n", &known(&["0", "1", "2"]));
    assert_eq!(label_text(&counted), ["10?"]);
}

#[test]
fn the_repository_format_counts_from_0_and_keeps_what_the_header_promises() {
    let data = read_text("a.txt", "3 4 3\n0,2 0:1 2:0.5\n\n 3:1\n\n", &ReadOptions::default());
    assert_eq!(names(&data), ("0 1 2 3".into(), "0 1 2".into()));
    assert_eq!(features(&data), [[1.0, 0.0, 0.5, 0.0], [0.0; 4], [0.0, 0.0, 0.0, 1.0]]);
    assert_eq!(label_text(&data), ["101", "000", "000"]);
}

#[test]
fn every_error_names_its_place_and_the_remedy() {
    const PAIR: &str = "expected index:value, a whole number and a number, found ";
    const HEADER: &str = "expected the numbers of rows, features and labels (none of them 0 or above 67108864), e.g. 6000 944 101, found ";
    let cases = [
        ("a.svm", "", ": the file is empty; it should begin with a row such as 1,3 2:0.5 7:1".to_string()),
        ("a.svm", "# nothing\n", ": there is no row of data; check that the file is complete".into()),
        ("a.svm", "1:1\n", ": there are no labels: no row has any; write them as the first word of each row, e.g. 1,3 2:0.5".into()),
        ("a.svm", "1 2\n", format!(", line 1, column 3: {PAIR}\"2\"")),
        ("a.svm", "1 2:\n", format!(", line 1, column 3: {PAIR}\"2:\"")),
        ("a.svm", "1 x:2\n", format!(", line 1, column 3: {PAIR}\"x:2\"")),
        ("a.svm", "1 qid:2 1:1\n", format!(", line 1, column 3: {PAIR}\"qid:2\"")),
        ("a.svm", "1 2:x\n", ", line 1, column 5: \"x\" in column \"2\" is not a number; correct it, or write ? if it is missing".into()),
        ("a.svm", "1 2:inf\n", ", line 1, column 5: inf in column \"2\" is not a finite number; mark the cell as missing (? or an empty cell) or remove the row".into()),
        ("a.svm", "1 2:1 2:2\n", ", line 1, column 7: the index 2 occurs a second time in this row; remove one of the two".into()),
        ("a.svm", "1 2:1 1:2\n", ", line 1, column 7: the index 1 comes after 2; sort the indices of each row".into()),
        ("a.svm", "1,é 2:1\n", ", line 1, column 3: expected labels as whole numbers with commas between them, then index:value pairs, found \"é\"".into()),
        ("a.svm", "1 1:1\n\n1 1:1\n", ", line 2, column 1: expected a row (write 1:0 for one without labels and features, or delete the line), found a blank line".into()),
        ("a.svm", "1 99999999999:1\n", ", line 1, column 3: the index 99999999999 is out of range; indices go from 0 to 67108863".into()),
        ("a.txt", "", ": the file is empty; it should begin with the numbers of rows, features and labels (none of them 0 or above 67108864), e.g. 6000 944 101".into()),
        ("a.txt", "3 4\n", format!(", line 1, column 1: {HEADER}\"3 4\"")),
        ("a.txt", "3 4000000000 1\n", format!(", line 1, column 1: {HEADER}\"3 4000000000 1\"")),
        ("a.txt", "3 4 0\n", format!(", line 1, column 1: {HEADER}\"3 4 0\"")),
        ("a.txt", "0 4 3\n", ": there is no row of data; check that the file is complete".into()),
        ("a.txt", "3 4 2\n0 1:1\n1 1:1\n", ": the header promises 3 rows, but the file has 2; correct the header or fetch the file again".into()),
        ("a.txt", "1 4 2\n0 1:1\n1 1:1\n", ": the header promises 1 rows, but the file has 2; correct the header or fetch the file again".into()),
        ("a.txt", "1 4 2\n0 4:1\n", ", line 2, column 3: the index 4 is out of range; indices go from 0 to 3".into()),
        ("a.txt", "1 4 2\n2 1:1\n", ", line 2, column 1: expected a label below the header's number of labels, counted from 0, found 2".into()),
    ];
    for (name, text, message) in cases {
        assert_eq!(error_of(name, text, &ReadOptions::default()), format!("{name}{message}"), "{text}");
    }
    assert_eq!(
        error_of("a.svm", "1 1:1\n", &labels("last:2")),
        "a.svm: the option `labels` does not apply to libsvm files; leave it out"
    );
}
