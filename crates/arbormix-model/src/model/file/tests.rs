use super::*;
use crate::testing::METHODS;
use arbormix_joint::learner::FitReport;

/// A container as `pack` would make it, of a method that the registry does not have.
fn foreign() -> Container {
    let entries = [("crate_version", "9.8.7"), ("format", FORMAT), ("format_version", "1"), ("method", "oracle")];
    let metadata = entries.map(|(name, text)| (name.to_string(), text.to_string())).into();
    let values = vec![1.0, -0.0, f64::NAN, f64::NEG_INFINITY, 5e-324, f64::MAX];
    let tensors = BTreeMap::from([
        ("Weights".to_string(), Tensor { shape: vec![2, 3], values }),
        ("empty".to_string(), Tensor { shape: vec![0, 4], values: Vec::new() }),
    ]);
    Container { metadata, tensors }
}

fn message(bytes: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file.model");
    std::fs::write(&path, bytes).unwrap();
    let text = load(&path, &METHODS).unwrap_err().to_string();
    let (start, rest) = text.split_at(path.display().to_string().len());
    assert_eq!(start, path.display().to_string());
    rest.to_string()
}

/// CRC-32 (IEEE) bit by bit, as the standard defines it.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), step))
}

#[test]
fn every_bit_of_every_number_comes_back() {
    let container = foreign();
    let back = Container::from_bytes(&container.to_bytes().unwrap()).unwrap();
    assert_eq!(back.metadata, container.metadata);
    assert_eq!(back.tensors.keys().collect::<Vec<_>>(), container.tensors.keys().collect::<Vec<_>>());
    for (name, tensor) in &container.tensors {
        assert_eq!(back.tensors[name].shape, tensor.shape);
        let bits = |tensor: &Tensor| tensor.values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&back.tensors[name]), bits(tensor));
    }
}

#[test]
fn the_bytes_are_fixed_and_the_checksum_is_the_standard_one() {
    let bytes = foreign().to_bytes().unwrap();
    let header = concat!(
        r#"{"__metadata__":{"checksum":"crc32:00000000","crate_version":"9.8.7","format":"arbormix-model","#,
        r#""format_version":"1","method":"oracle"},"#,
        r#""Weights":{"dtype":"F64","shape":[2,3],"data_offsets":[0,48]},"#,
        r#""empty":{"dtype":"F64","shape":[0,4],"data_offsets":[48,48]}}"#
    );
    let padded = header.len().next_multiple_of(8);
    assert_eq!(bytes[..8], (padded as u64).to_le_bytes());
    assert_eq!(bytes.len(), 8 + padded + 48);
    assert_eq!(bytes[8 + padded..8 + padded + 8], 1.0_f64.to_le_bytes());
    let digits = 8 + header.find("00000000").unwrap();
    let mut zeroed = bytes.clone();
    zeroed[digits..digits + 8].copy_from_slice(b"00000000");
    assert_eq!(zeroed[8..8 + header.len()], *header.as_bytes());
    assert_eq!(String::from_utf8_lossy(&bytes[digits..digits + 8]), format!("{:08x}", crc32(&zeroed)));
}

