//! Tests of intercepts that follow factors.

use serde_json::json;

use super::*;

/// Three labels that follow one factor, from the start that the residuals give: EM ends at the better of the two optima that
/// scipy finds for the penalised likelihood.
#[test]
fn intercepts_of_low_rank_end_where_scipy_ends() {
    let Reference { log_odds, other, parent, sign, weight } = reference();
    let third = |n: f64| (2.1 * n + 0.5).sin() + 0.4 * (3.7 * n).cos() > 0.0;
    let set = |n: usize| LabelSet::from_bools(&[sign[n] > 0.0, parent[n] > 0.0, third(n as f64)]);
    let sets: Vec<LabelSet> = (0..40).map(set).collect();
    let design = Design::new(&Matrix::Dense(DenseMatrix::zeros(40, 1)), Bias::Penalised);
    let logits = Columns::from_columns(40, [log_odds.as_slice(), &other, &[0.0; 40]]);
    let sample =
        Sample::new(design, vec![logits.clone(), Columns::zeros(40, 3)], &sets.iter().collect::<Vec<_>>(), weight);
    let factors = FactorParams { count: 1, iterations: 300, ridge: 1.0 };
    let params = TiedParams { factors, ..StackParams::default().tied };
    let gate = GateParams::default().penalty(1.0).solver(SolverParams::default());
    let tree = StackedTree { branching: Branching::isolated(3), coefficients: vec![[1.0, 0.0, 0.0, 0.0]; 3] };
    let em = Em::new(&sample, &logits, &tree, &params, 0.0, gate);
    let (tied, _, trace) = em.run_factors(5, 0, &Silent).unwrap();
    assert!(trace.windows(2).all(|pair| pair[1].penalised >= pair[0].penalised - 1e-9));
    let reached = -trace[300].penalised;
    assert!((reached - 104.09386903929143).abs() < 1e-6, "{reached}");
    assert_close(&tied.slopes.iter().map(|own| own[0]).collect::<Vec<_>>(), &[1.514721, 0.082098, 1.0]);
    let points = [0.250977759621, -0.766696207575, 1.268651726818, -1.484675921178, 0.731742642314];
    let expected = |constant: f64, loading: f64| points.map(|z| constant + loading * z);
    assert_close(tied.intercepts.column(0), &expected(-0.581654066539, 2.228074868932));
    assert_close(tied.intercepts.column(2), &expected(0.243287901574, 2.251562804339));
}

/// Twenty labels that follow two hidden numbers of a row, of which the features tell nothing; every row has another set.
fn hidden(rows: usize) -> Dataset {
    let mut draws = Stream::new(11, "test", 0);
    let loadings: Vec<[f64; 2]> = (0..20).map(|_| [1.5 * draws.normal(), 1.5 * draws.normal()]).collect();
    let set = |draws: &mut Stream| {
        let z = [draws.normal(), draws.normal()];
        let on = |v: &[f64; 2], draws: &mut Stream| {
            draws.uniform() < arbormix_learn::logistic::loss::sigmoid(v[0] * z[0] + v[1] * z[1] - 0.5)
        };
        LabelSet::from_bools(&loadings.iter().map(|v| on(v, draws)).collect::<Vec<_>>())
    };
    let sets: Vec<LabelSet> = (0..rows).map(|_| set(&mut draws)).collect();
    let cells = (0..rows).map(|_| draws.normal()).collect();
    dataset(Matrix::Dense(DenseMatrix::new(rows, 1, cells)), sets)
}

/// Factors are taken where labels follow them, and then make new rows more likely; elsewhere they change nothing.
#[test]
fn factors_are_taken_where_labels_follow_them() {
    // A chain would tell some of it too.
    let params = |count: usize| quick(json!({"tied": {"factors": {"count": count}}, "chain": {"width": 0}}));
    let says = |report: &FitReport| report.notes.iter().any(|note| note.contains("intercepts follow factors"));
    let all = hidden(900);
    let part = |from: usize, to: usize| all.select_rows(&(from..to).collect::<Vec<_>>());
    let (train, new) = (part(0, 400), part(400, 900));
    let ((with, report), (without, _)) = (learned(&params(3), &train, None), learned(&params(0), &train, None));
    assert!(says(&report), "{:?}", report.notes);
    assert_eq!(with.tied_trees(), 80);
    let mean = |model: &Stack| {
        model.log_prob(new.features(), new.labels().sets()).unwrap().iter().sum::<f64>() / new.rows() as f64
    };
    assert!(mean(&with) > mean(&without) + 0.1, "{} {}", mean(&with), mean(&without));
    // As many experts, fitted to 260 of the rows.
    let factors = json!({"tied": {"cells": 80 * 20 * 260}, "chain": {"width": 0}});
    let (fewer, report) = learned(&quick(factors), &train, None);
    assert!(says(&report) && fewer != with && fewer.tied_trees() == 80, "{:?}", report.notes);
    assert!(mean(&fewer) > mean(&without) + 0.1, "{} {}", mean(&fewer), mean(&without));
    let found = with.predict(new.features(), with.inference()).unwrap();
    assert!(found[..20].iter().all(|found| found.certificate.is_some_and(|c| c.certified)));
    let data = planted(160, 5, 1.0);
    let ((with, report), (without, _)) = (learned(&params(3), &data, None), learned(&params(0), &data, None));
    assert!(!says(&report) && with == without);
}
