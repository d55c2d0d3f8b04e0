//! How parts put their numbers into a file and get them back.

use arbormix_learn::store::{ModelFileError, Stored, Tensor};
use arbormix_matrix::Columns;
use serde::Serialize;

/// Adds the entries of `facts`, which must be a struct, to the facts of a file.
pub(crate) fn add_facts(file: &mut Stored, facts: &impl Serialize) {
    if let serde_json::Value::Object(entries) = Stored::with_facts(facts).facts {
        entries.into_iter().for_each(|(name, value)| file.facts[name] = value);
    }
}

/// Appends numbers to a tensor of one row.
pub(crate) fn append(file: &mut Stored, name: &str, values: &[f64]) {
    let tensor =
        file.tensors.entry(name.to_string()).or_insert_with(|| Tensor { shape: vec![1, 0], values: Vec::new() });
    tensor.values.extend_from_slice(values);
    tensor.shape[1] = tensor.values.len();
}

/// A tensor of `count` rows of W numbers.
pub(crate) fn rows_of<const W: usize>(
    stored: &Stored,
    name: &str,
    count: usize,
) -> Result<Vec<[f64; W]>, ModelFileError> {
    let values = stored.tensor(name, &[count, W])?;
    Ok(values.chunks_exact(W).map(|row| std::array::from_fn(|j| row[j])).collect())
}

/// A tensor of columns, one after the other.
pub(crate) fn columns(stored: &Stored, name: &str, rows: usize, cols: usize) -> Result<Columns, ModelFileError> {
    let values = stored.tensor(name, &[cols, rows])?;
    let mut out = Columns::zeros(rows, cols);
    out.values_mut().copy_from_slice(values);
    Ok(out)
}
