//! Model files of every format version there ever was must stay readable and give the same answers.
//!
//! `ARBORMIX_WRITE_GOLDEN=1 cargo test --release -p arbormix --test integration golden` writes the files of the
//! current version; do that once when the version is raised, never to make this test pass.

use std::path::{Path, PathBuf};

use arbormix::{Model, registry};
use arbormix_base::progress::Silent;
use arbormix_data::planted::photos;
use arbormix_model::fit;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Answer {
    labels: Vec<usize>,
    log_probability: f64,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

fn answers(model: &Model) -> Vec<Answer> {
    let (data, _) = photos::sample(20, 77).unwrap();
    let answer = |p: arbormix::Prediction| Answer {
        labels: p.labels.members().collect(),
        log_probability: p.log_probability.unwrap(),
    };
    model.predict(&data).unwrap().into_iter().map(answer).collect()
}

#[test]
fn golden_models_answer_as_ever() {
    if std::env::var_os("ARBORMIX_WRITE_GOLDEN").is_some() {
        write();
    }
    let mut seen = 0;
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "model") {
            continue;
        }
        let model = arbormix::load(&path).unwrap();
        let text = std::fs::read_to_string(path.with_extension("json")).unwrap();
        let expected: Vec<Answer> = serde_json::from_str(&text).unwrap();
        for (got, want) in answers(&model).iter().zip(&expected) {
            assert_eq!(got.labels, want.labels, "{}", path.display());
            assert!((got.log_probability - want.log_probability).abs() < 1e-9, "{}", path.display());
        }
        seen += 1;
    }
    assert!(seen >= 8, "only {seen} golden models");
}

fn write() {
    let (data, _) = photos::sample(300, 5).unwrap();
    let small = serde_json::json!({"trees": 2, "min_split_rows": 60});
    for (name, overrides) in [
        ("lp", serde_json::json!({"forest": small})),
        (
            "stack",
            serde_json::json!({"forest": small, "held_out_trees": 2, "tied": {"experts": 3}, "map": {"widths": []}}),
        ),
        ("mlme", serde_json::json!({"experts": 2})),
        ("ctbn", serde_json::json!({"nodes": {"kind": "parent-feature"}})),
        ("br", serde_json::json!({"features": {"scaling": "standardize"}})),
    ] {
        let learner = registry::learner(name, registry::Preset::Default, &overrides).unwrap();
        let model = fit(learner.as_ref(), &data, None, &Silent).unwrap();
        let path = folder().join(format!("v{}-{name}.model", arbormix_model::model::FORMAT_VERSION));
        model.save(&path).unwrap();
        let text = serde_json::to_string_pretty(&answers(&model)).unwrap();
        std::fs::write(path.with_extension("json"), text + "\n").unwrap();
    }
}
