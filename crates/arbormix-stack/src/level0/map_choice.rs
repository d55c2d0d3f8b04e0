//! Which map φ is used: the one whose regressions predict held-out labels best.

use super::feature_map::{MapKind, PhiMap, density};
use crate::params::MapParams;
use arbormix_base::paired;
use arbormix_base::progress::Progress;
use arbormix_base::random::Stream;
use arbormix_data::splits::holdout;
use arbormix_joint::Result;
use arbormix_learn::logistic::loss::log_probability;
use arbormix_learn::logistic::{Bias, Coefficients, Design, LOG_FLOOR, Problem, SolverParams, solve};
use arbormix_matrix::Matrix;

/// Share of the rows that the choice holds out.
const HELD_OUT: f64 = 0.2;
/// Labels that the choice uses at most: more would rarely change it.
const MAX_LABELS: usize = 64;

impl MapKind {
    /// The note for people, with the gain over the features alone.
    fn note(self, gain: f64) -> String {
        let kind = match (self.width, self.linear) {
            (None, _) => {
                return "Using the features as they are: nonlinear (kernel) features do not clearly improve held-out \
                        log-likelihood."
                    .to_string();
            }
            (Some(_), false) => "nonlinear (kernel) features",
            (Some(_), true) => "nonlinear (kernel) features beside the features themselves",
        };
        format!("Using {kind}: they improve held-out log-likelihood by {gain:.3} per row.")
    }
}

/// The rows to choose with.
pub(crate) struct MapChoice<'a> {
    pub(crate) features: &'a Matrix,
    /// One column per label.
    pub(crate) labels: &'a [Vec<bool>],
    pub(crate) weights: Option<&'a [f64]>,
    pub(crate) solver: SolverParams,
    pub(crate) seed: u64,
}

