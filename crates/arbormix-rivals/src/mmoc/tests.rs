//! Tests of MMOC: against finite differences, grids, another solver, enumeration, and BR.

use super::code::Code;
use super::field::Field;
use super::metric::{MarginProblem, inner, positive_part};
use super::oracle::MarginRow;
use super::*;
use crate::br::BinaryRelevanceParams;
use arbormix_base::progress::{Progress, Silent};
use arbormix_base::random::Stream;
use arbormix_data::planted::Planted;
use arbormix_data::{Dataset, LabelSet, Labels};
use arbormix_joint::Error;
use arbormix_joint::learner::{Inference, Joint, Learner, Predictor, TrainingSet};
use arbormix_joint::testing::all_sets;
use arbormix_learn::logistic::loss::{log_sum_exp, sigmoid};
use arbormix_learn::logistic::{LogisticParams, SolverParams};
use arbormix_matrix::{DenseMatrix, eigen_symmetric, gram};

fn normals(stream: &mut Stream, rows: usize, cols: usize) -> DenseMatrix {
    DenseMatrix::new(rows, cols, (0..rows * cols).map(|_| stream.normal()).collect())
}

/// Labels at random, and predictions that know something of them.
fn margins(stream: &mut Stream, rows: usize, labels: usize) -> (DenseMatrix, DenseMatrix) {
    let mut truth = DenseMatrix::zeros(rows, labels);
    truth.values_mut().iter_mut().for_each(|cell| *cell = f64::from(u8::from(stream.uniform() < 0.4)));
    let mut predicted = truth.clone();
    predicted.values_mut().iter_mut().for_each(|cell| *cell = 0.2 + 0.5 * *cell + 0.2 * stream.normal());
    (truth, predicted)
}

/// All label sets as 0 and 1.
fn corners(labels: usize) -> Vec<Vec<f64>> {
    let corner = |set: &LabelSet| set.to_bools().into_iter().map(|on| f64::from(u8::from(on))).collect();
    all_sets(labels).iter().map(corner).collect()
}

#[test]
fn the_gradient_matches_finite_differences() {
    let stream = &mut Stream::new(1, "test", 0);
    let (truth, predicted) = margins(stream, 30, 4);
    let weights: Vec<f64> = (0..30).map(|row| f64::from(row % 3)).collect();
    let problem = MarginProblem::new(&truth, &predicted, Some(&weights), 0.1);
    let metric = gram(&normals(stream, 5, 4));
    let direction = {
        let half = normals(stream, 4, 4);
        let cell = |(i, j)| half.get(i, j) + half.get(j, i);
        DenseMatrix::new(4, 4, (0..16).map(|at| cell((at / 4, at % 4))).collect())
    };
    let slope = |step: f64| {
        let mut at = metric.clone();
        at.values_mut().iter_mut().zip(direction.values()).for_each(|(cell, d)| *cell += step * d);
        problem.slope(3.0, &at, &mut problem.start())
    };
    let expected = (slope(1e-5).objective - slope(-1e-5).objective) / 2e-5;
    let ours = inner(&slope(0.0).gradient, &direction);
    assert!((ours - expected).abs() < 1e-6 * expected.abs().max(1.0), "{ours} against {expected}");
}

#[test]
fn the_worst_point_of_the_box_is_above_every_corner_and_every_grid_point() {
    let stream = &mut Stream::new(2, "test", 0);
    let grid = |code: u32| [code / 441, code / 21 % 21, code % 21].map(|step| f64::from(step) / 20.0);
    for (case, bulge) in (0..40).map(|case| (case, if case % 2 == 0 { 0.0 } else { 0.1 })) {
        let (truth, predicted) = margins(stream, 1, 3);
        // Every fourth Q is singular; a multiple makes corners or the inside win.
        let metric = gram(&normals(stream, if case % 4 < 2 { 2 } else { 4 }, 3));
        let row = MarginRow { bulge, truth: truth.row(0), predicted: predicted.row(0) };
        let mut point = truth.row(0).to_vec();
        let worst = row.worst(&metric, &mut point, &mut [0.0; 3]);
        assert!(point.iter().all(|y| (0.0..=1.0).contains(y)));
        assert_eq!(worst, row.value(&metric, &point));
        let mut best_corner = f64::NEG_INFINITY;
        for corner in corners(3) {
            let differing = corner.iter().zip(truth.row(0)).filter(|(y, t)| y != t).count() as f64;
            let mut far = 0.0;
            for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
                far += metric.get(i, j) * (corner[i] - predicted.get(0, i)) * (corner[j] - predicted.get(0, j));
            }
            assert!((row.value(&metric, &corner) - (differing - far)).abs() < 1e-9, "case {case}");
            best_corner = best_corner.max(differing - far);
        }
        assert!(worst >= best_corner - 1e-9, "case {case}: {worst} against {best_corner}");
        let best = (0..21 * 21 * 21).map(|code| row.value(&metric, &grid(code))).fold(f64::NEG_INFINITY, f64::max);
        // The slow, linear case ends within its limit of sweeps only nearly at the top.
        assert!(worst >= best - if bulge > 0.0 { 1e-9 } else { 1e-4 }, "case {case}: {worst} against {best}");
        assert!(worst <= best + 0.2, "case {case}: {worst} is not a value of the function: the grid has {best}");
    }
}

