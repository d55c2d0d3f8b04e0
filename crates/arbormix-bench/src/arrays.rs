//! Arrays as others read them: NumPy's .npy files, and digests of the same bytes.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use arbormix_data::Labels;
use arbormix_matrix::Matrix;
use sha2::{Digest, Sha256};

use crate::failure::Result;

/// An array in the bytes of a .npy file.
pub(crate) struct Array {
    /// NumPy's word for the type, little-endian.
    kind: &'static str,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl Array {
    fn new<const W: usize>(kind: &'static str, shape: Vec<usize>, cells: impl Iterator<Item = [u8; W]>) -> Array {
        Array { kind, shape, bytes: cells.flatten().collect() }
    }

    /// Version 1.0 of the format: a header padded to a multiple of 64 bytes, then the cells.
    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        let shape: String = self.shape.iter().map(|size| format!("{size},")).collect();
        let header = format!("{{'descr': '{}', 'fortran_order': False, 'shape': ({shape}), }}", self.kind);
        let before = 10 + header.len() + 1;
        let padding = before.next_multiple_of(64) - before;
        let length = u16::try_from(header.len() + padding + 1)?;
        let mut file = BufWriter::new(File::create(path)?);
        file.write_all(b"\x93NUMPY\x01\x00")?;
        file.write_all(&length.to_le_bytes())?;
        writeln!(file, "{header}{}", " ".repeat(padding))?;
        file.write_all(&self.bytes)?;
        file.flush()?;
        Ok(())
    }
}

/// The arrays of encoded features with their names: one if they are dense, those of CSR if they are sparse.
pub(crate) fn of_features(features: &Matrix) -> Vec<(&'static str, Array)> {
    match features {
        Matrix::Dense(dense) => {
            let cells = dense.values().iter().map(|value| value.to_le_bytes());
            vec![("features", Array::new("<f8", vec![dense.rows(), dense.cols()], cells))]
        }
        Matrix::Sparse(sparse) => {
            let mut starts = vec![0_i64];
            (0..sparse.rows()).fold(0, |at, row| {
                let next = at + sparse.row(row).0.len() as i64;
                starts.push(next);
                next
            });
            let stored = sparse.stored();
            vec![
                ("starts", Array::new("<i8", vec![starts.len()], starts.iter().map(|start| start.to_le_bytes()))),
                ("columns", Array::new("<u4", vec![stored], sparse.columns().iter().map(|c| c.to_le_bytes()))),
                ("values", Array::new("<f8", vec![stored], sparse.values().iter().map(|v| v.to_le_bytes()))),
                ("width", Array::new("<i8", vec![1], std::iter::once((sparse.cols() as i64).to_le_bytes()))),
            ]
        }
    }
}

/// Label cells, N × d, 1 for present.
pub(crate) fn of_labels(labels: &Labels) -> Array {
    let cells = labels.sets().iter().flat_map(|set| set.to_bools()).map(|present| [u8::from(present)]);
    Array::new("|u1", vec![labels.rows(), labels.count()], cells)
}

/// SHA-256 over the cells of some arrays, one after the other.
pub(crate) fn digest<'a>(arrays: impl IntoIterator<Item = &'a Array>) -> String {
    let mut hash = Sha256::new();
    arrays.into_iter().for_each(|array| hash.update(&array.bytes));
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use arbormix_matrix::DenseMatrix;

    use super::*;

    #[test]
    fn the_header_is_what_numpy_writes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npy");
        let features = Matrix::Dense(DenseMatrix::new(2, 1, vec![1.0, -2.0]));
        of_features(&features)[0].1.write(&path).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        // numpy.save of numpy.array([[1.0], [-2.0]]) but for the blank after the comma, which readers do not need.
        assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
        let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        assert_eq!((10 + length) % 64, 0);
        assert!(bytes[10..10 + length].starts_with(b"{'descr': '<f8', 'fortran_order': False, 'shape': (2,1,), }"));
        assert_eq!(bytes[10 + length..], [1.0_f64.to_le_bytes(), (-2.0_f64).to_le_bytes()].concat());
    }
}