impl MapChoice<'_> {
    /// Fits the map whose regressions predict held-out labels best, with notes about the choice.
    pub(crate) fn fit(&self, params: &MapParams, progress: &dyn Progress) -> Result<(PhiMap, Vec<String>)> {
        let dense = density(self.features) >= params.dense_from;
        let (candidates, mut notes) = self.candidates(params, dense);
        let mut best = candidates[0];
        if candidates.len() > 1 {
            progress.begin("choosing the features", candidates.len());
            let rows = self.some_rows(params.choice_rows);
            let sample = self.features.select_rows(&rows);
            let small = MapParams {
                landmarks: params.landmarks.min(params.choice_landmarks),
                components: params.components.min(params.choice_landmarks),
                ..params.clone()
            };
            let mut scores = Vec::with_capacity(candidates.len());
            for &candidate in &candidates {
                progress.check()?;
                let mapped = PhiMap::fit(&sample, candidate, &small, dense, self.seed)?.encode(&sample);
                scores.push(self.score(&mapped, &rows, params.choice_cost, progress)?);
                progress.advance(1);
            }
            let place = best_clear_lead(&scores, params.clear_lead);
            best = candidates[place];
            notes.push(best.note(scores[place].mean() - scores[0].mean()));
        }
        Ok((PhiMap::fit(self.features, best, params, dense, self.seed)?, notes))
    }

    fn candidates(&self, params: &MapParams, dense: bool) -> (Vec<MapKind>, Vec<String>) {
        let alone = MapKind { width: None, linear: false };
        let landmarks = params.landmarks.min(self.features.rows());
        if params.widths.is_empty() {
            return (vec![alone], Vec::new());
        }
        if landmarks * self.features.cols() > params.landmark_cells {
            let note = format!(
                "Nonlinear (kernel) features were not tried: {landmarks} landmarks of {} features are more than {} numbers \
                 (map.landmark_cells).",
                self.features.cols(),
                params.landmark_cells
            );
            return (vec![alone], vec![note]);
        }
        let nystrom = |&width: &f64| MapKind { width: Some(width), linear: false };
        let middle = nystrom(&params.widths[params.widths.len() / 2]);
        let all = if dense {
            let beside = MapKind { linear: true, ..middle };
            std::iter::once(alone).chain(params.widths.iter().map(nystrom)).chain([beside]).collect()
        } else {
            vec![alone, middle]
        };
        (all, Vec::new())
    }

    /// All rows, or `most` of them at random.
    fn some_rows(&self, most: usize) -> Vec<usize> {
        let mut rows = Stream::new(self.seed, "map-rows", 0).permutation(self.features.rows());
        rows.truncate(most);
        rows.sort_unstable();
        rows
    }

    /// The labels of these rows, one column per label. Of many labels, the most balanced ones.
    fn balanced_labels(&self, rows: &[usize]) -> Vec<Vec<bool>> {
        let pick = |column: &Vec<bool>| rows.iter().map(|&row| column[row]).collect::<Vec<bool>>();
        let columns: Vec<Vec<bool>> = self.labels.iter().map(pick).collect();
        let rarer_count = |column: &Vec<bool>| {
            let present = column.iter().filter(|&&on| on).count();
            present.min(column.len() - present)
        };
        let mut order: Vec<(usize, usize)> = columns.iter().map(rarer_count).zip(0..).collect();
        order.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        order.truncate(MAX_LABELS);
        let mut chosen: Vec<usize> = order.into_iter().map(|(_, label)| label).collect();
        chosen.sort_unstable();
        chosen.into_iter().map(|label| columns[label].clone()).collect()
    }

    /// Log-likelihoods of the held-out rows' labels, each label by itself.
    fn score(&self, mapped: &Matrix, rows: &[usize], cost: f64, progress: &dyn Progress) -> Result<HeldOutScore> {
        let (train, held) = holdout(rows.len(), HELD_OUT, self.seed);
        let design = Design::new(mapped, Bias::Penalised);
        let labels = self.balanced_labels(rows);
        let weights: Option<Vec<f64>> = self.weights.map(|weights| rows.iter().map(|&row| weights[row]).collect());
        let weights_of = weights.as_deref();
        let problem =
            |targets| Problem { targets, weights: weights_of, only: None, cost, start: None, coordinates: None };
        let problems: Vec<Problem<'_>> = labels.iter().map(|targets| problem(targets.as_slice())).collect();
        let solutions = solve(&design.block(Some(&train), &[]), &problems, &self.solver.for_selection(), progress)?;
        let coefficients: Vec<&Coefficients> = solutions.iter().map(|solution| &solution.coefficients).collect();
        let margins = design.block(Some(&held), &[]).margins(&coefficients);
        let mut score = HeldOutScore { logs: Vec::with_capacity(held.len()), weights: Vec::with_capacity(held.len()) };
        for (local, &row) in held.iter().enumerate() {
            let logs = labels.iter().enumerate();
            let of = |(label, values): (usize, &Vec<bool>)| log_probability(margins.get(local, label), values[row]);
            score.logs.push(logs.map(|pair| of(pair).max(LOG_FLOOR)).sum::<f64>());
            score.weights.push(weights.as_ref().map_or(1.0, |weights| weights[row]));
        }
        Ok(score)
    }
}

/// Log-likelihoods and weights of the held-out rows, for one map.
struct HeldOutScore {
    logs: Vec<f64>,
    weights: Vec<f64>,
}

impl HeldOutScore {
    fn mean(&self) -> f64 {
        let mass: f64 = self.weights.iter().sum();
        let sum: f64 = self.logs.iter().zip(&self.weights).map(|(log, weight)| log * weight).sum();
        if mass > 0.0 { sum / mass } else { 0.0 }
    }
}

/// The best of the maps that are at least `clear_lead` standard errors ahead of the first, the features alone. If none is,
/// the first.
fn best_clear_lead(scores: &[HeldOutScore], clear_lead: f64) -> usize {
    let is_ahead = |score: &HeldOutScore| {
        let gains: Vec<f64> = score.logs.iter().zip(&scores[0].logs).map(|(own, plain)| own - plain).collect();
        paired::lead(&gains, |row| score.weights[row]) >= clear_lead
    };
    let places = (1..scores.len()).filter(|&place| is_ahead(&scores[place]));
    places.fold(0, |best, next| if best == 0 || scores[next].mean() > scores[best].mean() { next } else { best })
}
