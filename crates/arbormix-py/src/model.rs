//! Fitted models.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use arbormix::{Joint, Model as Fitted};
use arbormix_learn::features::FeatureMap;
use arbormix_matrix::{DenseMatrix, Matrix};
use arbormix_model::scoring::BLOCK;
use numpy::PyReadonlyArray2;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::json;

use crate::arrays::{Features, in_row_order, matrix};
use crate::dataset::{Dataset, NamedColumn, build, named};
use crate::errors::raised;
use crate::questions::Questions;

/// A fitted model.
#[pyclass(frozen, module = "arbormix._core")]
pub(crate) struct Model(Arc<Fitted>);

impl Model {
    pub(crate) fn new(model: Fitted) -> Model {
        Model(Arc::new(model))
    }
}

/// Encodes rows as they lie in memory, some at a time, so that there is no copy of all of them beside the encoded ones.
/// `None`: some cell is refused; the error must count rows from the first, which encoding all of them at once does.
fn encoded_by_blocks(map: &FeatureMap, rows: usize, cells: &[f64]) -> Option<Matrix> {
    let width = cells.len() / rows;
    let mut values = Vec::new();
    for block in cells.chunks(BLOCK * width.max(1)) {
        let raw = Matrix::Dense(DenseMatrix::new(block.len() / width.max(1), width, block.to_vec()));
        let Ok(Matrix::Dense(encoded)) = map.encode_cells(&raw) else { return None };
        values.reserve_exact(if values.is_empty() { rows * encoded.cols() } else { 0 });
        values.extend_from_slice(encoded.values());
    }
    Some(Matrix::Dense(DenseMatrix::new(rows, values.len() / rows, values)))
}

#[pymethods]
impl Model {
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Model> {
        py.detach(|| arbormix::load(&path)).map(Model::new).map_err(raised)
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.0.save(&path)).map_err(raised)
    }

    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Model> {
        py.detach(|| arbormix::from_bytes(bytes)).map(Model::new).map_err(raised)
    }

    /// The bytes of the model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.0.to_bytes()).map_err(raised)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Pickles hold the model file.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.get_type::<Model>().getattr("from_bytes")?, (self.to_bytes(py)?,)))
    }

    #[getter]
    fn method(&self) -> &'static str {
        self.0.method()
    }

    #[getter]
    fn label_names(&self) -> Vec<String> {
        self.0.schema().label_names.clone()
    }

    #[getter]
    fn columns(&self) -> Vec<NamedColumn> {
        self.0.features().columns().iter().map(named).collect()
    }

    /// Parameters, schema, report and notes on the features, as JSON.
    fn describe(&self) -> String {
        let model = &self.0;
        json!({
            "params": model.params(),
            "schema": model.schema(),
            "report": model.report(),
            "choice": model.choice(),
            "feature_notes": model.features().notes(),
        })
        .to_string()
    }

    /// What `log_prob` gives: "distribution", "teacher-forced", "greedy-path", or nothing.
    #[getter]
    fn joint(&self) -> Option<&'static str> {
        match self.0.predictor().joint() {
            Joint::Distribution => Some("distribution"),
            Joint::TeacherForced => Some("teacher-forced"),
            Joint::GreedyPath => Some("greedy-path"),
            Joint::MeanField => Some("mean-field"),
            Joint::None => None,
        }
    }

    /// The parent of every label in every tree.
    #[getter]
    fn trees(&self) -> Vec<Vec<Option<usize>>> {
        self.0.predictor().trees().into_iter().map(|tree| tree.parents().to_vec()).collect()
    }

    /// A data set of rows whose columns are the model's, in its order.
    #[pyo3(signature = (features, labels=None))]
    fn rows(
        &self,
        py: Python<'_>,
        features: Features<'_>,
        labels: Option<PyReadonlyArray2<'_, i8>>,
    ) -> PyResult<Dataset> {
        let columns = self.0.features().columns().to_vec();
        build(py, "rows", &features, columns, labels, self.label_names())
    }

    /// Opens rows for questions; `known` holds 1, 0 and −1 for unknown, rows × labels.
    #[pyo3(signature = (data, known=None))]
    fn ask(&self, py: Python<'_>, data: &Dataset, known: Option<PyReadonlyArray2<'_, i8>>) -> PyResult<Questions> {
        let features = py.detach(|| self.0.encode(&data.0).map(Cow::into_owned)).map_err(raised)?;
        Questions::new(Arc::clone(&self.0), features, known)
    }

    /// Opens cells of the model's columns, in its order, for questions: nothing is matched by name, so that one row
    /// costs little.
    #[pyo3(signature = (features, known=None))]
    fn ask_cells(
        &self,
        py: Python<'_>,
        features: Features<'_>,
        known: Option<PyReadonlyArray2<'_, i8>>,
    ) -> PyResult<Questions> {
        let encoded = match in_row_order(&features) {
            Some((rows, cells)) if rows > BLOCK => py.detach(|| encoded_by_blocks(self.0.features(), rows, cells)),
            _ => None,
        };
        let features = match encoded {
            Some(encoded) => encoded,
            None => {
                let cells = matrix(&features)?;
                py.detach(|| self.0.features().encode_cells(&cells)).map_err(raised)?
            }
        };
        Questions::new(Arc::clone(&self.0), features, known)
    }

    /// Why the model predicts what it does for a row, as JSON.
    fn explain(&self, py: Python<'_>, data: &Dataset, row: usize, features: usize) -> PyResult<String> {
        let why = py.detach(|| self.0.explain(&data.0, row, features)).map_err(raised)?;
        Ok(json!(why).to_string())
    }
}
