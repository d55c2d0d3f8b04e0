//! Tests of EM over unknown cells: beliefs against enumeration, the fixed point against finite differences, and what
//! it is for.

use super::*;
use crate::ctbn::nodes::Fitted;
use crate::ctbn::tests::edges;
use crate::ctbn::{Candidates, CompletionParams, NodeKind, NodeParams, StructureParams, Trainer, TreeParams};
use arbormix_base::progress::Silent;
use arbormix_base::random::Stream;
use arbormix_data::planted::Planted;
use arbormix_data::{Dataset, LabelSet};
use arbormix_joint::learner::{Learner, Predictor, TrainingSet};
use arbormix_joint::testing::all_sets;
use arbormix_joint::tree::{Branching, EdgeScores, Tree};
use arbormix_learn::logistic::loss::log_sum_exp;
use arbormix_learn::logistic::{Coefficients, LogisticParams, SolverParams};

/// The labels with a share of the cells hidden at random; the first row keeps none.
pub(crate) fn hide(labels: &Labels, share: f64, seed: u64) -> Labels {
    let mut stream = Stream::new(seed, "hide", 0);
    let mut mask = |row: usize| {
        let seen: Vec<bool> = (0..labels.count()).map(|_| stream.uniform() >= share && row > 0).collect();
        LabelSet::from_bools(&seen)
    };
    let masks = (0..labels.rows()).map(&mut mask).collect();
    Labels::with_mask(labels.count(), labels.sets().to_vec(), masks)
}

fn training<'a>(data: &'a Dataset, labels: &'a Labels) -> TrainingSet<'a> {
    TrainingSet { features: data.features(), labels, weights: None, label_names: data.label_names() }
}

/// The sets that agree with the observed cells of a row.
fn compatible(labels: &Labels, row: usize) -> Vec<LabelSet> {
    let agrees = |set: &LabelSet| (0..labels.count()).all(|i| labels.get(row, i).is_none_or(|on| on == set.get(i)));
    all_sets(labels.count()).into_iter().filter(agrees).collect()
}

/// log P(y | x) of the sets that agree with each row, by the tree in the coordinates of the features.
fn log_probs(tree: &Tree, data: &Dataset, row: usize, sets: &[LabelSet]) -> Vec<f64> {
    let features = data.features().select_rows(&vec![row; sets.len()]);
    tree.log_prob(&features, sets).unwrap()
}

const KINDS: [NodeKind; 2] = [NodeKind::Switching, NodeKind::ParentFeature];

#[test]
fn beliefs_equal_enumeration() {
    let (data, _) = Planted { rows: 120, features: 4, labels: 5, seed: 3, ..Planted::default() }.sample().unwrap();
    let labels = hide(data.labels(), 0.4, 1);
    for kind in KINDS {
        let (logistic, structure) = (LogisticParams::default(), StructureParams::default());
        let nodes = NodeParams { kind, min_rows: 5 };
        let trainer = Trainer::new(&training(&data, &labels), &logistic, &structure, &nodes, 1);
        let tree = trainer.structure(None, 0, &Silent).unwrap();
        assert!(!edges(tree.parents()).is_empty());
        let fitted = trainer.fit_tree(tree, None, &Silent).unwrap();
        let beliefs = trainer.beliefs(&fitted);
        let model = fitted.to_tree(&trainer.design);
        for row in 0..labels.rows() {
            let sets = compatible(&labels, row);
            let logs = log_probs(&model, &data, row, &sets);
            let total = log_sum_exp(&logs);
            assert!((beliefs.log_likelihoods[row] - total).abs() < 1e-9);
            for (label, parent) in fitted.tree.parents().iter().enumerate() {
                for (u, v) in [(false, false), (false, true), (true, false), (true, true)] {
                    let Some(parent) = *parent else { continue };
                    let fits = |set: &LabelSet| set.get(parent) == u && set.get(label) == v;
                    let shares = sets.iter().zip(&logs).filter(|(set, _)| fits(set));
                    let direct: f64 = shares.map(|(_, log)| (log - total).exp()).sum();
                    assert!((beliefs.pair(row, label, Some(u), v) - direct).abs() < 1e-9);
                }
            }
        }
    }
}

