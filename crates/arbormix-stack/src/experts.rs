//! Level 1: the experts that answer with trees, fitted to what level 0 says.

use pulp::{Arch, NullaryFnOnce};

use super::blend::{self, Blend};
use super::chain::StackedChain;
use super::params::StackParams;
use super::structure::{self, StackedTree};
use super::tied::{self, Tied};
use arbormix_base::progress::Progress;
use arbormix_base::random::Stream;
use arbormix_data::LabelSet;
use arbormix_joint::Result;
use arbormix_joint::joint::{Expert, RowExpert};
use arbormix_joint::learner::TraceStep;
use arbormix_joint::tree::Branching;
use arbormix_joint::tree::inference::{self, Table};
use arbormix_learn::logistic::exponential::exp_in_place;
use arbormix_learn::logistic::loss::{log_sigmoid_pairs, log_sum_exp, sigmoid};
use arbormix_learn::logistic::{Design, Gate};
use arbormix_matrix::Columns;

/// Experts whose gate weight is below e⁻³⁰ add less than any floor to the probability of a set.
const NEGLIGIBLE: f64 = -30.0;

/// What level 0 says about some rows that it was not fitted to, and what is true there.
pub(crate) struct Sample {
    /// φ of the rows.
    pub(crate) design: Design,
    /// Log-odds by the regressions, n × d.
    pub(crate) logits: Columns,
    /// Log-odds by the forest, n × d.
    pub(crate) forest: Columns,
    /// The labels as 0 and 1, n × d.
    pub(crate) labels: Columns,
    /// The rows that have each label.
    pub(crate) rows_with: Vec<Vec<u32>>,
    /// Weights of the rows.
    pub(crate) weights: Vec<f64>,
}

impl Sample {
    /// From the answers to the rows of a design.
    pub(crate) fn new(
        design: Design,
        logits: Columns,
        forest: Columns,
        sets: &[&LabelSet],
        weights: Vec<f64>,
    ) -> Sample {
        let mut labels = Columns::zeros(sets.len(), logits.cols());
        let mut rows_with = vec![Vec::new(); logits.cols()];
        for (row, set) in (0_u32..).zip(sets) {
            for label in set.members() {
                labels.column_mut(label)[row as usize] = 1.0;
                rows_with[label].push(row);
            }
        }
        Sample { design, logits, forest, labels, rows_with, weights }
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.weights.len()
    }

    /// So many of its rows, drawn at random and in their order; `None` if it has no more.
    fn at_most(&self, count: usize, seed: u64) -> Option<Sample> {
        if self.len() <= count {
            return None;
        }
        let mut rows = Stream::new(seed, "some-rows", 0).permutation(self.len());
        rows.truncate(count);
        rows.sort_unstable();
        let set = |&row: &usize| {
            let on: Vec<bool> = (0..self.labels.cols()).map(|label| self.labels.get(row, label) > 0.0).collect();
            LabelSet::from_bools(&on)
        };
        let sets: Vec<LabelSet> = rows.iter().map(set).collect();
        let weights = rows.iter().map(|&row| self.weights[row]).collect();
        let (logits, forest) = (self.logits.select_rows(&rows), self.forest.select_rows(&rows));
        Some(Sample::new(self.design.with_rows(&rows), logits, forest, &sets.iter().collect::<Vec<_>>(), weights))
    }

    /// ± the weight of every row: + where it has the label.
    pub(crate) fn signed(&self, label: usize) -> Vec<f64> {
        self.labels.column(label).iter().zip(&self.weights).map(|(on, weight)| (2.0 * on - 1.0) * weight).collect()
    }
}

/// Blended log-odds, stacked tree and tied trees; the tied trees' gate is kept beside them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Experts {
    pub(crate) blend: Vec<Blend>,
    pub(crate) tree: StackedTree,
    /// Answers in the stacked tree's place.
    pub(crate) chain: Option<StackedChain>,
    pub(crate) tied: Tied,
}

/// Fitted experts with their gate, in the coordinates of the sample's design.
pub(crate) struct Fitted {
    pub(crate) experts: Experts,
    pub(crate) gate: Gate,
    pub(crate) trace: Vec<TraceStep>,
}

/// Where the tied trees begin.
pub(crate) struct Start<'a> {
    /// First responsibilities, n × K.
    pub(crate) responsibilities: &'a Columns,
    pub(crate) gate: Gate,
    pub(crate) chosen: Chosen,
}

/// What held-out rows choose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Chosen {
    /// λ of the tied trees' gate.
    pub(crate) gate: f64,
    pub(crate) intercepts: Intercepts,
    /// Whether a chain takes the stacked tree's place.
    pub(crate) chain: bool,
}

/// How the tied trees' intercepts may differ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Intercepts {
    /// Each on its own, with this penalty.
    Free(f64),
    /// With a few factors, and every expert as likely as the others.
    Factors {
        experts: usize,
        /// Rows that they are fitted to at most.
        rows: usize,
    },
}

