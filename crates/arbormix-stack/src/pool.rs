//! The label-set expert: a log-linear pool over the label sets seen.
//!
//! g(s | x) ∝ exp(α₁ log(p_T(s | x) + δ₁) + α₂ log(p_tied(s | x) + δ₂) + γ log(n_s + ½))

use super::experts::{RowTrees, SetCodes};
use super::newton::{Expansion, Smooth, minimise};
use super::params::PoolParams;
use arbormix_data::LabelSet;
use arbormix_joint::tree::Branching;
use arbormix_learn::forest::Shares;
use arbormix_learn::logistic::loss::log_sum_exp;

/// What speaks for one label set at one row: log(p_T + δ₁) and log(p_tied + δ₂).
pub(crate) type Evidence = [f64; 2];

/// (α₁, α₂, γ).
pub(crate) type Exponents = [f64; 3];

/// Towards this the exponents are drawn.
const CENTRE: Exponents = [0.5, 0.5, 0.0];

/// The label sets that can be answered with.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Table {
    /// Where each class of the forest stands in the table, if it does.
    places: Vec<Option<u32>>,
    codes: SetCodes,
    /// log(n_s + ½) of the sets.
    pub(crate) log_counts: Vec<f64>,
    /// δ₁ and δ₂.
    pub(crate) floors: [f64; 2],
}

impl Table {
    /// Of some of the forest's classes (ascending), with their sets and logarithms of numbers of rows.
    pub(crate) fn new<'a>(
        classes: &[usize],
        class_count: usize,
        sets: impl IntoIterator<Item = &'a LabelSet>,
        log_counts: Vec<f64>,
        tree: &Branching,
        floors: [f64; 2],
    ) -> Table {
        let mut places = vec![None; class_count];
        (0..).zip(classes).for_each(|(place, &class)| places[class] = Some(place));
        Table { places, codes: SetCodes::new(tree, sets), log_counts, floors }
    }

    /// Where a class stands.
    pub(crate) fn place(&self, class: usize) -> Option<usize> {
        self.places[class].map(|place| place as usize)
    }

    /// What speaks for each set at one row.
    pub(crate) fn evidence(&self, shares: &Shares, trees: &RowTrees<'_>) -> Vec<Evidence> {
        let [forest_floor, tied_floor] = self.floors;
        let tied = trees.tied_probabilities(&self.codes).into_iter();
        let mut out: Vec<Evidence> = tied.map(|p| [forest_floor.ln(), (p + tied_floor).ln()]).collect();
        for &(class, share) in shares {
            if let Some(place) = self.place(class as usize) {
                out[place][0] = (share + forest_floor).ln();
            }
        }
        out
    }
}

impl PoolParams {
    /// δ₁ and δ₂.
    pub(crate) fn floors(&self) -> [f64; 2] {
        [self.forest_floor, self.tied_floor]
    }
}

/// The exponents (α₁, α₂, γ).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pool(pub(crate) Exponents);

/// One held-out row, with the sets of the rows that its answers were learned from.
pub(crate) struct Case<'a> {
    pub(crate) evidence: &'a [Evidence],
    /// log(n_s + ½) of the sets.
    pub(crate) log_counts: &'a [f64],
    /// The row's own set.
    pub(crate) own: usize,
    pub(crate) weight: f64,
}

impl Pool {
    /// Minimises −Σ log g(own | x) + ρ/2 ‖(α, γ) − (½, ½, 0)‖².
    pub(crate) fn fit(cases: &[Case<'_>], ridge: f64) -> Pool {
        Pool(minimise(&Loss { cases, ridge }, CENTRE))
    }

    /// log g(s | x) of every set.
    pub(crate) fn log_probabilities(&self, evidence: &[Evidence], log_counts: &[f64]) -> Vec<f64> {
        let mut logs: Vec<f64> = self.scores(evidence, log_counts).collect();
        let total = log_sum_exp(&logs);
        logs.iter_mut().for_each(|log| *log -= total);
        logs
    }

    fn scores(&self, evidence: &[Evidence], log_counts: &[f64]) -> impl Iterator<Item = f64> {
        let [forest, tied, count] = self.0;
        evidence.iter().zip(log_counts).map(move |([f, t], n)| forest * f + tied * t + count * n)
    }
}

/// What the exponents minimise.
pub(crate) struct Loss<'a> {
    pub(crate) cases: &'a [Case<'a>],
    pub(crate) ridge: f64,
}

impl Smooth for Loss<'_> {
    type Numbers = Exponents;
    type Rows = [Exponents; 3];

    /// Gradient Σ (E[v] − v_own) and Hessian Σ Cov[v] under g, where v are a set's three numbers; with the ridge.
    fn expanded(&self, &at: &Exponents) -> Expansion<Exponents, [Exponents; 3]> {
        let leaving = [0, 1, 2].map(|j| at[j] - CENTRE[j]);
        let mut value = 0.5 * self.ridge * leaving.iter().map(|by| by * by).sum::<f64>();
        let mut gradient = leaving.map(|by| self.ridge * by);
        let mut hessian = [[0.0; 3]; 3];
        (0..3).for_each(|j| hessian[j][j] = self.ridge);
        for case in self.cases {
            let numbers = |s: usize| [case.evidence[s][0], case.evidence[s][1], case.log_counts[s]];
            let logs = Pool(at).log_probabilities(case.evidence, case.log_counts);
            value -= case.weight * logs[case.own];
            let (mut mean, mut square) = ([0.0; 3], [[0.0; 3]; 3]);
            for (s, log) in logs.into_iter().enumerate() {
                let (p, v) = (log.exp(), numbers(s));
                for i in 0..3 {
                    mean[i] += p * v[i];
                    (0..3).for_each(|j| square[i][j] += p * v[i] * v[j]);
                }
            }
            let own = numbers(case.own);
            for i in 0..3 {
                gradient[i] += case.weight * (mean[i] - own[i]);
                (0..3).for_each(|j| hessian[i][j] += case.weight * (square[i][j] - mean[i] * mean[j]));
            }
        }
        Expansion { value, gradient, hessian }
    }
}
