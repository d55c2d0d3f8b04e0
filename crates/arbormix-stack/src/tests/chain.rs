//! Tests of the stacked chain.

use serde_json::json;

use super::*;
use crate::level1::regression::WideRegression;
use crate::newton::minimise;
use arbormix_learn::logistic::loss::sigmoid;

#[test]
fn regressions_on_several_labels_end_where_scipy_ends() {
    let Reference { log_odds, other, parent, sign, weight } = reference();
    let signed: Vec<f64> = sign.iter().zip(&weight).map(|(sign, weight)| sign * weight).collect();
    let third = |n: f64| f64::from(u8::from((2.1 * n + 0.5).sin() + 0.4 * (3.7 * n).cos() > 0.0));
    let values: Vec<f64> = (0..40).map(|n| third(f64::from(n))).collect();
    let odds: Vec<f64> = (0..40).map(|n| f64::from(n).cos()).collect();
    let (ones, [first, second]) = ([1.0; 40], [(&other, &parent), (&odds, &values)].map(|(z, y)| expectations(z, y)));
    let inputs = vec![&log_odds[..], &ones, &first.1, &first.0, &second.1, &second.0];
    let centre = vec![1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let chain =
        WideRegression { inputs, signed: &signed, centre: centre.clone(), ridge: vec![1.0, 0.1, 1.0, 1.0, 1.0, 1.0] };
    let found = minimise(&chain, centre);
    let expected = [1.172942080259, -0.920487538334, -0.031413595446, 0.131062733595, 2.937024596363, 0.336627204272];
    assert_close(&found, &expected);
    assert!((chain.expanded(&found).value - 19.559832471896172).abs() < 1e-9);
}

/// Eight labels; each of the last four says whether most of three others are there, with a little noise; one feature moves the first.
fn majorities(rows: usize) -> Dataset {
    let mut draws = Stream::new(21, "test", 0);
    let cells: Vec<f64> = (0..rows).map(|_| draws.normal()).collect();
    let set = |x: f64, draws: &mut Stream| {
        let mut bits = [false; 8];
        bits[0] = draws.uniform() < sigmoid(x);
        (1..4).for_each(|label| bits[label] = draws.uniform() < 0.5);
        for label in 4..8 {
            let several = (0..4).filter(|&other| other != label - 4 && bits[other]).count();
            bits[label] = (several >= 2) != (draws.uniform() < 0.05);
        }
        LabelSet::from_bools(&bits)
    };
    let sets = cells.iter().map(|x| set(*x, &mut draws)).collect();
    dataset(Matrix::Dense(DenseMatrix::new(rows, 1, cells)), sets)
}

/// Labels that several others decide together: the chain is taken and makes new rows more likely; everything about them is answered,
/// and a stored model is the same.
#[test]
fn a_chain_is_taken_where_labels_depend_on_several_others() {
    let all = majorities(900);
    let part = |from: usize, to: usize| all.select_rows(&(from..to).collect::<Vec<_>>());
    let (train, new) = (part(0, 300), part(300, 900));
    // No table, which would know all sets there are, and one tied tree: what is compared are chain and tree.
    let alone = json!({"experts": 1, "factors": {"count": 0}});
    let params = |width: usize| quick(json!({"chain": {"width": width}, "pool": {"sets": 1}, "tied": alone}));
    let ((with, report), (without, other)) = (learned(&params(8), &train, None), learned(&params(0), &train, None));
    let says = |report: &FitReport| report.notes.iter().any(|note| note.contains("for the stacked chain"));
    assert!(says(&report) && !says(&other), "{:?}", report.notes);
    let mean = |model: &Stack| {
        model.log_prob(new.features(), new.labels().sets()).unwrap().iter().sum::<f64>() / new.rows() as f64
    };
    assert!(mean(&with) > mean(&without) + 0.1, "{} {}", mean(&with), mean(&without));
    let rows = with.distributions(std::borrow::Cow::Borrowed(new.features())).unwrap();
    for row in 0..20 {
        let mixture = rows.row(row);
        let sets = all_sets(8);
        let probabilities: Vec<f64> = sets.iter().map(|set| mixture.log_prob(set).exp()).collect();
        assert!((probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        let found = mixture.map(0);
        assert!(found.certificate.certified);
        assert!((found.log_probability.exp() - probabilities.iter().copied().fold(0.0, f64::max)).abs() < 1e-12);
        for (label, p) in mixture.marginals().iter().enumerate() {
            let own: f64 = sets.iter().zip(&probabilities).filter(|(set, _)| set.get(label)).map(|(_, p)| p).sum();
            assert!((p - own).abs() < 1e-9);
        }
    }
}

/// Coins tell nothing about each other; and width 1 would be the stacked tree, so it is not tried.
#[test]
fn a_chain_is_left_where_it_tells_nothing() {
    let mut draws = Stream::new(22, "test", 0);
    let coins = |draws: &mut Stream| LabelSet::from_bools(&(0..5).map(|_| draws.uniform() < 0.5).collect::<Vec<_>>());
    let sets = (0..200).map(|_| coins(&mut draws)).collect();
    let cells = (0..200).map(|_| draws.normal()).collect();
    let data = dataset(Matrix::Dense(DenseMatrix::new(200, 1, cells)), sets);
    let fitted = |width: usize| learned(&quick(json!({"chain": {"width": width}})), &data, None);
    let (model, report) = fitted(8);
    assert!(report.notes.iter().any(|note| note.contains("for the stacked tree")), "{:?}", report.notes);
    assert!(model == fitted(1).0 && model == fitted(0).0);
}