/// What the tied trees build on: the blended log-odds of a sample, and the stacked tree.
pub(crate) struct Ground {
    blend: Vec<Blend>,
    blended: Columns,
    tree: StackedTree,
}

impl Ground {
    pub(crate) fn fit(sample: &Sample, params: &StackParams, progress: &dyn Progress) -> Result<Ground> {
        let blend = blend::fit(sample, &params.blend);
        let blended = blend::blended(&blend, &sample.logits, &sample.forest);
        let tree = structure::fit(sample, &blended, &params.structure, progress)?;
        Ok(Ground { blend, blended, tree })
    }

    /// The blended log-odds of other rows.
    pub(crate) fn blended(&self, sample: &Sample) -> Columns {
        blend::blended(&self.blend, &sample.logits, &sample.forest)
    }

    /// The stacked chain of the same sample.
    pub(crate) fn chain(&self, sample: &Sample, params: &StackParams, progress: &dyn Progress) -> Result<StackedChain> {
        match sample.at_most(params.chain.rows, params.seed) {
            None => StackedChain::fit(sample, &self.blended, params, progress),
            Some(some) => StackedChain::fit(&some, &self.blended(&some), params, progress),
        }
    }

    /// The experts, with tied trees fitted to the same sample.
    pub(crate) fn experts(
        &self,
        sample: &Sample,
        start: Start<'_>,
        params: &StackParams,
        progress: &dyn Progress,
    ) -> Result<Fitted> {
        let Ground { blend, blended, tree } = self;
        let Chosen { gate, intercepts, chain } = start.chosen;
        let gate = params.gate.with(gate);
        let (tied, gate, trace) = match intercepts {
            Intercepts::Free(ridge) => {
                let em = tied::Em::new(sample, blended, tree, &params.tied, ridge, gate);
                em.run(start.responsibilities, start.gate, progress)?
            }
            Intercepts::Factors { experts, rows } => {
                let some = sample.at_most(rows, params.seed);
                let (sample, seed) = (some.as_ref().unwrap_or(sample), params.seed);
                let blended = self.blended(sample);
                // A label's loadings have a penalty instead of its intercepts.
                tied::Em::new(sample, &blended, tree, &params.tied, 0.0, gate).run_factors(experts, seed, progress)?
            }
        };
        let chain = if chain { Some(self.chain(sample, params, progress)?) } else { None };
        Ok(Fitted { experts: Experts { blend: blend.clone(), tree: tree.clone(), chain, tied }, gate, trace })
    }
}

impl Experts {
    /// Number of labels.
    pub(crate) fn labels(&self) -> usize {
        self.blend.len()
    }

    /// The experts at one row, from its log-odds l̃ and its gate.
    pub(crate) fn row(&self, blended: &[f64], log_gate: Vec<f64>) -> RowTrees<'_> {
        let of_parent = |parent: &Option<usize>| parent.map_or(0.0, |parent| sigmoid(blended[parent]));
        let above: Vec<f64> = self.tree.branching.parents().iter().map(of_parent).collect();
        let answering = if self.chain.is_none() { &self.tree.coefficients[..] } else { &[] };
        let of_tree = answering.iter().zip(blended).zip(&above);
        let of_tree = of_tree.map(|(([slope, constant, effect, standing], blended), above)| {
            let absent = slope * blended + constant + (standing - effect) * above;
            [absent, absent + effect]
        });
        let offsets: Vec<f64> = self.tree.offsets().iter().zip(&above).map(|(offset, p)| offset * p).collect();
        let offsets = &offsets[..];
        let tied = (0..self.tied.count()).flat_map(|k| self.tied.log_odds(k, blended, offsets));
        let log_odds: Vec<[f64; 2]> = tied.chain(of_tree).collect();
        let mut tied = vec![Table::default(); log_odds.len()];
        log_sigmoid_pairs(log_odds.as_flattened(), tied.as_flattened_mut());
        let tree = tied.split_off(self.tied.count() * self.labels());
        let branching = &self.tree.branching;
        let stacked = match &self.chain {
            None => RowExpert::tree(branching, tree),
            Some(chain) => RowExpert::Cliques(chain.row(blended)),
        };
        RowTrees { branching, tied, log_gate, stacked }
    }
}

/// The trees at one row.
pub(crate) struct RowTrees<'a> {
    pub(crate) branching: &'a Branching,
    /// Tables of every tied tree, one tree after the other.
    tied: Vec<Table>,
    /// log of their gate.
    pub(crate) log_gate: Vec<f64>,
    /// The stacked tree or chain.
    pub(crate) stacked: RowExpert<'a>,
}

