//! Bad model files, and data that does not fit a model.

use crate::support::{Folder, table};

/// Fails as expected and leaves no other file behind.
fn refused(folder: &Folder, arguments: &str, message: &str) {
    let before = folder.names();
    let ran = folder.run(&format!("{arguments} --quiet"));
    assert_eq!((ran.code, ran.stderr.as_str()), (1, format!("error: {message}\n").as_str()), "arbormix {arguments}");
    assert_eq!(folder.names(), before);
}

/// CRC-32 (IEEE) bit by bit, as the standard defines it.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), step))
}

/// The model with one text replaced by another of the same length, and the checksum to match.
fn patched(bytes: &[u8], old: &str, new: &str) -> Vec<u8> {
    assert_eq!(old.len(), new.len());
    let find = |bytes: &[u8], text: &str| bytes.windows(text.len()).position(|part| part == text.as_bytes()).unwrap();
    let mut out = bytes.to_vec();
    let place = find(&out, old);
    out[place..place + new.len()].copy_from_slice(new.as_bytes());
    let digits = find(&out, "crc32:") + "crc32:".len();
    out[digits..digits + 8].copy_from_slice(b"00000000");
    let checksum = format!("{:08x}", crc32(&out));
    out[digits..digits + 8].copy_from_slice(checksum.as_bytes());
    out
}

#[test]
fn files_that_are_no_models() {
    let folder = Folder::with_model();
    folder.write("empty", "");
    let remedy = "; give a file that `arbormix fit` or Model::save wrote";
    refused(&folder, "inspect empty", &format!("empty: not an arbormix model: the file is empty{remedy}"));
    let start = &table(40, 1)[..24];
    refused(
        &folder,
        "predict train.csv test.csv -o out",
        &format!("train.csv: not an arbormix model: it begins with {start:?}{remedy}"),
    );
    refused(&folder, "inspect none", "none: No such file or directory (os error 2)");
}

#[test]
fn damaged_models() {
    let folder = Folder::with_model();
    let bytes = folder.read("br.model");
    let (all, cut) = (bytes.len(), bytes.len() - 5);
    folder.write("cut", &bytes[..cut]);
    refused(
        &folder,
        "predict cut test.csv -o out",
        &format!("cut: the model file is truncated: it has {cut} of at least {all} bytes; copy it again or fit again"),
    );
    let mut altered = bytes.clone();
    altered[all - 3] ^= 1;
    folder.write("altered", &altered);
    let ran = folder.run("evaluate altered test.csv --quiet");
    let start = "error: altered: the model file was altered after it was written: its checksum is ";
    assert!(ran.code == 1 && ran.stderr.starts_with(start), "{}", ran.stderr);
}

#[test]
fn models_of_other_versions() {
    let folder = Folder::with_model();
    let bytes = folder.read("br.model");
    let version = "\"format_version\":\"2\"";
    assert_eq!(patched(&bytes, version, version), bytes, "the checksum follows the documented rule");
    folder.write("newer", patched(&bytes, version, "\"format_version\":\"7\""));
    refused(
        &folder,
        "inspect newer",
        "newer: the model file has format version 7, written by arbormix 0.1.0; this is arbormix 0.1.0, which reads \
         versions up to 2: use a newer arbormix",
    );
    folder.write("other", patched(&bytes, "\"method\":\"br\"", "\"method\":\"xy\""));
    refused(
        &folder,
        "inspect other",
        "other: the model's method \"xy\" is unknown to arbormix 0.1.0; known: auto, mlme, stack, ctbn, br, cc, pcc, ecc, mlknn, iblr, chf, mmoc, lp",
    );
    let older = patched(&bytes, version, "\"format_version\":\"1\"");
    folder.write("older", patched(&older, "\"method\":\"br\"", "\"method\":\"lp\""));
    refused(
        &folder,
        "inspect older",
        "older: the model file holds lp in format version 1, written by arbormix 0.1.0; this is arbormix 0.1.0, which stores it \
         otherwise: fit again",
    );
}

#[test]
fn data_that_does_not_fit_the_model() {
    let folder = Folder::with_model();
    folder.write("narrow.csv", "size,cat,pet\n0.5,1,1\n");
    refused(
        &folder,
        "predict br.model narrow.csv -o out",
        "the data lacks 1 of the model's 2 features: \"fur\"; features are matched by name",
    );
    folder.write("words.csv", "size,fur,cat,pet\nbig,0.5,1,1\nsmall,0.5,1,1\n");
    refused(
        &folder,
        "predict br.model words.csv -o out",
        "feature \"size\" is numeric in the model but nominal in the data",
    );
    folder.write("unlabelled.csv", "size,fur\n0.5,0.5\n");
    refused(
        &folder,
        "evaluate br.model unlabelled.csv",
        "the data lacks 2 of the model's 2 labels: \"cat\", \"pet\"; labels are matched by name, and one without a known cell counts as lacking",
    );
}

#[test]
fn a_category_that_the_model_has_never_seen() {
    let folder = Folder::new();
    folder.write("p.csv", "kind,cat\nbig,1\nsmall,0\nbig,1\nsmall,1\n");
    folder.succeed("fit p.csv --labels cat --method br -o m");
    folder.write("new.csv", "kind,cat\nbig,1\nhuge,0\n");
    refused(
        &folder,
        "predict m new.csv -o out",
        "feature \"kind\" holds the category \"huge\" in row 1 (counted from 0), which the model has never seen; it knows \
         big, small. Mark the cell as missing, or fit again with such rows",
    );
}

#[test]
fn a_gzip_file_that_is_cut_off() {
    let folder = Folder::new();
    // The header of a gzip file and the beginning of a stored block that promises more than there is.
    folder.write("p.csv.gz", b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x00\x20\x00\xdf\xffsize,cat\n1,1\n");
    let ran = folder.run("describe p.csv.gz --labels cat");
    let start = "error: p.csv.gz: the gzip data is damaged or cut off after line 2 (";
    assert!(ran.code == 1 && ran.stderr.starts_with(start), "{}", ran.stderr);
}

#[test]
fn a_method_without_a_search_takes_no_inference() {
    let folder = Folder::with_model();
    let ran = folder.run("predict br.model test.csv --inference exact");
    let message = "error: --inference exact: BR has only one way of predicting; leave it out\n";
    assert_eq!((ran.code, ran.stderr.as_str()), (2, message));
}
