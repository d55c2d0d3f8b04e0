//! Against scipy (tests/reference/significance.py), and what scipy leaves undefined.

use serde::Deserialize;

use super::*;

#[derive(Deserialize)]
struct Reference {
    paired: Vec<Paired>,
    corrected: Vec<Paired>,
    wilcoxon: Vec<Signed>,
    friedman: Vec<Ranked>,
    range: Vec<Range>,
}

#[derive(Deserialize)]
struct Paired {
    first: Vec<f64>,
    second: Vec<f64>,
    #[serde(default)]
    share: f64,
    t: f64,
    p: f64,
}

#[derive(Deserialize)]
struct Signed {
    first: Vec<f64>,
    second: Vec<f64>,
    exact: bool,
    statistic: f64,
    p: f64,
}

#[derive(Deserialize)]
struct Ranked {
    rows: Vec<Vec<f64>>,
    chi_square: f64,
    p: f64,
    f: f64,
    f_p: f64,
}

#[derive(Deserialize)]
struct Range {
    count: usize,
    q95: f64,
    q90: f64,
    at: f64,
    cdf: f64,
}

fn reference() -> Reference {
    serde_json::from_str(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/reference/significance.json")))
        .unwrap()
}

fn close(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((found - expected).abs() <= tolerance * expected.abs().max(1e-12), "{what}: {found} against {expected}");
}

#[test]
fn t_tests_are_those_of_scipy() {
    let reference = reference();
    assert!(reference.paired.iter().any(|case| case.first.len() == 2));
    for case in &reference.paired {
        let test = paired_t(&case.first, &case.second).unwrap();
        close(test.statistic, case.t, 1e-11, "t");
        close(test.p_value, case.p, 1e-9, "p");
    }
    for case in &reference.corrected {
        let test = corrected_resampled_t(&case.first, &case.second, case.share).unwrap();
        close(test.statistic, case.t, 1e-11, "corrected t");
        close(test.p_value, case.p, 1e-9, "corrected p");
    }
}

#[test]
fn equal_differences_have_no_variance() {
    let same = paired_t(&[1.0, 2.0], &[1.0, 2.0]).unwrap();
    assert_eq!((same.statistic, same.p_value), (0.0, 1.0));
    // 0.1 has no exact double: the mean of ten such differences is off by rounding, their variance should be none.
    let shifted = paired_t(&[0.0; 10], &[0.1; 10]).unwrap();
    assert_eq!((shifted.statistic, shifted.p_value), (f64::NEG_INFINITY, 0.0));
    assert_eq!(paired_t(&[1.0], &[2.0]), None);
}

#[test]
fn wilcoxon_is_that_of_scipy() {
    let reference = reference();
    assert!(reference.wilcoxon.iter().any(|case| case.exact) && reference.wilcoxon.iter().any(|case| !case.exact));
    for case in &reference.wilcoxon {
        let test = wilcoxon(&case.first, &case.second).unwrap();
        assert_eq!((test.exact, test.statistic), (case.exact, case.statistic));
        // The normal distribution that we use has some ten digits; counting is exact.
        close(test.p_value, case.p, if case.exact { 1e-14 } else { 1e-8 }, "p");
    }
    assert_eq!(wilcoxon(&[1.0], &[1.0]).unwrap().p_value, 1.0);
    assert_eq!(wilcoxon(&[], &[]), None);
}

#[test]
fn friedman_is_that_of_scipy() {
    for case in &reference().friedman {
        let test = friedman(&case.rows).unwrap();
        close(test.chi_square, case.chi_square, 1e-11, "chi-square");
        close(test.chi_square_p, case.p, 1e-9, "p");
        close(test.f, case.f, 1e-9, "F");
        close(test.f_p, case.f_p, 1e-8, "p of F");
    }
}

#[test]
fn friedman_at_its_ends() {
    let tied = friedman(&[vec![1.0; 3], vec![2.0; 3]]).unwrap();
    assert_eq!((tied.mean_ranks, tied.chi_square_p, tied.f_p), (vec![2.0; 3], 1.0, 1.0));
    let alike = friedman(&[vec![1.0, 2.0, 3.0], vec![4.0, 5.0, 6.0]]).unwrap();
    assert_eq!((alike.f, alike.f_p), (f64::INFINITY, 0.0));
    assert_eq!(friedman(&[vec![1.0, 2.0]]), None);
}

#[test]
fn the_studentised_range_is_that_of_scipy() {
    for case in &reference().range {
        close(studentised_range_cdf(case.at, case.count), case.cdf, 1e-9, "cdf");
        close(studentised_range_quantile(0.95, case.count), case.q95, 1e-8, "95 %");
        close(studentised_range_quantile(0.9, case.count), case.q90, 1e-8, "90 %");
    }
}