/// Another way to the optimum for two labels: a pattern search over the Cholesky factor, the worst point from a grid.
fn slow_optimum(truth: &DenseMatrix, predicted: &DenseMatrix, cost: f64, bulge: f64) -> f64 {
    let objective = |l: &[f64; 3]| {
        let q = [l[0] * l[0], l[0] * l[1], l[1] * l[1] + l[2] * l[2]];
        let square = |a: f64, b: f64| q[0] * a * a + 2.0 * q[1] * a * b + q[2] * b * b;
        let mut total = 0.0;
        for row in 0..truth.rows() {
            let (t, h) = (truth.row(row), predicted.row(row));
            let far = |y: f64, t: f64| (1.0 + bulge) * (y - t).abs() - bulge * (y - t) * (y - t);
            let mut worst = f64::NEG_INFINITY;
            for (a, b) in (0..=60).flat_map(|a| (0..=60).map(move |b| (f64::from(a) / 60.0, f64::from(b) / 60.0))) {
                worst = worst.max(far(a, t[0]) + far(b, t[1]) - square(a - h[0], b - h[1]));
            }
            total += worst + square(t[0] - h[0], t[1] - h[1]);
        }
        0.5 * (q[0] + q[2]) + cost * total / truth.rows() as f64
    };
    let mut at = [1.0, 0.1, 1.0];
    let (mut best, mut step) = (objective(&at), 0.5);
    while step > 1e-4 {
        let mut improved = false;
        for (place, sign) in (0..3).flat_map(|place| [(place, 1.0), (place, -1.0)]) {
            let mut to = at;
            to[place] += sign * step;
            let value = objective(&to);
            if value < best {
                (at, best, improved) = (to, value, true);
            }
        }
        if !improved {
            step *= 0.5;
        }
    }
    best
}

#[test]
fn the_optimum_is_that_of_a_slow_search() {
    let stream = &mut Stream::new(3, "test", 0);
    let identity = DenseMatrix::new(2, 2, vec![1.0, 0.0, 0.0, 1.0]);
    let solver = SolverParams::default().tolerance(1e-6).max_iterations(2000);
    for cost in [0.3, 3.0, 30.0] {
        let (truth, predicted) = margins(stream, 8, 2);
        let problem = MarginProblem::new(&truth, &predicted, None, 0.1);
        let ours = problem.solve(cost, &identity, &solver, &Silent).unwrap();
        let slow = slow_optimum(&truth, &predicted, cost, 0.1);
        assert!(ours.converged && (ours.objective - slow).abs() < 2e-3 * slow, "{} against {slow}", ours.objective);
    }
}

#[test]
fn at_the_optimum_the_conditions_of_optimality_hold_and_nothing_feasible_is_better() {
    let stream = &mut Stream::new(4, "test", 0);
    let (truth, predicted) = margins(stream, 60, 5);
    let problem = MarginProblem::new(&truth, &predicted, None, 0.1);
    let start = gram(&normals(stream, 6, 5));
    for cost in [1.0, 10.0] {
        let solver = SolverParams::default().tolerance(1e-7).max_iterations(5000);
        let metric = problem.solve(cost, &start, &solver, &Silent).unwrap();
        assert!(metric.converged && metric.bound <= metric.objective);
        let slope = problem.slope(cost, &metric.matrix, &mut problem.start());
        assert!((slope.objective - metric.objective).abs() < 1e-9 * metric.objective);
        let lowest = eigen_symmetric(&slope.gradient).unwrap().0[0];
        let along = inner(&slope.gradient, &metric.matrix);
        assert!(lowest > -1e-3 && along.abs() < 1e-3 * metric.objective, "{lowest} {along}");
        for _ in 0..50 {
            let mut other = metric.matrix.clone();
            let size = 10.0_f64.powf(-3.0 * stream.uniform());
            other.values_mut().iter_mut().for_each(|cell| *cell += size * stream.normal());
            let other = positive_part(&gram(&other)).unwrap();
            let there = problem.slope(cost, &other, &mut problem.start()).objective;
            assert!(there >= metric.bound - 1e-9, "{there} lies below the bound {}", metric.bound);
        }
    }
}

