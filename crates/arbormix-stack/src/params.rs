//! Parameters of the stacked mixture.

use serde::{Deserialize, Serialize};

use super::tied::BASES;
use arbormix_base::params::ParamError;
use arbormix_base::params::Presets;
use arbormix_joint::learner::Inference;
use arbormix_joint::tree::MOST_PARENTS;
use arbormix_learn::features::FeatureParams;
use arbormix_learn::forest::ForestParams;
use arbormix_learn::logistic::{LogisticParams, SolverParams};
use arbormix_mlme::ctbn::Candidates;
use arbormix_mlme::mlme::GateChoice;

/// The map φ of the features that regressions and gate see, and how it is chosen.
///
/// Candidates are Nyström features of each width, those of the middle width beside the features themselves, and the
/// features alone; for sparse features only the middle width and the features alone. Of those whose logistic regressions
/// predict held-out labels clearly better than regressions on the features alone, the best is taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MapParams {
    /// Widths of the Nyström features' kernel, in units of the median squared distance; none: no Nyström features.
    pub widths: Vec<f64>,
    /// Landmarks of the Nyström features.
    pub landmarks: usize,
    /// Nyström features at most.
    pub components: usize,
    /// Mean squared norm of the training rows.
    pub squared_norm: f64,
    /// Features with a smaller share of cells that are not zero count as sparse: they are not centred.
    pub dense_from: f64,
    /// Numbers in the landmarks at most; wider features get no Nyström features.
    pub landmark_cells: usize,
    /// Rows to choose with at most, a fifth of them held out. Of more than 64 labels, those 64 decide that tell most rows
    /// apart.
    pub choice_rows: usize,
    /// Landmarks (and Nyström features at most) while choosing.
    pub choice_landmarks: usize,
    /// Cost C of the regressions that are compared.
    pub choice_cost: f64,
    /// Standard errors by which a map must be ahead of the features alone to be taken.
    pub clear_lead: f64,
}

/// The blend of a label's two log-odds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlendParams {
    /// Penalty of the two slopes for leaving ½.
    pub slope_ridge: f64,
    /// Penalty of the intercept.
    pub intercept_ridge: f64,
    /// The forest's probability of a label is kept this far from 0 and 1.
    pub clip: f64,
}

/// The stacked tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StackedTreeParams {
    /// Penalty of a slope for leaving 1.
    pub slope_ridge: f64,
    /// Penalty of an intercept.
    pub intercept_ridge: f64,
    /// Penalty of a parent's effect.
    pub parent_ridge: f64,
    /// Log-likelihood that an edge must gain; above 60 labels log(labels − 1) more.
    pub edge_cost: f64,
    /// Parents tried per label, and 10 at most above 60 labels; where there are more labels, those with the largest score
    /// statistic.
    pub parents: usize,
}

impl StackedTreeParams {
    /// Log-likelihood that an edge must gain. The best of hundreds of parents gains some by chance alone, about the logarithm of
    /// their number.
    pub(crate) fn cost_among(&self, labels: usize) -> f64 {
        let many = Candidates::Auto.limit(labels).is_some();
        self.edge_cost + if many { (labels as f64 - 1.0).ln() } else { 0.0 }
    }

    /// Parents tried per label: where every edge is too much for CTBN, it is here too.
    pub fn tried(&self, labels: usize) -> usize {
        Candidates::Auto.limit(labels).map_or(self.parents, |few| few.min(self.parents))
    }
}

/// The stacked chain, in which a label may depend on several others. It takes the stacked tree's place if it makes the rows of the
/// first held-out fold more likely, by a standard error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChainParams {
    /// Labels that a label may depend on, 12 at most; below 2 it would be a tree, and is not tried.
    pub width: usize,
    /// Numbers in the tables of a row at most, which are 2^(width + 1) per label: many labels get a smaller width.
    pub cells: usize,
    /// Penalty of their effects.
    pub ridge: f64,
    /// Rows that it is fitted to at most.
    pub rows: usize,
}

