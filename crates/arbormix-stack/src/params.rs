//! Parameters of the stacked mixture.

use arbormix_base::params;
use arbormix_base::params::Allowed;
use arbormix_joint::learner::Inference;
use arbormix_joint::tree::MOST_PARENTS;
use arbormix_learn::features::FeatureParams;
use arbormix_learn::forest::ForestParams;
use arbormix_learn::logistic::{LogisticParams, SolverParams};
use arbormix_mlme::ctbn::Candidates;
use arbormix_mlme::mlme::GateChoice;

/// Factors at most: each needs a base of its own.
pub(crate) const MAX_FACTORS: usize = 8;

params! {
    /// The map φ of the features that regressions and gate see, and how it is chosen.
    ///
    /// Candidates are Nyström features of each width, those of the middle width beside the features themselves, and the
    /// features alone; for sparse features only the middle width and the features alone. Of those whose logistic regressions
    /// predict held-out labels clearly better than regressions on the features alone, the best is taken.
    pub struct MapParams {
        /// Widths of the Nyström features' kernel, in units of the median squared distance; none: no Nyström features.
        widths: Vec<f64> = vec![0.5, 1.0, 2.0], allowed = Allowed::Positive;
        /// Landmarks of the Nyström features.
        landmarks: usize = 500, allowed = Allowed::AtLeast(1.0);
        /// Nyström features at most.
        components: usize = 300, allowed = Allowed::AtLeast(1.0), python = "n_components";
        /// Mean squared norm of the training rows.
        squared_norm: f64 = 25.0, allowed = Allowed::Positive;
        /// Features with a smaller share of cells that are not zero count as sparse: they are not centred.
        dense_from: f64 = 0.2;
        /// Numbers in the landmarks at most; wider features get no Nyström features.
        landmark_cells: usize = 10_000_000;
        /// Rows to choose with at most, a fifth of them held out. Of more than 64 labels, those 64 decide that tell most rows
        /// apart.
        choice_rows: usize = 2000, allowed = Allowed::AtLeast(1.0);
        /// Landmarks (and Nyström features at most) while choosing.
        choice_landmarks: usize = 200, allowed = Allowed::AtLeast(1.0);
        /// Cost C of the regressions that are compared.
        choice_cost: f64 = 1.0, allowed = Allowed::Positive;
        /// Standard errors by which a map must be ahead of the features alone to be taken.
        clear_lead: f64 = 2.0;
    }
}

params! {
    /// The blend of a label's two log-odds.
    pub struct BlendParams {
        /// Penalty of the two slopes for leaving ½.
        slope_ridge: f64 = 2.0, allowed = Allowed::Positive;
        /// Penalty of the intercept.
        intercept_ridge: f64 = 0.1, allowed = Allowed::Positive;
        /// The forest's probability of a label is kept this far from 0 and 1.
        clip: f64 = 0.005, allowed = Allowed::Between(0.0, 0.5);
    }
}

