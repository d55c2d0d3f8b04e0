//! Tests of the stacked mixture: its small optima against scipy (`tests/reference/stack.py`), EM's ascent, the formula
//! written down plainly, and data that leave nothing to choose.

mod chain;
mod factors;
mod unknown;

use serde_json::json;

use std::sync::Arc;

use super::level0::TrainingRows;
use super::level1::exponents::{self, Case, Loss};
use super::level1::regression::{Prior, Regression};
use super::level1::sample::{Sample, Stacking};
use super::level1::tied::clusters::Clusters;
use super::level1::tied::em::Em;
use super::level1::tied::plan::{Intercepts, TiedPlan, TiedStart};
use super::level1::tied::set_codes::TableSets;
use super::level1::tied::{FittedTied, Tied};
use super::level1::tree::StackedTree;
use super::level1::{Level1Model, Plan, RowAnswer, RowInput};
use super::newton::Smooth;
use super::parts::{LEVEL0, LEVEL1};
use super::pool::held_out::fit_all;
use super::pool::mixture::MixtureFit;
use super::pool::weights;
use super::*;
use arbormix_base::params::Preset;
use arbormix_base::progress::Silent;
use arbormix_base::random::Stream;
use arbormix_data::planted::Planted;
use arbormix_data::splits::Folds;
use arbormix_data::{Column, ColumnKind, Dataset, LabelSet, Labels, SeenSets};
use arbormix_joint::learner::{FitReport, Learner, Predictor, REGRESSION_SECONDS, Size, TrainingSet, Workers};
use arbormix_joint::testing::all_sets;
use arbormix_joint::tree::Branching;
use arbormix_learn::features::EIGEN_SECONDS;
use arbormix_learn::forest::{grow_seconds, grown_bytes};
use arbormix_learn::logistic::{Bias, Design, Gate, GateParams, SolverParams};
use arbormix_matrix::{Columns, DenseMatrix, Matrix, SparseBuilder};
use arbormix_mlme::mlme::MixtureParams;

/// The rows of the reference script.
struct Reference {
    log_odds: Vec<f64>,
    other: Vec<f64>,
    parent: Vec<f64>,
    sign: Vec<f64>,
    weight: Vec<f64>,
}

fn reference() -> Reference {
    let column = |of: &dyn Fn(f64) -> f64| (0..40).map(|n| of(f64::from(n))).collect::<Vec<f64>>();
    Reference {
        log_odds: column(&|n| 2.0 * (1.3 * n).sin()),
        other: column(&|n| (0.7 * n).cos()),
        parent: column(&|n| n % 2.0),
        sign: column(&|n| if (2.1 * n + 0.5).sin() + (1.3 * n).sin() > 0.0 { 1.0 } else { -1.0 }),
        weight: column(&|n| 1.0 + (n % 3.0) / 2.0),
    }
}

/// p = σ(log-odds) of a label, and y − p.
fn expectations(log_odds: &[f64], values: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let expected: Vec<f64> = log_odds.iter().map(|z| 1.0 / (1.0 + (-z).exp())).collect();
    let surprise = values.iter().zip(&expected).map(|(y, p)| y - p).collect();
    (expected, surprise)
}

fn assert_close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-5), "{found:?} against {expected:?}");
}

#[test]
fn regressions_of_few_parameters_end_where_scipy_ends() {
    let Reference { log_odds, other, parent, sign, weight } = reference();
    let signed: Vec<f64> = sign.iter().zip(&weight).map(|(sign, weight)| sign * weight).collect();
    let ones = vec![1.0; 40];
    let prior = Prior { centre: [0.5, 0.5, 0.0], ridge: [2.0, 2.0, 0.1] };
    let blend = Regression { inputs: [&log_odds, &other, &ones], signed: &signed, prior };
    assert_close(&blend.fit(), &[0.82487706748, 0.200770236241, -0.404115029102]);
    assert!((blend.expanded(&blend.fit()).value - 32.40251032819955).abs() < 1e-9);
    let prior = Prior { centre: [1.0, 0.0, 0.0, 0.0], ridge: [1.0, 0.1, 0.5, 0.5] };
    let (expected, surprise) = expectations(&other, &parent);
    let edge = Regression { inputs: [&log_odds, &ones, &surprise, &expected], signed: &signed, prior };
    assert_close(&edge.fit(), &[0.879282669079, -0.441372801765, 0.053649909421, 0.0695696977]);
    assert!((edge.expanded(&edge.fit()).value - 32.16976236111968).abs() < 1e-9);
}

