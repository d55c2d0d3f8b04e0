//! What a predictor writes to a model file and reads back from it.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::ModelFileError;
use arbormix_matrix::DenseMatrix;

/// A tensor of f64 with its shape.
#[derive(Debug, Clone, PartialEq)]
pub struct Tensor {
    /// Sizes of its dimensions.
    pub shape: Vec<usize>,
    /// Cells, last dimension fastest.
    pub values: Vec<f64>,
}

/// What a predictor puts into a file: small facts as JSON, numbers as tensors.
///
/// ```
/// use arbormix_learn::store::Stored;
///
/// #[derive(serde::Serialize, serde::Deserialize, PartialEq, Debug)]
/// struct Facts { labels: usize, parents: Vec<Option<usize>> }
///
/// let facts = Facts { labels: 2, parents: vec![None, Some(0)] };
/// let mut stored = Stored::with_facts(&facts);
/// stored.put("weights", &[2, 3], vec![0.5; 6]);
/// assert_eq!(stored.facts_as::<Facts>()?, facts);
/// assert_eq!(stored.tensor("weights", &[2, 3])?.len(), 6);
/// assert!(stored.tensor("weights", &[3, 2]).is_err());
/// # Ok::<(), arbormix_learn::store::ModelFileError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Stored {
    /// Small facts: sizes, tree structures.
    pub facts: serde_json::Value,
    /// Numbers by name.
    pub tensors: BTreeMap<String, Tensor>,
}

impl Stored {
    /// Facts without tensors yet. Numbers that may be NaN or infinite belong into tensors: JSON cannot hold them.
    ///
    /// # Panics
    /// If `facts` has a map with keys that are not strings.
    pub fn with_facts(facts: &impl Serialize) -> Stored {
        let facts = serde_json::to_value(facts).expect("facts are plain data with string keys");
        Stored { facts, tensors: BTreeMap::new() }
    }

    /// The facts as the type they were made from.
    pub fn facts_as<T: DeserializeOwned>(&self) -> Result<T, ModelFileError> {
        T::deserialize(&self.facts)
            .map_err(|e| ModelFileError::Entry { name: "facts".to_string(), message: e.to_string() })
    }

    /// Adds a tensor, last dimension fastest.
    ///
    /// # Panics
    /// If `values` does not fill `shape`, or the name is taken.
    pub fn put(&mut self, name: impl Into<String>, shape: &[usize], values: Vec<f64>) {
        let name = name.into();
        assert_eq!(values.len(), shape.iter().product::<usize>(), "the values of {name} fill its shape {shape:?}");
        let earlier = self.tensors.insert(name, Tensor { shape: shape.to_vec(), values });
        assert!(earlier.is_none(), "every tensor has a name of its own");
    }

    /// Adds a matrix as a tensor of shape rows × columns.
    ///
    /// # Panics
    /// If the name is taken.
    pub fn put_matrix(&mut self, name: impl Into<String>, matrix: &DenseMatrix) {
        self.put(name, &[matrix.rows(), matrix.cols()], matrix.values().to_vec());
    }

    /// Refuses tensors with numbers that are not finite.
    pub fn require_finite(&self) -> Result<(), ModelFileError> {
        match self.tensors.iter().find(|(_, tensor)| tensor.values.iter().any(|value| !value.is_finite())) {
            None => Ok(()),
            Some((name, _)) => {
                let message = "it has a number that is not finite".to_string();
                Err(ModelFileError::Entry { name: name.clone(), message })
            }
        }
    }

    /// The values of a tensor that must be there with this shape.
    pub fn tensor(&self, name: &str, shape: &[usize]) -> Result<&[f64], ModelFileError> {
        let tensor = self.tensors.get(name).ok_or_else(|| ModelFileError::MissingTensor {
            name: name.to_string(),
            present: self.tensors.keys().map(String::as_str).collect::<Vec<_>>().join(", "),
        })?;
        if tensor.shape != shape {
            return Err(ModelFileError::Shape {
                name: name.to_string(),
                expected: shape.to_vec(),
                found: tensor.shape.clone(),
            });
        }
        Ok(&tensor.values)
    }

    /// A tensor that must be there as a rows × columns matrix.
    pub fn matrix(&self, name: &str, rows: usize, cols: usize) -> Result<DenseMatrix, ModelFileError> {
        Ok(DenseMatrix::new(rows, cols, self.tensor(name, &[rows, cols])?.to_vec()))
    }

    /// The part whose tensor names begin with `prefix`, without it, and with facts of its own: one expert of many.
    pub fn part(&self, prefix: &str, facts: serde_json::Value) -> Stored {
        let strip = |(name, tensor): (&String, &Tensor)| Some((name.strip_prefix(prefix)?.to_string(), tensor.clone()));
        Stored { facts, tensors: self.tensors.iter().filter_map(strip).collect() }
    }

    /// Adds the tensors of a part under `prefix`; its facts are returned for the caller to place.
    ///
    /// # Panics
    /// If a name is taken.
    pub fn put_part(&mut self, prefix: &str, part: Stored) -> serde_json::Value {
        for (name, tensor) in part.tensors {
            self.put(format!("{prefix}{name}"), &tensor.shape, tensor.values);
        }
        part.facts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_and_misshapen_tensors_are_named() {
        let mut stored = Stored::default();
        stored.put("weights", &[2, 3], vec![0.0; 6]);
        stored.put("bias", &[2], vec![0.0; 2]);
        assert_eq!(
            stored.tensor("gate", &[1]).unwrap_err().to_string(),
            "the model file lacks the tensor \"gate\"; it has: bias, weights"
        );
        assert_eq!(
            stored.tensor("weights", &[3, 2]).unwrap_err().to_string(),
            "the model file's tensor \"weights\" has shape [2, 3], but the model's sizes demand [3, 2]"
        );
    }

    #[test]
    fn facts_of_the_wrong_form_are_refused() {
        let error = Stored::with_facts(&"three").facts_as::<usize>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "the model file's metadata entry \"facts\" cannot be read: invalid type: string \"three\", expected usize; \
             fit again"
        );
    }

    #[test]
    fn parts_go_in_and_come_out_unchanged() {
        let mut part = Stored::with_facts(&7);
        part.put("weights", &[1, 2], vec![f64::NAN, -0.0]);
        let mut whole = Stored::default();
        let facts = whole.put_part("expert.0.", part.clone());
        whole.put("expert.00.weights", &[1], vec![1.0]);
        let back = whole.part("expert.0.", facts);
        assert_eq!(back.facts, part.facts);
        assert_eq!(back.tensors.keys().collect::<Vec<_>>(), ["weights"]);
        let bits = |stored: &Stored| stored.tensors["weights"].values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&back), bits(&part));
    }
}
