//! The ways to fit the tied trees: which penalty the gate has, and which intercepts.

use std::sync::Arc;

use super::FittedTied;
use super::clusters::Clusters;
use super::em::Em;
use crate::level1::sample::Fitting;
use crate::level1::{Level1Fit, Plan, Series};
use crate::params::StackParams;
use arbormix_data::SeenSets;
use arbormix_joint::{Error, Result};
use arbormix_learn::logistic::{Gate, fit_gate};
use arbormix_matrix::Columns;

/// Rows per tied tree: an expert with fewer could not be fitted.
const MIN_ROWS_PER_EXPERT: usize = 10;
/// Points per factor: fewer would not fill its dimension.
const MIN_POINTS_PER_FACTOR: usize = 5;
/// Rows that factors are fitted to.
const MIN_FACTOR_ROWS: usize = 200;
/// Standard errors by which other intercepts must be ahead of the simplest ones. (`auto` asks for more before it prefers a
/// richer method; here all plans see the same rows.)
const MIN_LEAD: f64 = 2.0;
/// Factors help with label sets that were not seen. They are not tried where the table of seen sets has this weight.
const MAX_TABLE_WEIGHT: f64 = 0.5;

/// How the intercepts of the experts differ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Intercepts {
    /// Each on its own, with this penalty.
    Free(f64),
    /// With a few factors; all experts are equally likely.
    Factors {
        /// Number of experts.
        experts: usize,
        /// Rows that they are fitted to at most.
        rows: usize,
    },
}

/// What all plans share.
pub(crate) struct TiedStart {
    pub(crate) clusters: Clusters,
    /// λ of the gate.
    pub(crate) penalty: f64,
    /// The gate that the choice of the penalty ended with.
    pub(crate) gate: Gate,
}

/// One way to fit the tied trees.
pub(crate) struct TiedPlan {
    pub(crate) start: Arc<TiedStart>,
    pub(crate) intercepts: Intercepts,
}

impl StackParams {
    /// The largest number of experts for so many rows and labels. It keeps rows × labels × experts within `tied.cells` and
    /// gives every expert some rows.
    pub fn most_experts(&self, rows: usize, labels: usize) -> usize {
        self.tied.experts.min(rows / MIN_ROWS_PER_EXPERT).min(self.tied.cells / (rows * labels).max(1)).max(1)
    }

    /// Intercepts with factors, if these are to be tried. Their experts are points of a distribution and need no rows of
    /// their own, so it is the rows that are fewer where rows × labels × experts would be too many.
    fn factors(&self, labels: usize) -> Option<Intercepts> {
        let (experts, factors) = (self.tied.experts, self.tied.factors.count);
        let rows = self.tied.cells / (experts * labels).max(1);
        let usable = factors > 0 && labels > factors && experts >= MIN_POINTS_PER_FACTOR * factors;
        (usable && rows >= MIN_FACTOR_ROWS).then_some(Intercepts::Factors { experts, rows })
    }
}

/// Says that the data get fewer experts than the parameters allow.
pub(super) fn limit_note(params: &StackParams, seen: &SeenSets) -> Option<String> {
    let (rows, sets) = (seen.class_of().len(), seen.sets().len());
    let labels = seen.sets().first().map_or(0, |set| set.len());
    let wanted = params.tied.experts.min(rows / MIN_ROWS_PER_EXPERT).min(sets);
    let most = params.most_experts(rows, labels);
    (most < wanted).then(|| {
        format!(
            "Using {most} tied trees instead of {wanted}: more would exceed {} cells (tied.cells).",
            params.tied.cells
        )
    })
}

/// Free intercepts, from the largest penalty down, then factors.
///
/// Alone, tied trees would do better with freer intercepts than beside a forest, which knows the label sets already. And the
/// answers of level 0 to new rows are better than the out-of-fold answers, which come from fewer rows and trees, so less is
/// left for the intercepts. A smaller penalty is therefore used only if it is clearly ahead on held-out rows.
pub(super) fn plans(first: &Fitting<'_>, held: &[usize]) -> Result<Vec<Series>> {
    let (stacking, params) = (first.stacking, first.stacking.params);
    let labels = stacking.label_count();
    let clusters = Clusters::new(stacking.seen, params.most_experts(stacking.labels.len(), labels), params);
    let (penalty, gate) = gate_penalty(first, held, &clusters)?;
    let start = Arc::new(TiedStart { clusters, penalty, gate });
    let plan = |intercepts| -> Arc<dyn Plan> { Arc::new(TiedPlan { start: start.clone(), intercepts }) };
    let mut ridges = params.tied.intercept_ridges.clone();
    ridges.sort_by(|a, b| b.total_cmp(a));
    let free = ridges.into_iter().map(|ridge| plan(Intercepts::Free(ridge))).collect();
    let factors = params.factors(labels).map(plan).into_iter().collect();
    Ok(vec![
        Series { plans: free, min_lead: MIN_LEAD, max_table_weight: f64::INFINITY },
        Series { plans: factors, min_lead: MIN_LEAD, max_table_weight: MAX_TABLE_WEIGHT },
    ])
}