#[test]
fn files_that_are_something_else_are_named_as_such() {
    let remedy = "; give a file that `arbormix fit` or Model::save wrote";
    assert_eq!(message(b""), format!(": not an arbormix model: the file is empty{remedy}"));
    assert_eq!(
        message(b"@relation photos\n@attribute size numeric\n"),
        format!(": not an arbormix model: it begins with \"@relation photos\\n@attrib\"{remedy}")
    );
    let other = safetensors::serialize(Vec::<(String, safetensors::tensor::TensorView<'_>)>::new(), None).unwrap();
    assert_eq!(
        message(&other),
        format!(": not an arbormix model: it begins with \"\\u{{8}}\\0\\0\\0\\0\\0\\0\\0{{}}      \"{remedy}")
    );
    let mut container = foreign();
    container.metadata.insert("format".to_string(), "other-model".to_string());
    assert_eq!(
        message(&container.to_bytes().unwrap()),
        format!(": not an arbormix model: its format is \"other-model\"{remedy}")
    );
}

#[test]
fn a_file_cut_anywhere_is_truncated() {
    let bytes = foreign().to_bytes().unwrap();
    let total = bytes.len();
    for length in 9..total {
        let expected = if length < total - 48 { total - 48 } else { total };
        assert_eq!(
            message(&bytes[..length]),
            format!(
                ": the model file is truncated: it has {length} of at least {expected} bytes; copy it again or fit again"
            )
        );
    }
    for length in 1..9 {
        assert!(message(&bytes[..length]).starts_with(": not an arbormix model: "), "{length}");
    }
}

#[test]
fn no_changed_byte_goes_unnoticed() {
    let bytes = foreign().to_bytes().unwrap();
    for place in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[place] ^= 0x10;
        let error = Container::from_bytes(&changed).unwrap_err();
        let known = match error {
            ModelFileError::Altered { .. } => true,
            // The length of the header, the magic, and sizes in the header speak for themselves.
            ModelFileError::NotAModel { .. } | ModelFileError::Truncated { .. } => place < bytes.len() - 48,
            _ => false,
        };
        assert!(known, "byte {place}: {error}");
    }
    let mut longer = bytes.clone();
    longer.push(0);
    let stored = String::from_utf8_lossy(&bytes[43..51]).into_owned();
    let text = message(&longer);
    assert!(
        text.starts_with(&format!(
            ": the model file was altered after it was written: its checksum is {stored}, its contents give "
        )),
        "{text}"
    );
}

#[test]
fn newer_versions_unknown_methods_and_missing_entries_are_named() {
    let with = |name: &str, text: Option<&str>| {
        let mut container = foreign();
        container.metadata.remove(name);
        if let Some(text) = text {
            container.metadata.insert(name.to_string(), text.to_string());
        }
        message(&container.to_bytes().unwrap())
    };
    assert_eq!(
        with("format_version", Some("3")),
        ": the model file has format version 3, written by arbormix 9.8.7; this is arbormix 0.1.0, which reads versions \
         up to 2: use a newer arbormix"
    );
    assert_eq!(
        with("format_version", Some("two")),
        ": the model file's metadata entry \"format_version\" cannot be read: expected ident at line 1 column 2; \
         fit again"
    );
    assert_eq!(with("format", None), ": the model file lacks the metadata entry \"format\"; fit again");
    let known = METHODS.iter().map(|method| method.name).collect::<Vec<_>>().join(", ");
    assert_eq!(
        with("format", Some(FORMAT)),
        format!(": the model's method \"oracle\" is unknown to arbormix 0.1.0; known: {known}")
    );
}

#[test]
fn tensors_of_other_types_are_refused() {
    let mut bytes = foreign().to_bytes().unwrap();
    let header = String::from_utf8_lossy(&bytes).find("F64").unwrap();
    let place = String::from_utf8_lossy(&bytes[..header]).len();
    bytes[place..place + 3].copy_from_slice(b"I64");
    bytes[43..51].copy_from_slice(b"00000000");
    let checksum = format!("{:08x}", crc32(&bytes));
    bytes[43..51].copy_from_slice(checksum.as_bytes());
    assert_eq!(message(&bytes), ": the model file's tensor \"Weights\" holds I64; arbormix stores F64 only");
}

#[test]
fn numbers_that_json_cannot_hold_are_refused_at_writing() {
    let mut report = FitReport { converged: true, ..FitReport::default() };
    assert!(entry("report", &report).is_ok());
    report.trace.push(arbormix_joint::learner::TraceStep {
        experts: 1,
        iteration: 0,
        log_likelihood: f64::NEG_INFINITY,
        penalised: 0.0,
        validation: None,
    });
    assert_eq!(
        entry("report", &report).unwrap_err().to_string(),
        "the model cannot be written: its report would not be read back unchanged; does it hold NaN or infinity?"
    );
}

#[test]
fn a_missing_file_is_named() {
    let error = load(Path::new("no/such/model"), &[]).unwrap_err().to_string();
    assert!(error.starts_with("no/such/model: "), "{error}");
}
