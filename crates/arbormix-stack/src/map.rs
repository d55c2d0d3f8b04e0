//! The map φ of the features that regressions and gate see, and its choice.

use serde::{Deserialize, Serialize};

use super::params::MapParams;
use arbormix_base::paired;
use arbormix_base::progress::Progress;
use arbormix_base::random::Stream;
use arbormix_data::splits::holdout;
use arbormix_joint::Result;
use arbormix_learn::features::{Nystrom, NystromFacts, NystromParams, scale_to};
use arbormix_learn::logistic::loss::log_probability;
use arbormix_learn::logistic::{Bias, Coefficients, Design, LOG_FLOOR, Problem, SolverParams, solve};
use arbormix_learn::store::{ModelFileError, Stored, agree};
use arbormix_matrix::{DenseMatrix, Matrix};

/// Share of the rows that the choice holds out.
const HELD_OUT: f64 = 0.2;
/// Labels that the choice looks at: hundreds agree on what a few dozen say.
const CHOICE_LABELS: usize = 64;

/// A fitted map.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Map {
    features: usize,
    /// Mean and deviation of every feature; none where features are sparse.
    standard: Option<Standard>,
    kind: Kind,
}

#[derive(Debug, Clone, PartialEq)]
struct Standard {
    means: Vec<f64>,
    /// 0 for a constant feature, which becomes 0.
    deviations: Vec<f64>,
}

#[derive(Debug, Clone, PartialEq)]
enum Kind {
    /// The features times a factor.
    Linear(f64),
    Nystrom(Nystrom),
}

/// What the file holds beside the tensors.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Facts {
    features: usize,
    standard: bool,
    nystrom: Option<NystromFacts>,
}

/// One way to map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Candidate {
    /// Width of the kernel; none: the features alone.
    width: Option<f64>,
    /// Whether the features stay beside Nyström features.
    linear: bool,
}

impl std::fmt::Display for Candidate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.width {
            None => write!(f, "the features alone"),
            Some(width) if self.linear => write!(f, "Nyström features of width {width} beside the features"),
            Some(width) => write!(f, "Nyström features of width {width}"),
        }
    }
}

/// Labels of the rows to choose with.
pub(crate) struct Choice<'a> {
    pub(crate) features: &'a Matrix,
    /// One column per label.
    pub(crate) labels: &'a [Vec<bool>],
    pub(crate) weights: Option<&'a [f64]>,
    pub(crate) solver: SolverParams,
    pub(crate) seed: u64,
}

