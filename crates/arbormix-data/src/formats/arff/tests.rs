use crate::ColumnKind;
use crate::formats::fixture::{Folder, error_of, features, known, label_text, labels, read_text};
use crate::formats::{ReadOptions, read};

const DENSE: &str = "% a comment\r\n\
    @RELATION 'two words'\r\n\
    @Attribute size REAL\r\n\
    @attribute 'it\\'s \"100%\"' {small, 'very big',\"x\\\\y\"}\r\n\
    @attribute\tcat\t{YES,NO}\r\n\
    @attribute dog numeric % also a label\r\n\
    \r\n\
    @DATA\r\n\
    0.5,  small,YES, 1\r\n\
    % a comment between rows\r\n\
    -1e-3,'very big',NO,0 % and behind one\r\n\
    ?\t\"x\\\\y\"\tNO\t?\r\n";

#[test]
fn dense_rows_with_quotes_comments_tabs_and_line_ends() {
    let data = read_text("a.arff", DENSE, &labels("cat,dog"));
    assert_eq!(data.name(), "a");
    assert_eq!(data.columns()[1].name, "it's \"100%\"");
    let categories = ["small", "very big", "x\\y"].map(str::to_string).to_vec();
    assert_eq!(data.columns()[1].kind, ColumnKind::Nominal(categories));
    let cells = features(&data);
    assert_eq!(cells[..2], [vec![0.5, 0.0], vec![-1e-3, 1.0]]);
    assert!(cells[2][0].is_nan() && cells[2][1] == 2.0);
    assert_eq!(label_text(&data), ["11", "00", "0?"]);
    assert!(!data.features().is_sparse());
}

#[test]
fn a_row_may_be_unusual_anywhere() {
    let header =
        "@relation r\n@attribute n numeric\n@attribute c {r,g}\n@attribute m numeric\n@attribute y {0,1}\n@data\n";
    let sparse = [
        "{0 2,1 g,2 -0.5,3 1}",
        "{0 2,2 -0.5,1 g,3 1}",
        "{0 2, 1 g, 2 -0.5, 3 1}",
        "{0 2,1 'g',2 -5e-1,3 1}",
        "{0 2,1 g,2 -0.5,3\t1 } % last",
    ];
    let dense = ["2,g,-0.5,1", "2 ,g,-0.5,1", "2,g -0.5,1", "2,'g',-5e-1,1", "2,g,-0.5,1 % last"];
    for rows in [sparse, dense] {
        let data = read_text("a.arff", &format!("{header}{}\n", rows.join("\n")), &labels("y"));
        assert_eq!(features(&data), [[2.0, 1.0, -0.5]; 5]);
        assert_eq!(label_text(&data), ["1"; 5]);
    }
}

#[test]
fn a_row_may_end_with_a_number() {
    let header = "@relation r\n@attribute y {0,1}\n@attribute n numeric\n@attribute m numeric\n@data\n";
    let data = read_text("a.arff", &format!("{header}1,2,-0.5\n0,.25,3 % last\n1,4,5."), &labels("y"));
    assert_eq!(features(&data), [[2.0, -0.5], [0.25, 3.0], [4.0, 5.0]]);
    assert_eq!(label_text(&data), ["1", "0", "1"]);
    for (row, column) in [("1,2", 4), ("1", 2)] {
        let error = error_of("a.arff", format!("{header}{row}\n"), &labels("y"));
        assert!(error.starts_with(&format!("a.arff, line 6, column {column}: the row ends after")), "{error}");
    }
    let error = error_of("a.arff", format!("{header}1,2,3,\n"), &labels("y"));
    assert!(error.starts_with("a.arff, line 6, column 7: expected a value"), "{error}");
}

#[test]
fn an_omitted_nominal_has_its_first_category() {
    let text = "@relation r\n@attribute n numeric\n@attribute c {red,green,blue}\n\
                @attribute a {1,0}\n@attribute b {0,1}\n@data\n{}\n{3 1, 2 0,0 2.5}\n{1 blue,2 ?}\n{ 1 green , 3 1 }\n";
    let data = read_text("a.arff", text, &labels("last:2"));
    assert!(data.features().is_sparse());
    assert_eq!(label_text(&data), ["10", "01", "?0", "11"]);
    assert_eq!(features(&data), [[0.0, 0.0], [2.5, 0.0], [0.0, 2.0], [0.0, 1.0]]);
}