params! {
    /// The stacked tree.
    pub struct StackedTreeParams {
        /// Penalty of a slope for leaving 1.
        slope_ridge: f64 = 1.0, allowed = Allowed::Positive;
        /// Penalty of an intercept.
        intercept_ridge: f64 = 0.1, allowed = Allowed::Positive;
        /// Penalty of a parent's effect.
        parent_ridge: f64 = 0.5, allowed = Allowed::Positive;
        /// Log-likelihood that an edge must gain; above 60 labels log(labels − 1) more.
        edge_cost: f64 = 2.0, allowed = Allowed::NotNegative;
        /// Parents tried per label, and 10 at most above 60 labels; where there are more labels, those with the largest score
        /// statistic.
        parents: usize = 40, allowed = Allowed::AtLeast(1.0);
    }
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

params! {
    /// The stacked chain, in which a label may depend on several others. It takes the stacked tree's place if it makes the
    /// rows of the first held-out fold more likely, by a standard error.
    pub struct ChainParams {
        /// Labels that a label may depend on, 12 at most; below 2 it would be a tree, and is not tried.
        width: usize = 8, allowed = Allowed::AtMost(MOST_PARENTS as f64);
        /// Numbers in the tables of a row at most, which are 2^(width + 1) per label: many labels get a smaller width.
        cells: usize = 16_384;
        /// Penalty of their effects.
        ridge: f64 = 1.0, allowed = Allowed::Positive;
        /// Rows that it is fitted to at most.
        rows: usize = 10_000, allowed = Allowed::AtLeast(1.0);
    }
}

params! {
    /// The mixture of tied trees.
    pub struct TiedParams {
        /// Experts at most; never more than there are label sets, or a tenth of the rows.
        experts: usize = 80, allowed = Allowed::AtLeast(1.0), python = "n_experts";
        /// EM iterations.
        iterations: usize = 4, python = "max_iter";
        /// Newton steps of a label's regression at the start; every later M-step takes one.
        newton_steps: usize = 2, allowed = Allowed::AtLeast(1.0);
        /// Share of a row that its cluster's expert gets at the start; the rest is spread evenly.
        own_share: f64 = 0.9, allowed = Allowed::Within(0.0, 1.0);
        /// Penalty of the slopes for leaving 1 (log-odds) and 0 (parent).
        slope_ridge: f64 = 1.0, allowed = Allowed::Positive;
        /// Penalties of the experts' intercepts to choose from: the largest, unless a smaller one makes the rows of the first
        /// held-out fold clearly more likely.
        intercept_ridges: Vec<f64> = vec![0.3, 3.0], allowed = Allowed::SomePositive;
        /// The most frequent label sets are clustered for the start, this many at most; rows with others begin spread evenly.
        clustered_sets: usize = 500, allowed = Allowed::AtLeast(1.0);
        /// Rows × labels × experts at most: larger data get fewer experts, or fewer rows where intercepts follow factors.
        cells: usize = 40_000_000;
        /// Intercepts of low rank, which are tried too.
        factors: FactorParams = FactorParams::default();
    }
}

params! {
    /// Intercepts of low rank: labels that follow a few hidden factors, of which the experts are points.
    ///
    /// They are taken instead of free intercepts if they make the rows of the first held-out fold clearly more likely.
    pub struct FactorParams {
        /// Number of factors, 8 at most; 0: not tried.
        count: usize = 3, allowed = Allowed::AtMost(MAX_FACTORS as f64);
        /// EM iterations.
        iterations: usize = 8, python = "max_iter";
        /// Penalty of a label's loadings.
        ridge: f64 = 1.0, allowed = Allowed::Positive;
    }
}

params! {
    /// The label-set expert.
    pub struct PoolParams {
        /// Penalty of the exponents (α₁, α₂, γ) for leaving (½, ½, 0).
        ridge: f64 = 1.0, allowed = Allowed::Positive;
        /// Added to the forest's probability of a set before its logarithm is taken.
        forest_floor: f64 = 0.005, allowed = Allowed::Positive;
        /// Added to the tied trees' probability of a set before its logarithm is taken.
        tied_floor: f64 = 1e-8, allowed = Allowed::Positive;
        /// The most frequent label sets are in the table, this many at most.
        sets: usize = 1000, allowed = Allowed::AtLeast(1.0);
    }
}

params! {
    /// The stacked mixture: its parameters, and its learner. The paper does not have this method.
    pub struct StackParams {
        /// How raw columns become features; the forest sees these.
        features: FeatureParams = FeatureParams::default(), level = main, python = "";
        /// Trees of each forest whose answers are out-of-fold: half as many again where there are more label sets than trees,
        /// and down to half as many where rows × trees would be over 700,000.
        held_out_trees: usize = 200, allowed = Allowed::AtLeast(1.0), level = main, python = "n_estimators";
        /// Folds of the out-of-fold answers (fewer if there are fewer rows).
        folds: usize = 5, allowed = Allowed::AtLeast(2.0), level = main;
        /// How the most probable label set is searched for.
        inference: Inference = Inference::default(), level = main;
        /// Seed of everything random.
        seed: u64 = 0, level = main, python = "random_state";
        /// The map of the features that regressions and gate see.
        map: MapParams = MapParams::default();
        /// The logistic regressions of level 0.
        logistic: LogisticParams = LogisticParams::default()
            .costs([1e-2, 1e-1, 1.0, 1e1, 1e2])
            .solver(SolverParams::default().tolerance(1e-4));
        /// The forest of level 0; its number of trees counts only with `refit_forest`.
        forest: ForestParams = ForestParams::default();
        /// Whether predictions come from another forest, grown on all rows; else from all out-of-fold forests together.
        refit_forest: bool = false;
        /// Rows that exponents and weights are fitted to: whole folds until there are so many; above 50 labels fewer, down to
        /// a fifth.
        held_out_rows: usize = 800, allowed = Allowed::AtLeast(1.0);
        /// The blended log-odds.
        blend: BlendParams = BlendParams::default();
        /// The stacked tree.
        structure: StackedTreeParams = StackedTreeParams::default();
        /// The stacked chain.
        chain: ChainParams = ChainParams::default();
        /// The mixture of tied trees.
        tied: TiedParams = TiedParams::default();
        /// Its gate. The penalty that predicts the clusters of held-out rows best is used.
        gate: GateChoice = GateChoice::default()
            .penalties([1.0, 3.0, 10.0, 30.0])
            .solver(SolverParams::default().tolerance(1e-3).max_iterations(10));
        /// The label-set expert.
        pool: PoolParams = PoolParams::default();
    }
}
