//! The extension module `arbormix._core`: the library with Python's types, and nothing else.
//!
//! Labels are arrays of int8: 1 present, 0 absent, −1 unknown. Parameters, reports and explanations travel as JSON.
//! What people call is the Python package `arbormix` (`python/arbormix`), which is built on this.

mod arrays;
mod comparing;
mod dataset;
mod errors;
mod fitting;
mod measuring;
mod methods;
mod model;
mod questions;
mod watching;

use pyo3::prelude::*;

#[pymodule]
mod _core {
    #[pymodule_export]
    use crate::comparing::{cell, compared};
    #[pymodule_export]
    use crate::dataset::{Dataset, read};
    #[pymodule_export]
    use crate::fitting::{UnitHelper, fit};
    #[pymodule_export]
    use crate::measuring::{evaluate, shuffled_folds, stratified_folds, stratified_holdout};
    #[pymodule_export]
    use crate::methods::methods;
    #[pymodule_export]
    use crate::model::Model;
    #[pymodule_export]
    use crate::questions::{Questions, questions};

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
