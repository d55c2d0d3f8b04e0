//! The same seed gives the same bytes on any number of threads, and a loaded model predicts what it did before.

use crate::support::{Folder, table};

fn both_thread_counts(method: &str, extra: &str) {
    let folder = Folder::new();
    folder.write("train.csv", table(120, 3));
    folder.write("test.csv", table(30, 4));
    let mut models = Vec::new();
    let mut answers = Vec::new();
    for threads in [1, 2] {
        let model = format!("{threads}.model");
        let common = format!("--threads {threads} --seed 11 --quiet");
        folder.succeed(&format!("fit train.csv --labels cat,pet --method {method} -o {model} {extra} {common}"));
        folder.succeed(&format!("predict {model} test.csv -o {threads}.csv {common}"));
        folder.succeed(&format!("predict {model} test.csv --json --top 2 -o {threads}.jsonl {common}"));
        models.push(folder.read(&model));
        answers.push([folder.read(&format!("{threads}.csv")), folder.read(&format!("{threads}.jsonl"))]);
    }
    assert_eq!(models[0], models[1]);
    assert_eq!(answers[0], answers[1]);
}

#[test]
fn br_does_not_depend_on_threads() {
    both_thread_counts("br", "");
}

#[test]
fn ctbn_does_not_depend_on_threads() {
    both_thread_counts("ctbn", "");
}

#[test]
fn mlme_does_not_depend_on_threads() {
    both_thread_counts("mlme", "--experts 2");
}

#[test]
fn mlme_of_the_paper_does_not_depend_on_threads() {
    both_thread_counts("mlme", "--preset paper --experts 2");
}

#[test]
fn another_seed_gives_another_model() {
    let folder = Folder::new();
    folder.write("train.csv", table(120, 3));
    for seed in [1, 2] {
        folder.succeed(&format!("fit train.csv --labels cat,pet --experts 2 -o {seed}.model --seed {seed}"));
    }
    assert_ne!(folder.read("1.model"), folder.read("2.model"));
}