#[test]
fn the_pool_ends_where_scipy_ends() {
    let counts = [1.5, 4.5, 2.5, 9.5, 1.5_f64].map(f64::ln);
    let row = |n: f64| -> Vec<Vec<f64>> {
        let first = |s: f64| (0.3 + 0.29 * (1.7 * n + s).sin()).ln();
        let second = |s: f64| (0.3 + 0.29 * (0.9 * n - 2.0 * s).cos()).ln();
        let column = |of: &dyn Fn(f64) -> f64| (0..5).map(|s| of(f64::from(s))).collect();
        vec![column(&first), column(&second)]
    };
    let rows: Vec<Vec<Vec<f64>>> = (0..40).map(|n| row(f64::from(n))).collect();
    let own = |n: usize| {
        let noise = |s: usize| (5.0 * n as f64 * (s as f64 + 1.0)).sin();
        let value = |s: usize| rows[n][0][s] + 0.3 * rows[n][1][s] + 0.4 * counts[s] + noise(s);
        (0..5).max_by(|&a, &b| value(a).total_cmp(&value(b))).unwrap()
    };
    let weight = reference().weight;
    let cases: Vec<Case<'_>> =
        (0..40).map(|n| Case { evidence: &rows[n], log_counts: &counts, own: own(n), weight: weight[n] }).collect();
    let found = exponents::fit(&cases, 2, 1.0);
    assert_close(&found, &[2.634105476521, 0.592242123433, 0.911967238086]);
    let loss = Loss { cases: &cases, centre: exponents::centre(2), ridge: 1.0 };
    assert!((loss.expanded(&found).value - 45.82700982285129).abs() < 1e-9);
    assert_eq!(exponents::fit(&[], 2, 1.0), [0.5, 0.5, 0.0], "without rows the exponents stay at the centre");
}

#[test]
fn the_weights_end_where_scipy_ends() {
    let weight = reference().weight;
    let row = |n: usize| {
        let x = n as f64;
        let first: f64 = if n.is_multiple_of(7) { 0.0 } else { 0.4 + 0.39 * (1.1 * x).sin() };
        ([first, 0.3 + 0.29 * x.cos(), 0.25 + 0.2 * (2.0 * x).sin()].map(f64::ln).to_vec(), weight[n])
    };
    let rows: Vec<weights::Row> = (0..40).map(row).collect();
    assert_close(&weights::fit(&rows, 3), &[0.277241616203, 0.273579814846, 0.449178568952]);
    let ruled_out = weights::fit(&[(vec![f64::NEG_INFINITY, -900.0, -901.0], 10.0)], 3);
    assert!(ruled_out[0] == 0.0 && ruled_out[1] > ruled_out[2]);
    let seldom = weights::fit(&[(vec![f64::NEG_INFINITY, -9.0, -9.0], 10.0), (vec![-9e9, -9.0, -9.0], 10.0)], 3);
    assert!(seldom[0] > 0.0, "a part that is possible somewhere is not ruled out");
}

fn dataset(features: Matrix, sets: Vec<LabelSet>) -> Dataset {
    let columns = (0..features.cols()).map(|j| arbormix_data::Column::numeric(format!("x{j}"))).collect();
    let labels = Labels::new(sets[0].len(), sets);
    let names = (0..labels.count()).map(|i| format!("y{i}")).collect();
    Dataset::new("stack", features, columns, labels, names).unwrap()
}

fn planted(rows: usize, labels: usize, density: f64) -> Dataset {
    Planted { rows, labels, density, seed: 5, ..Planted::default() }.sample().unwrap().0
}

/// Small forests and a short EM: what these tests look at does not depend on them.
fn quick(overrides: serde_json::Value) -> StackParams {
    let learner = METHOD.with(Preset::Default, &overrides).unwrap();
    let mut params: StackParams = serde_json::from_value(learner.params()).unwrap();
    (params.forest.trees, params.held_out_trees) = (20, 10);
    params
}

fn learned(params: &StackParams, data: &Dataset, weights: Option<&[f64]>) -> (Stack, FitReport) {
    let (features, labels) = (data.features(), data.labels());
    let set = TrainingSet { features, labels, weights, label_names: data.label_names() };
    let (model, report) = params.learn(&set, &Silent).unwrap();
    (Stack::load(&model.store()).unwrap(), report)
}