/// The penalty of the gate that predicts the clusters of held-out rows best, and its gate.
///
/// From the largest penalty down, each fit starting at the last, until the next is worse.
fn gate_penalty(first: &Fitting<'_>, held: &[usize], clusters: &Clusters) -> Result<(f64, Gate)> {
    let (stacking, params) = (first.stacking, first.stacking.params);
    let block = first.sample.design.block(None, &[]);
    let mut penalties = params.gate.penalties.clone();
    penalties.sort_by(|a, b| b.total_cmp(a));
    let uniform = Gate::uniform(&block, clusters.count);
    if penalties.len() == 1 || clusters.count == 1 {
        return Ok((penalties[0], uniform));
    }
    let responsibilities = first_responsibilities(first, clusters);
    let held_design = stacking.design.with_rows(held);
    let held_block = held_design.block(None, &[]);
    let score = |gate: &Gate| {
        let logs = gate.log_weights(&held_block);
        let own = |(place, &row): (usize, &usize)| {
            let cluster = clusters.of_class[stacking.seen.class_of()[row]];
            cluster.map_or(0.0, |cluster| stacking.weight(row) * logs.get(place, cluster))
        };
        held.iter().enumerate().map(own).sum::<f64>()
    };
    let fitted = |penalty: f64, from: &Gate| {
        let (weights, gate) = (Some(&first.sample.weights[..]), params.gate.with(penalty));
        Ok::<_, Error>(fit_gate(&block, &responsibilities, weights, from, &gate, stacking.progress)?.gate)
    };
    let mut best = (penalties[0], fitted(penalties[0], &uniform)?);
    let mut best_score = score(&best.1);
    for &penalty in &penalties[1..] {
        let gate = fitted(penalty, &best.1)?;
        let reached = score(&gate);
        if reached <= best_score {
            break;
        }
        (best, best_score) = ((penalty, gate), reached);
    }
    Ok(best)
}

/// The responsibilities that EM starts from, n × K.
fn first_responsibilities(to: &Fitting<'_>, clusters: &Clusters) -> Columns {
    clusters.responsibilities(&to.stacking.classes(to.rows), to.stacking.params.tied.own_share)
}

impl Plan for TiedPlan {
    fn fit(&self, to: &Fitting<'_>) -> Result<Level1Fit> {
        let TiedStart { clusters, penalty, gate } = &*self.start;
        let (params, progress) = (to.stacking.params, to.stacking.progress);
        let (tree, gate_params) = (&to.base.tree, params.gate.with(*penalty));
        let (tied, gate, trace) = match self.intercepts {
            Intercepts::Free(ridge) => {
                let em = Em::new(to.sample, &to.base.log_odds, tree, &params.tied, ridge, gate_params);
                let uniform = || Gate::uniform(&to.sample.design.block(None, &[]), clusters.count);
                let gate = if to.is_warm { gate.clone() } else { uniform() };
                em.run(&first_responsibilities(to, clusters), gate, progress)?
            }
            Intercepts::Factors { experts, rows } => {
                let some = to.sample.at_most(rows, params.seed);
                let sample = some.as_ref().unwrap_or(to.sample);
                let log_odds = to.base.log_odds_of(sample);
                // The penalty is on a label's loadings, so its intercepts have none.
                let em = Em::new(sample, &log_odds, tree, &params.tied, 0.0, gate_params);
                em.run_factors(experts, params.seed, progress)?
            }
        };
        Ok(Level1Fit { model: Arc::new(FittedTied::new(tree.clone(), tied)), gate: Some(gate), trace })
    }

    fn describe(&self) -> String {
        match self.intercepts {
            Intercepts::Free(ridge) => format!(
                "{} tied trees (gate penalty {}, intercept penalty {ridge})",
                self.start.clusters.count, self.start.penalty
            ),
            Intercepts::Factors { experts, .. } => format!("{experts} tied trees (intercepts follow factors)"),
        }
    }
}