#[test]
fn cells_of_the_usual_form_and_others_are_read_alike() {
    let header = "@relation r\n@attribute n numeric\n@attribute c {a,1}\n@attribute y {0,1}\n@data\n";
    let dense = "1.5,1,0\n 1.5 , '1' ,0\n+15e-1,\"1\",0\n1.5\t1 0 % usual\n";
    let sparse = "{0 1.5,1 1}\n{ 0 '1.5' , 1 '1' }\n{0\t+15e-1, 1\t1}\n{00 1.50,1 1,2 0}\n";
    for rows in [dense, sparse] {
        let data = read_text("a.arff", &format!("{header}{rows}"), &labels("y"));
        assert_eq!(features(&data), vec![vec![1.5, 1.0]; 4], "{rows}");
    }
    // What only begins like a usual cell is an error at its own place.
    for (row, column, word) in [
        ("1.5x,1,0", 1, "1.5x"),
        ("1.5%,1,0", 1, "1.5%"),
        ("1,10,0", 3, "10"),
        ("1,1%,0", 3, "1%"),
        ("{0 1.5.2}", 4, "1.5.2"),
        ("{1 10}", 4, "10"),
        ("{1x 1}", 2, "1x"),
    ] {
        let message = error_of("a.arff", format!("{header}{row}\n"), &labels("y"));
        assert!(message.starts_with(&format!("a.arff, line 6, column {column}: ")), "{message}");
        assert!(message.contains(&format!("{word:?}")), "{message}");
    }
}

#[test]
fn labels_come_from_the_xml_in_the_order_of_the_attributes() {
    let folder = Folder::new();
    let rows = "@relation r\n@attribute x numeric\n@attribute 'a&b' {0,1}\n@attribute c {0,1}\n@data\n1,1,0\n";
    let xml = "<?xml version=\"1.0\"?>\n<labels xmlns=\"http://mulan.sourceforge.net/labels\">\n\
               <label name=\"c\"><label name='a&amp;b'/></label></labels>";
    folder.file("n.xml", xml);
    let path = folder.file("n.arff", rows);
    let data = read(&path, &ReadOptions::default()).unwrap();
    assert_eq!((data.label_names(), label_text(&data)), (&["a&b".to_string(), "c".to_string()][..], vec!["10".into()]));
    let other = folder.file("other.xml", "<labels><label name=\"c\"></label></labels>");
    let data = read(&path, &ReadOptions { xml: Some(other), ..ReadOptions::default() }).unwrap();
    assert_eq!(data.label_names(), ["c"]);
}

#[test]
fn labels_come_from_the_meka_header() {
    let text = |relation: &str| {
        format!(
            "@relation {relation}\n@attribute a {{0,1}}\n@attribute b numeric\n@attribute c {{0,1}}\n@data\n1,0,0\n"
        )
    };
    let names = |relation| read_text("a.arff", &text(relation), &ReadOptions::default()).label_names().to_vec();
    assert_eq!(names("'Music: -C 1 -S 7'"), ["a"]);
    assert_eq!(names("\"Music:-C -2\""), ["b", "c"]);
    assert_eq!(names("Music: -C -1"), ["c"]);
    let auto = ReadOptions::default();
    assert_eq!(
        error_of("a.arff", text("'Music: -C x'"), &auto),
        "a.arff, line 1, column 11: expected a number of labels after -C (n: the first n attributes, -n: the last n), \
         found \"x\""
    );
    assert_eq!(
        error_of("a.arff", text("'Music: -C 4'"), &auto),
        "a.arff: the -C option in @relation and its number ask for 4 labels, but there are only 3 columns; \
         give a smaller number"
    );
    assert_eq!(
        error_of("a.arff", text("Music"), &auto).replace(std::env::temp_dir().to_str().unwrap(), ""),
        "a.arff: there are no labels: there is no a.xml and no `-C n` in @relation; put the XML there, or give `labels` \
         as names, first:N, last:N or prefix:P"
    );
}

#[test]
fn known_labels_keep_their_order_and_may_be_absent() {
    let data = read_text("a.arff", DENSE, &known(&["dog", "mouse", "cat"]));
    assert_eq!(
        (data.label_names().join(" "), label_text(&data)),
        ("dog mouse cat".into(), vec!["1?1".into(), "0?0".into(), "??0".into()])
    );
    assert_eq!(data.columns().len(), 2);
}

#[test]
fn columns_can_be_left_out() {
    let text = "@relation r\n@attribute id string\n@attribute when date 'yyyy'\n@attribute x numeric\n\
                @attribute y {0,1}\n@data\n'a, b',2020,3,1\n";
    let drop = vec!["id".to_string(), "when".to_string()];
    let data = read_text("a.arff", text, &ReadOptions { drop, ..labels("y") });
    assert_eq!((features(&data), data.columns()[0].name.as_str()), (vec![vec![3.0]], "x"));
}