impl Choice<'_> {
    /// Fits the map whose regressions predict held-out labels best; gives it with the reason.
    pub(crate) fn map(&self, params: &MapParams, progress: &dyn Progress) -> Result<(Map, Vec<String>)> {
        let dense = density(self.features) >= params.dense_from;
        let (candidates, mut notes) = self.candidates(params, dense);
        let mut best = candidates[0];
        if candidates.len() > 1 {
            progress.begin("choosing the features", candidates.len());
            let rows = self.some_rows(params.choice_rows);
            let sample = self.features.select_rows(&rows);
            let small = params
                .clone()
                .landmarks(params.landmarks.min(params.choice_landmarks))
                .components(params.components.min(params.choice_landmarks));
            let mut scores = Vec::with_capacity(candidates.len());
            for &candidate in &candidates {
                progress.check()?;
                let mapped = Map::fit(&sample, candidate, &small, dense, self.seed)?.encode(&sample);
                scores.push(self.score(&mapped, &rows, params.choice_cost, progress)?);
                progress.advance(1);
            }
            let place = paying(&scores, params.clear_lead);
            best = candidates[place];
            let others = scores[0].mean() - scores[place].mean();
            let than = if place > 0 { format!("; {:.3} more than the features alone", -others) } else { String::new() };
            notes.push(format!(
                "regressions and gate see {best}: log-likelihood {:.3} per held-out row and up to {CHOICE_LABELS} labels{than}",
                scores[place].mean()
            ));
        }
        Ok((Map::fit(self.features, best, params, dense, self.seed)?, notes))
    }

    fn candidates(&self, params: &MapParams, dense: bool) -> (Vec<Candidate>, Vec<String>) {
        let alone = Candidate { width: None, linear: false };
        let landmarks = params.landmarks.min(self.features.rows());
        if params.widths.is_empty() {
            return (vec![alone], Vec::new());
        }
        if landmarks * self.features.cols() > params.landmark_cells {
            let note = format!(
                "no Nyström features: {landmarks} landmarks of {} features are more than {} numbers (map.landmark_cells)",
                self.features.cols(),
                params.landmark_cells
            );
            return (vec![alone], vec![note]);
        }
        let nystrom = |&width: &f64| Candidate { width: Some(width), linear: false };
        let middle = nystrom(&params.widths[params.widths.len() / 2]);
        let all = if dense {
            let beside = Candidate { linear: true, ..middle };
            std::iter::once(alone).chain(params.widths.iter().map(nystrom)).chain([beside]).collect()
        } else {
            vec![alone, middle]
        };
        (all, Vec::new())
    }

    /// All rows, or as many of them as are allowed, at random.
    fn some_rows(&self, most: usize) -> Vec<usize> {
        let mut rows = Stream::new(self.seed, "map-rows", 0).permutation(self.features.rows());
        rows.truncate(most);
        rows.sort_unstable();
        rows
    }

    /// The labels of these rows, one column per label; of many, those that tell most rows apart.
    fn telling_labels(&self, rows: &[usize]) -> Vec<Vec<bool>> {
        let pick = |column: &Vec<bool>| rows.iter().map(|&row| column[row]).collect::<Vec<bool>>();
        let columns: Vec<Vec<bool>> = self.labels.iter().map(pick).collect();
        let rarer = |column: &Vec<bool>| {
            let present = column.iter().filter(|&&on| on).count();
            present.min(column.len() - present)
        };
        let mut order: Vec<(usize, usize)> = columns.iter().map(rarer).zip(0..).collect();
        order.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        order.truncate(CHOICE_LABELS);
        let mut chosen: Vec<usize> = order.into_iter().map(|(_, label)| label).collect();
        chosen.sort_unstable();
        chosen.into_iter().map(|label| columns[label].clone()).collect()
    }

    /// Log-likelihoods of the held-out rows' labels, each label by itself.
    fn score(&self, mapped: &Matrix, rows: &[usize], cost: f64, progress: &dyn Progress) -> Result<Score> {
        let (train, held) = holdout(rows.len(), HELD_OUT, self.seed);
        let design = Design::new(mapped, Bias::Penalised);
        let labels = self.telling_labels(rows);
        let weights: Option<Vec<f64>> = self.weights.map(|weights| rows.iter().map(|&row| weights[row]).collect());
        let weights_of = weights.as_deref();
        let problem =
            |targets| Problem { targets, weights: weights_of, only: None, cost, start: None, coordinates: None };
        let problems: Vec<Problem<'_>> = labels.iter().map(|targets| problem(targets.as_slice())).collect();
        let solutions = solve(&design.block(Some(&train), &[]), &problems, &self.solver.for_selection(), progress)?;
        let coefficients: Vec<&Coefficients> = solutions.iter().map(|solution| &solution.coefficients).collect();
        let margins = design.block(Some(&held), &[]).margins(&coefficients);
        let mut score = Score { logs: Vec::with_capacity(held.len()), weights: Vec::with_capacity(held.len()) };
        for (local, &row) in held.iter().enumerate() {
            let logs = labels.iter().enumerate();
            let of = |(label, values): (usize, &Vec<bool>)| log_probability(margins.get(local, label), values[row]);
            score.logs.push(logs.map(|pair| of(pair).max(LOG_FLOOR)).sum::<f64>());
            score.weights.push(weights.as_ref().map_or(1.0, |weights| weights[row]));
        }
        Ok(score)
    }
}

/// How a map's regressions did on the held-out rows.
struct Score {
    logs: Vec<f64>,
    weights: Vec<f64>,
}

impl Score {
    fn mean(&self) -> f64 {
        let mass: f64 = self.weights.iter().sum();
        let sum: f64 = self.logs.iter().zip(&self.weights).map(|(log, weight)| log * weight).sum();
        if mass > 0.0 { sum / mass } else { 0.0 }
    }
}