/// A code, what is predicted, the labels' log-odds and λ: everything that decoding needs.
fn evidence(stream: &mut Stream, labels: usize) -> (Code, Vec<f64>, Vec<f64>) {
    let metric = gram(&normals(stream, labels.max(2) - 1, labels));
    let mut errors = normals(stream, 40, labels);
    errors.values_mut().iter_mut().for_each(|error| *error *= 0.4);
    let code = Code::new(&metric, &errors, &[1.0; 40], Variances::Residual);
    let draws = |stream: &mut Stream, scale: f64| (0..labels).map(|_| scale * stream.normal()).collect();
    (code, draws(stream, 0.5), draws(stream, 1.5))
}

#[test]
fn scores_are_the_energy_and_enumeration_adds_them_up() {
    let stream = &mut Stream::new(5, "test", 0);
    let (code, predicted, odds) = evidence(stream, 5);
    let precision = code.precision();
    let field = Field::new(&precision, &predicted, odds.clone(), 0.7);
    assert_eq!(code.len(), 4, "the rank of the metric");
    let mut stored = arbormix_learn::store::Stored::default();
    code.put(&mut stored);
    let variances = stored.tensor("variances", &[4]).unwrap().to_vec();
    let energy = |y: &[f64]| {
        let code_part = |k: usize| {
            let gap: f64 = (0..5).map(|j| code.directions().get(k, j) * (y[j] - predicted[j])).sum();
            gap * gap / (2.0 * variances[k])
        };
        let label_part = |j: usize| if y[j] == 1.0 { sigmoid(odds[j]).ln() } else { sigmoid(-odds[j]).ln() };
        (0..4).map(code_part).sum::<f64>() - 0.7 * (0..5).map(label_part).sum::<f64>()
    };
    let sets = all_sets(5);
    let scores: Vec<f64> = sets.iter().map(|set| field.score(set)).collect();
    for (y, score) in corners(5).iter().zip(&scores) {
        assert!((score - scores[0] + energy(y) - energy(&[0.0; 5])).abs() < 1e-9);
    }
    let enumerated = field.enumerated();
    let log_total = log_sum_exp(&scores);
    assert!((enumerated.log_total - log_total).abs() < 1e-9);
    for label in 0..5 {
        let with = sets.iter().zip(&scores).filter(|(set, _)| set.get(label));
        let mass: f64 = with.map(|(_, score)| (score - log_total).exp()).sum();
        assert!((enumerated.marginals[label] - mass).abs() < 1e-9);
    }
    let mut order: Vec<usize> = (0..32).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    let best = field.best_sets(7);
    assert!(best.iter().zip(&order).all(|((set, score), &at)| *set == sets[at] && (score - scores[at]).abs() < 1e-9));
    assert_eq!((best.len(), field.best().0, field.best_sets(99).len()), (7, best[0].0.clone(), 32));
}

/// At the fixed point each label's log-odds is the expected difference in score that the label makes.
#[test]
fn the_mean_field_is_a_fixed_point() {
    let stream = &mut Stream::new(6, "test", 0);
    for _ in 0..20 {
        let (code, predicted, odds) = evidence(stream, 4);
        let precision = code.precision();
        let field = Field::new(&precision, &predicted, odds, 1.0);
        let found = field.mean_field();
        let means: Vec<f64> = found.iter().map(|z| sigmoid(*z)).collect();
        for label in 0..4 {
            let mut expected = 0.0;
            for mut set in all_sets(4).into_iter().filter(|set| !set.get(label)) {
                let others = (0..4).filter(|&other| other != label);
                let mass: f64 = others.map(|o| if set.get(o) { means[o] } else { 1.0 - means[o] }).product();
                let without = field.score(&set);
                set.set(label, true);
                expected += mass * (field.score(&set) - without);
            }
            assert!((found[label] - expected).abs() < 1e-6, "{} against {expected}", found[label]);
        }
    }
}

