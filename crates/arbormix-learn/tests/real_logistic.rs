//! Optima on real data against scikit-learn's (`tests/reference/real_logistic.py`), and the gradient's promise.

// Helpers of tests may unwrap like the tests themselves; clippy only sees the latter as tests.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::path::{Path, PathBuf};

use arbormix_base::progress::Silent;
use arbormix_data::formats::{ReadOptions, read};
use arbormix_learn::features::{FeatureMap, FeatureParams, Scaling};
use arbormix_learn::logistic::{Bias, Design, Problem, SolverParams, solve};
use serde::Deserialize;

#[derive(Deserialize)]
struct Reference {
    datasets: Vec<Expected>,
}

#[derive(Deserialize)]
struct Expected {
    name: String,
    rows: usize,
    features: usize,
    cost: f64,
    labels: Vec<String>,
    objectives: Vec<f64>,
}

/// The folder of benchmark data, if there is one.
fn data_folder() -> Option<PathBuf> {
    let given = std::env::var_os("ARBORMIX_DATA").map(PathBuf::from);
    let folder = given.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"));
    folder.is_dir().then_some(folder)
}

#[test]
fn optima_on_real_data_equal_those_of_scikit_learn() {
    let Some(folder) = data_folder() else {
        println!("skipped: no benchmark data in $ARBORMIX_DATA or ../shared/data");
        return;
    };
    let reference: Reference = serde_json::from_str(include_str!("reference/real_logistic.json")).unwrap();
    for expected in reference.datasets {
        let plain = folder.join(format!("{}.arff", expected.name));
        let path = if plain.exists() { plain } else { folder.join(format!("{}.arff.gz", expected.name)) };
        let data = read(&path, &ReadOptions::default()).unwrap();
        assert_eq!((data.rows(), data.columns().len()), (expected.rows, expected.features));
        let map = FeatureMap::fit(&data, &FeatureParams::default().scaling(Scaling::Minmax)).unwrap();
        let design = Design::new(&map.encode(&data).unwrap(), Bias::Penalised);
        let columns: Vec<Vec<bool>> = expected
            .labels
            .iter()
            .map(|name| data.labels().column(data.label_names().iter().position(|n| n == name).unwrap()))
            .collect();
        let problems: Vec<Problem<'_>> = columns
            .iter()
            .map(|targets| Problem {
                targets,
                weights: None,
                only: None,
                cost: expected.cost,
                start: None,
                coordinates: None,
            })
            .collect();
        let params = SolverParams::default();
        let solutions = solve(&design.block(None, &[]), &problems, &params, &Silent).unwrap();
        for (solution, optimum) in solutions.iter().zip(&expected.objectives) {
            let excess = (solution.objective - optimum) / optimum;
            assert!(solution.converged && excess.abs() <= params.tolerance, "{}: {excess:e}", expected.name);
        }
    }
}