/// One label with the reference's rows and a gate that has nothing to go by: EM from the reference's responsibilities.
#[test]
fn the_tied_regression_of_a_label_ends_where_scipy_ends() {
    let Reference { log_odds, parent, sign, weight, .. } = reference();
    let share = |n: f64| {
        let raw = [(0.4 * n).sin(), (0.4 * n).cos(), (0.9 * n + 1.0).sin()].map(f64::exp);
        raw.map(|value| value / raw.iter().sum::<f64>())
    };
    let mut responsibilities = Columns::zeros(40, 3);
    for n in 0..40 {
        (0..3).for_each(|k| responsibilities.column_mut(k)[n] = share(n as f64)[k]);
    }
    let set = |n: usize| LabelSet::from_bools(&[sign[n] > 0.0, parent[n] > 0.0]);
    let sets: Vec<LabelSet> = (0..40).map(set).collect();
    let design = Design::new(&Matrix::Dense(DenseMatrix::zeros(40, 1)), Bias::Penalised);
    let logits = Columns::from_columns(40, [log_odds.as_slice(), &[0.0; 40]]);
    let log_odds = vec![logits.clone(), Columns::zeros(40, 2)];
    let sample = Sample::new(design, log_odds, &sets.iter().collect::<Vec<_>>(), weight);
    // Half of p is taken off the parent's value, and p = ½.
    let branching = Branching::new(vec![Some(1), None]).unwrap();
    let tree = StackedTree { branching, coefficients: vec![[1.0, 0.0, 1.0, 0.5], [1.0, 0.0, 0.0, 0.0]] };
    let params = TiedParams { iterations: 1, newton_steps: 50, ..StackParams::default().tied };
    let gate = GateParams::default().penalty(1.0).solver(SolverParams::default());
    let em = Em::new(&sample, &logits, &tree, &params, 0.1, gate);
    let uniform = Gate::uniform(&sample.design.block(None, &[]), 3);
    let (tied, _, _) = em.run(&responsibilities, uniform, &Silent).unwrap();
    assert_close(&tied.slopes[0], &[0.883807195159, 0.055220668618]);
    assert_close(tied.intercepts.column(0), &[-0.467327989719, -0.535686876588, -0.230474564516]);
}

#[test]
fn em_of_the_tied_trees_never_falls() {
    for overrides in [
        json!({"tied": {"iterations": 12}}),
        json!({"tied": {"iterations": 12, "experts": 3, "newton_steps": 1}, "gate": {"penalties": [0.3]}}),
    ] {
        let (_, report) = learned(&quick(overrides), &planted(120, 5, 1.0), None);
        let steps: Vec<f64> = report.trace.iter().map(|step| step.penalised).collect();
        assert_eq!(steps.len(), 12);
        assert!(steps.windows(2).all(|pair| pair[1] >= pair[0] - 1e-9), "{steps:?}");
        assert!(steps[11] > steps[0] + 0.1, "{steps:?}");
    }
}

#[test]
fn every_set_is_possible_and_probabilities_sum_to_one() {
    for (data, overrides) in [
        (planted(90, 4, 1.0), json!({})),
        (planted(90, 4, 0.1), json!({"refit_forest": true})),
        (planted(90, 4, 1.0), json!({"pool": {"sets": 3}, "tied": {"cells": 2000, "clustered_sets": 4}})),
    ] {
        let (model, _) = learned(&quick(overrides), &data, None);
        let mut sums = vec![0.0; 90];
        for set in all_sets(4) {
            let logs = model.log_prob(data.features(), &vec![set; 90]).unwrap();
            assert!(logs.iter().all(|log| log.is_finite()));
            sums.iter_mut().zip(logs).for_each(|(sum, log)| *sum += log.exp());
        }
        assert!(sums.iter().all(|sum| (sum - 1.0).abs() < 1e-9), "{sums:?}");
        assert!((model.weights().iter().sum::<f64>() - 1.0).abs() < 1e-12);
        let both = model.predict_with_marginals(data.features(), model.inference()).unwrap();
        let alone = model.predict(data.features(), model.inference()).unwrap();
        let marginals = model.marginals(data.features()).unwrap();
        for (row, (prediction, own)) in both.iter().enumerate() {
            assert_eq!((prediction, own.as_slice()), (&alone[row], marginals.row(row)), "row {row}");
        }
    }
}

