//! The bytes of a model file.
//!
//! A safetensors file: eight bytes with the length of the header, the header (JSON, padded with spaces to a multiple
//! of eight), the tensors' bytes. The header begins with the metadata map, and that with the checksum, so the first
//! bytes of every model file are the same and the checksum's digits have a fixed place. The checksum is the CRC-32
//! of the whole file with these eight digits read as `00000000`. This much is the same in every version.
//!
//! The header is written here and not by the safetensors crate because that keeps metadata in a hash map, whose order
//! changes from run to run. The crate reads and checks it.

use std::collections::BTreeMap;
use std::ops::Range;

use safetensors::tensor::{Dtype, Metadata, TensorInfo};
use safetensors::{SafeTensorError, SafeTensors};
use serde::Serialize;

use super::{ModelFileError, Tensor};

const LENGTH_BYTES: usize = 8;
const MAGIC: &[u8] = br#"{"__metadata__":{"checksum":"crc32:"#;
const DIGITS: Range<usize> = LENGTH_BYTES + MAGIC.len()..LENGTH_BYTES + MAGIC.len() + 8;
const CHECKSUM: &str = "checksum";
/// The limit of the safetensors format.
const HEADER_LIMIT: usize = 100_000_000;

/// Metadata entries and tensors of a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Container {
    /// Every entry but the checksum, which comes and goes with the bytes.
    pub metadata: BTreeMap<String, String>,
    /// The tensors by name.
    pub tensors: BTreeMap<String, Tensor>,
}

#[derive(Serialize)]
struct Header<'a> {
    #[serde(rename = "__metadata__")]
    metadata: BTreeMap<&'a str, &'a str>,
    #[serde(flatten)]
    tensors: BTreeMap<&'a str, TensorInfo>,
}

impl Container {
    /// The file's bytes; the same contents give the same bytes.
    pub fn to_bytes<'a>(&'a self) -> Result<Vec<u8>, ModelFileError> {
        let mut metadata: BTreeMap<&str, &str> = self.metadata.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        metadata.insert(CHECKSUM, "crc32:00000000");
        let mut end = 0;
        let place = |(name, tensor): (&'a String, &'a Tensor)| {
            let start = end;
            end += tensor.values.len() * size_of::<f64>();
            let info = TensorInfo { dtype: Dtype::F64, shape: tensor.shape.clone(), data_offsets: (start, end) };
            (name.as_str(), info)
        };
        let tensors = self.tensors.iter().map(place).collect();
        let mut header = serde_json::to_vec(&Header { metadata, tensors }).expect("names and numbers are plain data");
        header.resize(header.len().next_multiple_of(LENGTH_BYTES), b' ');
        if header.len() > HEADER_LIMIT {
            return Err(ModelFileError::TooLarge { bytes: header.len(), limit: HEADER_LIMIT });
        }
        let mut bytes = Vec::with_capacity(LENGTH_BYTES + header.len() + end);
        bytes.extend_from_slice(&(header.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&header);
        for value in self.tensors.values().flat_map(|tensor| &tensor.values) {
            bytes.extend_from_slice(&value.to_le_bytes());
        }
        let checksum = checksum(&bytes);
        bytes[DIGITS].copy_from_slice(checksum.as_bytes());
        Ok(bytes)
    }

    /// Reads and checks a file's bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Container, ModelFileError> {
        check_magic(bytes)?;
        check_length(bytes)?;
        let (stored, computed) = (String::from_utf8_lossy(&bytes[DIGITS]).into_owned(), checksum(bytes));
        if stored != computed {
            return Err(ModelFileError::Altered { stored, computed });
        }
        let layout = |e: SafeTensorError| ModelFileError::Layout { message: e.to_string() };
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(layout)?;
        let mut metadata: BTreeMap<String, String> =
            header.metadata().clone().unwrap_or_default().into_iter().collect();
        metadata.remove(CHECKSUM);
        let mut tensors = BTreeMap::new();
        for (name, view) in SafeTensors::deserialize(bytes).map_err(layout)?.tensors() {
            if view.dtype() != Dtype::F64 {
                return Err(ModelFileError::ElementType { name, found: view.dtype().to_string() });
            }
            let (cells, _) = view.data().as_chunks::<{ size_of::<f64>() }>();
            let values = cells.iter().map(|cell| f64::from_le_bytes(*cell)).collect();
            tensors.insert(name, Tensor { shape: view.shape().to_vec(), values });
        }
        Ok(Container { metadata, tensors })
    }
}

/// Whether the bytes begin as every model file does, as far as they go.
fn check_magic(bytes: &[u8]) -> Result<(), ModelFileError> {
    if bytes.is_empty() {
        return Err(ModelFileError::NotAModel { reason: "the file is empty".to_string() });
    }
    let begin = bytes.get(LENGTH_BYTES..).unwrap_or_default();
    let seen = begin.len().min(MAGIC.len());
    if seen == 0 || begin[..seen] != MAGIC[..seen] {
        let start = String::from_utf8_lossy(&bytes[..bytes.len().min(24)]).into_owned();
        return Err(ModelFileError::NotAModel { reason: format!("it begins with {start:?}") });
    }
    Ok(())
}

/// Whether as many bytes are there as the header promises.
fn check_length(bytes: &[u8]) -> Result<(), ModelFileError> {
    let mut length = [0; LENGTH_BYTES];
    length.copy_from_slice(&bytes[..LENGTH_BYTES]);
    let header_end = u64::from_le_bytes(length).saturating_add(LENGTH_BYTES as u64);
    let found = bytes.len() as u64;
    // The digits are part of the header: a shorter one comes from a damaged length and is left to the checksum.
    let needed = header_end.max(DIGITS.end as u64);
    if needed > found {
        return Err(ModelFileError::Truncated { expected: needed, found });
    }
    // A header that cannot be read was altered, which the checksum will say.
    let header = usize::try_from(header_end).ok().and_then(|end| bytes.get(LENGTH_BYTES..end)).unwrap_or_default();
    if let Ok(header) = serde_json::from_slice::<Metadata>(header) {
        let expected = header_end.saturating_add(header.data_len() as u64);
        if expected > found {
            return Err(ModelFileError::Truncated { expected, found });
        }
    }
    Ok(())
}

/// CRC-32 of the bytes with the checksum's own digits read as zeros.
fn checksum(bytes: &[u8]) -> String {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&bytes[..DIGITS.start]);
    hasher.update(b"00000000");
    hasher.update(&bytes[DIGITS.end..]);
    format!("{:08x}", hasher.finalize())
}
