//! Label cells that are unknown.

use super::super::unknown_cells::Completed;
use super::*;

/// `data` with a share of the label cells hidden at random.
fn hidden(data: &Dataset, share: f64) -> Dataset {
    let mut stream = Stream::new(9, "hidden", 0);
    let count = data.labels().count();
    let mut known = || LabelSet::from_bools(&(0..count).map(|_| stream.uniform() >= share).collect::<Vec<_>>());
    let labels = Labels::with_mask(count, data.labels().sets().to_vec(), (0..data.rows()).map(|_| known()).collect());
    let (columns, names) = (data.columns().to_vec(), data.label_names().to_vec());
    Dataset::new("hidden", data.features().clone(), columns, labels, names).unwrap()
}

fn set(data: &Dataset) -> TrainingSet<'_> {
    TrainingSet { features: data.features(), labels: data.labels(), weights: None, label_names: data.label_names() }
}

/// Known cells stay, and each of the others is present as often as the mixture expects given the known cells of its row, within four
/// standard deviations.
#[test]
fn unknown_cells_are_drawn_from_a_mixture() {
    let data = hidden(&planted(900, 4, 1.0), 0.4);
    let params = quick(json!({"seed": 3}));
    let Completed { labels: completed, weights } = params.completed(&set(&data), &Silent).unwrap();
    assert_eq!((completed.rows(), completed.mask()), (900, None));
    let (mixture, _) = MixtureParams::default().seed(3).learn(&set(&data), &Silent).unwrap();
    let features = data.features();
    let logs: Vec<(LabelSet, Vec<f64>)> = all_sets(4)
        .into_iter()
        .map(|set| (set.clone(), mixture.log_prob(features, &vec![set; 900]).unwrap()))
        .collect();
    let [mut drawn, mut expected, mut variance] = [[0.0; 4]; 3];
    for row in 0..900 {
        let agrees = |set: &LabelSet| (0..4).all(|i| data.labels().get(row, i).is_none_or(|on| on == set.get(i)));
        assert!(agrees(completed.row(row)), "row {row}");
        assert_eq!(4.0 * weights[row], data.labels().mask().unwrap()[row].count() as f64);
        let mass = |which: &dyn Fn(&LabelSet) -> bool| {
            logs.iter().filter(|(set, _)| agrees(set) && which(set)).map(|(_, logs)| logs[row].exp()).sum::<f64>()
        };
        for label in (0..4).filter(|&label| !data.labels().is_observed(row, label)) {
            let p = mass(&|set| set.get(label)) / mass(&|_| true);
            drawn[label] += f64::from(u8::from(completed.row(row).get(label)));
            expected[label] += p;
            variance[label] += p * (1.0 - p);
        }
    }
    for label in 0..4 {
        let far = (drawn[label] - expected[label]) / f64::sqrt(variance[label]);
        assert!(far.abs() < 4.0 && variance[label] > 10.0, "{label}: {drawn:?} {expected:?}");
    }
}

/// Hiding 30 % of the cells costs less than leaving out the rows that then have gaps.
#[test]
fn rows_with_gaps_are_worth_more_than_nothing() {
    let all = planted(900, 4, 1.0);
    let rows: Vec<usize> = (0..900).collect();
    let (train, new) = (hidden(&all.select_rows(&rows[..300]), 0.3), all.select_rows(&rows[300..]));
    let masks = train.labels().mask().unwrap();
    let whole: Vec<usize> = (0..300).filter(|&row| masks[row].count() == 4).collect();
    let log = |data: &Dataset| {
        let (model, report) = learned(&quick(json!({})), data, None);
        (model.log_prob(new.features(), new.labels().sets()).unwrap().iter().sum::<f64>() / 600.0, report)
    };
    let ((with, report), (without, _)) = (log(&train), log(&train.select_rows(&whole)));
    assert!(with > without + 0.05, "{with} {without}");
    let note = "label cells are unknown. They were drawn once from a mixture";
    assert!(report.notes.iter().any(|own| own.contains(note)), "{:?}", report.notes);
}

/// Rows are named by their places in all of the data.
#[test]
fn rows_without_a_known_cell_take_no_part() {
    let data = planted(120, 3, 1.0);
    let masks = (0..120).map(|row| LabelSet::from_bools(&[row % 3 != 0; 3])).collect();
    let labels = Labels::with_mask(3, data.labels().sets().to_vec(), masks);
    let (columns, names) = (data.columns().to_vec(), data.label_names().to_vec());
    let partly = Dataset::new("partly", data.features().clone(), columns, labels, names).unwrap();
    let known: Vec<usize> = (0..120).filter(|row| row % 3 != 0).collect();
    let (model, report) = learned(&quick(json!({})), &partly, None);
    assert_eq!(model, learned(&quick(json!({})), &data.select_rows(&known), None).0);
    let mut held = report.held_out.unwrap().rows;
    held.sort_unstable();
    assert_eq!(held, known);
    assert!(report.notes.iter().any(|note| note == "40 of 120 rows are not used: none of their label cells is known."));
}
