//! Experiments end to end, without a terminal.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use super::*;
use arbormix_base::params::Preset;
use arbormix_base::progress::{Progress, Silent};
use arbormix_data::planted::Planted;
use arbormix_data::splits::Folds;
use arbormix_joint::learner::{FitReport, Learner, Predictor, Size, TrainingSet, Workers};
use arbormix_joint::{Error, Result};
use arbormix_learn::features::FeatureParams;
use arbormix_model::measure::Direction;

/// BR that fails, or panics, when its seed says so; counts its fits.
struct Moody {
    inner: Box<dyn Learner>,
    mood: &'static str,
    fits: &'static AtomicUsize,
}

impl Learner for Moody {
    fn method(&self) -> &'static str {
        "moody"
    }
    fn params(&self) -> serde_json::Value {
        json!({"mood": self.mood, "seed": 3})
    }
    fn validate(&self) -> Result<(), arbormix_base::params::ParamError> {
        Ok(())
    }
    fn features(&self) -> &FeatureParams {
        self.inner.features()
    }
    fn seconds(&self, size: &Size) -> f64 {
        self.inner.seconds(size)
    }
    fn bytes(&self, size: &Size, workers: Workers) -> usize {
        self.inner.bytes(size, workers)
    }
    fn learn(&self, data: &TrainingSet<'_>, progress: &dyn Progress) -> Result<(Box<dyn Predictor>, FitReport)> {
        self.fits.fetch_add(1, Ordering::SeqCst);
        match self.mood {
            "fails" => Err(Error::Unsupported { method: "moody", what: "anything", reason: "of its mood" }),
            "panics" => panic!("bad mood"),
            _ => self.inner.learn(data, progress),
        }
    }
}

fn method(name: &str, learner: &str) -> Contestant {
    let methods = [arbormix_rivals::br::METHOD, arbormix_rivals::cc::METHOD];
    let found = methods.iter().find(|method| method.name == learner).unwrap();
    let learner = found.with(Preset::Default, &json!({})).unwrap();
    Contestant { name: name.to_string(), learner }
}

fn moody(mood: &'static str, fits: &'static AtomicUsize) -> Contestant {
    let inner = arbormix_rivals::br::METHOD.with(Preset::Default, &json!({})).unwrap();
    Contestant { name: mood.to_string(), learner: Box::new(Moody { inner, mood, fits }) }
}

fn task(seed: u64) -> Task {
    let (data, _) = Planted { rows: 60, seed, ..Planted::default() }.sample().unwrap();
    let folds = Folds::shuffled(60, 3, seed).unwrap();
    let renamed = arbormix_data::Dataset::new(
        format!("planted {seed}"),
        data.features().clone(),
        data.columns().to_vec(),
        data.labels().clone(),
        data.label_names().to_vec(),
    );
    Task { data: renamed.unwrap(), folds }
}

#[test]
fn a_failing_method_says_why_and_the_others_go_on() {
    static FITS: AtomicUsize = AtomicUsize::new(0);
    let methods = vec![method("br", "br"), moody("fails", &FITS), moody("panics", &FITS)];
    let experiment = Experiment::new(vec![task(1)], methods).unwrap();
    let results = run(&experiment, None, &RunOptions::default(), &Silent).unwrap();
    assert!(results.cells(0, 0).iter().all(|cell| cell.failure().is_none()));
    assert_eq!(results.cells(0, 1)[0].failure(), Some("moody cannot give anything: of its mood"));
    assert_eq!(results.cells(0, 2)[2].failure(), Some("it panicked, which is a defect of arbormix: bad mood"));
    assert_eq!(results.failures().count(), 6);
    let comparison = Comparison::new(&results, "exact_match", Direction::Higher, 0, PairedTest::Paired);
    let grid = report::Grid::new(&results, &comparison);
    assert_eq!(grid.rows[0][2..], ["failed [1]", "failed [2]"]);
    assert!(grid.notes.contains(&"[1] planted 1, fails, fold 0, 1, 2: moody cannot give anything: of its mood".into()));
    assert!(report::csv(&results, false).contains("moody cannot give anything: of its mood"));
}

#[test]
fn finished_cells_are_not_run_again_and_give_the_same_reports() {
    static FITS: AtomicUsize = AtomicUsize::new(0);
    let folder = tempfile::tempdir().unwrap();
    let checkpoint = Checkpoint::open(&folder.path().join("cells")).unwrap();
    let methods = || vec![method("br", "br"), moody("calm", &FITS), moody("fails", &FITS)];
    let make = |tasks| Experiment::new(tasks, methods()).unwrap();
    // A first part of the work, as if the rest had been cut off.
    run(&make(vec![task(1)]), Some(&checkpoint), &RunOptions::default(), &Silent).unwrap();
    assert_eq!(FITS.swap(0, Ordering::SeqCst), 6);
    let whole = make(vec![task(1), task(2)]);
    let resumed = run(&whole, Some(&checkpoint), &RunOptions::default(), &Silent).unwrap();
    assert_eq!(FITS.swap(0, Ordering::SeqCst), 6, "only the second data set is new, failures included");
    let fresh = run(&whole, None, &RunOptions { at_a_time: Some(1), ..RunOptions::default() }, &Silent).unwrap();
    FITS.store(0, Ordering::SeqCst);
    let both = [&resumed, &fresh]
        .map(|results| (report::csv(results, false), report::json(results, 0, PairedTest::Paired, false).to_string()));
    assert_eq!(both[0], both[1]);
    // With timings the stored cells still say the same every time.
    let again = run(&whole, Some(&checkpoint), &RunOptions::default(), &Silent).unwrap();
    assert_eq!(report::csv(&again, true), report::csv(&resumed, true));
    assert_eq!(FITS.load(Ordering::SeqCst), 0);
    run(&whole, Some(&checkpoint), &RunOptions { retry: true, ..RunOptions::default() }, &Silent).unwrap();
    assert_eq!(FITS.load(Ordering::SeqCst), 6, "only failed cells are tried again");
}

