//! Tests of the logistic engine: against scikit-learn's and scipy's optima, finite differences, and itself.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde::Deserialize;

use super::loss::{evaluate, log_sum_exp, sigmoid, softplus};
use super::*;
use arbormix_base::progress::Cancelled;
use arbormix_base::progress::{Progress, Silent};
use arbormix_base::random::Stream;
use arbormix_data::planted::Planted;
use arbormix_matrix::{Columns, DenseMatrix, Matrix, SparseBuilder};

pub(crate) const TIGHT: SolverParams = SolverParams { tolerance: 1e-15, max_iterations: 200 };

pub(crate) fn solved(block: &Block<'_>, problems: &[Problem<'_>], params: &SolverParams) -> Vec<Solution> {
    solve(block, problems, params, &Silent).unwrap()
}

#[derive(Deserialize)]
struct Reference {
    binary: Vec<BinaryCase>,
    softmax: Vec<SoftmaxCase>,
}

#[derive(Deserialize)]
struct BinaryCase {
    name: String,
    sparse: bool,
    x: Vec<Vec<f64>>,
    y: Vec<f64>,
    weights: Option<Vec<f64>>,
    problems: Vec<BinaryProblem>,
}

#[derive(Deserialize)]
struct BinaryProblem {
    cost: f64,
    bias: Bias,
    objective: f64,
    solution: Vec<f64>,
}

#[derive(Deserialize)]
struct SoftmaxCase {
    name: String,
    x: Vec<Vec<f64>>,
    targets: Vec<Vec<f64>>,
    problems: Vec<SoftmaxProblem>,
}

#[derive(Deserialize)]
struct SoftmaxProblem {
    penalty: f64,
    objective: f64,
    solution: Vec<Vec<f64>>,
}

