//! Data sets.

use std::path::PathBuf;
use std::sync::Arc;

use arbormix_data::formats::{self, Format, LabelSource, ReadOptions};
use arbormix_data::{Column, ColumnKind, Dataset as Data, LabelSet, Labels};
use arbormix_matrix::Matrix;
use numpy::{IntoPyArray, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::arrays::{Features, labels, matrix, shaped};
use crate::errors::raised;

/// A feature column: its name, and its categories unless it is numeric.
pub(crate) type NamedColumn = (String, Option<Vec<String>>);

/// Rows with features and labels.
#[pyclass(frozen, module = "arbormix._core")]
pub(crate) struct Dataset(pub(crate) Arc<Data>);

impl Dataset {
    fn of(data: Data) -> Dataset {
        Dataset(Arc::new(data))
    }
}

#[pymethods]
impl Dataset {
    #[new]
    fn new(
        py: Python<'_>,
        name: &str,
        features: Features<'_>,
        columns: Vec<NamedColumn>,
        labels: Option<PyReadonlyArray2<'_, i8>>,
        label_names: Vec<String>,
    ) -> PyResult<Dataset> {
        let columns = columns.into_iter().map(column).collect();
        build(py, name, &features, columns, labels, label_names)
    }

    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    #[getter]
    fn rows(&self) -> usize {
        self.0.rows()
    }

    #[getter]
    fn columns(&self) -> Vec<NamedColumn> {
        self.0.columns().iter().map(named).collect()
    }

    #[getter]
    fn label_names(&self) -> Vec<String> {
        self.0.label_names().to_vec()
    }

    /// Labels as an array of 1, 0 and −1 for unknown.
    fn labels<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let labels = self.0.labels();
        let cell = |row, label| labels.get(row, label).map_or(-1, i8::from);
        let cells: Vec<i8> =
            (0..labels.rows()).flat_map(|row| (0..labels.count()).map(move |label| cell(row, label))).collect();
        Ok(shaped(py, cells, [labels.rows(), labels.count()])?.into_any())
    }

    /// Features as an array, or as data, indices, indptr and the number of columns if they are sparse.
    fn features<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self.0.features() {
            Matrix::Dense(dense) => Ok(shaped(py, dense.values().to_vec(), [dense.rows(), dense.cols()])?.into_any()),
            Matrix::Sparse(sparse) => {
                let columns: Vec<i64> = sparse.columns().iter().map(|&column| i64::from(column)).collect();
                let mut starts = vec![0_i64];
                for row in 0..sparse.rows() {
                    starts.push(starts[row] + sparse.row(row).0.len() as i64);
                }
                let parts = (
                    sparse.values().to_vec().into_pyarray(py),
                    columns.into_pyarray(py),
                    starts.into_pyarray(py),
                    sparse.cols(),
                );
                Ok(parts.into_pyobject(py)?.into_any())
            }
        }
    }

    fn select_rows(&self, rows: Vec<usize>) -> PyResult<Dataset> {
        if let Some(row) = rows.iter().find(|&&row| row >= self.0.rows()) {
            let message = format!("row {row} of {} rows; the first is row 0", self.0.rows());
            return Err(pyo3::exceptions::PyIndexError::new_err(message));
        }
        Ok(Dataset::of(self.0.select_rows(&rows)))
    }
}

/// A data set from arrays; without labels every cell is unknown.
pub(crate) fn build(
    py: Python<'_>,
    name: &str,
    features: &Features<'_>,
    columns: Vec<Column>,
    known: Option<PyReadonlyArray2<'_, i8>>,
    label_names: Vec<String>,
) -> PyResult<Dataset> {
    let features = matrix(features)?;
    let labels = match known {
        Some(array) => labels(&array),
        None => {
            let nothing = vec![LabelSet::empty(label_names.len()); features.rows()];
            Labels::with_mask(label_names.len(), nothing.clone(), nothing)
        }
    };
    py.detach(|| Data::with_missing(name, features, columns, labels, label_names)).map(Dataset::of).map_err(raised)
}

fn column((name, categories): NamedColumn) -> Column {
    Column { name, kind: categories.map_or(ColumnKind::Numeric, ColumnKind::Nominal) }
}

/// The column as Python sees it.
pub(crate) fn named(column: &Column) -> NamedColumn {
    let categories = match &column.kind {
        ColumnKind::Numeric => None,
        ColumnKind::Nominal(categories) => Some(categories.clone()),
    };
    (column.name.clone(), categories)
}

/// Reads a data file; `labels` is a list of names or a word of the command line's `--labels`.
#[pyfunction]
#[pyo3(signature = (path, format=None, labels=None, xml=None, delimiter=None, positive=None, drop=Vec::new(), nominal=Vec::new(), first_index=None))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments, one per option of the library")]
pub(crate) fn read(
    py: Python<'_>,
    path: PathBuf,
    format: Option<&str>,
    labels: Option<LabelChoice>,
    xml: Option<PathBuf>,
    delimiter: Option<char>,
    positive: Option<String>,
    drop: Vec<String>,
    nominal: Vec<String>,
    first_index: Option<u32>,
) -> PyResult<Dataset> {
    let format = format.map(str::parse::<Format>).transpose().map_err(raised)?;
    let labels = match labels {
        None => LabelSource::Auto,
        Some(LabelChoice::Names(names)) => LabelSource::Names(names),
        Some(LabelChoice::Count(count)) => LabelSource::Last(count),
        Some(LabelChoice::Words(words)) => words.parse().map_err(raised)?,
    };
    let delimiter = delimiter.map(|sign| {
        let refused = format!("delimiter {sign:?}: must be an ASCII character");
        u8::try_from(sign).map_err(|_| pyo3::exceptions::PyValueError::new_err(refused))
    });
    let delimiter = delimiter.transpose()?;
    let options = ReadOptions { format, labels, xml, delimiter, positive, drop, nominal, first_index };
    py.detach(|| formats::read(&path, &options)).map(Dataset::of).map_err(raised)
}

/// Which columns are labels.
#[derive(FromPyObject)]
pub(crate) enum LabelChoice {
    Count(usize),
    Words(String),
    Names(Vec<String>),
}
