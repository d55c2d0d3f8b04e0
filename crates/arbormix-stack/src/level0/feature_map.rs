//! The map φ of the features that regressions and gate use: the features themselves, scaled, or Nyström features.

use serde::{Deserialize, Serialize};

use crate::params::{MapParams, StackParams};
use arbormix_joint::Result;
use arbormix_joint::learner::Size;
use arbormix_learn::features::{EIGEN_SECONDS, Nystrom, NystromFacts, NystromParams, scale_to};
use arbormix_learn::store::{ModelFileError, Stored, agree};
use arbormix_matrix::{DenseMatrix, Matrix};

/// A fitted map.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PhiMap {
    features: usize,
    /// Mean and deviation of every feature; none where features are sparse.
    standard: Option<Standard>,
    transform: Transform,
}

#[derive(Debug, Clone, PartialEq)]
struct Standard {
    means: Vec<f64>,
    /// 0 for a constant feature, which becomes 0.
    deviations: Vec<f64>,
}

#[derive(Debug, Clone, PartialEq)]
enum Transform {
    /// The features times a factor.
    Linear(f64),
    Nystrom(Nystrom),
}

/// What the file holds beside the tensors.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct MapFacts {
    features: usize,
    standard: bool,
    nystrom: Option<NystromFacts>,
}

/// One kind of map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MapKind {
    /// Width of the kernel; none: the features alone.
    pub(crate) width: Option<f64>,
    /// Whether the features stay beside Nyström features.
    pub(crate) linear: bool,
}

impl PhiMap {
    /// Fits a map of this kind.
    pub(crate) fn fit(features: &Matrix, kind: MapKind, params: &MapParams, dense: bool, seed: u64) -> Result<PhiMap> {
        let standard = dense.then(|| Standard::fit(features));
        let mut map = PhiMap { features: features.cols(), standard, transform: Transform::Linear(1.0) };
        let prepared = map.prepared(features);
        map.transform = match kind.width {
            None => Transform::Linear(scale_to(params.squared_norm, &prepared)),
            Some(width) => {
                let MapParams { landmarks, components, squared_norm, .. } = *params;
                let nystrom = NystromParams::default()
                    .landmarks(landmarks)
                    .components(components)
                    .width(width)
                    .linear(kind.linear)
                    .squared_norm(squared_norm)
                    .seed(seed);
                Transform::Nystrom(Nystrom::fit(&prepared, &nystrom)?)
            }
        };
        Ok(map)
    }

    /// Number of features that rows must have.
    pub(crate) fn encoded_features(&self) -> usize {
        self.features
    }

    /// Number of features of φ.
    pub(crate) fn feature_count(&self) -> usize {
        match &self.transform {
            Transform::Linear(_) => self.features,
            Transform::Nystrom(nystrom) => nystrom.feature_count(),
        }
    }

    /// φ of rows.
    pub(crate) fn encode(&self, features: &Matrix) -> Matrix {
        let mut prepared = self.prepared(features);
        match &self.transform {
            Transform::Nystrom(nystrom) => nystrom.encode(&prepared),
            Transform::Linear(factor) => {
                let values = match &mut prepared {
                    Matrix::Dense(dense) => dense.values_mut(),
                    Matrix::Sparse(sparse) => sparse.values_mut(),
                };
                values.iter_mut().for_each(|value| *value *= factor);
                prepared
            }
        }
    }

    /// The features as they are, or standardised.
    fn prepared(&self, features: &Matrix) -> Matrix {
        let Some(Standard { means, deviations }) = &self.standard else { return features.clone() };
        let mut out = DenseMatrix::zeros(features.rows(), features.cols());
        for row in 0..features.rows() {
            let cells = out.row_mut(row);
            features.visit_row(row, |column, value| cells[column] = value);
            for (cell, (mean, deviation)) in cells.iter_mut().zip(means.iter().zip(deviations)) {
                *cell = if *deviation > 0.0 { (*cell - mean) / deviation } else { 0.0 };
            }
        }
        Matrix::Dense(out)
    }

    /// Writes the tensors and returns the facts.
    pub(crate) fn put(&self, stored: &mut Stored) -> MapFacts {
        if let Some(Standard { means, deviations }) = &self.standard {
            stored.put("map.means", &[means.len()], means.clone());
            stored.put("map.deviations", &[means.len()], deviations.clone());
        }
        let nystrom = match &self.transform {
            Transform::Linear(factor) => {
                stored.put("map.factor", &[1], vec![*factor]);
                None
            }
            Transform::Nystrom(nystrom) => {
                nystrom.put(stored, "map.nystrom.");
                Some(nystrom.facts())
            }
        };
        MapFacts { features: self.features, standard: self.standard.is_some(), nystrom }
    }

    /// Loads what [`PhiMap::put`] wrote.
    pub(crate) fn load(facts: &MapFacts, stored: &Stored) -> Result<PhiMap, ModelFileError> {
        let tensor = |name: &str| stored.tensor(name, &[facts.features]).map(<[f64]>::to_vec);
        let standard = match facts.standard {
            false => None,
            true => Some(Standard { means: tensor("map.means")?, deviations: tensor("map.deviations")? }),
        };
        let transform = match &facts.nystrom {
            None => Transform::Linear(stored.tensor("map.factor", &[1])?[0]),
            Some(facts) => Transform::Nystrom(Nystrom::load(facts, stored, "map.nystrom.")?),
        };
        if let Transform::Nystrom(nystrom) = &transform {
            agree("features and those of the landmarks", facts.features, nystrom.encoded_features())?;
        }
        Ok(PhiMap { features: facts.features, standard, transform })
    }
}

impl Standard {
    fn fit(features: &Matrix) -> Standard {
        let (rows, cols) = (features.rows().max(1) as f64, features.cols());
        let (mut means, mut squares) = (vec![0.0; cols], vec![0.0; cols]);
        let mut stored = vec![0.0; cols];
        (0..features.rows()).for_each(|row| features.visit_row(row, |column, value| means[column] += value / rows));
        for row in 0..features.rows() {
            features.visit_row(row, |column, value| {
                squares[column] += (value - means[column]) * (value - means[column]);
                stored[column] += 1.0;
            });
        }
        // Cells that are not stored are zeros.
        let deviation = |column: usize| {
            let rest = (rows - stored[column]) * means[column] * means[column];
            let variance = (squares[column] + rest) / rows;
            // The deviation of a constant feature is nothing but rounding.
            if variance.sqrt() > 1e-12 * means[column].abs() { variance.sqrt() } else { 0.0 }
        };
        Standard { deviations: (0..cols).map(deviation).collect(), means }
    }
}

/// Share of the cells that are not zero.
pub(crate) fn density(features: &Matrix) -> f64 {
    let cells = features.rows() * features.cols();
    let mut filled = 0_usize;
    (0..features.rows()).for_each(|row| features.visit_row(row, |_, value| filled += usize::from(value != 0.0)));
    if cells > 0 { filled as f64 / cells as f64 } else { 0.0 }
}

impl StackParams {
    /// Nominal seconds of choosing and fitting the map.
    pub(crate) fn map_seconds(&self, size: &Size) -> f64 {
        let cube = |side: usize| (side as f64).powi(3);
        EIGEN_SECONDS * (5.0 * cube(self.map.choice_landmarks.min(size.rows)) + cube(500.min(size.rows)))
    }
}
