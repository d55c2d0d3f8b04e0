//! The training rows in the model file: dense rows as one tensor, sparse rows as three.

use serde::{Deserialize, Serialize};

use super::search::Neighbours;
use arbormix_data::LabelSet;
use arbormix_joint::Result;
use arbormix_learn::store::{ModelFileError, Stored};
use arbormix_matrix::{DenseMatrix, Matrix, SparseBuilder};

/// What the file holds beside the tensors.
#[derive(Serialize, Deserialize)]
struct Facts {
    rows: usize,
    features: usize,
    labels: usize,
    neighbours: usize,
    /// Number of stored cells; none when the rows are dense.
    sparse_cells: Option<usize>,
}

impl Neighbours {
    /// Everything a file must hold.
    pub(crate) fn stored(&self) -> Stored {
        let (rows, features, labels) = (self.rows.rows(), self.rows.cols(), self.label_count());
        let sparse_cells = match &self.rows {
            Matrix::Dense(_) => None,
            Matrix::Sparse(sparse) => Some(sparse.stored()),
        };
        let facts = Facts { rows, features, labels, neighbours: self.count, sparse_cells };
        let mut stored = Stored::with_facts(&facts);
        match &self.rows {
            Matrix::Dense(dense) => stored.put_matrix("rows", dense),
            Matrix::Sparse(sparse) => {
                let lengths = (0..rows).map(|row| sparse.row(row).0.len() as f64).collect();
                let columns = sparse.columns().iter().map(|&column| f64::from(column)).collect();
                stored.put("row_lengths", &[rows], lengths);
                stored.put("columns", &[sparse.stored()], columns);
                stored.put("values", &[sparse.stored()], sparse.values().to_vec());
            }
        }
        let present = |set: &LabelSet| set.to_bools().into_iter().map(f64::from).collect::<Vec<_>>();
        stored.put("labels", &[rows, labels], self.labels.iter().flat_map(present).collect());
        stored
    }

    /// Brings back what [`Neighbours::stored`] gave.
    pub(crate) fn load(stored: &Stored) -> Result<Neighbours> {
        let facts: Facts = stored.facts_as()?;
        let wrong = |message: &str| ModelFileError::Entry { name: "facts".to_string(), message: message.to_string() };
        if facts.neighbours == 0 || facts.rows <= facts.neighbours || facts.labels == 0 {
            return Err(wrong("a model of nearest neighbours needs labels and more rows than neighbours").into());
        }
        let rows = match facts.sparse_cells {
            None => Matrix::Dense(stored.matrix("rows", facts.rows, facts.features)?),
            Some(cells) => {
                let lengths = stored.tensor("row_lengths", &[facts.rows])?;
                let columns = stored.tensor("columns", &[cells])?;
                let values = stored.tensor("values", &[cells])?;
                sparse_rows(lengths, columns, values, facts.features)
                    .ok_or_else(|| wrong("the columns of the sparse rows do not ascend within the features"))?
            }
        };
        let present =
            DenseMatrix::new(facts.rows, facts.labels, stored.tensor("labels", &[facts.rows, facts.labels])?.to_vec());
        let set = |row| LabelSet::from_bools(&present.row(row).iter().map(|&on| on == 1.0).collect::<Vec<_>>());
        Ok(Neighbours::of(rows, (0..facts.rows).map(set).collect(), facts.neighbours))
    }
}

/// The rows, or `None` if the numbers are not those of sparse rows.
fn sparse_rows(lengths: &[f64], columns: &[f64], values: &[f64], features: usize) -> Option<Matrix> {
    let mut cells = columns.iter().zip(values);
    let mut builder = SparseBuilder::default();
    for &length in lengths {
        let mut previous = -1.0;
        for (&column, &value) in cells.by_ref().take(length as usize) {
            if column.fract() != 0.0 || column <= previous || column >= features as f64 {
                return None;
            }
            builder.push(column as usize, value);
            previous = column;
        }
        builder.end_row();
    }
    cells.next().is_none().then(|| Matrix::Sparse(builder.finish(features)))
}
