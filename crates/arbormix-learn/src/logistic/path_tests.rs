//! Tests of the choice of C: against every cost fitted by itself, and where a path ends.

use super::tests::{StopAt, TIGHT, dense, planted, solved};
use super::*;
use arbormix_base::progress::Silent;
use arbormix_base::random::Stream;

#[test]
fn the_chosen_cost_is_the_best_on_held_out_rows() {
    let (features, labels) = planted(1.0);
    let design = Design::new(&features, Bias::Penalised);
    let targets: Vec<&[bool]> = labels.iter().map(Vec::as_slice).collect();
    let wanted: Vec<Target<'_>> = targets.iter().map(|&values| Target::new(values, None)).collect();
    let mut choices = Vec::new();
    // The choice is made with fewer digits, so that a row at the border may fall to the other side.
    for (criterion, slack) in [(Criterion::Likelihood, 1e-3), (Criterion::Accuracy, 1.0)] {
        let params = LogisticParams::default().criterion(criterion);
        let folds = cost_folds(150, params.folds, 9);
        let chosen = choose_costs(&design, None, &[], &wanted, &folds, &params, &Silent).unwrap();
        for (label, &cost) in chosen.iter().enumerate() {
            // What every cost reaches on held-out rows, fitted from zero, one label at a time.
            let score = |cost: f64| -> f64 {
                (0..params.folds)
                    .map(|fold| {
                        let (held, train): (Vec<usize>, Vec<usize>) = (0..150).partition(|&n| folds[n] == fold);
                        let problem = Problem {
                            targets: targets[label],
                            weights: None,
                            only: None,
                            cost,
                            start: None,
                            coordinates: None,
                        };
                        let fit = &solved(&design.block(Some(&train), &[]), &[problem], &TIGHT)[0];
                        let block = design.block(Some(&held), &[]);
                        let margins = block.margins(&[&fit.coefficients]);
                        let row = |(&n, &z): (&usize, &f64)| match criterion {
                            Criterion::Likelihood => loss::log_probability(z, targets[label][n]),
                            Criterion::Accuracy => f64::from((z >= 0.0) == targets[label][n]),
                        };
                        held.iter().zip(margins.column(0)).map(row).sum::<f64>()
                    })
                    .sum()
            };
            let best = params.costs.iter().map(|&c| score(c)).fold(f64::NEG_INFINITY, f64::max);
            assert!(score(cost) >= best - slack, "label {label}: C = {cost} has {}, best {best}", score(cost));
        }
        choices.push(chosen);
    }
    assert_ne!(choices[0], choices[1], "the criterion makes no difference");
}

/// Targets that no feature tells: the held-out likelihood falls as soon as weights are free, and costs beyond that are not
/// tried. Targets that features tell well go on to large costs.
#[test]
fn a_path_ends_where_held_out_rows_have_become_clearly_less_likely() {
    let mut draws = Stream::new(11, "test", 0);
    let rows: Vec<Vec<f64>> = (0..60).map(|_| (0..20).map(|_| draws.normal()).collect()).collect();
    let noise: Vec<bool> = (0..60).map(|_| draws.uniform() < 0.5).collect();
    let told: Vec<bool> = rows.iter().map(|row| row[0] + row[1] > 0.0).collect();
    // Only the two features that tell, for the targets that are told: with the others they would be learned by heart.
    let two: Vec<Vec<f64>> = rows.iter().map(|row| row[..2].to_vec()).collect();
    let chosen = |rows: &[Vec<f64>], targets: &[bool], costs: &[f64]| {
        let design = Design::new(&dense(rows), Bias::Penalised);
        let params = LogisticParams::default().costs(costs.to_vec());
        let looks = StopAt::new(usize::MAX);
        let folds = cost_folds(60, params.folds, 2);
        let wanted = [Target::new(targets, None)];
        let costs = choose_costs(&design, None, &[], &wanted, &folds, &params, &looks).unwrap();
        (costs[0], looks.looks.into_inner())
    };
    let (few, many) = ([1e-4, 1e-3, 1e-2, 1e-1, 1.0], [1e-4, 1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3]);
    assert_eq!(chosen(&rows, &noise, &few), chosen(&rows, &noise, &many), "no product is spent on costs after the end");
    assert!(chosen(&rows, &noise, &many).0 <= 1e-2);
    assert!(chosen(&two, &told, &many).0 > 1.0 && chosen(&two, &told, &many).1 > chosen(&two, &told, &few).1);
}
