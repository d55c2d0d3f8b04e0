//! Ctrl-C and closed pipes.

use std::io::Read;
use std::process::{Command, Stdio};

use crate::support::{Folder, table};

/// A run in the background.
fn start(folder: &Folder, arguments: &str) -> std::process::Child {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("arbormix"));
    command.current_dir(folder.path(".")).args(arguments.split_whitespace());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_the_work_and_leaves_no_file() {
    let folder = Folder::new();
    // Large enough that the fit is far from done when the signal comes.
    folder.write("train.csv", table(60_000, 5));
    let mut child = start(&folder, "fit train.csv --labels cat,pet --experts 12 -o never.model");
    let mut stderr = child.stderr.take().unwrap();
    let mut first = [0; 1];
    // The first line of progress says that the work has begun.
    stderr.read_exact(&mut first).unwrap();
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let status = child.wait().unwrap();
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).unwrap();
    assert_eq!(status.code(), Some(130), "{rest}");
    assert!(rest.ends_with("error: interrupted; nothing was written\n"), "{rest}");
    assert_eq!(folder.names(), ["train.csv"]);
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let folder = Folder::with_model();
    folder.write("many.csv", table(20_000, 6));
    let mut child = start(&folder, "predict br.model many.csv --quiet");
    let mut first = [0; 10];
    child.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}