#[test]
fn every_error_names_its_place_and_the_remedy() {
    const HEAD: &str = "@relation r\n@attribute x numeric\n@attribute c {a,b}\n@attribute y {0,1}\n";
    let head = |declaration: &str| format!("@relation r\n@attribute {declaration}\n@attribute y {{0,1}}\n@data\n1,1\n");
    let row = |row: &str| format!("{HEAD}@data\n1,a,0\n{row}\n");
    let sparse = |row: &str| format!("{HEAD}@data\n{{0 1}}\n{row}\n");
    let cases = [
        (String::new(), "the file is empty; it should begin with @relation and @attribute lines", ""),
        (
            HEAD.to_string(),
            "expected @data and rows (the file was probably cut off), found the end of the file",
            ", line 4, column 1",
        ),
        (format!("{HEAD}@data\n% none\n"), "there is no row of data; check that the file is complete", ""),
        ("@relation r\n@data\n".into(), "expected an @attribute first, found @data", ", line 2, column 1"),
        ("1,2,3\n".into(), "expected @relation, @attribute or @data, found \"1\"", ", line 1, column 1"),
        (
            head("'x numeric"),
            "expected the closing quote in the same line (write a quote inside a name as \\' or \\\"), found the end of the line",
            ", line 2, column 12",
        ),
        (
            head("x"),
            "expected a type: numeric, real, integer or a list of categories in braces (a name with blanks in it must be quoted), found the end of the line",
            ", line 2, column 13",
        ),
        (
            head("my x numeric"),
            "expected a type: numeric, real, integer or a list of categories in braces (a name with blanks in it must be quoted), found \"x\"",
            ", line 2, column 15",
        ),
        (
            head("x {a,b"),
            "expected a category, or } at the end of the list, found the end of the line",
            ", line 2, column 18",
        ),
        (head("x {a,a}"), "the category \"a\" occurs a second time; rename one of the two", ", line 2, column 17"),
        (head("y numeric"), "the attribute \"y\" occurs a second time; rename one of the two", ", line 3, column 1"),
        (
            head("x string"),
            "\"x\" has the type string, which is neither numeric nor nominal; turn it into numbers or categories, or leave it out (list it in `drop`)",
            ", line 2, column 14",
        ),
        (
            head("x DATE 'yyyy'"),
            "\"x\" has the type date, which is neither numeric nor nominal; turn it into numbers or categories, or leave it out (list it in `drop`)",
            ", line 2, column 14",
        ),
        (
            head("x relational"),
            "\"x\" has the type relational, which is neither numeric nor nominal; write each of its parts as an attribute of its own",
            ", line 2, column 14",
        ),
        (
            row("1,a"),
            "the row ends after 2 values, but there are 3 columns; complete the row, and quote values with separators in them",
            ", line 7, column 4",
        ),
        (
            row("1,a,0,7"),
            "this is value 4 of the row, but there are 3 columns; quote values with separators in them",
            ", line 7, column 7",
        ),
        (
            row("1,a,0,"),
            "expected a value (write ? for a missing one), found the end of the line",
            ", line 7, column 7",
        ),
        (row("1,,0"), "expected a value (write ? for a missing one), found \",0\"", ", line 7, column 3"),
        (
            row("1,a,0,{2}"),
            "the row has an instance weight, which would be lost; remove the {…} at the end of the rows",
            ", line 7, column 7",
        ),
        (
            row("1,c,0"),
            "\"c\" is not a category of \"c\", which has \"a\", \"b\"; correct it, or write ? if it is missing",
            ", line 7, column 3",
        ),
        (
            row("1,a,2"),
            "\"2\" is not a category of \"y\", which has \"0\", \"1\"; correct it, or write ? if it is missing",
            ", line 7, column 5",
        ),
        (
            row("é,a,0"),
            "\"é\" in column \"x\" is not a number; correct it, or write ? if it is missing",
            ", line 7, column 1",
        ),
        (
            row(" nan,a,0"),
            "nan in column \"x\" is not a finite number; mark the cell as missing (? or an empty cell) or remove the row",
            ", line 7, column 2",
        ),
        (
            row("1e999,a,0"),
            "1e999 in column \"x\" is not a finite number; mark the cell as missing (? or an empty cell) or remove the row",
            ", line 7, column 1",
        ),
        (
            row("{0 1}"),
            "expected a row of the same form as the first one (all rows dense, or all sparse in braces), found \"{0\"",
            ", line 7, column 1",
        ),
        (sparse("{3 1}"), "the index 3 is out of range; indices go from 0 to 2", ", line 7, column 2"),
        (
            sparse("{2 1,0 1,2 0}"),
            "the index 2 occurs a second time in this row; remove one of the two",
            ", line 7, column 10",
        ),
        (sparse("{-1 1}"), "expected the index of an attribute, counted from 0, found \"-1\"", ", line 7, column 2"),
        (sparse("{0 1"), "expected a comma or } after the value, found the end of the line", ", line 7, column 5"),
        (sparse("{0}"), "expected a value after the index, found \"}\"", ", line 7, column 3"),
        (
            sparse("{0 1},{5}"),
            "the row has an instance weight, which would be lost; remove the {…} at the end of the rows",
            ", line 7, column 7",
        ),
        (sparse("{0 1} 5"), "expected the end of the line after }, found \"5\"", ", line 7, column 7"),
    ];
    for (text, message, place) in cases {
        assert_eq!(error_of("a.arff", &text, &labels("y")), format!("a.arff{place}: {message}"), "{text}");
    }
}