fn training(data: &Dataset) -> TrainingSet<'_> {
    let (features, labels) = (data.features(), data.labels());
    TrainingSet { features, labels, weights: None, label_names: data.label_names() }
}

/// One cost everywhere, so that nothing is chosen.
fn plain(cost: f64) -> OutputCodeParams {
    let logistic = LogisticParams::default().costs(vec![1.0]);
    OutputCodeParams::default().logistic(logistic).costs(vec![cost]).ridges(vec![0.1])
}

fn predicted_sets(model: &dyn Predictor, data: &Dataset) -> Vec<LabelSet> {
    let predictions = model.predict(data.features(), Inference::default()).unwrap();
    predictions.into_iter().map(|prediction| prediction.labels).collect()
}

#[test]
fn mean_field_proves_nothing() {
    let (data, _) = Planted { rows: 120, labels: 4, seed: 3, ..Planted::default() }.sample().unwrap();
    let model = plain(1.0).learn(&training(&data), &Silent).unwrap().0;
    assert_eq!(model.joint(), Joint::MeanField);
    let predictions = model.predict(data.features(), Inference::default()).unwrap();
    assert!(predictions.iter().all(|prediction| prediction.certificate.is_none()));
}

/// On these 300 rows with 6 labels mean field ends at another set than enumeration on 134: strong codes have many local
/// optima. (On the benchmark emotions, fitted on all rows with the defaults, it is 73 of 593.)
#[test]
fn mean_field_misses_the_best_set_no_more_often_than_stated() {
    let (data, _) = Planted { rows: 300, labels: 6, seed: 9, ..Planted::default() }.sample().unwrap();
    let fitted = |decoding| plain(10.0).decoding(decoding).learn(&training(&data), &Silent).unwrap().0;
    let (mean_field, exact) = (fitted(Decoding::MeanField), fitted(Decoding::Exact));
    let pairs = predicted_sets(mean_field.as_ref(), &data).into_iter().zip(predicted_sets(exact.as_ref(), &data));
    let missed = pairs.filter(|(near, best)| near != best).count();
    assert!((1..=140).contains(&missed), "{missed} of 300");
}

#[test]
fn exact_decoding_gives_a_distribution_and_its_best_set() {
    let (data, _) = Planted { rows: 80, labels: 4, seed: 2, ..Planted::default() }.sample().unwrap();
    let params = plain(10.0).decoding(Decoding::Exact);
    let model = params.learn(&training(&data), &Silent).unwrap().0;
    assert_eq!(model.joint(), Joint::Distribution);
    let sets = all_sets(4);
    let logs: Vec<Vec<f64>> =
        sets.iter().map(|set| model.log_prob(data.features(), &vec![set.clone(); 80]).unwrap()).collect();
    let predictions = model.predict(data.features(), Inference::default()).unwrap();
    let marginals = model.marginals(data.features()).unwrap();
    let top = model.top_sets(data.features(), 2).unwrap();
    for row in 0..80 {
        let mass: f64 = logs.iter().map(|of| of[row].exp()).sum();
        assert!((mass - 1.0).abs() < 1e-9);
        let best = logs.iter().map(|of| of[row]).fold(f64::NEG_INFINITY, f64::max);
        assert!((predictions[row].log_probability.unwrap() - best).abs() < 1e-9);
        assert_eq!((&top[row][0].0, top[row].len()), (&predictions[row].labels, 2));
        let with = sets.iter().zip(&logs).filter(|(set, _)| set.get(2)).map(|(_, of)| of[row].exp()).sum::<f64>();
        assert!((marginals.get(row, 2) - with).abs() < 1e-9);
    }
    let back = OutputCode::load(&model.store()).unwrap();
    assert_eq!(back.predict(data.features(), Inference::default()).unwrap(), predictions);
}

#[test]
fn without_a_code_it_is_br() {
    let (data, _) = Planted { rows: 120, labels: 5, seed: 4, ..Planted::default() }.sample().unwrap();
    let params = plain(1e-3);
    let (model, report) = params.learn(&training(&data), &Silent).unwrap();
    assert!(report.converged && report.notes.iter().any(|note| note.contains("code of length 0")), "{report:?}");
    let br = BinaryRelevanceParams::default().logistic(params.logistic.clone());
    let br = br.learn(&training(&data), &Silent).unwrap().0;
    let (ours, own) = (model.marginals(data.features()).unwrap(), br.marginals(data.features()).unwrap());
    assert!(ours.values().iter().zip(own.values()).all(|(a, b)| (a - b).abs() < 1e-12));
}