/// log P(observed cells | x) of all rows minus the penalties, by enumeration.
fn objective(fitted: &Fitted, trainer: &Trainer<'_>, data: &Dataset, labels: &Labels) -> f64 {
    let model = fitted.to_tree(&trainer.design);
    let row = |row: usize| log_sum_exp(&log_probs(&model, data, row, &compatible(labels, row)));
    (0..labels.rows()).map(row).sum::<f64>() - fitted.penalty(&trainer.design)
}

#[test]
fn em_climbs_in_every_iteration_to_a_point_without_slope() {
    let (data, _) = Planted { rows: 150, features: 3, labels: 4, seed: 4, ..Planted::default() }.sample().unwrap();
    let mut labels = hide(data.labels(), 0.3, 2);
    // A label that is absent wherever it is known: a smoothed constant takes part in EM too.
    let mut sets = labels.sets().to_vec();
    sets.iter_mut().for_each(|set| set.set(3, false));
    labels = Labels::with_mask(4, sets, labels.mask().unwrap().to_vec());
    for (kind, steps) in KINDS.into_iter().flat_map(|kind| [(kind, 1), (kind, 30)]) {
        // Partial M-steps must climb too: one Newton step at most.
        let solver = SolverParams::default().tolerance(1e-13).max_iterations(steps);
        let logistic = LogisticParams::default().costs(vec![1.0]).solver(solver);
        let (structure, nodes) = (StructureParams::default(), NodeParams { kind, min_rows: 5 });
        let trainer = Trainer::new(&training(&data, &labels), &logistic, &structure, &nodes, 1);
        let tree = trainer.structure(None, 0, &Silent).unwrap();
        assert!(!edges(tree.parents()).is_empty());
        let start = trainer.fit_tree(tree, None, &Silent).unwrap();
        let params = CompletionParams { max_iterations: 300, tolerance: 1e-14 };
        let run = trainer.complete(start, &params, &Silent).unwrap();
        assert!(run.trace.len() > 5, "EM must have something to do");
        for pair in run.trace.windows(2) {
            let rise = pair[1].penalised - pair[0].penalised;
            assert!(rise >= -1e-9 * pair[0].penalised.abs(), "{kind:?}: fell by {}", -rise);
        }
        let reached = run.trace.last().unwrap().penalised;
        let value = |fitted: &Fitted| objective(fitted, &trainer, &data, &labels);
        assert!((reached - value(&run.fitted)).abs() < 1e-7, "{reached} {}", value(&run.fitted));
        for (label, node) in (0..4).flat_map(|label| (0..run.fitted.nodes[label].len()).map(move |node| (label, node)))
        {
            let moved = |by: f64| {
                let mut fitted = run.fitted.clone();
                match &mut fitted.nodes[label][node].coefficients {
                    Coefficients::Constant(log_odds) => *log_odds += by,
                    Coefficients::Linear(weights) => *weights.last_mut().unwrap() += by,
                }
                value(&fitted)
            };
            let slope = (moved(1e-3) - moved(-1e-3)) / 2e-3;
            assert!(slope.abs() < 2e-2, "{kind:?}: slope {slope} in label {label}, regression {node}");
        }
    }
}

#[test]
fn hidden_cells_cost_less_than_dropped_rows_or_zeros() {
    let planted = Planted { rows: 5000, labels: 6, experts: 1, seed: 5, ..Planted::default() };
    let (data, truth) = planted.sample().unwrap();
    let (train, test): (Vec<usize>, Vec<usize>) = (0..5000).partition(|&row| row < 3000);
    let (train, test) = (data.select_rows(&train), data.select_rows(&test));
    let hidden = hide(train.labels(), 0.3, 3);
    let learn = |data: &Dataset, labels: &Labels| {
        let (tree, report) = TreeParams::default().learn(&training(data, labels), &Silent).unwrap();
        let log_likelihood: f64 = tree.log_prob(test.features(), test.labels().sets()).unwrap().iter().sum();
        (tree, report, log_likelihood)
    };
    let (tree, report, by_em) = learn(&train, &hidden);
    assert!(report.converged && report.trace.len() > 2);
    assert!(report.notes.iter().any(|note| note.contains("label cells are unknown")), "{:?}", report.notes);
    let learned = edges(tree.trees()[0].parents());
    let found = edges(&truth.experts[0].parents).into_iter().filter(|edge| learned.contains(edge)).count();
    assert!(found >= 4, "{found} of 5 edges");
    let full: Vec<usize> = (0..3000).filter(|&row| compatible(&hidden, row).len() == 1).collect();
    let dropped = train.select_rows(&full);
    let (_, _, by_dropping) = learn(&dropped, dropped.labels());
    let (_, _, by_zeros) = learn(&train, &Labels::new(6, hidden.sets().to_vec()));
    let (_, _, complete) = learn(&train, train.labels());
    assert!(complete > by_em && by_em > by_dropping && by_em > by_zeros, "{complete} {by_em} {by_dropping} {by_zeros}");
}