#[test]
fn label_words_that_say_nothing_are_refused() {
    let text = |words: &str| format!("@relation r\n@attribute x numeric\n@attribute y {words}\n@data\n1,ill\n2,well\n");
    assert_eq!(
        error_of("a.arff", text("{well,ill}"), &labels("y")),
        "a.arff, line 3, column 14: \"well\", \"ill\" in the label \"y\" does not say whether the label is present; use 0 \
         and 1 (or no/yes, false/true), or give the word that means present as `positive`"
    );
    let positive = ReadOptions { positive: Some("ill".to_string()), ..labels("y") };
    assert_eq!(label_text(&read_text("a.arff", &text("{well,ill}"), &positive)), ["1", "0"]);
    assert_eq!(
        error_of("a.arff", text("{well,ill,dead}"), &positive),
        "a.arff, line 3, column 14: \"well\", \"ill\", \"dead\" in the label \"y\" is a further word in a label that has its \
         two; a label is either present or absent"
    );
    assert_eq!(
        error_of("a.arff", text("numeric").replace("ill", "0").replace("well", "3"), &labels("y")),
        "a.arff, line 6, column 3: \"3\" in the label \"y\" does not say whether the label is present; use 0 and 1 (or \
         no/yes, false/true), or give the word that means present as `positive`"
    );
    let inverted = ReadOptions { positive: Some("no".to_string()), ..labels("y") };
    assert_eq!(
        error_of("a.arff", text("{yes,no}"), &inverted),
        "parameter positive = Some(\"no\"): this word means absent; rename it in the file"
    );
}

#[test]
fn wrong_label_files_are_refused() {
    let rows = "@relation r\n@attribute x numeric\n@attribute y {0,1}\n@data\n1,1\n";
    let error = |xml: &str| {
        let folder = Folder::new();
        folder.file("n.arff", rows);
        folder.file("n.xml", xml);
        folder.error("n.arff", &ReadOptions::default())
    };
    const LOOKS: &str = "; a label file looks like <labels><label name=\"…\"></label></labels>";
    for (xml, message) in [
        ("<labels>\n <label/></labels>", "line 2, column 2: a <label> has no attribute `name`"),
        ("<labels>\n</labels>", "line 2, column 10: the file names no label"),
        ("<html></html>", "line 1, column 1: expected <labels>, found <html>"),
        ("<labels><x/></labels>", "line 1, column 9: expected <label>, found <x>"),
        ("<labels>\nhello</labels>", "line 1, column 9: expected a tag, found text"),
        ("<labels><label name=\"y\">", "line 1, column 25: the file ends inside <labels>"),
        ("", "line 1, column 1: the file names no label"),
    ] {
        assert_eq!(error(xml), format!("n.xml, {message}{LOOKS}"), "{xml}");
    }
    assert_eq!(
        error("<labels><label name=\"z\"/></labels>"),
        "n.arff: the labels of n.xml name \"z\", but the file has only \"x\", \"y\"; check the spelling"
    );
    assert_eq!(
        error("<labels><label name=\"y\"/><label name=\"y\"/></labels>"),
        "n.xml, line 1, column 26: the label \"y\" occurs a second time; rename one of the two"
    );
    assert!(error("<labels><label name=\"y\"></labels>").starts_with("n.xml, line 1, column 25: "));
}

/// The header counts the columns of the file, whichever of them are left out.
#[test]
fn a_dropped_label_of_a_meka_file_leaves_the_features_as_they_are() {
    let text = "@relation 'few: -C -2'\n@attribute x numeric\n@attribute z {0,1}\n@attribute a {0,1}\n@attribute b {0,1}\n\
                @data\n0.5,1,1,0\n1.5,0,0,1\n";
    let data = read_text("a.arff", text, &ReadOptions { drop: vec!["a".to_string()], ..ReadOptions::default() });
    assert_eq!((data.label_names(), data.columns().len()), (&["b".to_string()][..], 2));
}
