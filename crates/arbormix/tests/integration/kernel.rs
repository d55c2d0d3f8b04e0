//! Nyström features inside models.

use arbormix::registry::{Preset, learner};
use arbormix_base::progress::Silent;
use arbormix_base::random::Stream;
use arbormix_data::{Column, Dataset, LabelSet, Labels};
use arbormix_matrix::{DenseMatrix, Matrix};
use arbormix_model::fit;
use serde_json::json;

#[test]
fn a_model_with_nystrom_features_learns_what_a_line_cannot_and_comes_back_from_its_file() {
    let mut stream = Stream::new(5, "xor", 0);
    let points: Vec<[f64; 2]> = (0..200).map(|_| [stream.uniform(), stream.uniform()]).collect();
    let set = |[a, b]: &[f64; 2]| LabelSet::from_bools(&[(*a > 0.5) != (*b > 0.5)]);
    let labels = Labels::new(1, points.iter().map(set).collect());
    let columns = vec![Column::numeric("a"), Column::numeric("b")];
    let cells = Matrix::Dense(DenseMatrix::new(200, 2, points.concat()));
    let data = Dataset::new("xor", cells, columns, labels, vec!["odd".to_string()]).unwrap();
    let hits = |overrides: serde_json::Value| {
        let model = fit(learner("br", Preset::Default, &overrides).unwrap().as_ref(), &data, None, &Silent).unwrap();
        let back = arbormix::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(back.marginals(&data).unwrap(), model.marginals(&data).unwrap());
        assert_eq!(back.features().names(), model.features().names());
        let found = model.predict(&data).unwrap();
        found.iter().zip(data.labels().sets()).filter(|(found, truth)| found.labels == **truth).count()
    };
    assert!(hits(json!({})) < 150);
    assert!(hits(json!({"features": {"nystrom": {"landmarks": 100, "width": 0.5}}})) > 190);
}

#[test]
fn parameters_that_cannot_be_used_are_refused() {
    for (name, value) in
        [("landmarks", json!(0)), ("width", json!(-1.0)), ("components", json!(0)), ("squared_norm", json!(0.0))]
    {
        let refused = learner("br", Preset::Default, &json!({"features": {"nystrom": {name: value}}}));
        let error = refused.err().unwrap().to_string();
        assert!(error.contains(&format!("features.nystrom.{name}")), "{error}");
    }
}