/// Experts side by side against each set's log-probability by each of them.
#[test]
fn probabilities_of_many_sets_are_those_of_each_set() {
    let mut stream = Stream::new(5, "sets", 0);
    let mut numbers =
        |count: usize, scale: f64| -> Vec<f64> { (0..count).map(|_| scale * (stream.uniform() - 0.5)).collect() };
    for experts in [1, 7, 8, 19] {
        let branching = Branching::new(vec![Some(2), None, Some(1), Some(1), None]).unwrap();
        let tree = StackedTree { branching: branching.clone(), coefficients: vec![[1.0, 0.5, -1.0, -0.3]; 5] };
        let mut intercepts = Columns::zeros(experts, 5);
        intercepts.values_mut().copy_from_slice(&numbers(5 * experts, 4.0));
        let slopes = numbers(10, 3.0).chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect();
        let tied = FittedTied::new(Arc::new(tree), Tied { slopes, intercepts });
        // One expert's gate is negligible.
        let mut log_gate = numbers(experts, 2.0);
        log_gate[0] = if experts > 1 { -50.0 } else { 0.0 };
        let sets = all_sets(5);
        let table = TableSets::new(&branching, sets.clone());
        let (log_odds, table) = (numbers(5, 8.0), Some(&table));
        let answer = tied.answer(&RowInput { log_odds, shares: vec![], table, pooled: vec![] }, &log_gate);
        for (set, found) in sets.iter().zip(answer.set_probabilities.as_ref().unwrap()) {
            let expected = answer.log_prob(set).exp();
            assert!((found - expected).abs() < 1e-12 * expected + 1e-12, "{experts}, {set:?}: {found} {expected}");
        }
    }
}

/// Three folds whose training rows are the same: only the draws can tell their forests apart.
#[test]
fn forests_of_folds_draw_on_their_own() {
    let once = planted(40, 3, 1.0);
    let data = once.select_rows(&(0..120).map(|row| row % 40).collect::<Vec<_>>());
    let params = quick(json!({}));
    let seen = SeenSets::new(data.labels(), None);
    let labels: Vec<Vec<bool>> = (0..3).map(|label| data.labels().column(label)).collect();
    let (features, design) = (data.features(), Design::new(data.features(), Bias::Penalised));
    let rows = TrainingRows { features, design: &design, labels: &labels, seen: &seen, weights: None, params: &params };
    let folds = Folds::from_ids((0..120).map(|row| row / 40).collect()).unwrap();
    let (_, forests) = rows.out_of_fold_shares(&folds, &Silent).unwrap();
    assert!(forests[0] != forests[1] && forests[1] != forests[2] && forests[0] != forests[2]);
    let (_, again) = rows.out_of_fold_shares(&folds, &Silent).unwrap();
    assert_eq!(forests, again);
}

