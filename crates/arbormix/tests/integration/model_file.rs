//! Model files of every method.

use arbormix::Model;
use arbormix::registry::{self, METHODS, Preset};
use arbormix_base::progress::Silent;
use arbormix_data::Dataset;
use arbormix_data::planted::Planted;
use arbormix_model::fit;
use arbormix_model::model::file::pack;

fn message(bytes: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file.model");
    std::fs::write(&path, bytes).unwrap();
    let text = arbormix::load(&path).unwrap_err().to_string();
    let (start, rest) = text.split_at(path.display().to_string().len());
    assert_eq!(start, path.display().to_string());
    rest.to_string()
}

fn planted(density: f64) -> Dataset {
    Planted { rows: 80, labels: 4, density, seed: 5, ..Planted::default() }.sample().unwrap().0
}

fn fitted(method: &str, data: &Dataset) -> Model {
    let learner = registry::learner(method, Preset::Default, &serde_json::json!({})).unwrap();
    fit(learner.as_ref(), data, None, &Silent).unwrap()
}

#[test]
fn every_method_predicts_the_same_bits_after_loading_and_saves_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    for (method, density) in METHODS.iter().flat_map(|method| [(method.name, 1.0), (method.name, 0.5)]) {
        let data = planted(density);
        let before = fitted(method, &data);
        before.save(&first).unwrap();
        let after = arbormix::load(&first).unwrap();
        after.save(&second).unwrap();
        assert_eq!(std::fs::read(&first).unwrap(), std::fs::read(&second).unwrap(), "{method}");
        let bytes = before.to_bytes().unwrap();
        assert_eq!(std::fs::read(&first).unwrap(), bytes, "{method}");
        assert_eq!(arbormix::from_bytes(&bytes).unwrap().to_bytes().unwrap(), bytes, "{method}");
        assert_eq!(after.schema(), before.schema());
        assert_eq!(after.params(), before.params());
        assert_eq!(after.report(), before.report());
        assert_eq!(after.features(), before.features());
        assert_eq!(after.predict(&data).unwrap(), before.predict(&data).unwrap(), "{method}");
        let marginals = |model: &Model| bits(model.marginals(&data).unwrap().values());
        assert_eq!(marginals(&after), marginals(&before), "{method}");
        if before.predictor().joint().has_probabilities() {
            let joint = |model: &Model| bits(&model.log_prob(&data).unwrap());
            assert_eq!(joint(&after), joint(&before), "{method}");
        }
    }
}

#[test]
fn a_model_without_one_of_its_tensors_or_with_another_shape_is_refused() {
    for method in METHODS {
        let whole = pack(&fitted(method.name, &planted(1.0))).unwrap();
        // One of each kind: a forest has thousands that differ in their number only.
        let kind = |name: &str| name.replace(|c: char| c.is_ascii_digit(), "");
        let mut seen = std::collections::BTreeSet::new();
        for name in whole.tensors.keys().filter(|name| seen.insert(kind(name))) {
            let mut lacking = whole.clone();
            lacking.tensors.remove(name);
            let text = message(&lacking.to_bytes().unwrap());
            assert!(text.starts_with(": the model file lacks the tensor "), "{}: {name}: {text}", method.name);
            let mut longer = whole.clone();
            let tensor = longer.tensors.get_mut(name).unwrap();
            tensor.shape.insert(0, 1);
            let text = message(&longer.to_bytes().unwrap());
            assert!(text.starts_with(": the model file's tensor "), "{}: {name}: {text}", method.name);
        }
    }
}

#[test]
fn parts_of_different_models_do_not_go_together() {
    let mut container = pack(&fitted("br", &planted(1.0))).unwrap();
    let schema = r#"{"label_names":["a","b"],"trained_on":"x","rows":80}"#;
    container.metadata.insert("schema".to_string(), schema.to_string());
    assert_eq!(
        message(&container.to_bytes().unwrap()),
        ": the model file contradicts itself: names of labels and labels: 2 against 4; fit again"
    );
}