impl RowTrees<'_> {
    /// Tables of every tied tree.
    pub(crate) fn tied(&self) -> impl Iterator<Item = &[Table]> {
        self.tied.chunks_exact(self.branching.len())
    }

    /// log P(set | x) of the tied trees together.
    pub(crate) fn tied_log_prob(&self, set: &LabelSet) -> f64 {
        let of = |(tables, gate): (&[Table], &f64)| gate + inference::log_prob(self.branching, tables, set);
        log_sum_exp(&self.tied().zip(&self.log_gate).map(of).collect::<Vec<_>>())
    }

    /// P(yᵢ = 1 | x) of the tied trees together and of the stacked tree or chain; experts of negligible gate are left out.
    pub(crate) fn marginals(&self) -> [Vec<f64>; 2] {
        let mut tied = vec![0.0; self.branching.len()];
        for (tables, gate) in self.tied().zip(&self.log_gate).filter(|(_, gate)| **gate > NEGLIGIBLE) {
            let own = inference::marginals(self.branching, tables);
            tied.iter_mut().zip(own).for_each(|(sum, p)| *sum += gate.exp() * p);
        }
        [tied, self.stacked.marginals()]
    }

    /// P(set | x) of the tied trees together, for many sets; experts of negligible gate are left out.
    pub(crate) fn tied_probabilities(&self, codes: &SetCodes) -> Vec<f64> {
        let experts: Vec<(&[Table], f64)> =
            self.tied().zip(self.log_gate.iter().copied()).filter(|(_, gate)| *gate > NEGLIGIBLE).collect();
        Arch::new().dispatch(SetProbabilities { labels: self.branching.len(), experts: &experts, codes })
    }
}

/// Experts that are worked on side by side.
const ABREAST: usize = 8;

/// Σₖ gₖ P(set | x, k) of many sets, from experts' tables and the logarithms of their gates; negligible terms are left out.
struct SetProbabilities<'a> {
    labels: usize,
    experts: &'a [(&'a [Table], f64)],
    codes: &'a SetCodes,
}

impl NullaryFnOnce for SetProbabilities<'_> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn call(self) -> Vec<f64> {
        let mut sums = vec![[0.0; ABREAST]; self.codes.len()];
        let mut steps = vec![[0.0; ABREAST]; CODES * self.labels];
        let (mut places, mut logs) = (Vec::new(), Vec::new());
        for experts in self.experts.chunks(ABREAST) {
            // From the empty set's logarithm a set's own is a few steps away.
            let mut empty = [f64::NEG_INFINITY; ABREAST];
            for (lane, (tables, gate)) in experts.iter().enumerate() {
                empty[lane] = gate + tables.iter().map(|table| table[0][0]).sum::<f64>();
                for (steps, [[off, on], above]) in steps.chunks_exact_mut(CODES).zip(*tables) {
                    steps[0][lane] = on - off;
                    steps[1][lane] = above[0] - off;
                    steps[2][lane] = above[1] - off;
                }
            }
            places.clear();
            logs.clear();
            for (place, code) in self.codes.sets().enumerate() {
                let mut log = empty;
                for &step in code {
                    let step = &steps[step as usize];
                    for lane in 0..ABREAST {
                        log[lane] += step[lane];
                    }
                }
                for lane in 0..ABREAST {
                    log[lane] = if log[lane] > NEGLIGIBLE { log[lane] } else { f64::NEG_INFINITY };
                }
                // Most sets are next to impossible.
                if log != [f64::NEG_INFINITY; ABREAST] {
                    places.push(place);
                    logs.push(log);
                }
            }
            exp_in_place(logs.as_flattened_mut());
            for (&place, terms) in places.iter().zip(&logs) {
                for lane in 0..ABREAST {
                    sums[place][lane] += terms[lane];
                }
            }
        }
        sums.into_iter().map(|lanes| lanes.iter().sum()).collect()
    }
}

/// Pairs of a parent's and a label's value that are not both 0.
const CODES: usize = 3;

/// Label sets as what sets them apart from the empty one in a tree: the labels that are present or whose parent is, each with
/// its own and its parent's value. Sets have few labels of many.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SetCodes {
    /// Where each set's codes begin, and at last their number.
    starts: Vec<usize>,
    /// `CODES` · label + 0 for present, 1 for absent under a present parent, 2 for present under one.
    codes: Vec<u32>,
}

impl SetCodes {
    pub(crate) fn new<'a>(tree: &Branching, sets: impl IntoIterator<Item = &'a LabelSet>) -> SetCodes {
        let (mut starts, mut codes) = (vec![0], Vec::new());
        for set in sets {
            for label in 0..tree.len() {
                let above = tree.parents()[label].is_some_and(|parent| set.get(parent));
                let kind = match (above, set.get(label)) {
                    (false, false) => continue,
                    (false, true) => 0,
                    (true, false) => 1,
                    (true, true) => 2,
                };
                codes.push((CODES * label + kind) as u32);
            }
            starts.push(codes.len());
        }
        SetCodes { starts, codes }
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn sets(&self) -> impl Iterator<Item = &[u32]> {
        self.starts.windows(2).map(|pair| &self.codes[pair[0]..pair[1]])
    }
}