/// The held-out marginals of four labels, against the mixture's probabilities of all sixteen sets.
#[test]
fn held_out_marginals_are_sums_over_all_label_sets() {
    let data = planted(120, 4, 1.0);
    let params = quick(json!({"pool": {"sets": 9}}));
    let seen = SeenSets::new(data.labels(), None);
    let labels: Vec<Vec<bool>> = (0..4).map(|label| data.labels().column(label)).collect();
    let (features, design) = (data.features(), Design::new(data.features(), Bias::Penalised));
    let (labels, weights) = (&labels[..], None);
    let rows = TrainingRows { features, design: &design, labels, seen: &seen, weights, params: &params };
    let folds = Folds::shuffled(120, 3, 0).unwrap();
    let answers: Vec<_> = LEVEL0.iter().map(|part| part.fit(&rows, &folds, &Silent).unwrap().answers).collect();
    let sets = data.labels().sets();
    let stacking = Stacking {
        params: &params,
        labels: sets,
        weights,
        seen: &seen,
        design: &design,
        answers: &answers,
        progress: &Silent,
    };
    let plans = plans(&stacking, &folds);
    let held: Vec<_> = (0..2).map(|fold| stacking.held_out(&folds, fold, &plans).unwrap()).collect();
    let mixture = MixtureFit::new(&held, 1.0);
    let found = mixture.marginals(&stacking, &held);
    assert!(mixture.weights.iter().all(|weight| *weight > 0.02), "{:?}", mixture.weights);
    let mut place = 0;
    for fold in 0..2 {
        let split = stacking.split(&folds, fold).unwrap();
        let fits = fit_all(&plans, &split.fitting(&stacking, false)).unwrap();
        let gate = fits[1].gate.as_ref().unwrap().log_weights(&design.with_rows(&split.held).block(None, &[]));
        let blended = split.fitting(&stacking, false).base.log_odds_of(&stacking.sample(&split.held));
        let table = fits[0].model.table().unwrap();
        assert!(table.classes.len() < 16);
        for (at, &row) in split.held.iter().enumerate() {
            let log_odds = (0..4).map(|label| blended.get(at, label)).collect();
            let mut input =
                RowInput { log_odds, shares: stacking.shares(row), table: Some(&table.sets), pooled: vec![] };
            let gate: Vec<f64> = (0..gate.cols()).map(|k| gate.get(at, k)).collect();
            let parts = [&fits[1], &fits[2]].map(|fit| fit.model.answer(&input, &gate));
            let [mut tied, tree]: [RowAnswer<'_>; 2] = parts;
            input.pooled = vec![tied.set_probabilities.take().unwrap()];
            let pooled = exponents::log_probabilities(&mixture.exponents, &table.evidence(&input), &table.log_counts);
            let probability = |set: &LabelSet| {
                let class = seen.sets().iter().position(|other| other == set);
                let tabled = class.and_then(|class| table.place(class)).map_or(0.0, |at| pooled[at].exp());
                let parts = [tabled, tied.log_prob(set).exp(), tree.log_prob(set).exp()];
                parts.iter().zip(&mixture.weights).map(|(p, weight)| weight * p).sum::<f64>()
            };
            let mut expected = [0.0; 4];
            for set in all_sets(4) {
                set.members().for_each(|label| expected[label] += probability(&set));
            }
            assert_eq!(found.rows[place], row);
            assert_close(found.marginals.row(place), &expected);
            place += 1;
        }
    }
    assert_eq!((place, found.marginals.rows()), (80, 80));
}

/// The table, five tied trees with freer intercepts than usual, and the stacked tree.
fn plans(stacking: &Stacking<'_>, folds: &Folds) -> Vec<Arc<dyn Plan>> {
    let split = stacking.split(folds, 0).unwrap();
    let first = split.fitting(stacking, true);
    let clusters = Clusters::new(stacking.seen, 5, stacking.params);
    let gate = Gate::uniform(&first.sample.design.block(None, &[]), clusters.count);
    let start = Arc::new(TiedStart { clusters, penalty: 1.0, gate });
    let default = |place: usize| LEVEL1[place].plans(&first, &split.held).unwrap()[0].plans[0].clone();
    vec![default(0), Arc::new(TiedPlan { start, intercepts: Intercepts::Free(0.3) }), default(2)]
}

/// With one label a row's marginal is the probability of its label set, which the weights were fitted to.
#[test]
fn held_out_marginals_of_one_label_are_as_likely_as_the_report_says() {
    let data = planted(150, 1, 1.0);
    let weights: Vec<f64> = (0..150).map(|row| f64::from(row % 4)).collect();
    let (_, report) = learned(&quick(json!({})), &data, Some(&weights));
    let held_out = report.held_out.unwrap();
    let mut rows = held_out.rows.clone();
    rows.sort_unstable();
    assert_eq!(rows, (0..150).filter(|row| row % 4 > 0).collect::<Vec<_>>(), "all rows that have weight, once");
    let (mut sum, mut total) = (0.0, 0.0);
    for (place, &row) in held_out.rows.iter().enumerate() {
        let p = held_out.marginals.get(place, 0);
        let own = if data.labels().row(row).get(0) { p } else { 1.0 - p };
        sum += weights[row] * own.ln();
        total += weights[row];
    }
    let expected = format!("Held-out log-likelihood: {:.4} per row.", sum / total);
    assert!(report.notes.iter().any(|note| note.contains(&expected)), "{expected} {:?}", report.notes);
}

/// Twelve labels that follow one of three patterns, seen through noise, and features that tell nothing: a tree cannot say
/// that, and of so many label sets hardly one comes twice.
fn patterns(rows: usize) -> Dataset {
    let mut draws = Stream::new(3, "test", 0);
    let set = |draws: &mut Stream| {
        let pattern = draws.below(3);
        let bits: Vec<bool> = (0..12).map(|label| (label % 3 == pattern) != (draws.uniform() < 0.1)).collect();
        LabelSet::from_bools(&bits)
    };
    let sets = (0..rows).map(|_| set(&mut draws)).collect();
    let cells = (0..rows).map(|_| draws.normal()).collect();
    let columns = vec![Column { name: "x".into(), kind: ColumnKind::Numeric }];
    let names = (0..12).map(|label| format!("y{label}")).collect();
    let features = Matrix::Dense(DenseMatrix::new(rows, 1, cells));
    Dataset::new("patterns", features, columns, Labels::new(12, sets), names).unwrap()
}

/// A choice between penalties is the model of the penalty that the note names: the largest, unless the data need experts
/// that differ.
#[test]
fn the_penalty_of_the_intercepts_is_the_largest_unless_another_is_clearly_ahead() {
    for (data, ridges, expected) in [(planted(160, 5, 1.0), [0.3, 3.0], 3.0), (patterns(300), [0.3, 1e6], 0.3)] {
        let fitted = |ridges: &[f64]| learned(&quick(json!({"tied": {"intercept_ridges": ridges}})), &data, None);
        let (chosen, report) = fitted(&ridges);
        let (_, after) = report.notes.iter().find_map(|note| note.split_once("intercept penalty ")).unwrap();
        let named: f64 = after.split(')').next().unwrap().parse().unwrap();
        assert_eq!(named, expected, "{:?}", report.notes);
        assert_eq!(chosen.store(), fitted(&[named]).0.store());
    }
}

#[test]
fn limits_are_kept_and_noted() {
    let data = planted(90, 4, 1.0);
    let limits = json!({"pool": {"sets": 3}, "tied": {"cells": 1000}, "map": {"landmark_cells": 10}});
    let (model, report) = learned(&quick(limits), &data, None);
    assert_eq!((model.sets().len(), model.tied_trees()), (3, 2));
    let count = |set: &LabelSet| data.labels().sets().iter().filter(|other| *other == set).count();
    let mut counts: Vec<usize> = all_sets(4).iter().map(count).collect();
    counts.sort_unstable();
    assert!(model.sets().iter().all(|set| count(set) >= counts[16 - 3]), "the most frequent sets are in the table");
    for name in ["pool.sets", "tied.cells", "map.landmark_cells"] {
        assert!(report.notes.iter().any(|note| note.contains(name)), "{name}: {:?}", report.notes);
    }
    let (_, report) = learned(&quick(json!({})), &data, None);
    assert!(!report.notes.iter().any(|note| note.contains("pool.sets") || note.contains("tied.cells")));
}

#[test]
fn with_few_parents_to_try_the_tree_keeps_its_best_edges() {
    let data = planted(400, 6, 1.0);
    let trees = |parents: usize| {
        let (model, _) = learned(&quick(json!({"structure": {"parents": parents}})), &data, None);
        Predictor::trees(&model)[0].parents().to_vec()
    };
    let (all, few) = (trees(5), trees(2));
    let edges = all.iter().filter(|parent| parent.is_some()).count();
    let kept = all.iter().zip(&few).filter(|(a, b)| a.is_some() && a == b).count();
    assert!(edges >= 3 && 3 * kept >= 2 * edges, "{all:?} {few:?}");
}

#[test]
fn rows_of_weight_zero_are_as_good_as_absent() {
    let data = planted(90, 4, 1.0);
    let weights: Vec<f64> = (0..90).map(|row| f64::from(row % 3)).collect();
    let rows: Vec<usize> = (0..90).filter(|row| row % 3 > 0).collect();
    let rest: Vec<f64> = rows.iter().map(|&row| weights[row]).collect();
    let params = quick(json!({}));
    let (with, report) = learned(&params, &data, Some(&weights));
    let (without, rest) = learned(&params, &data.select_rows(&rows), Some(&rest));
    assert_eq!(with, without);
    let (held_out, rest) = (report.held_out.unwrap(), rest.held_out.unwrap());
    assert_eq!(held_out.marginals, rest.marginals);
    assert_eq!(held_out.rows, rest.rows.iter().map(|&row| rows[row]).collect::<Vec<_>>());
}

#[test]
fn data_that_leave_nothing_to_choose_are_learned() {
    let data = planted(20, 3, 1.0);
    let dense = |rows: usize| {
        let cells = (0..rows * 2).map(|cell| (cell as f64 * 0.7).sin()).collect();
        Matrix::Dense(DenseMatrix::new(rows, 2, cells))
    };
    let set = |code: usize, labels: usize| {
        LabelSet::from_bools(&(0..labels).map(|label| code >> label & 1 == 1).collect::<Vec<_>>())
    };
    let mut sparse = SparseBuilder::default();
    for row in 0..30 {
        if row % 2 == 0 {
            sparse.push(row, 1.0);
        }
        sparse.end_row();
    }
    let cases = [
        ("few rows", data),
        ("two rows", dataset(dense(2), vec![set(1, 2), set(2, 2)])),
        ("one label", dataset(dense(30), (0..30).map(|row| set(row % 2, 1)).collect())),
        ("every row another set", dataset(dense(32), (0..32).map(|row| set(row, 5)).collect())),
        ("one set", dataset(dense(25), vec![set(5, 3); 25])),
        ("a label of one row", dataset(dense(40), (0..40).map(|row| set(1 + (row % 3) + 4 * (row / 39), 3)).collect())),
        ("empty sparse rows", dataset(Matrix::Sparse(sparse.finish(30)), (0..30).map(|row| set(row % 4, 2)).collect())),
    ];
    for (name, data) in cases {
        let (model, _) = learned(&quick(json!({})), &data, None);
        let logs = model.log_prob(data.features(), data.labels().sets()).unwrap();
        assert!(logs.iter().all(|log| log.is_finite() && *log <= 1e-12), "{name}: {logs:?}");
        let marginals = model.marginals(data.features()).unwrap();
        assert!(marginals.values().iter().all(|p| (0.0..=1.0).contains(p)), "{name}");
        let found = model.predict(data.features(), model.inference()).unwrap();
        assert!(found.iter().all(|found| found.certificate.is_some_and(|c| c.certified)), "{name}");
        if name == "one set" {
            assert!(found.iter().all(|found| found.labels == set(5, 3)));
        }
    }
}

#[test]
fn parameters_and_files_that_cannot_be_used_are_refused() {
    let refused = |overrides| METHOD.with(Preset::Default, &overrides).err().unwrap().to_string();
    for (overrides, name) in [
        (json!({"folds": 1}), "folds"),
        (json!({"pool": {"ridge": 0.0}}), "pool.ridge"),
        (json!({"map": {"widths": [0.0]}}), "map.widths"),
        (json!({"gate": {"penalties": []}}), "gate.penalties"),
        (json!({"blend": {"clip": 0.5}}), "blend.clip"),
        (json!({"tied": {"own_share": 1.5}}), "tied.own_share"),
        (json!({"tied": {"factors": {"count": 9}}}), "tied.factors.count"),
        (json!({"tied": {"factors": {"ridge": 0.0}}}), "tied.factors.ridge"),
        (json!({"structure": {"edge_cost": -1.0}}), "structure.edge_cost"),
        (json!({"held_out_trees": 0}), "held_out_trees"),
    ] {
        let message = refused(overrides);
        assert!(message.contains(&format!("parameter {name} =")), "{message}");
    }
    let stored = learned(&quick(json!({})), &planted(60, 3, 1.0), None).0.store();
    let damaged = |place: &str, value: serde_json::Value| {
        let mut stored = stored.clone();
        stored.facts[place] = value;
        Stack::load(&stored).unwrap_err().to_string()
    };
    assert!(damaged("sets", json!([[0]])).contains("label sets and classes of the forest"));
    assert!(damaged("classes", json!([1, 0])).contains("do not ascend"));
    assert!(damaged("classes", json!([999])).contains("do not exist"));
    assert!(damaged("tree", json!([null])).contains("labels and nodes of the tree"));
    assert!(damaged("experts", json!(99)).contains("gate"));
    assert!(damaged("experts", json!(1e12 as u64)).contains("gate"), "before room is made for so many");
    assert!(damaged("labels", json!(1e13 as u64)).contains("labels and nodes of the tree"));
    let altered = |tensor: &str, value: f64| {
        let mut stored = stored.clone();
        stored.tensors.get_mut(tensor).unwrap().values[0] = value;
        Stack::load(&stored).unwrap_err().to_string()
    };
    assert!(altered("gate.biases", f64::NAN).contains("not finite"));
    assert!(altered("weights", 5.0).contains("not the weights of a mixture"));
}

/// Where every row has another label set, the table gives no held-out row any probability. It is left out of the model, and a
/// model that still has it, with weight 0, gives the same answers to the last bit.
#[test]
fn a_part_without_weight_is_left_out_and_changes_nothing() {
    let cells = (0..64).map(|cell| (f64::from(cell) * 0.7).sin()).collect();
    let set = |code: usize| LabelSet::from_bools(&(0..5).map(|label| code >> label & 1 == 1).collect::<Vec<_>>());
    let data = dataset(Matrix::Dense(DenseMatrix::new(32, 2, cells)), (0..32).map(set).collect());
    let (without, _) = learned(&quick(json!({})), &data, None);
    assert_eq!((without.parts().next(), without.weights().len()), (Some("tied"), 2));
    assert!(without.sets().is_empty() && without.exponents().is_empty());
    let mut stored = without.store();
    for gone in ["pool", "log_counts"] {
        assert!(!stored.tensors.contains_key(gone), "{gone}");
    }
    let names = stored.facts["parts"]["level1"].as_array_mut().unwrap();
    names.insert(0, json!("label_sets"));
    stored.facts["classes"] = json!((0..32).collect::<Vec<usize>>());
    let mut tensor = |name: &str, before: &[f64]| {
        let old = stored.tensors.remove(name).map_or(Vec::new(), |tensor| tensor.values);
        let values = [before, &old].concat();
        stored.put(name, &[1, values.len()], values);
    };
    tensor("weights", &[0.0]);
    tensor("pool", &[0.5, 0.5, 0.0]);
    tensor("floors", &[0.005, 1e-8]);
    stored.put("log_counts", &[32], vec![0.4; 32]);
    let with = Stack::load(&stored).unwrap();
    assert_eq!((with.parts().next(), with.sets().len()), (Some("label_sets"), 32));
    let features = data.features();
    assert_eq!(
        with.predict_with_marginals(features, with.inference()).unwrap(),
        without.predict_with_marginals(features, without.inference()).unwrap()
    );
    let sets: Vec<LabelSet> = (0..32).rev().map(set).collect();
    assert_eq!(with.log_prob(features, &sets).unwrap(), without.log_prob(features, &sets).unwrap());
    assert_eq!(with.without_zero_weights(), without);
}

/// The sums over the parts against the formulas in one piece.
#[test]
fn costs_of_the_parts_add_up() {
    let params = StackParams::default();
    for (rows, columns, labels, sets, sparse, unknown) in
        [(593, 72, 6, 27, false, false), (1702, 1001, 53, 753, true, false), (90, 4, 3, 8, false, true)]
    {
        let (cells, present) = (if sparse { 60.0 } else { columns as f64 }, 0.3 * labels as f64);
        let size =
            Size { rows, columns, features: columns, cells, labels, present, sets, sparse, unknown, bytes: 12_345 };
        let (n, d) = (rows as f64, labels as f64);
        let experts = params.most_experts(rows, labels).min(sets);
        let (plain, mapped) = (size.work(), size.with_features(300.min(rows)).work());
        let own = if sparse { plain.max(mapped) } else { (plain * mapped).sqrt() };
        let regressions = REGRESSION_SECONDS * (25.0 * d + 10.0 * experts as f64) * own;
        let trees = 5 * params.trees_of_fold(rows, sets);
        let held = params.held_out_folds(rows, labels, 5);
        let edges = 6e-8 * (1 + held) as f64 * n * d * d.min(params.structure.tried(labels) as f64);
        let tied = 7e-8 * (held + 2) as f64 * n * d * experts as f64;
        let table = 1.2e-9 * n * (held + 1) as f64 / 5.0 * sets as f64 * experts as f64 * (3.0 * present).clamp(1.0, d);
        let map = EIGEN_SECONDS * (5.0 * (200.min(rows) as f64).powi(3) + (500.min(rows) as f64).powi(3));
        let completion = if unknown { MixtureParams::default().seconds(&size) } else { 0.0 };
        let expected =
            regressions + grow_seconds(trees, rows, columns, sparse) + edges + tied + table + map + completion;
        let found = params.seconds(&size);
        assert!((found / expected - 1.0).abs() < 1e-12, "{found} {expected}");
        let workers = Workers::threads(2);
        let regression = size.with_features(300.min(rows).max(columns)).regression_bytes(1, workers);
        let answers = rows * (4 * labels + sets) * 8;
        let expected = regression + size.encoded_bytes() + grown_bytes(trees, rows) + answers + 4 * rows * experts * 8;
        assert_eq!(params.bytes(&size, workers), expected);
    }
}

#[test]
fn trees_and_held_out_folds_follow_the_size_of_the_data() {
    let params = StackParams::default();
    let trees = |rows, sets| params.trees_of_fold(rows, sets);
    assert_eq!(trees(500, 20), 200, "few label sets");
    assert_eq!(trees(2000, 180), 270, "one and a half trees per set");
    assert_eq!(trees(2000, 5000), 300, "at most half as many again");
    assert_eq!(trees(5000, 20), 140, "fewer for more rows");
    assert_eq!(trees(100_000, 5000), 100, "half as many at least");
    let folds = |rows, labels| params.held_out_folds(rows, labels, 5);
    assert_eq!(folds(400, 6), 5, "all");
    assert_eq!(folds(2000, 50), 2, "800 rows");
    assert_eq!(folds(400, 300), 2, "160 rows");
    assert_eq!(folds(100_000, 6), 1);
    let endless = params.held_out_trees(usize::MAX).held_out_rows(usize::MAX);
    assert!(endless.trees_of_fold(10, 10) > 0 && endless.held_out_folds(10, 10, 5) == 5);
}
