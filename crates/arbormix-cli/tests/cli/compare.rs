//! `compare`: tables, files, checkpoints that survive a kill.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::support::{Folder, table};

const CELLS: &str = "arbormix-compare.cells";

/// Two data sets and five methods that take long enough to be interrupted: 60 cells.
fn long_work() -> Folder {
    let folder = Folder::new();
    folder.write("one.csv", table(1500, 3));
    folder.write("two.csv", table(1200, 4));
    folder
}

const LONG: &str = "compare one.csv two.csv --labels cat,pet --folds 6 --seed 5 --reference ctbn \
    --methods br,ctbn,cc,mlme+experts=2,mlme@paper+experts=2 --csv out.csv --markdown out.md --latex out.tex \
    --cd-diagram out.svg --json";

fn start(folder: &Folder, arguments: &str) -> Child {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("arbormix"));
    command.current_dir(folder.path(".")).args(arguments.split_whitespace());
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Finished cells so far.
fn cells(folder: &Path) -> usize {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    entries.filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().ends_with(".json")).count()
}

/// Waits until some cells are finished, sends the signal, and gives what the process said.
fn interrupt(folder: &Folder, signal: &str) -> std::process::Output {
    let mut child = start(folder, &format!("{LONG} --quiet"));
    while cells(&folder.path(CELLS)) < 3 {
        assert!(child.try_wait().unwrap().is_none(), "the work ended before it could be interrupted");
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    child.wait_with_output().unwrap()
}

#[cfg(unix)]
#[test]
fn killed_and_begun_again_it_ends_with_the_same_bytes() {
    let (killed, whole) = (long_work(), long_work());
    let ended = interrupt(&killed, "-KILL");
    assert_eq!(ended.status.code(), None);
    let done = cells(&killed.path(CELLS));
    assert!((3..60).contains(&done), "{done} cells");
    assert!(!killed.path("out.csv").exists());
    let resumed = killed.succeed(LONG);
    assert_eq!(cells(&killed.path(CELLS)), 60);
    // On another number of threads, without interruption.
    assert_eq!(resumed, whole.succeed(&format!("{LONG} --threads 1")));
    for file in ["out.csv", "out.md", "out.tex", "out.svg"] {
        assert!(killed.read(file) == whole.read(file), "{file} differs");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_the_finished_cells_and_says_so() {
    let folder = long_work();
    let ended = interrupt(&folder, "-INT");
    assert_eq!(ended.status.code(), Some(130));
    let expected = "error: interrupted; finished cells are kept in arbormix-compare.cells: run the same command \
        again to go on\n";
    assert_eq!(String::from_utf8(ended.stderr).unwrap(), expected);
    assert!(cells(&folder.path(CELLS)) >= 3);
}

#[test]
fn tables_show_every_method_on_every_data_set() {
    let folder = Folder::new();
    folder.write("one.csv", table(80, 3));
    folder.write("two.csv", table(60, 4));
    folder.write("one.txt", (0..80).map(|row| format!("{}\n", row % 4)).collect::<String>());
    folder.write("two.txt", (0..60).map(|row| format!("{}\n", row % 3)).collect::<String>());
    let compare = "compare one.csv two.csv --labels cat,pet --methods br,ecc,br@paper --fold-file . --quiet";
    let text = folder.succeed(&format!("{compare} --csv cells.csv"));
    for part in ["exact_match (higher is better)", "cll_loss (lower is better)", "br@paper", "average rank", "Friedman"]
    {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    let csv = String::from_utf8(folder.read("cells.csv")).unwrap();
    assert_eq!(csv.lines().count(), 1 + 3 * (4 + 3));
    assert!(csv.lines().next().unwrap().starts_with("data,method,registry_name,fold,seed,version,"));
    // The same folds by crossval, which has its own table: the same numbers.
    let crossval = folder.json("crossval two.csv --labels cat,pet --methods br --fold-file two.txt --json");
    let json = folder.json(&format!("{compare} --json"));
    let mean = &json["measures"]["exact_match"]["entries"][1][0]["mean"];
    assert_eq!(*mean, crossval["methods"][0]["measures"]["exact_match"]["mean"]);
    assert_eq!(json["data"][0]["folds"].as_array().unwrap().len(), 4);
    assert!(json["cells"][0].get("fit_seconds").is_none());
    assert!(folder.json(&format!("{compare} --json --timings"))["cells"][0]["fit_seconds"].is_f64());
    let some = folder.json(&format!("{compare} --json --only-folds 2 --checkpoint elsewhere"));
    assert_eq!(some["data"][1]["folds"], serde_json::json!([2]));
    assert_eq!(some["cells"].as_array().unwrap().len(), 6);
}

#[test]
fn a_failing_data_set_does_not_stop_the_other() {
    let folder = Folder::new();
    folder.write("good.csv", table(40, 3));
    // CC needs every label cell to learn from; BR leaves out those that are unknown.
    folder.write("gaps.csv", table(40, 4).replace(",0\n", ",?\n"));
    let ran = folder.run("compare good.csv gaps.csv --labels cat,pet --methods br,cc --folds 2");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("failed [1]") && ran.stdout.contains("[1] gaps, cc, fold 0: "), "{}", ran.stdout);
    assert!(ran.stderr.contains("note: gaps, cc, fold 0 failed: "), "{}", ran.stderr);
    assert!(ran.stdout.contains("good"));
}

#[test]
fn a_failing_method_costs_neither_tables_nor_diagram() {
    let folder = Folder::new();
    folder.write("one.csv", table(60, 3));
    folder.write("two.csv", table(20, 4));
    // Fewer rows than neighbours in one of the data sets.
    let compare = "compare one.csv two.csv --labels cat,pet --folds 2 --methods br,cc,mlknn+neighbours=25 \
        --reference br --cd-diagram ranks.svg";
    let ran = folder.run(compare);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for part in
        ["Not ranked, because some of their cells have no value: mlknn+neighbours=25", "Wilcoxon over", "cc each"]
    {
        assert!(ran.stdout.contains(part), "{part} is not in\n{}", ran.stdout);
    }
    assert!(String::from_utf8(folder.read("ranks.svg")).unwrap().contains("cc ("));
}

#[test]
fn what_cannot_end_well_is_refused_before_the_work() {
    let folder = Folder::new();
    folder.write("one.arff", "@relation one\n@attribute x numeric\n@attribute cat {0,1}\n@data\n1,0\n2,1\n3,0\n4,1\n");
    folder.write("one.xml", "<labels><label name=\"cat\"></label></labels>");
    folder.write("one.txt", "0\n0\n1\n1\n");
    let compare = "compare one.arff --fold-file . --methods br";
    for (option, said) in [
        ("--csv one.arff", "one.arff: is read by this command"),
        ("--csv one.xml", "one.xml: is read by this command"),
        ("--markdown one.txt", "one.txt: is read by this command"),
        ("--csv a --latex ./a", "./a: two outputs cannot share a file"),
        ("--cd-diagram a.svg", "give at least two of each"),
    ] {
        let ran = folder.run(&format!("{compare} {option}"));
        assert!(ran.code == 2 && ran.stderr.contains(said), "{option}: {}", ran.stderr);
        assert!(!folder.path(CELLS).exists(), "{option}");
    }
    let csv = folder.succeed(&format!("{compare} --csv - --quiet"));
    assert!(csv.starts_with("data,method,"), "{csv}");
}