#[test]
fn data_with_the_same_contents_keep_their_names() {
    let copy = || Task { data: task(1).data.renamed("copy"), ..task(1) };
    let experiment = Experiment::new(vec![task(1), copy()], vec![method("br", "br")]).unwrap();
    let results = run(&experiment, None, &RunOptions::default(), &Silent).unwrap();
    assert!(results.cells(0, 0).iter().all(|cell| cell.data == "planted 1"));
    assert!(results.cells(1, 0).iter().all(|cell| cell.data == "copy"));
}

#[test]
fn a_cell_depends_on_data_folds_parameters_and_fold() {
    let digest = |task: &Task, method: &Contestant, fold| {
        cell::Cell::planned(task, &cell::digest_of_task(task), method, fold).digest
    };
    let br = || method("br", "br");
    let first = digest(&task(1), &br(), 0);
    assert_eq!(first, digest(&task(1), &method("another name", "br"), 0));
    let refold = Task { folds: Folds::shuffled(60, 3, 9).unwrap(), ..task(1) };
    let other = Contestant {
        name: "br".to_string(),
        learner: arbormix_rivals::br::METHOD.with(Preset::Default, &json!({"seed": 5})).unwrap(),
    };
    let others = [
        digest(&task(2), &br(), 0),
        digest(&task(1), &br(), 1),
        digest(&task(1), &method("br", "cc"), 0),
        digest(&refold, &br(), 0),
        digest(&task(1), &other, 0),
    ];
    assert!(others.iter().all(|other| *other != first));
}

#[test]
fn a_damaged_checkpoint_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let checkpoint = Checkpoint::open(folder.path()).unwrap();
    let experiment = || Experiment::new(vec![task(1)], vec![method("br", "br")]).unwrap();
    run(&experiment(), Some(&checkpoint), &RunOptions::default(), &Silent).unwrap();
    let file = std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
    std::fs::write(&file, "{}").unwrap();
    let error = run(&experiment(), Some(&checkpoint), &RunOptions::default(), &Silent).unwrap_err().to_string();
    assert!(error.starts_with(&file.display().to_string()) && error.contains("remove the file"), "{error}");
}

#[test]
fn experiments_that_do_not_fit_together_are_refused() {
    let refuse = |tasks, methods| Experiment::new(tasks, methods).unwrap_err().to_string();
    assert!(refuse(vec![], vec![method("br", "br")]).contains("0 data sets, 1 methods"));
    let twice = refuse(vec![task(1), task(1)], vec![method("br", "br")]);
    assert_eq!(twice, "two data sets of the experiment are called \"planted 1\"; rename one of them");
    let folds = Folds::shuffled(50, 2, 0).unwrap();
    let other = refuse(vec![Task { folds, ..task(1) }], vec![method("br", "br")]);
    assert_eq!(other, "the folds of \"planted 1\" divide 50 rows, but it has 60");
    let only = |folds| Experiment::new(vec![task(1)], vec![method("br", "br")]).unwrap().only_folds(folds);
    assert_eq!(only(vec![3]).unwrap_err().to_string(), "fold 3 does not exist: \"planted 1\" has the folds 0 to 2");
    assert_eq!(only(vec![1, 1]).unwrap_err().to_string(), "fold 1 is asked for twice");
    let results = run(&only(vec![2, 0]).unwrap(), None, &RunOptions::default(), &Silent).unwrap();
    assert_eq!(results.data()[0].folds, [2, 0]);
    assert!((results.data()[0].test_share - 0.5).abs() < 1e-15);
}

#[test]
fn the_reference_is_marked_by_direction() {
    let test = |statistic| significance::TTest { statistic, degrees: 9.0, p_value: 0.01 };
    assert_eq!(comparison::verdict(&test(3.0), Direction::Higher), Verdict::Superior);
    assert_eq!(comparison::verdict(&test(3.0), Direction::Lower), Verdict::Inferior);
    assert_eq!(comparison::verdict(&test(-3.0), Direction::Lower), Verdict::Superior);
    let weak = significance::TTest { p_value: 0.05, ..test(3.0) };
    assert_eq!(comparison::verdict(&weak, Direction::Higher), Verdict::Tied);
}