fn reference() -> Reference {
    serde_json::from_str(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/reference/logistic.json"))).unwrap()
}

pub(crate) fn dense(rows: &[Vec<f64>]) -> Matrix {
    Matrix::Dense(DenseMatrix::new(rows.len(), rows[0].len(), rows.concat()))
}

fn sparse(rows: &[Vec<f64>]) -> Matrix {
    let mut builder = SparseBuilder::default();
    for row in rows {
        row.iter().enumerate().for_each(|(column, &value)| builder.push(column, value));
        builder.end_row();
    }
    Matrix::Sparse(builder.finish(rows[0].len()))
}

fn close(left: f64, right: f64, relative: f64) -> bool {
    (left - right).abs() <= relative * (1.0 + left.abs().max(right.abs()))
}

#[test]
fn optima_equal_those_of_scikit_learn() {
    for case in reference().binary {
        let features = if case.sparse { sparse(&case.x) } else { dense(&case.x) };
        let targets: Vec<bool> = case.y.iter().map(|&y| y > 0.0).collect();
        for expected in &case.problems {
            let design = Design::new(&features, expected.bias);
            let block = design.block(None, &[]);
            let weights = case.weights.as_deref();
            let problem =
                Problem { targets: &targets, weights, only: None, cost: expected.cost, start: None, coordinates: None };
            let place = format!("{} C = {} {:?}", case.name, expected.cost, expected.bias);
            let usual = &solved(&block, &[problem], &SolverParams::default())[0];
            assert!(usual.converged, "{place}");
            assert!(close(usual.objective, expected.objective, 1e-6), "{place}: {}", usual.objective);
            assert!(usual.objective >= expected.objective * (1.0 - 1e-10), "{place}: below the optimum");
            let exact = &solved(&block, &[problem], &TIGHT)[0];
            let mapped = design.to_features(&exact.coefficients);
            for (got, want) in mapped.weights.iter().chain([&mapped.bias]).zip(&expected.solution) {
                assert!(close(*got, *want, 1e-5), "{place}: {got} against {want}");
            }
        }
    }
}

/// ½‖w‖² + C Σ log(1 + exp(−y w·x)) of features' weights, written out.
fn objective_of(rows: &[Vec<f64>], targets: &[bool], cost: f64, learned: &FeatureWeights) -> f64 {
    let penalty: f64 = learned.weights.iter().chain([&learned.bias]).map(|w| 0.5 * w * w).sum();
    let loss = |(row, &target): (&Vec<f64>, &bool)| {
        let z = row.iter().zip(&learned.weights).map(|(x, w)| x * w).sum::<f64>() + learned.bias;
        let wrong = if target { -z } else { z };
        wrong.max(0.0) + (-wrong.abs()).exp().ln_1p()
    };
    penalty + cost * rows.iter().zip(targets).map(loss).sum::<f64>()
}

#[test]
fn rough_solutions_are_as_good_as_their_tolerance() {
    for case in reference().binary.iter().filter(|case| case.weights.is_none()) {
        let features = if case.sparse { sparse(&case.x) } else { dense(&case.x) };
        let targets: Vec<bool> = case.y.iter().map(|&y| y > 0.0).collect();
        for expected in case.problems.iter().filter(|expected| expected.bias == Bias::Penalised) {
            let design = Design::new(&features, expected.bias);
            let problem = Problem {
                targets: &targets,
                weights: None,
                only: None,
                cost: expected.cost,
                start: None,
                coordinates: None,
            };
            for tolerance in [1e-4, 1e-6] {
                let params = SolverParams::default().tolerance(tolerance);
                let solution = &solved(&design.block(None, &[]), &[problem], &params)[0];
                let learned = design.to_features(&solution.coefficients);
                let value = objective_of(&case.x, &targets, expected.cost, &learned);
                let place = format!("{} C = {} {tolerance}", case.name, expected.cost);
                assert!(solution.converged, "{place}");
                assert!(value <= expected.objective * (1.0 + 1.5 * tolerance), "{place}: {value}");
                assert!(close(value, solution.objective, tolerance / 100.0), "{place}: {value}");
            }
        }
    }
}

/// With features this large the bias is no axis of its own, and single precision is near its limits.
#[test]
fn features_of_any_size_are_solved_as_they_say() {
    let (features, labels) = planted(1.0);
    let Matrix::Dense(small) = &features else { unreachable!("planted rows are dense") };
    for size in [1e-12, 1e-5, 1e7, 1e12] {
        let rows: Vec<Vec<f64>> =
            (0..small.rows()).map(|row| small.row(row).iter().map(|v| size * v).collect()).collect();
        let design = Design::new(&dense(&rows), Bias::Penalised);
        for target in &labels {
            let problem =
                Problem { targets: target, weights: None, only: None, cost: 1.0, start: None, coordinates: None };
            let solution = &solved(&design.block(None, &[]), &[problem], &SolverParams::default())[0];
            let value = objective_of(&rows, target, 1.0, &design.to_features(&solution.coefficients));
            assert!(close(value, solution.objective, 1e-6), "{size}: {value} and {}", solution.objective);
        }
    }
}

#[test]
fn softmax_optima_equal_those_of_scipy() {
    for case in reference().softmax {
        let features = dense(&case.x);
        let design = Design::new(&features, Bias::Penalised);
        let block = design.block(None, &[]);
        let experts = case.targets[0].len();
        let columns: Vec<Vec<f64>> = (0..experts).map(|k| case.targets.iter().map(|h| h[k]).collect()).collect();
        let targets = Columns::from_columns(case.x.len(), columns.iter().map(Vec::as_slice));
        for expected in &case.problems {
            let params = GateParams::default().penalty(expected.penalty).solver(TIGHT);
            let fit = fit_gate(&block, &targets, None, &Gate::uniform(&block, experts), &params, &Silent).unwrap();
            let place = format!("{} penalty {}", case.name, expected.penalty);
            assert!(close(fit.objective, expected.objective, 1e-9), "{place}: {}", fit.objective);
            for (k, want) in expected.solution.iter().enumerate() {
                let theta = Coefficients::Linear(fit.gate.weights.column(k).to_vec());
                let mapped = design.to_features(&theta);
                for (got, want) in mapped.weights.iter().chain([&mapped.bias]).zip(want) {
                    assert!(close(*got, *want, 1e-5), "{place}: {got} against {want}");
                }
            }
        }
    }
}

#[test]
fn residual_and_curvature_are_the_derivatives_of_the_loss() {
    let signed = [1.5, -0.3, 2.0, -7.0, 0.0];
    let margins = [0.3, -2.0, 20.0, 0.01, 1.0];
    let loss_at = |n: usize, z: f64| {
        let mut moved = margins;
        moved[n] = z;
        evaluate(&signed, &moved, &mut [0.0; 5], &mut [0.0; 5])
    };
    let (mut residual, mut curvature) = ([0.0; 5], [0.0; 5]);
    evaluate(&signed, &margins, &mut residual, &mut curvature);
    let h = 1e-4;
    for n in 0..5 {
        let slope = (loss_at(n, margins[n] + h) - loss_at(n, margins[n] - h)) / (2.0 * h);
        let bend = (loss_at(n, margins[n] + h) - 2.0 * loss_at(n, margins[n]) + loss_at(n, margins[n] - h)) / (h * h);
        assert!((slope + residual[n]).abs() < 1e-7, "row {n}: {slope} {}", residual[n]);
        assert!((bend - curvature[n]).abs() < 1e-5, "row {n}: {bend} {}", curvature[n]);
    }
}

#[test]
fn extreme_margins_stay_finite() {
    for z in [0.0, 1e-300, 40.0, 800.0, 1e308] {
        assert!((sigmoid(z) + sigmoid(-z) - 1.0).abs() < 1e-15);
        assert!(softplus(z).is_finite() && softplus(-z) >= 0.0);
        assert!(close(softplus(z) - softplus(-z), z, 1e-12));
    }
    assert_eq!(log_sum_exp(&[f64::NEG_INFINITY; 3]), f64::NEG_INFINITY);
    assert!(close(log_sum_exp(&[-1e4, -1e4]), -1e4 + 2_f64.ln(), 1e-12));
}

/// A planted data set, dense or sparse, with its label columns.
pub(crate) fn planted(density: f64) -> (Matrix, Vec<Vec<bool>>) {
    let (data, _) = Planted { rows: 150, density, seed: 3, ..Planted::default() }.sample().unwrap();
    let labels = (0..data.labels().count()).map(|label| data.labels().column(label)).collect();
    (data.features().clone(), labels)
}

#[test]
fn rows_that_do_not_count_are_rows_without_weight() {
    for density in [1.0, 0.2] {
        let (features, labels) = planted(density);
        let weights: Vec<f64> = (0..150).map(|n| 1.0 + (n % 3) as f64).collect();
        let design = Design::new(&features, Bias::Penalised);
        let block = design.block(None, &[]);
        for value in [false, true] {
            let keep = |n: usize, weight: f64| if labels[1][n] == value { weight } else { 0.0 };
            let masked: Vec<f64> = weights.iter().enumerate().map(|(n, &weight)| keep(n, weight)).collect();
            let (targets, only) = (&labels[0], Some((labels[1].as_slice(), value)));
            let whole =
                Problem { targets, weights: Some(&masked), only: None, cost: 1.0, start: None, coordinates: None };
            let part = Problem { weights: Some(&weights), only, ..whole };
            assert_eq!(solved(&block, &[part], &TIGHT), solved(&block, &[whole], &TIGHT));
        }
    }
}

#[test]
fn a_weight_of_two_is_a_row_twice() {
    let (features, labels) = planted(1.0);
    let weights: Vec<f64> = (0..150).map(|n| (n % 3) as f64).collect();
    let repeated: Vec<usize> = (0..150).flat_map(|n| std::iter::repeat_n(n, n % 3)).collect();
    let again: Vec<bool> = repeated.iter().map(|&n| labels[0][n]).collect();
    let weighted_design = Design::new(&features, Bias::Penalised);
    let repeated_design = Design::new(&features.select_rows(&repeated), Bias::Penalised);
    let weighted =
        Problem { targets: &labels[0], weights: Some(&weights), only: None, cost: 1.0, start: None, coordinates: None };
    let plain = Problem { targets: &again, weights: None, only: None, cost: 1.0, start: None, coordinates: None };
    let a = &solved(&weighted_design.block(None, &[]), &[weighted], &TIGHT)[0];
    let b = &solved(&repeated_design.block(None, &[]), &[plain], &TIGHT)[0];
    assert!(close(a.objective, b.objective, 1e-12));
    let (a, b) = (weighted_design.to_features(&a.coefficients), repeated_design.to_features(&b.coefficients));
    assert!(a.weights.iter().zip(&b.weights).all(|(x, y)| close(*x, *y, 1e-7)));
}

#[test]
fn a_batch_is_its_problems_one_by_one() {
    for density in [1.0, 0.3] {
        let (features, labels) = planted(density);
        let design = Design::new(&features, Bias::Penalised);
        let block = design.block(None, &[]);
        let costs = [1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0];
        let problem = |(targets, cost): (&'_ Vec<bool>, f64)| (targets.clone(), cost);
        let pairs: Vec<(Vec<bool>, f64)> = labels.iter().zip(costs).map(problem).collect();
        let problems: Vec<Problem<'_>> = pairs
            .iter()
            .map(|(targets, cost)| Problem {
                targets,
                weights: None,
                only: None,
                cost: *cost,
                start: None,
                coordinates: None,
            })
            .collect();
        // Single precision throughout, in directions alone, and nowhere.
        for tolerance in [1e-4, 1e-6, 1e-9] {
            let params = SolverParams::default().tolerance(tolerance);
            let together = solved(&block, &problems, &params);
            for (joint, problem) in together.iter().zip(&problems) {
                assert_eq!(joint, &solved(&block, &[*problem], &params)[0], "{density} {tolerance}");
            }
        }
    }
}

#[test]
fn sparse_and_dense_features_have_one_optimum() {
    let (features, labels) = planted(0.3);
    let rows: Vec<Vec<f64>> = (0..150)
        .map(|n| {
            let mut row = vec![0.0; 10];
            features.visit_row(n, |column, value| row[column] = value);
            row
        })
        .collect();
    for bias in [Bias::Penalised, Bias::Free] {
        let (a, b) = (Design::new(&features, bias), Design::new(&dense(&rows), bias));
        let problem =
            Problem { targets: &labels[1], weights: None, only: None, cost: 5.0, start: None, coordinates: None };
        let (x, y) = (solved(&a.block(None, &[]), &[problem], &TIGHT), solved(&b.block(None, &[]), &[problem], &TIGHT));
        assert!(close(x[0].objective, y[0].objective, 1e-10));
        let (x, y) = (a.to_features(&x[0].coefficients), b.to_features(&y[0].coefficients));
        assert!(close(x.bias, y.bias, 1e-6) && x.weights.iter().zip(&y.weights).all(|(p, q)| close(*p, *q, 1e-6)));
    }
}

#[test]
fn rows_and_extra_columns_of_a_block_are_what_they_say() {
    let (features, labels) = planted(1.0);
    let rows: Vec<usize> = (0..150).filter(|n| n % 4 != 1).collect();
    let extra: Vec<f64> = labels[2].iter().map(|&on| f64::from(on)).collect();
    let design = Design::new(&features, Bias::Penalised);
    let problem = Problem { targets: &labels[0], weights: None, only: None, cost: 1.0, start: None, coordinates: None };
    let solution = &solved(&design.block(Some(&rows), &[&extra]), &[problem], &TIGHT)[0];
    // The same by hand: chosen rows with one more feature.
    let by_hand: Vec<Vec<f64>> = rows
        .iter()
        .map(|&n| {
            let mut row = vec![0.0; 11];
            features.visit_row(n, |column, value| row[column] = value);
            row[10] = extra[n];
            row
        })
        .collect();
    let targets: Vec<bool> = rows.iter().map(|&n| labels[0][n]).collect();
    let other = Design::new(&dense(&by_hand), Bias::Penalised);
    let problem = Problem { targets: &targets, weights: None, only: None, cost: 1.0, start: None, coordinates: None };
    let expected = &solved(&other.block(None, &[]), &[problem], &TIGHT)[0];
    assert!(close(solution.objective, expected.objective, 1e-10));
    let (a, b) = (design.to_features(&solution.coefficients), other.to_features(&expected.coefficients));
    assert!(a.weights.iter().zip(&b.weights).all(|(x, y)| close(*x, *y, 1e-6)), "{a:?} {b:?}");
}

#[test]
fn constant_targets_get_the_smoothed_rate() {
    let (features, _) = planted(1.0);
    let design = Design::new(&features, Bias::Penalised);
    let targets = vec![true; 150];
    let problem = Problem { targets: &targets, weights: None, only: None, cost: 1.0, start: None, coordinates: None };
    let rows = [3, 5, 8];
    let solution = &solved(&design.block(Some(&rows), &[]), &[problem], &TIGHT)[0];
    let Coefficients::Constant(log_odds) = solution.coefficients else { panic!("a constant") };
    assert!(close(sigmoid(log_odds), 3.5 / 4.0, 1e-12));
    let none: [usize; 0] = [];
    let empty = &solved(&design.block(Some(&none), &[]), &[problem], &TIGHT)[0];
    assert_eq!(empty.coefficients, Coefficients::Constant(0.0));
}

#[test]
fn more_features_than_rows_are_solved_too() {
    let mut stream = Stream::new(1, "test", 0);
    let rows: Vec<Vec<f64>> = (0..8).map(|_| (0..30).map(|_| stream.normal()).collect()).collect();
    let targets: Vec<bool> = (0..8).map(|n| n % 2 == 0).collect();
    let problem = Problem { targets: &targets, weights: None, only: None, cost: 10.0, start: None, coordinates: None };
    for bias in [Bias::Penalised, Bias::Free] {
        let (a, b) = (Design::new(&dense(&rows), bias), Design::new(&sparse(&rows), bias));
        let x = &solved(&a.block(None, &[]), &[problem], &TIGHT)[0];
        let y = &solved(&b.block(None, &[]), &[problem], &TIGHT)[0];
        assert!(close(x.objective, y.objective, 1e-10), "{bias:?}: {} {}", x.objective, y.objective);
    }
}

/// Steps on the way: as good as those of verified solutions, in either precision, and never upwards.
#[test]
fn improvements_go_down_as_far_as_solutions() {
    for density in [1.0, 0.3] {
        let (features, labels) = planted(density);
        let design = Design::new(&features, Bias::Penalised);
        let block = design.block(None, &[]);
        let problem =
            |targets| Problem { targets, weights: None, only: None, cost: 10.0, start: None, coordinates: None };
        let problems: Vec<Problem<'_>> = labels.iter().map(|targets| problem(targets.as_slice())).collect();
        let optima = solved(&block, &problems, &TIGHT);
        let mut starts: Vec<Coefficients> = vec![Coefficients::Constant(0.0); problems.len()];
        let mut last = vec![f64::INFINITY; problems.len()];
        // Single precision first, then double.
        for tolerance in [1e-6, 1e-6, 1e-6, 1e-6, 1e-6, 1e-8] {
            let params = SolverParams { tolerance, max_iterations: 2 };
            let begun: Vec<Problem<'_>> = problems
                .iter()
                .zip(&starts)
                .map(|(problem, start)| Problem { start: Some(start), ..*problem })
                .collect();
            starts = improve(&block, &begun, &params, &Silent).unwrap().into_iter().map(|s| s.coefficients).collect();
            for (p, targets) in labels.iter().enumerate() {
                let rows: Vec<Vec<f64>> = (0..features.rows()).map(|row| full_row(&features, row)).collect();
                let objective = objective_of(&rows, targets, 10.0, &design.to_features(&starts[p]));
                assert!(objective <= last[p] * (1.0 + 1e-6), "label {p} rose from {} to {objective}", last[p]);
                last[p] = objective;
            }
        }
        for (objective, optimum) in last.iter().zip(&optima) {
            assert!(*objective <= optimum.objective * (1.0 + 2e-6), "{objective} above {}", optimum.objective);
        }
    }
}

fn full_row(features: &Matrix, row: usize) -> Vec<f64> {
    let mut out = vec![0.0; features.cols()];
    features.visit_row(row, |column, value| out[column] = value);
    out
}

/// Sums over many rows against one row at a time, with the standard library's logarithm.
#[test]
fn log_probabilities_are_added_and_summed() {
    let mut draws = Stream::new(5, "test", 0);
    let odds: Vec<f64> = (0..37).map(|_| 20.0 * draws.normal()).collect();
    let targets: Vec<bool> = (0..37).map(|_| draws.uniform() < 0.5).collect();
    let log = |n: usize| (1.0 / (1.0 + if targets[n] { -odds[n] } else { odds[n] }.exp())).ln();
    let mut sums = vec![1.0; 37];
    loss::add_log_probabilities(&odds, &targets, &mut sums);
    for n in 0..37 {
        assert!(close(sums[n], 1.0 + log(n), 1e-9), "row {n}: {} and {}", sums[n], 1.0 + log(n));
    }
    let weight = |n: usize| (n % 4) as f64;
    let signed: Vec<f64> = (0..37).map(|n| if targets[n] { weight(n) } else { -weight(n) }).collect();
    for floor in [-5.0, -1e9] {
        let expected: f64 = (0..37).map(|n| weight(n) * log(n).max(floor)).sum();
        let got = loss::log_likelihood(&signed, &odds, floor);
        assert!(close(got, expected, 1e-9), "no less than {floor}: {got} and {expected}");
    }
}

#[test]
fn a_free_bias_finds_the_rate_at_any_cost() {
    let (features, _) = planted(1.0);
    let targets: Vec<bool> = (0..150).map(|n| n % 10 == 0).collect();
    for cost in [1e-6, 1e-3] {
        let design = Design::new(&features, Bias::Free);
        let block = design.block(None, &[]);
        let problem = Problem { targets: &targets, weights: None, only: None, cost, start: None, coordinates: None };
        let solution = &solved(&block, &[problem], &SolverParams::default())[0];
        let margins = block.margins(&[&solution.coefficients]);
        let rate = margins.column(0).iter().map(|&z| sigmoid(z)).sum::<f64>() / 150.0;
        assert!(solution.converged && (rate - 0.1).abs() < 1e-3, "C = {cost}: {rate}");
    }
}

/// Counts how often it is looked at, and stops everything from some time on.
pub(crate) struct StopAt {
    look: usize,
    pub(crate) looks: AtomicUsize,
}

impl StopAt {
    pub(crate) fn new(look: usize) -> StopAt {
        StopAt { look, looks: AtomicUsize::new(0) }
    }
}

impl Progress for StopAt {
    fn cancelled(&self) -> bool {
        self.looks.fetch_add(1, Ordering::Relaxed) >= self.look
    }
}

#[test]
fn solvers_stop_at_the_next_product() {
    let (features, labels) = planted(0.3);
    let design = Design::new(&features, Bias::Penalised);
    let block = design.block(None, &[]);
    let problem =
        Problem { targets: &labels[0], weights: None, only: None, cost: 100.0, start: None, coordinates: None };
    let mut shares = Columns::zeros(150, 2);
    labels[0].iter().enumerate().for_each(|(row, &on)| shares.column_mut(usize::from(on))[row] = 1.0);
    let gate = GateParams::default().solver(TIGHT);
    let start = Gate::uniform(&block, 2);
    let regression = |progress: &StopAt| solve(&block, &[problem], &TIGHT, progress).map(|_| ());
    let softmax = |progress: &StopAt| fit_gate(&block, &shares, None, &start, &gate, progress).map(|_| ());
    for work in [&regression as &dyn Fn(&StopAt) -> Result<(), Cancelled>, &softmax] {
        let never = StopAt::new(usize::MAX);
        work(&never).unwrap();
        let looks = never.looks.into_inner();
        assert!(looks > 5, "{looks} looks: there is one at every product");
        for look in [0, 1, looks / 2, looks - 1] {
            let stop = StopAt::new(look);
            assert!(matches!(work(&stop), Err(Cancelled)), "look {look} of {looks}");
            assert_eq!(stop.looks.into_inner(), look + 1, "nothing goes on after the stop");
        }
    }
}