/// The mixture of tied trees.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TiedParams {
    /// Experts at most; never more than there are label sets, or a tenth of the rows.
    pub experts: usize,
    /// EM iterations.
    pub iterations: usize,
    /// Newton steps of a label's regression at the start; every later M-step takes one.
    pub newton_steps: usize,
    /// Share of a row that its cluster's expert gets at the start; the rest is spread evenly.
    pub own_share: f64,
    /// Penalty of the slopes for leaving 1 (log-odds) and 0 (parent).
    pub slope_ridge: f64,
    /// Penalties of the experts' intercepts to choose from: the largest, unless a smaller one makes the rows of the first
    /// held-out fold clearly more likely.
    pub intercept_ridges: Vec<f64>,
    /// The most frequent label sets are clustered for the start, this many at most; rows with others begin spread evenly.
    pub clustered_sets: usize,
    /// Rows × labels × experts at most: larger data get fewer experts, or fewer rows where intercepts follow factors.
    pub cells: usize,
    /// Intercepts of low rank, which are tried too.
    pub factors: FactorParams,
}

/// Intercepts of low rank: labels that follow a few hidden factors, of which the experts are points.
///
/// They are taken instead of free intercepts if they make the rows of the first held-out fold clearly more likely.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FactorParams {
    /// Number of factors, 8 at most; 0: not tried.
    pub count: usize,
    /// EM iterations.
    pub iterations: usize,
    /// Penalty of a label's loadings.
    pub ridge: f64,
}

/// The label-set expert.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PoolParams {
    /// Penalty of the exponents (α₁, α₂, γ) for leaving (½, ½, 0).
    pub ridge: f64,
    /// Added to the forest's probability of a set before its logarithm is taken.
    pub forest_floor: f64,
    /// Added to the tied trees' probability of a set before its logarithm is taken.
    pub tied_floor: f64,
    /// The most frequent label sets are in the table, this many at most.
    pub sets: usize,
}

/// The stacked mixture: its parameters, and its learner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StackParams {
    /// How raw columns become features; the forest sees these.
    pub features: FeatureParams,
    /// The map of the features that regressions and gate see.
    pub map: MapParams,
    /// The logistic regressions of level 0.
    pub logistic: LogisticParams,
    /// The forest of level 0; its number of trees counts only with `refit_forest`.
    pub forest: ForestParams,
    /// Trees of each forest whose answers are out-of-fold: half as many again where there are more label sets than trees, and down to half
    /// as many where rows × trees would be over 700,000.
    pub held_out_trees: usize,
    /// Whether predictions come from another forest, grown on all rows; else from all out-of-fold forests together.
    pub refit_forest: bool,
    /// Folds of the out-of-fold answers (fewer if there are fewer rows).
    pub folds: usize,
    /// Rows that exponents and weights are fitted to: whole folds until there are so many; above 50 labels fewer, down to a fifth.
    pub held_out_rows: usize,
    /// The blended log-odds.
    pub blend: BlendParams,
    /// The stacked tree.
    pub structure: StackedTreeParams,
    /// The stacked chain.
    pub chain: ChainParams,
    /// The mixture of tied trees.
    pub tied: TiedParams,
    /// Its gate; of several penalties, that is taken which predicts the clusters of held-out rows best.
    pub gate: GateChoice,
    /// The label-set expert.
    pub pool: PoolParams,
    /// How the most probable label set is searched for.
    pub inference: Inference,
    /// Seed of everything random.
    pub seed: u64,
}

impl Default for StackParams {
    fn default() -> Self {
        StackParams {
            features: FeatureParams::default(),
            map: MapParams {
                widths: vec![0.5, 1.0, 2.0],
                landmarks: 500,
                components: 300,
                squared_norm: 25.0,
                dense_from: 0.2,
                landmark_cells: 10_000_000,
                choice_rows: 2000,
                choice_landmarks: 200,
                choice_cost: 1.0,
                clear_lead: 2.0,
            },
            logistic: LogisticParams {
                costs: vec![1e-2, 1e-1, 1.0, 1e1, 1e2],
                solver: SolverParams { tolerance: 1e-4, ..SolverParams::default() },
                ..LogisticParams::default()
            },
            forest: ForestParams::default(),
            held_out_trees: 200,
            refit_forest: false,
            folds: 5,
            held_out_rows: 800,
            blend: BlendParams { slope_ridge: 2.0, intercept_ridge: 0.1, clip: 0.005 },
            structure: StackedTreeParams {
                slope_ridge: 1.0,
                intercept_ridge: 0.1,
                parent_ridge: 0.5,
                edge_cost: 2.0,
                parents: 40,
            },
            chain: ChainParams { width: 8, cells: 16_384, ridge: 1.0, rows: 10_000 },
            tied: TiedParams {
                experts: 80,
                iterations: 4,
                newton_steps: 2,
                own_share: 0.9,
                slope_ridge: 1.0,
                intercept_ridges: vec![0.3, 3.0],
                clustered_sets: 500,
                cells: 40_000_000,
                factors: FactorParams { count: 3, iterations: 8, ridge: 1.0 },
            },
            gate: GateChoice {
                penalties: vec![1.0, 3.0, 10.0, 30.0],
                solver: SolverParams { tolerance: 1e-3, max_iterations: 10 },
            },
            pool: PoolParams { ridge: 1.0, forest_floor: 0.005, tied_floor: 1e-8, sets: 1000 },
            inference: Inference::default(),
            seed: 0,
        }
    }
}