/// The best of the maps that pay: that are ahead of the first, the features alone, by so many standard errors. If none is, the
/// first.
fn paying(scores: &[Score], clear_lead: f64) -> usize {
    let pays = |score: &Score| {
        let gains: Vec<f64> = score.logs.iter().zip(&scores[0].logs).map(|(own, plain)| own - plain).collect();
        paired::lead(&gains, |row| score.weights[row]) >= clear_lead
    };
    let places = (1..scores.len()).filter(|&place| pays(&scores[place]));
    places.fold(0, |best, next| if best == 0 || scores[next].mean() > scores[best].mean() { next } else { best })
}

impl Map {
    fn fit(features: &Matrix, candidate: Candidate, params: &MapParams, dense: bool, seed: u64) -> Result<Map> {
        let standard = dense.then(|| Standard::fit(features));
        let mut map = Map { features: features.cols(), standard, kind: Kind::Linear(1.0) };
        let prepared = map.prepared(features);
        map.kind = match candidate.width {
            None => Kind::Linear(scale_to(params.squared_norm, &prepared)),
            Some(width) => {
                let MapParams { landmarks, components, squared_norm, .. } = *params;
                let nystrom = NystromParams::default()
                    .landmarks(landmarks)
                    .components(components)
                    .width(width)
                    .linear(candidate.linear)
                    .squared_norm(squared_norm)
                    .seed(seed);
                Kind::Nystrom(Nystrom::fit(&prepared, &nystrom)?)
            }
        };
        Ok(map)
    }

    /// Number of features that rows must have.
    pub(crate) fn encoded_features(&self) -> usize {
        self.features
    }

    /// Number of features that the map gives.
    pub(crate) fn feature_count(&self) -> usize {
        match &self.kind {
            Kind::Linear(_) => self.features,
            Kind::Nystrom(nystrom) => nystrom.feature_count(),
        }
    }

    /// φ of rows.
    pub(crate) fn encode(&self, features: &Matrix) -> Matrix {
        let mut prepared = self.prepared(features);
        match &self.kind {
            Kind::Nystrom(nystrom) => nystrom.encode(&prepared),
            Kind::Linear(factor) => {
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

    /// Adds the tensors; gives the facts.
    pub(crate) fn put(&self, stored: &mut Stored) -> Facts {
        if let Some(Standard { means, deviations }) = &self.standard {
            stored.put("map.means", &[means.len()], means.clone());
            stored.put("map.deviations", &[means.len()], deviations.clone());
        }
        let nystrom = match &self.kind {
            Kind::Linear(factor) => {
                stored.put("map.factor", &[1], vec![*factor]);
                None
            }
            Kind::Nystrom(nystrom) => {
                nystrom.put(stored, "map.nystrom.");
                Some(nystrom.facts())
            }
        };
        Facts { features: self.features, standard: self.standard.is_some(), nystrom }
    }

    /// Brings back what [`Map::put`] gave.
    pub(crate) fn load(facts: &Facts, stored: &Stored) -> Result<Map, ModelFileError> {
        let tensor = |name: &str| stored.tensor(name, &[facts.features]).map(<[f64]>::to_vec);
        let standard = match facts.standard {
            false => None,
            true => Some(Standard { means: tensor("map.means")?, deviations: tensor("map.deviations")? }),
        };
        let kind = match &facts.nystrom {
            None => Kind::Linear(stored.tensor("map.factor", &[1])?[0]),
            Some(facts) => Kind::Nystrom(Nystrom::load(facts, stored, "map.nystrom.")?),
        };
        if let Kind::Nystrom(nystrom) = &kind {
            agree("features and those of the landmarks", facts.features, nystrom.encoded_features())?;
        }
        Ok(Map { features: facts.features, standard, kind })
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
            // A constant feature's deviation is rounding only.
            if variance.sqrt() > 1e-12 * means[column].abs() { variance.sqrt() } else { 0.0 }
        };
        Standard { deviations: (0..cols).map(deviation).collect(), means }
    }
}

/// Share of the cells that are not zero.
fn density(features: &Matrix) -> f64 {
    let cells = features.rows() * features.cols();
    let mut filled = 0_usize;
    (0..features.rows()).for_each(|row| features.visit_row(row, |_, value| filled += usize::from(value != 0.0)));
    if cells > 0 { filled as f64 / cells as f64 } else { 0.0 }
}
