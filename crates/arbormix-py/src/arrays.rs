//! Arrays to the library's types and back.

use arbormix_data::{LabelSet, Labels};
use arbormix_joint::question::Known;
use arbormix_matrix::{DenseMatrix, Matrix, SparseBuilder};
use numpy::ndarray::IntoDimension;
use numpy::{Element, IntoPyArray, PyArray, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A sparse matrix as scipy stores it: data, indices, indptr, number of columns.
pub(crate) type Csr<'py> = (PyReadonlyArray1<'py, f64>, PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>, usize);

/// Features of either kind.
#[derive(FromPyObject)]
pub(crate) enum Features<'py> {
    Dense(PyReadonlyArray2<'py, f64>),
    Sparse(Csr<'py>),
}

/// The features as a matrix of ours: one copy.
pub(crate) fn matrix(features: &Features<'_>) -> PyResult<Matrix> {
    match features {
        Features::Dense(array) => {
            let [rows, cols] = [array.shape()[0], array.shape()[1]];
            Ok(Matrix::Dense(DenseMatrix::new(rows, cols, cells(array))))
        }
        Features::Sparse((data, indices, starts, cols)) => {
            let (data, indices, starts) = (data.as_slice()?, indices.as_slice()?, starts.as_slice()?);
            let wrong = |what: &str| PyValueError::new_err(format!("sparse features: {what}"));
            if starts.is_empty() || data.len() != indices.len() {
                return Err(wrong("data, indices and indptr do not fit together"));
            }
            let mut builder = SparseBuilder::default();
            for bounds in starts.windows(2) {
                let range = usize::try_from(bounds[0]).ok().zip(usize::try_from(bounds[1]).ok());
                let cells = range.and_then(|(start, end)| Some((indices.get(start..end)?, data.get(start..end)?)));
                let (columns, values) = cells.ok_or_else(|| wrong("indptr points outside of the data"))?;
                let mut last = -1;
                for (&column, &value) in columns.iter().zip(values) {
                    // The library takes ascending columns for granted.
                    if column <= last || usize::try_from(column).is_ok_and(|column| column >= *cols) {
                        return Err(wrong("the columns of a row must ascend and lie within the matrix"));
                    }
                    last = column;
                    builder.push(column as usize, value);
                }
                builder.end_row();
            }
            Ok(Matrix::Sparse(builder.finish(*cols)))
        }
    }
}

/// The number of rows and the cells of a dense array, if they lie in row order.
pub(crate) fn in_row_order<'a>(features: &'a Features<'_>) -> Option<(usize, &'a [f64])> {
    match features {
        Features::Dense(array) if array.is_c_contiguous() => Some((array.shape()[0], array.as_slice().ok()?)),
        _ => None,
    }
}

/// The cells of an array in row order, whatever its memory layout.
fn cells<T: Element + Copy>(array: &PyReadonlyArray2<'_, T>) -> Vec<T> {
    match array.as_slice() {
        Ok(slice) if array.is_c_contiguous() => slice.to_vec(),
        _ => array.as_array().iter().copied().collect(),
    }
}

/// Labels from 1, 0 and −1 for unknown.
pub(crate) fn labels(array: &PyReadonlyArray2<'_, i8>) -> Labels {
    let count = array.shape()[1];
    let cells = cells(array);
    let sets = |is: fn(i8) -> bool| {
        let set = |row: &[i8]| LabelSet::from_bools(&row.iter().map(|&cell| is(cell)).collect::<Vec<_>>());
        match count {
            0 => vec![LabelSet::empty(0); array.shape()[0]],
            _ => cells.chunks_exact(count).map(set).collect::<Vec<_>>(),
        }
    };
    Labels::with_mask(count, sets(|cell| cell > 0), sets(|cell| cell >= 0))
}

/// What is known of each row, from the same.
pub(crate) fn known(array: &PyReadonlyArray2<'_, i8>) -> Vec<Known> {
    let labels = labels(array);
    let row = |row: usize| {
        let cells = (0..labels.count()).filter_map(|label| labels.get(row, label).map(|present| (label, present)));
        cells.fold(Known::nothing(labels.count()), |known, (label, present)| known.with(label, present))
    };
    (0..labels.rows()).map(row).collect()
}

/// A vector as an array of this shape, without a copy.
pub(crate) fn shaped<'py, T: Element, D: IntoDimension + Copy>(
    py: Python<'py>,
    values: Vec<T>,
    shape: D,
) -> PyResult<Bound<'py, PyArray<T, D::Dim>>> {
    values.into_pyarray(py).reshape(shape)
}