impl Presets for StackParams {
    /// The paper does not have this method: the defaults.
    fn paper() -> Self {
        StackParams::default()
    }
}

impl StackParams {
    /// Checks the values.
    pub(crate) fn check(&self) -> Result<(), ParamError> {
        self.logistic.validate()?;
        self.forest.validate()?;
        self.gate.solver.validate("gate.solver.tolerance", "gate.solver.max_iterations")?;
        let (map, tied) = (&self.map, &self.tied);
        let is_positive = |value: &f64| value.is_finite() && *value > 0.0;
        ParamError::require(map.widths.iter().all(is_positive), "map.widths", &map.widths, "needs positive numbers")?;
        let penalties = &self.gate.penalties;
        let usable = !penalties.is_empty() && penalties.iter().all(is_positive);
        ParamError::require(usable, "gate.penalties", penalties, "needs positive numbers")?;
        let ridges = &tied.intercept_ridges;
        let usable = !ridges.is_empty() && ridges.iter().all(is_positive);
        ParamError::require(usable, "tied.intercept_ridges", ridges, "needs positive numbers")?;
        for (name, value) in [
            ("map.squared_norm", map.squared_norm),
            ("map.choice_cost", map.choice_cost),
            ("blend.slope_ridge", self.blend.slope_ridge),
            ("blend.intercept_ridge", self.blend.intercept_ridge),
            ("structure.slope_ridge", self.structure.slope_ridge),
            ("structure.intercept_ridge", self.structure.intercept_ridge),
            ("structure.parent_ridge", self.structure.parent_ridge),
            ("tied.slope_ridge", tied.slope_ridge),
            ("tied.factors.ridge", tied.factors.ridge),
            ("chain.ridge", self.chain.ridge),
            ("pool.ridge", self.pool.ridge),
            ("pool.forest_floor", self.pool.forest_floor),
            ("pool.tied_floor", self.pool.tied_floor),
        ] {
            ParamError::require(is_positive(&value), name, value, "must be positive")?;
        }
        for (name, count) in [
            ("map.landmarks", map.landmarks),
            ("map.components", map.components),
            ("map.choice_rows", map.choice_rows),
            ("map.choice_landmarks", map.choice_landmarks),
            ("held_out_trees", self.held_out_trees),
            ("held_out_rows", self.held_out_rows),
            ("structure.parents", self.structure.parents),
            ("chain.rows", self.chain.rows),
            ("tied.experts", tied.experts),
            ("tied.newton_steps", tied.newton_steps),
            ("tied.clustered_sets", tied.clustered_sets),
            ("pool.sets", self.pool.sets),
        ] {
            ParamError::require(count >= 1, name, count, "must be at least 1")?;
        }
        ParamError::require(self.folds >= 2, "folds", self.folds, "must be at least 2")?;
        let clip = self.blend.clip;
        ParamError::require(clip > 0.0 && clip < 0.5, "blend.clip", clip, "must be between 0 and 0.5")?;
        ParamError::require(map.clear_lead.is_finite(), "map.clear_lead", map.clear_lead, "must be a number")?;
        let cost = self.structure.edge_cost;
        ParamError::require(cost >= 0.0 && cost.is_finite(), "structure.edge_cost", cost, "must not be negative")?;
        let factors = tied.factors.count;
        ParamError::require(factors <= BASES.len(), "tied.factors.count", factors, "must be at most 8")?;
        let width = self.chain.width;
        ParamError::require(width <= MOST_PARENTS, "chain.width", width, "must be at most 12")?;
        let share = tied.own_share;
        ParamError::require((0.0..=1.0).contains(&share), "tied.own_share", share, "must be between 0 and 1")
    }
}