#[test]
fn pairs_that_are_known_less_often_do_not_score_worse() {
    let planted = Planted { rows: 4000, labels: 4, experts: 1, seed: 9, ..Planted::default() };
    let (data, _) = planted.sample().unwrap();
    // Two thirds of label 0 are hidden; nothing else.
    let mut stream = Stream::new(1, "hide", 0);
    let mask = |_| LabelSet::from_bools(&[stream.uniform() < 1.0 / 3.0, true, true, true]);
    let masks = (0..4000).map(mask).collect();
    let hidden = Labels::with_mask(4, data.labels().sets().to_vec(), masks);
    let (logistic, structure, nodes) = Default::default();
    let trainer = |labels| Trainer::new(&training(&data, labels), &logistic, &structure, &nodes, 1);
    let scores = |labels| trainer(labels).scores(None, 0, &Silent).unwrap();
    let (whole, part) = (scores(data.labels()), scores(&hidden));
    assert_eq!(whole.alone[1..], part.alone[1..], "labels without gaps score as ever");
    let relative = |a: f64, b: f64| (a - b).abs() / a.abs();
    assert!(relative(whole.alone[0], part.alone[0]) < 0.1);
    for label in 1..4 {
        // The gain of an edge is estimated on a third of the rows, but on the scale of all.
        for (parent, child) in [(0, label), (label, 0)] {
            let gain = |scores: &EdgeScores| scores.given.get(parent, child) - scores.alone[child];
            assert!((gain(&whole) - gain(&part)).abs() < 0.1 * whole.alone[child].abs(), "{parent} → {child}");
        }
    }
}

/// With all parents as candidates the scores are the exact ones; with five of eleven little is lost, and one loses more.
#[test]
fn screened_candidates_are_the_promising_ones() {
    let (data, _) = Planted { rows: 1500, labels: 12, experts: 1, seed: 2, ..Planted::default() }.sample().unwrap();
    let labels = hide(data.labels(), 0.33, 3);
    let (logistic, nodes) = (LogisticParams::default(), NodeParams::default());
    let scores = |candidates: Candidates| {
        let structure = StructureParams::default().candidates(candidates);
        Trainer::new(&training(&data, &labels), &logistic, &structure, &nodes, 1).scores(None, 0, &Silent).unwrap()
    };
    let exact = scores(Candidates::Exact);
    let all = scores(Candidates::Screened(11));
    assert_eq!(all.alone, exact.alone);
    let total = |found: &EdgeScores| {
        let of = |(child, parent): (usize, &Option<usize>)| match parent {
            Some(parent) => exact.given.get(*parent, child),
            None => exact.alone[child],
        };
        Branching::best(found, 0.0).parents().iter().enumerate().map(of).sum::<f64>()
    };
    let (best, alone) = (total(&exact), exact.alone.iter().sum::<f64>());
    let [five, one] = [5, 1].map(|count| {
        let few = scores(Candidates::Screened(count));
        for child in 0..12 {
            let scored: Vec<usize> = (0..12).filter(|&parent| few.given.get(parent, child).is_finite()).collect();
            assert!(scored.len() == count && !scored.contains(&child), "{scored:?}");
            for &parent in &scored {
                assert_eq!(few.given.get(parent, child), exact.given.get(parent, child));
                assert_eq!(all.given.get(parent, child), exact.given.get(parent, child));
            }
        }
        (best - total(&few)) / (best - alone)
    });
    assert!(five < 0.05 && one > five, "{five} with five, {one} with one");
}
