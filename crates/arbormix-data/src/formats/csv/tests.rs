use crate::ColumnKind;
use crate::formats::ReadOptions;
use crate::formats::fixture::{error_of, features, known, label_text, labels, read_text};

#[test]
fn cells_may_be_quoted_missing_numbers_words_or_labels() {
    let text = "\u{feff}size,\"colour, or so\",empty,cat,dog\r\n\
                0.5,red,,1,true\r\n\r\n 1e3 ,\"dark \"\"red\"\"\",?,No,F\r\nNA,red,NA,YES,\r\n";
    let data = read_text("t.csv", text, &labels("last:2"));
    assert_eq!(data.columns()[1].name, "colour, or so");
    let words = ["red", "dark \"red\""].map(str::to_string).to_vec();
    assert_eq!(data.columns()[1].kind, ColumnKind::Nominal(words));
    let cells = features(&data);
    assert_eq!((cells[0][0], cells[1][0], cells[1][1], cells[2][1]), (0.5, 1000.0, 1.0, 0.0));
    assert!(cells[2][0].is_nan() && cells.iter().all(|row| row[2].is_nan()));
    assert_eq!(label_text(&data), ["11", "00", "1?"]);
}

#[test]
fn a_row_may_be_unusual_anywhere() {
    // The first row tells what columns hold; each of the others but the last leaves the usual form later than the one before.
    let usual = "0.5,2,-3,1,0";
    let others = [
        " 0.5,2,-3,1,0",
        "0.5,2e0,-3,1,0",
        "0.5,2,\"-3\",1,0",
        "0.5,2,-3,yes,0",
        "0.5,2,-3,1,0.0",
        "0.5,2,-3,1,\"0\"",
        usual,
    ];
    let text = format!("a,b,c,x,y\n{usual}\n{}\r\n0.5,2,-3,1,-1\n", others.join("\n"));
    // 0.0 is no 0 that would make -1 doubtful, but the other zeros are.
    let message = error_of("t.csv", &text, &labels("last:2"));
    assert!(message.contains("0 and -1") && message.contains("line 10, column 12"), "{message}");
    let data = read_text("t.csv", &text.replace(",-1\n", ",\n"), &labels("last:2"));
    assert_eq!(features(&data), vec![vec![0.5, 2.0, -3.0]; 9]);
    assert_eq!(label_text(&data)[..8], vec!["10"; 8]);
    assert_eq!(label_text(&data)[8], "1?");
    let minus = "a,y\n1,0.0\n1,1\n1,0.0\n1,-1\n";
    assert_eq!(label_text(&read_text("t.csv", minus, &labels("y"))), ["0", "1", "0", "0"]);
}

#[test]
fn the_delimiter_is_the_one_the_header_has_most_of() {
    for delimiter in [",", ";", "\t", "|"] {
        let text = format!("\"a;b;c,d|e|\"{delimiter}x{delimiter}y\n1{delimiter}2{delimiter}0\n");
        assert_eq!(features(&read_text("t.csv", &text, &labels("y"))), [[1.0, 2.0]], "{delimiter}");
    }
    let colon = ReadOptions { delimiter: Some(b':'), ..labels("y") };
    assert_eq!(features(&read_text("t.csv", "a,b:y\n1:0\n", &colon)), [[1.0]]);
    assert_eq!(features(&read_text("t.tsv", "a,b\ty\n1\t0\n", &labels("y"))), [[1.0]]);
}

#[test]
fn listed_columns_are_nominal_and_others_can_be_left_out() {
    let options = ReadOptions { nominal: vec!["n".into()], drop: vec!["id".into()], ..labels("prefix:y") };
    let data = read_text("t.csv", "id,n,y1,y2\n7,3,0,1\nx,2,1,0\n8,3,0,0\n", &options);
    assert_eq!(data.columns()[0].kind, ColumnKind::Nominal(vec!["3".into(), "2".into()]));
    assert_eq!(
        (features(&data), label_text(&data)),
        (vec![vec![0.0], vec![1.0], vec![0.0]], vec!["01".into(), "10".into(), "00".into()])
    );
}

#[test]
fn labels_of_a_model_may_be_absent() {
    let data = read_text("t.csv", "x,b\n1,1\n2,\n", &known(&["a", "b"]));
    assert_eq!(label_text(&data), ["?1", "??"]);
}

#[test]
fn every_error_names_its_place_and_the_remedy() {
    let cases = [
        ("", "the file is empty; it should begin with a header with the names of the columns", ""),
        ("x,y\n", "there is no row of data; check that the file is complete", ""),
        ("x,z,x,y\n1,2,3,0\n", "the column \"x\" occurs a second time; rename one of the two", ", line 1, column 5"),
        (
            "x,y\n1,0\n\n\n1,0,5\n",
            "this is value 3 of the row, but there are 2 columns; quote values with separators in them",
            ", line 5, column 5",
        ),
        (
            "x,z,y\r\n1,1,0\r\n\"é\",5\r\n",
            "the row ends after 2 values, but there are 3 columns; complete the row, and quote values with separators in them",
            ", line 3, column 5",
        ),
        (
            "x,z,y\n\"a\nb\",1,1\n\"ü\n\",x,1\n",
            "\"x\" is a word, but column \"z\" holds numbers so far; correct the cell, leave it empty if it is missing, or list the column in `nominal` to take all its cells as categories",
            ", line 5, column 3",
        ),
        (
            "x,y\nred,1\n5,1\n",
            "\"5\" is a number, but column \"x\" holds words so far; correct the cell, leave it empty if it is missing, or list the column in `nominal` to take all its cells as categories",
            ", line 3, column 1",
        ),
        (
            "x,y\n1,1\nNaN,1\n",
            "NaN in column \"x\" is not a finite number; mark the cell as missing (? or an empty cell) or remove the row",
            ", line 3, column 1",
        ),
        (
            "x,y\n1,maybe\n",
            "\"maybe\" in the label \"y\" does not say whether the label is present; use 0 and 1 (or no/yes, false/true), or give the word that means present as `positive`",
            ", line 2, column 3",
        ),
        (
            "x,y\n1,1\n1,0\n1,-1\n",
            "\"-1\" in the label \"y\" stands beside 0 and -1 in one label, and one of them may mean unknown; write ? for unknown cells and 0 for absent ones",
            ", line 4, column 3",
        ),
        ("x,z\n1,1\n", "the given labels name \"y\", but the file has only \"x\", \"z\"; check the spelling", ""),
    ];
    for (text, message, place) in cases {
        assert_eq!(error_of("t.csv", text, &labels("y")), format!("t.csv{place}: {message}"), "{text}");
    }
    assert_eq!(
        error_of("t.csv", "x,y\n1,1\n", &ReadOptions::default()),
        "t.csv: there are no labels: nothing in the file says which columns they are; give `labels` as names, first:N, last:N or prefix:P"
    );
    assert_eq!(
        error_of("t.csv", "x,y\n1,1\n", &labels("prefix:tag_")),
        "t.csv: there are no labels: the given labels choose none of the columns \"x\", \"y\""
    );
    assert_eq!(
        error_of("t.csv", b"x,y\n1,1\n2.25,\xff\n", &labels("y")),
        "t.csv, line 3, column 6: the text is not UTF-8; save the file with the encoding UTF-8"
    );
}