#[test]
fn a_row_of_weight_two_is_two_rows() {
    let (data, _) = Planted { rows: 60, labels: 4, seed: 5, ..Planted::default() }.sample().unwrap();
    let twice: Vec<usize> = (0..60).chain((0..60).filter(|row| row % 3 == 0)).collect();
    let weights: Vec<f64> = (0..60).map(|row| if row % 3 == 0 { 2.0 } else { 1.0 }).collect();
    let mut params = plain(10.0);
    params.solver.tolerance = 1e-7;
    params.solver.max_iterations = 5000;
    params.logistic.solver.tolerance = 1e-12;
    let weighted = params.learn(&TrainingSet { weights: Some(&weights), ..training(&data) }, &Silent).unwrap().0;
    let repeated = params.learn(&training(&data.select_rows(&twice)), &Silent).unwrap().0;
    let (a, b) = (weighted.marginals(data.features()).unwrap(), repeated.marginals(data.features()).unwrap());
    assert!(a.values().iter().zip(b.values()).all(|(a, b)| (a - b).abs() < 0.01));
}

#[test]
fn the_choice_is_stated_and_too_many_labels_are_refused() {
    let (data, _) = Planted { rows: 100, labels: 4, seed: 6, ..Planted::default() }.sample().unwrap();
    let report = OutputCodeParams::default().learn(&training(&data), &Silent).unwrap().1;
    assert!(report.notes.iter().any(|note| note.contains("exact matches on 30 held-out rows")), "{report:?}");
    let labels = Labels::new(21, vec![LabelSet::empty(21); 100]);
    let names: Vec<String> = (0..21).map(|label| format!("y{label}")).collect();
    let many = TrainingSet { labels: &labels, label_names: &names, ..training(&data) };
    let exact = OutputCodeParams::default().decoding(Decoding::Exact);
    assert_eq!(
        exact.learn(&many, &Silent).err().unwrap().to_string(),
        "parameter decoding = \"exact\": enumerates all label sets, for at most 20 labels; use mean-field"
    );
    let falling = OutputCodeParams::default().costs(vec![1.0, 0.1]);
    assert_eq!(
        falling.validate().unwrap_err().to_string(),
        "parameter costs = [1.0,0.1]: needs positive numbers in ascending order"
    );
}

#[test]
fn it_can_be_stopped() {
    struct Stop;
    impl Progress for Stop {
        fn cancelled(&self) -> bool {
            true
        }
    }
    let (truth, predicted) = margins(&mut Stream::new(7, "test", 0), 20, 3);
    let problem = MarginProblem::new(&truth, &predicted, None, 0.1);
    let error = problem.solve(10.0, &DenseMatrix::zeros(3, 3), &SolverParams::default(), &Stop).unwrap_err();
    assert!(matches!(error, Error::Cancelled));
}

/// The code is a root of the metric whose errors are uncorrelated.
#[test]
fn the_code_spans_the_metric_and_its_errors_are_uncorrelated() {
    let stream = &mut Stream::new(11, "test", 0);
    let metric = gram(&normals(stream, 3, 5));
    let errors = gram(&normals(stream, 9, 5)); // 5 × 5, anything correlated
    let weights = [1.0, 2.0, 0.5, 1.0, 3.0];
    let code = Code::new(&metric, &errors, &weights, Variances::Unit);
    let v = code.directions();
    assert_eq!(v.rows(), 3);
    for (a, b) in gram(v).values().iter().zip(metric.values()) {
        assert!((a - b).abs() < 1e-9, "VVᵀ has {a}, Q has {b}");
    }
    let word = |k: usize, row: usize| -> f64 { (0..5).map(|label| v.get(k, label) * errors.get(row, label)).sum() };
    let together = |a: usize, b: usize| -> f64 { (0..5).map(|row| weights[row] * word(a, row) * word(b, row)).sum() };
    for (a, b) in [(0, 1), (0, 2), (1, 2)] {
        assert!(together(a, b).abs() < 1e-9 * together(a, a), "words {a} and {b}");
    }
}
