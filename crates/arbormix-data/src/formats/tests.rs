use std::collections::HashSet;
use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::fixture::{Folder, error_of, label_text, labels};
use super::{FORMATS, Format, LabelSource, ReadOptions, read};

const TABLE: &str = "x,y\n1,0\n2,1\n";

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn gzip_is_found_by_its_first_bytes() {
    let folder = Folder::new();
    for name in ["a.csv.gz", "a.csv"] {
        let data = read(&folder.file(name, gzip(TABLE)), &labels("y")).unwrap();
        assert_eq!((data.name(), label_text(&data)), ("a", vec!["0".to_string(), "1".to_string()]));
    }
    // Files of several members, as concatenation makes them.
    let both = [gzip(TABLE), gzip("3,1\n")].concat();
    assert_eq!(read(&folder.file("b.csv.gz", both), &labels("y")).unwrap().rows(), 3);
}

#[test]
fn truncated_gzip_is_refused() {
    // Long and irregular enough that lines come out before the end of the compressed bytes is missed.
    let rows: String =
        (0..60_000_u64).map(|i| format!("{},{}\n", i.wrapping_mul(0x9e37_79b9_7f4a_7c15), i % 2)).collect();
    let whole = gzip(&format!("x,y\n{rows}"));
    for name in ["a.csv.gz", "a.arff.gz", "a.svm.gz"] {
        let message = error_of(name, &whole[..20], &ReadOptions::default());
        assert!(
            message.starts_with(&format!("{name}: the gzip data is damaged or cut off after line 0 (")),
            "{message}"
        );
        assert!(message.ends_with("); fetch or compress the file again"), "{message}");
    }
    let message = error_of("a.csv.gz", &whole[..whole.len() - 9], &labels("y"));
    assert!(message.starts_with("a.csv.gz: the gzip data is damaged or cut off after line "), "{message}");
}

#[test]
fn paths_that_are_no_data_files_are_named() {
    let folder = Folder::new();
    let missing = folder.error("none.arff", &ReadOptions::default());
    assert_eq!(missing, "none.arff: No such file or directory (os error 2)");
    std::fs::create_dir(folder.path("folder.arff")).unwrap();
    let directory = folder.error("folder.arff", &ReadOptions::default());
    assert_eq!(directory, "folder.arff is a directory; give the path of a data file");
    assert_eq!(
        error_of("data.xyz", TABLE, &ReadOptions::default()),
        "data.xyz: the name does not tell the format; name it as `format`: arff, libsvm, xc, csv, tsv, parquet"
    );
    assert_eq!(
        error_of("a.arff", b"@relation r\n@attribute \xe4 numeric\n", &ReadOptions::default()),
        "a.arff, line 2, column 12: the text is not UTF-8; save the file with the encoding UTF-8"
    );
}

#[test]
fn options_without_use_are_refused() {
    let nominal = ReadOptions { nominal: vec!["x".to_string()], ..labels("y") };
    assert_eq!(
        error_of("a.arff", TABLE, &nominal),
        "a.arff: the option `nominal` does not apply to arff files; leave it out"
    );
    let drop = ReadOptions { drop: vec!["z".to_string()], ..labels("y") };
    assert_eq!(
        error_of("a.csv", TABLE, &drop),
        "a.csv: the columns to leave out name \"z\", but the file has only \"x\", \"y\"; check the spelling"
    );
}

#[test]
fn formats_are_known_by_name_and_extension() {
    for (path, format) in [
        ("a.ARFF", Format::ARFF),
        ("a.b.svm.gz", Format::LIBSVM),
        ("a.libsvm", Format::LIBSVM),
        ("train.txt", Format::XC),
        ("a.csv.GZ", Format::CSV),
        ("a.tsv", Format::TSV),
        ("a.parquet", Format::PARQUET),
    ] {
        assert_eq!(Format::from_path(path.as_ref()), Ok(format), "{path}");
        assert_eq!(format.to_string().parse(), Ok(format));
    }
    assert!("xml".parse::<Format>().is_err());
    assert!(Format::from_path("a".as_ref()).is_err());
}

#[test]
fn declarations_are_consistent() {
    let endings: Vec<&str> = FORMATS.iter().flat_map(|format| format.0.endings()).copied().collect();
    let unique: HashSet<&str> = endings.iter().copied().collect();
    assert_eq!(unique.len(), endings.len());
    let known: Vec<&str> = ReadOptions::names().collect();
    for format in FORMATS {
        assert!(format.0.endings().contains(&format.name()), "{format}");
        assert!(format.0.options().iter().all(|option| known.contains(option)), "{format}");
    }
}

#[test]
fn first_bytes_tell_the_format_where_the_name_does_not() {
    let folder = Folder::new();
    let arff = "% a comment\n\n@RELATION 'r: -C 1'\n@attribute y {0,1}\n@attribute x numeric\n@data\n1,2\n";
    let data = read(&folder.file("rows.dat", arff), &ReadOptions::default()).unwrap();
    assert_eq!((data.rows(), data.label_names()), (1, ["y".to_string()].as_slice()));
    for text in ["x,y\n1,1\n", "", "@relatio"] {
        let error = read(&folder.file("rows.dat", text), &ReadOptions::default()).unwrap_err().to_string();
        assert!(error.contains("the name does not tell the format"), "{error}");
    }
    assert!(Format::PARQUET.0.begins(b"PAR1\x15"));
}

#[test]
fn label_arguments() {
    let parse = |text: &str| text.parse::<LabelSource>().map_err(|error| error.to_string());
    let names = |names: &[&str]| Ok(LabelSource::Names(names.iter().map(|name| name.to_string()).collect()));
    assert_eq!(parse("first:6"), Ok(LabelSource::First(6)));
    assert_eq!(parse("last:6"), Ok(LabelSource::Last(6)));
    assert_eq!(parse("6"), Ok(LabelSource::Last(6)));
    assert_eq!(parse("prefix:tag_"), Ok(LabelSource::Prefix("tag_".to_string())));
    assert_eq!(parse("auto"), Ok(LabelSource::Auto));
    assert_eq!(parse("a b,\"c,d\""), names(&["a b", "c,d"]));
    assert_eq!(parse("names:6"), names(&["6"]));
    assert_eq!(parse("-6").unwrap_err(), "parameter labels: -6 is ambiguous; write first:6 or last:6");
    let zero = "parameter labels: \"0\" is not a number of labels; write e.g. first:6 or last:6";
    assert_eq!((parse("0").unwrap_err(), parse("first:0").unwrap_err()), (zero.to_string(), zero.to_string()));
    for text in ["", "a,,b"] {
        let message =
            format!("parameter labels: {text:?} is no list of names; write e.g. cat,dog or last:6 or prefix:tag_");
        assert_eq!(parse(text).unwrap_err(), message);
    }
}
