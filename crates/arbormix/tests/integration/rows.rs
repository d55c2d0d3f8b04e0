//! Rows among others and alone.

use arbormix::registry;
use arbormix_base::progress::Silent;
use arbormix_data::planted::Planted;
use arbormix_model::fit;

#[test]
fn rows_among_others_have_the_answers_of_rows_alone() {
    let (data, _) = Planted { rows: 150, seed: 4, ..Planted::default() }.sample().unwrap();
    for method in ["br", "ctbn", "mlme", "lp"] {
        let learner = registry::learner(method, registry::Preset::Default, &serde_json::json!({})).unwrap();
        let model = fit(learner.as_ref(), &data, None, &Silent).unwrap();
        let sets = model.true_sets(&data).unwrap();
        let (marginals, logs) = (model.marginals(&data).unwrap(), model.log_prob(&data).unwrap());
        let rows = model.rows(&data).unwrap();
        let found = rows.ask(|row, mixture| (row, mixture.map(0), mixture.log_prob(&sets[row])));
        for (row, (place, map, log)) in found.into_iter().enumerate() {
            let (alone, one) = (rows.row(row), data.select_rows(&[row]));
            assert_eq!((place, map, log), (row, alone.map(0), alone.log_prob(&sets[row])));
            assert_eq!(model.marginals(&one).unwrap().row(0), marginals.row(row), "{method}, row {row}");
            assert_eq!(model.log_prob(&one).unwrap()[0], logs[row], "{method}, row {row}");
        }
    }
}
